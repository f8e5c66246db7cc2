"""Days and months named in a sentence: taken out of its words, turned into evidence of time.

"What did we decide on 7 July 2023?" looks for what was said around that day. A named day ranks, it
never filters: what is asked about a day is often said a week later.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, AnyStr, Final, NamedTuple

from recall_tui.search.recall import policy
from recall_tui.text.late import late

if TYPE_CHECKING:
    from datetime import tzinfo

_NAMES: Final = (
    "january januar janvier enero janeiro gennaio января январь",
    "february februar février fevrier febrero fevereiro febbraio февраля февраль",
    "march märz mars marzo março марта март",
    "april avril abril aprile апреля апрель",
    "may mai mayo maio maggio мая май",
    "june juni juin junio junho giugno июня июнь",
    "july juli juillet julio julho luglio июля июль",
    "august août aout agosto августа август",
    "september septembre septiembre setembro settembre сентября сентябрь",
    "october oktober octobre octubre outubro ottobre октября октябрь",
    "november novembre noviembre novembro ноября ноябрь",
    "december dezember décembre decembre diciembre dezembro dicembre декабря декабрь",
)
_MONTHS: Final = {name: n for n, names in enumerate(_NAMES, 1) for name in names.split()}
_MONTHS.update({names.split()[0][:3]: n for n, names in enumerate(_NAMES, 1)})
_MONTHS["sept"] = 9
_WORDS: Final = ("may", "mar", "march", "mars", "mai", "jan", "dec", "sep", "май")
"""Months that are also words or short names: alone they count only after a word of time."""

_MONTH: Final = (
    "(?P<m>" + "|".join(sorted(map(re.escape, _MONTHS), key=len, reverse=True)) + r")\b\.?"
)
_YEAR: Final = r"(?:,?\s*(?:de |del )?(?P<y>(?:19|20)\d\d)\b)?"
_ISO: Final = r"\b(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)-(?P<d>\d\d)\b"
_CJK: Final = r"(?:(?P<y>(?:19|20)\d\d)年)?(?P<m>\d{1,2})月(?:(?P<d>\d{1,2})[日号號])?"
_DAY_MONTH: Final = rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?(?: (?:of|de|di))? {_MONTH}{_YEAR}"
_MONTH_DAY: Final = rf"\b{_MONTH} (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d){_YEAR}"
_MONTH_ONLY: Final = (
    r"(?P<before>\b(?:in|during|of|last|this|since|by|until|before|after|im|en|em|в)\s+)?"
    rf"\b{_MONTH}{_YEAR}"
)
_YEAR_ONLY: Final = r"\b(?P<y>20\d\d)\b"
_RELATIVE: Final = (
    r"\b(?:(?P<n>\d{1,2}|a|an|one|two|three|four|five|six) (?P<unit>day|week|month)s? ago"
    r"|(?P<word>today|yesterday|last week|last month|this week|this month|heute|gestern|hier|ayer)"
    r")\b|(?P<cjk>昨天|今天|上周|上个月|本周|昨日|今日|先週|先月)"
)
_HINTS: Final = frozenset(_MONTHS).union(
    ("ago", "week", "month", "today", "yesterday", "heute", "gestern", "hier", "ayer")
)
"""Every time that is named without a digit holds one of these words, ..."""
_CJK_HINTS: Final = frozenset("昨今上本先")
"""... or one of these characters."""
_COUNTS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_DAYS_BACK: Final = {
    "today": (0, 0), "heute": (0, 0), "今天": (0, 0), "今日": (0, 0),
    "yesterday": (1, 1), "gestern": (1, 1), "hier": (1, 1), "ayer": (1, 1), "昨天": (1, 1),
    "昨日": (1, 1), "last week": (13, 5), "上周": (13, 5), "先週": (13, 5), "this week": (6, 0),
    "本周": (6, 0), "last month": (60, 20), "上个月": (60, 20), "先月": (60, 20),
    "this month": (30, 0),
}  # fmt: skip


_ASKS: Final = late(
    r"\s*(?:since )?(?:when|how long|(?:in )?(?:what|which) (?:day|date|week|month|year|time))\b",
    re.IGNORECASE,
)
_TOLD: Final = (
    rb"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|weeks?|weekend|months?|years?|since"
    rb"|recently|upcoming|summer|winter|spring|fall|autumn"
    rb"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july"
    rb"|august|september|october|november|december)\b"
)
_WORD: Final = late(r"\w+")


@cache
def _compiled(pattern: AnyStr) -> re.Pattern[AnyStr]:
    """Return a pattern; most sentences name no time and need none (5 ms of a start)."""
    return re.compile(pattern, re.IGNORECASE)


def told(folded: bytes, start: int, end: int) -> bool:
    """Return whether folded text [start, end) tells a time."""
    return _compiled(_TOLD).search(folded, start, end) is not None


def asked(sentence: str) -> bool:
    """Return whether a sentence asks when something was."""
    return _ASKS.match(sentence) is not None


class Span(NamedTuple):
    """A time that was named, as far as it was named."""

    year: int
    """0 when it was not said."""
    month: int
    """0: the whole year."""
    day: int
    """0: the whole month."""
    first: date | None = None
    """For what was said in relation to today: the days from here ..."""
    last: date | None = None
    """... to here."""

    def __str__(self) -> str:
        if self.first and self.last:
            return f"{self.first}/{self.last}" if self.first != self.last else str(self.first)
        parts = [f"{self.year:04}" if self.year else "-"]
        parts += [f"{number:02}" for number in (self.month, self.day) if number]
        return "-".join(parts)


def take(sentence: str, now_ms: int, zone: tzinfo = UTC) -> tuple[tuple[Span, ...], str]:
    """Return the times a sentence names, and the sentence without them.

    Args:
        sentence: What was asked.
        now_ms: The present, for "yesterday" and "two weeks ago".
        zone: The zone of "today".
    """
    if not _may_name_a_time(sentence):
        return (), sentence
    today = datetime.fromtimestamp(now_ms / 1000, zone).date()
    spans: list[Span] = []
    taken = bytearray(len(sentence))

    def claim(match: re.Match[str], span: Span | None) -> None:
        if span is not None and not any(taken[match.start() : match.end()]):
            taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
            spans.append(span)

    for match in _compiled(_ISO).finditer(sentence):
        claim(match, _span(match["y"], match["m"], match["d"]))
    for match in _compiled(_CJK).finditer(sentence):
        claim(match, _span(match["y"], match["m"], match["d"]))
    for pattern in (_DAY_MONTH, _MONTH_DAY):
        for match in _compiled(pattern).finditer(sentence):
            claim(match, _span(match["y"], match["m"], match["d"]))
    for match in _compiled(_MONTH_ONLY).finditer(sentence):
        word = match["m"].lower()
        if (len(word) > 3 and word not in _WORDS) or match["before"] or match["y"]:
            claim(match, _span(match["y"], match["m"], ""))
    for match in _compiled(_RELATIVE).finditer(sentence):
        claim(match, _relative(match, today))
    for match in _compiled(_YEAR_ONLY).finditer(sentence):
        claim(match, _span(match["y"], "", ""))
    rest = "".join(" " if gone else char for char, gone in zip(sentence, taken, strict=True))
    return tuple(spans), rest


def _may_name_a_time(sentence: str) -> bool:
    words = _WORD.findall(sentence.lower())
    return (
        not _HINTS.isdisjoint(words)
        or any(map(str.isdigit, sentence))
        or not _CJK_HINTS.isdisjoint(sentence)
    )


def _span(year: str | None, month: str | None, day: str | None) -> Span | None:
    number = 0
    if month:
        number = int(month) if month.isdigit() else _MONTHS[month.lower()]
    found = Span(int(year or 0), number, int(day or 0))
    if number > 12 or found.day > 31 or (month and not number):
        return None
    return found


def _relative(match: re.Match[str], today: date) -> Span:
    said = (match["word"] or match["cjk"] or "").lower()
    if said:
        oldest, newest = _DAYS_BACK[said]
    else:
        count = _COUNTS.get(match["n"].lower()) or int(match["n"])
        days = count * {"day": 1, "week": 7, "month": 30}[match["unit"].lower()]
        blur = {"day": 0, "week": 3, "month": 10}[match["unit"].lower()]
        oldest, newest = days + blur, max(0, days - blur)
    first, last = today - timedelta(days=oldest), today - timedelta(days=newest)
    return Span(0, 0, 0, first, last)


def prior(spans: tuple[Span, ...], started_ms: int, ended_ms: int, zone: tzinfo = UTC) -> float:
    """Return 0..1: how well a session's days fit the times a question names."""
    if not spans or not ended_ms:
        return 0.0
    last = datetime.fromtimestamp(ended_ms / 1000, zone).date()
    first = datetime.fromtimestamp((started_ms or ended_ms) / 1000, zone).date()
    return max(_fit(span, first, last) for span in spans)


