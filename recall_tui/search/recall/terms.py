"""What is looked for: literal terms as an agent gives them, or a sentence split into terms.

A sentence yields phrases (quoted, or the whole of a short one), identifiers (paths, dotted and
underscored names, hex, CamelCase), words in all their forms, and runs of Chinese or Japanese with
their pairs of characters. Nothing is required: one odd word never empties an answer.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from recall_tui.named import NamedTuple
from recall_tui.search.plain import as_needle
from recall_tui.search.recall import policy
from recall_tui.search.recall.stopwords import GERMAN, JA, LIGHT, NOISE, ZH, ZH_KEPT, stop_words
from recall_tui.search.recall.words import Word
from recall_tui.text.fold import fold
from recall_tui.text.late import late
from recall_tui.text.words import is_word

_QUOTED: Final = late(
    r"[\"“”„«»`]([^\"“”„«»`]{2,200})[\"“”„«»`]|「([^」]{2,200})」|『([^』]{2,200})』|‹([^‹›]{2,200})›"
    r"|(?<!\w)‘([^‘’]{2,200})’(?!\w)|(?<!\w)'([^'\n]{2,200})'(?!\w)"
)
_CJK: Final = late(
    "[\u3005\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
    "|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"  # Thai, Lao, Burmese, Khmer
)
_PIECE: Final = 4
"""Characters of a piece of a run in letters; two of Chinese or Japanese are nearly a word."""
_WORD: Final = late(r"[^\W_]+(?:'[^\W_]+)?")
_IDENTIFIER: Final = late(
    r"https?://\S+"
    r"|(?:[~.]{0,2}/)?[\w.@%+-]+(?:[/\\][\w.@%+-]+)+/?"  # paths
    r"|\w+(?:::\w+)+"
    r"|\b\w*[^\W_]_\w+\b|\b_+[^\W_]\w+"  # snake_case, __dunder__
    r"|\b[^\W\d_][\w-]*(?:\.[\w-]+)+\b(?:\(\))?"  # module.attribute, file.ext
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b(?=[0-9a-f]*[0-9])[0-9a-f]{7,64}\b"  # commits
    r"|\b[A-Z]{1,6}-?\d{2,6}\b"  # E1234, ABC-42
    r"|\b0x[0-9a-f]{5,16}\b"
    r"|#\d{1,6}\b"
    r"|--[a-z][\w-]+"
    r"|\b\d{1,5}(?:\.\d{1,5}){2,3}(?::\d{1,5})?\b"  # versions, addresses
    r"|(?<![\w.])\.[a-z][\w-]{2,}"  # .env
    r"|\b[A-Z](?:\+\+|#)(?!\w)"  # C++, C#
    r"|\b[A-Za-z]+[a-z0-9](?:[A-Z][a-z0-9]+)+[A-Z]?\b"  # CamelCase
    r"|\b[A-Z]{2,}[a-z]+\d?(?:[A-Z][a-z0-9]+)+\b"
)
_ENDLESS: Final = late(r"\S{200}(?=\S)")
"""What is as long as that is no name: the pattern of those tries it from each character on."""
_NAMELIKE: Final = late(r"(?:Mc|Mac|De|Di|La|Le|Van|O)[A-Z][a-z]+\Z|[ie][A-Z][a-z]+\Z")
"""McGee, DeLuca, iPhone: written like identifiers, meant as words."""
_OPAQUE: Final = late(
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b0x[0-9a-f]{5,16}\b", re.IGNORECASE
)
"""Identifiers whose parts say nothing."""
_GLUED: Final = late(r"[a-z\d][A-Z]")
_CAMEL: Final = late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_WIDE: Final = {
    wide: wide - 0xFEE0
    for wide in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))
}
"""Latin letters and digits as wide as Chinese ones, which input methods leave behind."""
_TYPO_CHARS: Final = 5
_TRIM: Final = ".,;:!?)(]["
_DOTFILE: Final = late(r"\.[a-z]")
_PHRASE_WORDS: Final = range(2, 13)
"""A short text may stand somewhere as it is; a long one hardly."""


class Term(NamedTuple):
    """One thing to look for."""

    spelling: str
    """As the caller wrote it."""
    sort: str
    """term | phrase | identifier | word | run"""
    needles: tuple[bytes, ...]
    """Folded bytes; the term is where one of them is, and `word` agrees."""
    weight: float = 1.0
    word: Word | None = None
    """For words: what decides whether a find is one of its forms."""
    telling: bool = True
    """Whether an answer without it lacks something: not for noise words and helpers."""
    place: int = -1
    """For words: which word of the sentence it is, so that neighbours are known."""
    name: bool = False
    """For words: whether it names somebody or something, and so has no other words for it."""

    @property
    def guessed(self) -> bool:
        """Whether it is found nowhere, and words one edit away are taken for it."""
        return self.word is not None and self.word.typo

    @property
    def exact(self) -> bool:
        """Whether to hold it is evidence above any bag of words."""
        return self.sort in ("phrase", "identifier")


def literal(spelling: str) -> Term:
    """Return an agent's term: a plain substring, compared folded (S0-38)."""
    sort = "term"
    if len(spelling.split()) > 1:
        sort = "phrase"
    elif _IDENTIFIER.fullmatch(spelling) and not _NAMELIKE.match(spelling):
        sort = "identifier"
    return Term(spelling, sort, (as_needle(fold(spelling)),))


