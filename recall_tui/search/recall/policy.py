"""Every number that decides what recall returns and in which order, under one version.

An answer carries `POLICY_VERSION`, so that two answers can be compared (Q33). A test holds the
version against a digest of everything below: a weight never changes without it.
"""

from __future__ import annotations

from typing import Final

POLICY_VERSION: Final = "recall-2026.17"

# ------------------------------------------------------------ what may be asked (S0-9 ... S0-17)

MAX_TERMS: Final = 8
MAX_TERM_CHARS: Final = 500
MAX_QUESTION_CHARS: Final = 500
DEFAULT_LIMIT: Final = 8
MAX_LIMIT: Final = 25
"""For agents. A person's limit is bounded by `MAX_PERSON_LIMIT` only."""
MAX_PERSON_LIMIT: Final = 200
MAX_ID_CHARS: Final = 256
MAX_SENTENCE_CHARS: Final = 20_000
"""A pasted stack trace is a sentence too."""
MAX_WORDS: Final = 16
"""Terms a sentence is split into, the most telling first, ..."""
MAX_EXACT: Final = 10
"""... and so many exact ones where there are words: a stack trace is full of paths that stand
nowhere else."""

# ------------------------------------------------------------ what is returned (S0-76 ... S0-101)

NEIGHBOURS: Final = 4
MORE_NEIGHBOURS: Final = 8
MESSAGE_BYTES: Final = 4 * 1024
PASSAGE_BYTES: Final = 12 * 1024
ENVELOPE_BYTES: Final = 96 * 1024
MAX_FACTS: Final = 10
MAX_MATERIALS: Final = 8
"""Materials named on one message (S0-111)."""

# ------------------------------------------------------------ BM25 over messages (S0-65 ... S0-73)

K1: Final = 1.2
B: Final = 0.75
TOOL_RESULT_WEIGHT: Final = 0.5

# ------------------------------------------------------------ sentences: evidence of a session

WINDOW: Final = 3
"""Neighbouring messages scored together: a question and its answer share their words."""
WINDOW_MORE: Final = 0.3
"""Share of the 4th and 7th best window of a session, halved each: many weak passages count."""
SESSION_K1: Final = 2.0
SESSION_WEIGHT: Final = 1.0
TF_CAP: Final = 6
"""Occurrences of a word counted in one message: BM25 has saturated long before."""
NOISE_WEIGHT: Final = 0.4
"""Of the words that questions are made of: kind, mention, happen, many."""
NEAR_FORM: Final = 0.45
"""Of a word that shares the beginning of a term but not its stem."""
TYPO_FORM: Final = 0.6
"""Of a word one edit away, looked for only where a term itself is nowhere."""
PART_WEIGHT: Final = 0.3
"""Of the words inside an identifier that is itself a term."""
PHRASE_WEIGHT: Final = 1.5
FOLLOWING: Final = 0.6
"""Of a session's second and further passages, beside the first of another."""

ADJACENT_TOKENS: Final = 4
ADJACENT_WEIGHT: Final = 0.6
"""Two words that follow each other in the sentence and stand near each other in a message."""

NAME_WEIGHT: Final = 8.0
"""For each name of a sentence that a session says at all: other words are paraphrased."""
NAMED_SPEAKER: Final = 1.4
"""Of what is said by the one who is named, in a log of several people, ..."""
OTHER_SPEAKER: Final = 0.8
"""... and of what the others say."""
TOLD_TIME: Final = 0.3
"""Share added to a stretch that tells a time, when that is what is asked for."""

# ------------------------------------------------------------ dates named in a sentence

DATE_WEIGHT: Final = 15.0
SAME_DAY: Final = 1.0
DAYS_AFTER: Final = 14
JUST_AFTER: Final = 0.5
DAYS_BEFORE: Final = 2
JUST_BEFORE: Final = 0.25
SAME_MONTH: Final = 0.6
AFTER_MONTH: Final = 0.35
SAME_YEAR: Final = 0.4

# ------------------------------------------------------------ how many are looked at closely

LOOKED_AT: Final = 2
LEAST: Final = 8
"""Sessions of explicit terms that are scored exactly after the scan: so many for each passage
wanted, because a session may turn out to quote recall only."""
SPARE: Final = 12
"""For a sentence one for each passage wanted and so many more: a session may rise when it is
looked at."""
STRETCHES: Final = 12
"""Strongest messages of a session around which stretches are scored; more when more passages are
wanted."""

# ------------------------------------------------------------ what a scan puts off

FIRST_LOOK: Final = 32
"""Blocks after which half of a scan first sees what can be put off; then after four times as many.
"""
PROSPECT: Final = 0.75
"""Share of what common words could add at most that they are expected to add without rarer ones."""
SAMPLED: Final = 32
"""Every so many blocks a word that was put off is counted all the same."""
