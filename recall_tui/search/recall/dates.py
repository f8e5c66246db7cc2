"""Days and months named in a sentence: taken out of its words, turned into evidence of time.

"What did we decide on 7 July 2023?" looks for what was said around that day. A named day ranks, it
never filters: what is asked about a day is often said a week later.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, AnyStr, Final

from recall_tui.named import NamedTuple
from recall_tui.search.recall import policy
from recall_tui.text.late import late

if TYPE_CHECKING:
    from collections.abc import Iterable
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
_ISO: Final = (
    r"\b(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)-(?P<d>\d\d)"
    r"(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b"  # of a line of a log
)
_CJK: Final = r"(?:(?P<y>(?:19|20)\d\d)年)?(?P<m>\d{1,2})月(?:(?P<d>\d{1,2})[日号號])?"
_DAY_MONTH: Final = rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?(?: (?:of|de|di))? {_MONTH}{_YEAR}"
_MONTH_DAY: Final = rf"\b{_MONTH} (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d){_YEAR}"
_MONTH_ONLY: Final = (
    r"(?P<before>\b(?:in|during|of|last|this|since|by|until|before|after|im|en|em|в)\s+)?"
    rf"\b{_MONTH}{_YEAR}"
)
_YEAR_ONLY: Final = r"\b(?P<y>20\d\d)\b"
_DAYS_BACK: Final = {
    (
        0,
        0,
    ): "today, tonight, this morning, heute, hoy, aujourd'hui, oggi, hoje, сегодня, 今天, 今日",
    (1, 1): "yesterday, last night, gestern, hier, ayer, ieri, ontem, вчера, 昨天, 昨日, 昨晚",
    (2, 2): "the day before yesterday, vorgestern, avant-hier, anteayer, 前天, 一昨日",
    (6, 0): "this week, diese woche, cette semaine, esta semana, 本周, 这周, 今週",
    (13, 5): "last week, letzte woche, la semaine dernière, la semana pasada, 上周, 上星期, 先週",
    (30, 0): "this month, diesen monat, este mes, 本月, 这个月, 今月",
    (60, 20): "last month, letzten monat, le mois dernier, el mes pasado, 上个月, 上月, 先月",
}
"""(oldest, newest) days back -> how that is said."""
_SAID: Final = {word: back for back, said in _DAYS_BACK.items() for word in said.split(", ")}
_WEEKDAYS: Final = {
    name: number
    for number, names in enumerate((
        "monday montag lundi lunes 周一 星期一 月曜",
        "tuesday dienstag mardi martes 周二 星期二 火曜",
        "wednesday mittwoch mercredi miércoles 周三 星期三 水曜",
        "thursday donnerstag jeudi jueves 周四 星期四 木曜",
        "friday freitag vendredi viernes 周五 星期五 金曜",
        "saturday samstag samedi sábado 周六 星期六 土曜",
        "sunday sonntag dimanche domingo 周日 星期日 日曜",
    ))
    for name in names.split()
}  # fmt: skip
_UNITS: Final = {
    name: (days, blur)
    for days, blur, names in (
        (1, 0, "day days tag tagen jour jours día días 天 日"),
        (7, 3, "week weeks woche wochen semaine semaines semana semanas 周 週間"),
        (30, 10, "month months monat monaten mois mes meses 个月 か月 ヶ月"),
    )
    for name in names.split()
}
"""Unit of time -> (days, how many days it may be off)."""
_COUNTS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "few": 4,
    "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "un": 1, "une": 1, "una": 1, "deux": 2,
    "trois": 3, "dos": 2, "tres": 3, "一": 1, "两": 2, "二": 2, "三": 3,
}  # fmt: skip


def _one_of(names: Iterable[str], *, wide: bool) -> str:
    """Return a pattern of names that are words, or of those in scripts without blanks."""
    chosen = [name for name in names if (name[0] > "\u2fff") is wide]
    return "|".join(map(re.escape, sorted(chosen, key=len, reverse=True)))


_NUMBER: Final = rf"(?P<n>\d{{1,2}}|{_one_of(_COUNTS, wide=False)})"
_UNIT: Final = _one_of(_UNITS, wide=False)
_RELATIVE: Final = (
    rf"\b{_NUMBER} (?P<unit>{_UNIT}) ago\b"
    rf"|\b(?:vor|hace|il y a) {_NUMBER.replace('<n>', '<m>')} (?P<of>{_UNIT})\b"
    rf"|(?P<w>\d{{1,2}}|{_one_of(_COUNTS, wide=True)})"
    rf"个?(?P<wide>{_one_of(_UNITS, wide=True)})(?:以)?前"
    rf"|\b(?P<word>{_one_of(_SAID, wide=False)})\b|(?P<cjk>{_one_of(_SAID, wide=True)})"
)
_WEEKDAY: Final = (
    r"\b(?:(?P<before>last|this|past|on|since|letzten|letzte|am|diesen|el|el pasado) )?"
    rf"(?P<day>{_one_of(_WEEKDAYS, wide=False)})(?P<behind> dernier| pasado)?\b"
    rf"|上?(?P<cjk>{_one_of(_WEEKDAYS, wide=True)})日?"
)
_HINTS: Final = frozenset(_MONTHS).union(
    *(name.replace("'", " ").replace("-", " ").split() for name in _SAID), _WEEKDAYS,
    ("ago", "vor", "hace", "il"),
) - frozenset(("the", "la", "le", "el", "l", "this", "last", "day", "before"))  # fmt: skip
"""Every time that is named without a digit holds one of these words, ..."""
_CJK_HINTS: Final = frozenset("昨今上本先周星曜前这")
"""... or one of these characters."""


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
    for match in _compiled(_WEEKDAY).finditer(sentence):
        if match["cjk"] or match["before"] or match["behind"]:
            claim(match, _weekday(match, today))
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
        oldest, newest = _SAID[said]
    else:
        number = (match["n"] or match["m"] or match["w"]).lower()
        days, blur = _UNITS[(match["unit"] or match["of"] or match["wide"]).lower()]
        back = days * (_COUNTS.get(number) or int(number))
        oldest, newest = back + blur, max(0, back - blur)
    first, last = today - timedelta(days=oldest), today - timedelta(days=newest)
    return Span(0, 0, 0, first, last)


def _weekday(match: re.Match[str], today: date) -> Span:
    """Return the last such day; today is "this" one, and the one before "last"."""
    number = _WEEKDAYS[(match["day"] or match["cjk"]).lower()]
    back = (today.weekday() - number) % 7
    if not back and (match["before"] or "").lower() not in ("this", "on", "am", "diesen", "since"):
        back = 7
    day = today - timedelta(days=back)
    return Span(0, 0, 0, day, day)


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