def split(sentence: str) -> list[Term]:
    """Return the terms of a sentence whose days were taken out, at most `policy.MAX_WORDS`.

    Empty when it holds nothing but words that are everywhere.
    """
    found: dict[str, Term] = {}
    rest = sentence = _ENDLESS.sub(r"\g<0> ", sentence.translate(_WIDE))
    for match in _QUOTED.finditer(sentence):
        _add(found, _exact(next(filter(None, match.groups())), "phrase"))
    rest = _QUOTED.sub(lambda m: f" {m[0][1:-1]} ", rest)
    for match in _IDENTIFIER.finditer(rest):
        name = match[0].rstrip(_TRIM)
        name = name if _DOTFILE.match(name) else name.lstrip(_TRIM)
        if (len(name) > 2 or name.endswith("#")) and not _NAMELIKE.match(name):
            _add(found, _exact(name, "identifier"))
    bare = rest
    if not rest.isascii():  # that pattern takes 2 ms to compile
        for run in _CJK.findall(rest):
            _add_run(found, run)
        bare = _CJK.sub(" ", rest)
    bare = _OPAQUE.sub(" ", bare)
    words = _words(bare)
    if len(words) in _PHRASE_WORDS and _is_short(sentence):
        whole = " ".join(sentence.split()).strip(_TRIM + "\"'")
        _add(found, _exact(whole, "phrase")._replace(telling=False))
    if not (found or words) and (signs := _signs(sentence)):
        _add(found, _exact(signs, "phrase"))
    inside = " ".join(t.spelling for t in found.values() if t.sort == "identifier")
    names = _names(sentence)
    said = {folded for _, folded in words}
    camel = [word for word in _camel(bare) if word[1] not in said]
    words += camel
    parts = {fold(word) for word in _WORD.findall(inside.replace("_", " "))}
    parts.update(folded for _, folded in camel)
    for place, (spelling, folded) in enumerate(words):
        is_part = folded in parts
        weight = policy.PART_WEIGHT if is_part else 1.0
        if folded in NOISE or folded in LIGHT:
            weight = policy.NOISE_WEIGHT
        word = Word(folded)
        telling = folded not in NOISE and not is_part
        term = Term(spelling, "word", word.needles, weight, word, telling, place, spelling in names)
        found.setdefault(f"word {word.stem}", term)
    return _most_telling(list(found.values()))


def _camel(text: str) -> list[tuple[str, str]]:
    """Return the words that are glued together in the words of a text: getUserById, parseJSON."""
    glued = (word for word in _spellings(text) if _GLUED.search(word))
    return _words(" ".join(" ".join(_CAMEL.findall(w)) for w in glued if not _NAMELIKE.match(w)))


def _words(text: str) -> list[tuple[str, str]]:
    """Return the words that say something, as (spelling, folded), in order."""
    spellings = _spellings(text.replace("_", " "))
    stop = stop_words(map(fold, spellings))
    return [
        (spelling, folded)
        for spelling in spellings
        if _says_something(spelling, folded := fold(spelling), stop)
    ]


def _names(sentence: str) -> frozenset[str]:
    """Return the words written like names: with a capital, and not because they are the first."""
    spellings = _spellings(sentence)
    capital = frozenset(word for word in spellings[1:] if word[0].isupper())
    if stop_words(map(fold, spellings)) is GERMAN or not any(w[0].islower() for w in spellings):
        return frozenset()
    return capital