def _fit(span: Span, first: date, last: date) -> float:
    if span.first and span.last:
        return _near(first, last, span.first, span.last)
    if not span.month:
        return policy.SAME_YEAR if first.year <= span.year <= last.year else 0.0
    years = [span.year] if span.year else sorted({first.year, last.year, first.year - 1})
    if span.day:
        return max((_day_fit(y, span, first, last) for y in years), default=0.0)
    return max((_month_fit(y, span.month, first, last) for y in years), default=0.0)


def _day_fit(year: int, span: Span, first: date, last: date) -> float:
    try:
        day = date(year, span.month, span.day)
    except ValueError:
        return 0.0
    return _near(first, last, day, day)


def _near(first: date, last: date, wanted: date, until: date) -> float:
    """Return how near a session's days are to wanted days; what follows them counts longer."""
    if first <= until and last >= wanted:
        return policy.SAME_DAY
    after = (first - until).days
    if 0 < after <= policy.DAYS_AFTER:
        return policy.JUST_AFTER * (1 - after / (policy.DAYS_AFTER + 1))
    return policy.JUST_BEFORE if 0 < (wanted - last).days <= policy.DAYS_BEFORE else 0.0


def _month_fit(year: int, month: int, first: date, last: date) -> float:
    begins = date(year, month, 1)
    ends = date(year + month // 12, month % 12 + 1, 1)
    if first < ends and last >= begins:
        return policy.SAME_MONTH
    after = (first - ends).days
    if 0 <= after <= policy.DAYS_AFTER:
        return policy.AFTER_MONTH * (1 - after / 20)
    return 0.0
