"""What a text is: sanitised, redacted, folded, cut, measured.

Order at the border, once: `sanitize` (controls and lone surrogates go), `mark` (secrets become
marks), `fold_bytes` (what is searched); `batch.ready` does all three for many texts at two thirds
of the cost. `shown` turns marked text into what a person reads. `marks` and `fold` load no rules;
`redact` does.
"""