def _spellings(text: str) -> list[str]:
    """Return the words of a text as they are written, without what follows an apostrophe.

    `don't` and its like say nothing, and `don` something else.
    """
    text = text.replace("’", "'")
    words = (text[found.start() : found.end()] for found in _WORD.finditer(_marked(text)))
    return [word.partition("'")[0] for word in words if not word.lower().endswith("n't")]


def _marked(text: str) -> str:
    """Return a text with a letter in place of each mark behind one: it belongs to the word."""
    if text.isascii():
        return text
    letters: list[str] = []
    inside = False
    for char in text:
        inside = char.isalnum() or (inside and is_word(char))
        letters.append("x" if inside and not char.isalnum() and char != "_" else char)
    return "".join(letters)


def _says_something(spelling: str, folded: str, stop: frozenset[str]) -> bool:
    """Whether a word is worth looking for; of the shortest only numbers and ER, CI, UI."""
    if len(folded) > 2 or not folded.isascii():
        return folded not in stop
    return folded.isdigit() or (len(folded) == 2 and spelling.isupper())


def with_typos(term: Term) -> Term:
    """Return a word that was found nowhere as one that also means words one edit away."""
    assert term.word is not None
    word = Word(fold(term.spelling), typo=True)
    return term._replace(word=word, needles=word.needles)


def may_be_typo(term: Term) -> bool:
    """Whether a word is long enough that another one letter away is probably meant."""
    return term.word is not None and len(term.word.stem) >= _TYPO_CHARS


def _signs(sentence: str) -> str:
    """Return a sentence of symbols alone: an emoji, `=>`. Punctuation says nothing, `=` neither."""
    signs = sentence.strip()
    symbols = sum(unicodedata.category(sign).startswith("S") for sign in signs)
    if any(map(str.isalnum, signs)) or not symbols or (len(signs) < 2 and signs.isascii()):
        return ""
    return signs


def _is_short(sentence: str) -> bool:
    """Whether a whole sentence may stand somewhere as it is: short, without quotes of its own."""
    return len(sentence.split()) in _PHRASE_WORDS and not _QUOTED.search(sentence)


def _exact(spelling: str, sort: str) -> Term:
    weight = policy.PHRASE_WEIGHT
    return Term(spelling, sort, (as_needle(fold(spelling.strip())),), weight)


def _add(found: dict[str, Term], term: Term) -> None:
    if term.needles[0]:
        found.setdefault(f"exact {fold(term.spelling)}", term)


def _add_run(found: dict[str, Term], run: str) -> None:
    """Add what is left of a run of Chinese or Japanese between its particles, and its pairs."""
    for part in _parts(run):
        folded = fold(part)
        term = Term(part, "run", (as_needle(folded),), policy.PHRASE_WEIGHT)
        found.setdefault(f"run {folded}", term)
        size = 2 if folded[0] > "\u2fff" else _PIECE
        if len(folded) <= size:
            continue
        for at in range(len(folded) - size + 1):
            pair = folded[at : at + size]
            needle = (as_needle(pair),)
            found.setdefault(f"run {pair}", Term(pair, "run", needle, telling=False))


def _parts(run: str) -> list[str]:
    words, whole = (JA, []) if re.search("[\u3040-\u30ff]", run) else (ZH, ZH_KEPT)
    either = "|".join(sorted([*words, *whole], key=len, reverse=True))
    inside = frozenset(whole)
    # A blank stands for what parts, and cannot be in a run.
    parted = re.sub(either, lambda m: m[0] if m[0] in inside else " ", run).split()
    kept = [part for part in parted if len(part) > 1]
    return kept or [part for part in parted if part] or [run]


def _most_telling(terms: list[Term]) -> list[Term]:
    """Return at most `policy.MAX_WORDS` terms: exact ones first, longer words before shorter."""
    if len(terms) <= policy.MAX_WORDS:
        return terms
    ranked = sorted(terms, key=lambda t: (not t.exact, not t.telling, -len(t.spelling)))
    exact = sum(term.exact for term in terms)
    if len(terms) - exact:
        del ranked[policy.MAX_EXACT : exact]
    kept = set(map(id, ranked[: policy.MAX_WORDS]))
    return [term for term in terms if id(term) in kept]
