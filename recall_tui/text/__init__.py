"""What a text is: sanitised, redacted, folded, cut, measured.

Order at the border, once: `sanitize` (controls and lone surrogates go), `mark` (secrets become
marks; `mark_all` for many texts at half the cost), `fold_bytes` (what is searched). `shown` turns
marked text into what a person reads. `marks` and `fold` load no rules; `redact` does.
"""
