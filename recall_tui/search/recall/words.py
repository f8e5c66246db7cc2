"""Forms of a word: what a word of a question may look like where it stands in the history.

A word is found by its *needle*, the beginning that its forms share, and every find is then looked
at: the token it begins is reduced to its stem and compared. So "art" never finds "start", "went"
is found by "go", and "paint" finds "painter" as a near form.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from recall_tui.search.recall import policy
from recall_tui.text.late import late

if TYPE_CHECKING:
    from collections.abc import Callable

TOKEN: Final = late(rb"[a-z0-9\x80-\xfd]+")
"""A word in folded bytes: letters and digits, and whatever is not ASCII."""

_GROUPS: Final = (
    "go went gone goes going|see saw seen|take took taken|make made|get got gotten|give gave given|"
    "buy bought|write wrote written|find found|feel felt|think thought|say said|tell told|"
    "meet met|run ran|begin began begun|win won|lose lost|teach taught|bring brought|catch caught|"
    "eat ate eaten|drive drove driven|speak spoke spoken|child children|man men|"
    "woman women|person people|leave left|keep kept|know knew known|grow grew grown|"
    "become became|break broke broken|choose chose chosen|fall fell fallen|fly flew flown|"
    "hear heard|hold held|spend spent|build built|send sent|sell sold|sing sang sung|"
    "swim swam swum|wear wore worn|come came|draw drew drawn|sit sat|stand stood|"
    "understand understood|pay paid|lead led|ride rode ridden|throw threw thrown|"
    "show showed shown|foot feet|life lives|wife wives|freeze froze frozen|"
    "hide hid hidden|bind bound|shrink shrank shrunk|sink sank sunk|stick stuck|strike struck|"
    "rebuild rebuilt|rewrite rewrote rewritten|overwrite overwrote overwritten"
)
"""Irregular forms."""
_NAMES: Final = (
    "child kid|mom mother mum|dad father|grandma grandmother|grandpa grandfather|"
    "photo picture pic photograph|config configuration|repo repository|db database|"
    "auth authentication authorization|env environment|dir directory folder|docs documentation|"
    "deps dependency|param parameter|arg argument|msg message|err error|fn function|img image"
)
"""Names of one thing, each of them in its plural as well."""


def _plural(name: str) -> str:
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def _groups() -> dict[str, tuple[str, ...]]:
    """Return the first word of each group -> the whole group."""
    found: dict[str, tuple[str, ...]] = {}
    for group in _GROUPS.split("|"):
        first, *others = group.split()
        found[first] = (first, *others)
    for group in _NAMES.split("|"):
        names = group.split()
        plurals = map(_plural, names)
        found[names[0]] = (*found.get(names[0], ()), *names, *plurals)
    return found


_FORMS: Final = _groups()
_FIRST: Final = {word: first for first, group in _FORMS.items() for word in group}

_UNSPACED: Final = (
    "\u0e00\u0eff", "\u1000\u109f", "\u1780\u17ff", "\u3005\u30ff", "\u3400\u9fff",
    "\uac00\ud7af", "\uf900\ufaff",
)  # fmt: skip
"""First and last letters of the scripts of `is_unspaced`; as a pattern they take 4 ms to compile.
"""

_PARTICLE: Final = late(
    "(?:으로|에서|에게|부터|까지|처럼|보다|하나요|했나요|인가요|합니다|했다|하는|하고|하다|해서|되는|되다"
    "|[을를이가은는의에로와과도만])$"
)
"""What a Korean word carries behind it."""
_SYLLABLES: Final = 2
"""Of a Korean word at least so many stay."""

_ENDING: Final = 6
"""Longest ending a form has beyond its stem: `-ations`, `-ically`."""

_LONG: Final = 5
"""Letters of a stem from which words that only share its beginning count as near forms."""


@cache
def _stemmer(language: str = "english") -> Callable[[str], str]:
    """Return a Snowball stemmer; imported for sentences only."""
    from Stemmer import Stemmer  # noqa: PLC0415 - see above

    stem: Callable[[str], str] = Stemmer(language).stemWord
    return stem


def stem(word: str) -> str:
    """Return what all forms of a folded word share: its irregular base form, then its stem."""
    if word.isascii():
        return _stemmer()(_FIRST.get(word, word))
    first = word[0]
    if "\u0400" <= first <= "\u04ff":
        return _stemmer("russian")(word)
    if "\u0370" <= first <= "\u03ff":
        return _stemmer("greek")(word)
    if _korean(word):
        shorter = _PARTICLE.sub("", word)
        return shorter if len(shorter) >= _SYLLABLES else word
    return word


def _korean(word: str) -> bool:
    return "\uac00" <= word[:1] <= "\ud7a3"


class Word:
    """One word of a question and what may stand for it.

    Attributes:
        forms: Spellings that stand for it and have other stems.
        needles: Beginnings to look for in folded bytes; every form has one of them.
        stem: What its forms share.
        typo: Whether words one edit away are taken for it.
        unspaced: Whether it is of a script that Latin words may touch.
        weights: Tokens weighed so far.
    """

    __slots__ = ("forms", "needles", "stem", "typo", "unspaced", "weights")

    def __init__(self, folded: str, *, typo: bool = False) -> None:
        """Prepare a folded word; `typo` also admits words one edit away."""
        self.stem = stem(folded)
        self.typo = typo
        self.unspaced = is_unspaced(folded[:1])
        self.weights: dict[bytes, float] = {}
        begin = self.stem[:3] if typo else _beginning(self.stem)
        first = _FIRST.get(folded) or _FIRST.get(self.stem, "")
        self.forms = _FORMS.get(first, ())
        others = {_beginning(stem_of(form)) for form in self.forms}
        if self.stem == "".join((begin[:2], "i")):  # try, cry: too short to leave the end away
            others.add(f"{begin[:2]}y")
        kept: list[str] = []
        for beginning in sorted({begin, *others}):  # what is found by another is not found twice
            if not kept or not beginning.startswith(kept[-1]):
                kept.append(beginning)
        self.needles = tuple(needle.encode() for needle in kept)

    def weight(self, token: bytes) -> float:
        """Return how much a token counts for this word: 1 for a form of it, 0 for another word."""
        known = self.weights.get(token)
        if known is None:
            known = self.weights[token] = self._weigh(token.decode("utf-8", "replace"))
        return known

    def _weigh(self, token: str) -> float:
        if not token.isascii() and not self.unspaced:
            ends = (at for at, letter in enumerate(token) if is_unspaced(letter))
            token = token[: next(ends, None)]
        if _korean(self.stem):
            return 1.0 if token.startswith(self.stem) else 0.0
        if not self.typo and len(token) > len(self.stem) + _ENDING:
            # No form of it: names that programs glue together are not worth a stemmer's time.
            longer = len(self.stem) >= _LONG and token.startswith(self.stem)
            return policy.NEAR_FORM if longer else 0.0
        other = stem(token)
        if other == self.stem:
            return 1.0
        if self.typo:
            return policy.TYPO_FORM if one_edit(self.stem, other) else 0.0
        if len(self.stem) < _LONG or len(other) < _LONG - 1:
            return 0.0
        near = other.startswith(self.stem) or self.stem.startswith(other)
        return policy.NEAR_FORM if near else 0.0


def is_unspaced(letter: str) -> bool:
    """Whether a letter is of a script in which words are not parted, or carry their particles.

    A Latin word may stand right beside one (`使用error处理`, `timeout이`).
    """
    return any(first <= letter <= last for first, last in _UNSPACED)


def stem_of(form: str) -> str:
    """Return the stem of one spelling, irregular or not: what its own text begins with."""
    return _stemmer()(form)


def _beginning(stemmed: str) -> str:
    """Return the beginning every form of a stem has, near ones included.

    `happi` is also in `happy`, and `healthier` is nearly `health`.
    """
    if len(stemmed) > _LONG:
        return stemmed[:_LONG]
    return stemmed[:-1] if len(stemmed) > 3 and stemmed[-1] in "iye" else stemmed


def one_edit(left: str, right: str) -> bool:
    """Whether one letter was left out, added, replaced, or two neighbours swapped."""
    if abs(len(left) - len(right)) > 1 or left == right:
        return False
    at = 0
    while at < min(len(left), len(right)) and left[at] == right[at]:
        at += 1
    rest, other = left[at:], right[at:]
    return (
        rest[1:] == other[1:]
        or rest[1:] == other
        or rest == other[1:]
        or (rest[:2] == other[1::-1] and rest[2:] == other[2:])
    )
