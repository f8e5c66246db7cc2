"""What a text is: sanitised, redacted, folded, cut, measured.

Order at the border, once: `sanitize` (controls and lone surrogates go), `mark` (secrets become
marks), `fold_bytes` (what is searched). `shown` turns marked text into what a person reads.
"""
