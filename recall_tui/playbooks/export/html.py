"""Sessions as one HTML page: no script, nothing from elsewhere, every text escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from recall_tui import __version__, clock
from recall_tui.model import Flag, Kind
from recall_tui.playbooks.markdown import plain
from recall_tui.text import notation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recall_tui.model import Message, Session
    from recall_tui.playbooks.export import Contents

_STYLE: Final = """
:root{color-scheme:light dark;--ink:#1d2126;--quiet:#6a737d;--line:#d8dde3;--you:#0b6e8f;
--paper:#fff;--tint:#f4f6f8;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#dfe3e8;--quiet:#8b949e;--line:#30363d;--you:#5cc8e8;
--paper:#14171a;--tint:#1c2025;--bad:#ff8a80}}
body{margin:0 auto;max-width:60rem;padding:1.5rem;background:var(--paper);color:var(--ink);
font:16px/1.55 system-ui,sans-serif}
h1{font-size:1.35rem;margin:2.5rem 0 .25rem}h2{font-size:1rem}
header p,footer,.note{color:var(--quiet);font-size:.85rem}
article{border-top:1px solid var(--line);padding:.75rem 0}
article>.who{font-weight:600}.prompt>.who{color:var(--you)}.failed>.who{color:var(--bad)}
.text{white-space:pre-wrap;overflow-wrap:anywhere;margin:.35rem 0 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--tint);padding:.6rem .8rem;
font:13px/1.45 ui-monospace,monospace;margin:.35rem 0 0}
summary{cursor:pointer;color:var(--quiet)}nav ol{padding-left:1.4rem}a{color:var(--you)}
""".strip()

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)

FOLDED_LINES: Final = 12
"""Tool output longer than this is folded."""


def pieces(sessions: Sequence[Session], contents: Contents) -> Iterator[str]:
    """Yield the page, a message at a time."""
    title = _words(sessions[0].title) if len(sessions) == 1 else f"{len(sessions)} sessions"
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title or 'A session'}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    )
    if len(sessions) > 1:
        rows = "\n".join(
            f'<li><a href="#s{n}">{_words(s.title) or "(no title)"}</a></li>'
            for n, s in enumerate(sessions)
        )
        yield f"<nav><ol>\n{rows}\n</ol></nav>\n"
    for number, session in enumerate(sessions):
        if contents.full:
            break
        yield _head(session, number)
        for _, message in contents.of(session):
            yield _message(message)
        yield "</section>\n"
        if not contents.stable(session):
            yield '<p class="note">The session grew while it was exported.</p>\n'
    yield f"<footer>Exported by Recall {escape(__version__)}; secrets are redacted.</footer>\n"
    yield "</body>\n</html>\n"


def _words(marked: str) -> str:
    """Return a text on one line, escaped."""
    return escape(" ".join(plain(marked[:2000]).split()))


def _head(session: Session, number: int) -> str:
    began, ended = clock.to_iso(session.started_ms), clock.to_iso(session.ended_ms)
    facts = [session.key, session.cwd, session.branch, f"{began} to {ended}" if began else ""]
    words = " · ".join(_words(fact) for fact in facts if fact)
    title = _words(session.title) or "(no title)"
    return (
        f'<section>\n<header id="s{number}"><h1 dir="auto">{title}</h1>\n<p>{words}</p></header>\n'
    )


def _message(message: Message) -> str:
    classes = [message.kind.word]
    classes += ["failed"] if message.flags & Flag.FAILED else []
    who = _words(f"{notation.SPEAKERS[message.kind]} {message.tool}".strip())
    notes = [clock.to_iso(message.time_ms), str(message.reference)]
    notes += ["failed"] if message.flags & Flag.FAILED else []
    notes += ["rewound"] if message.flags & Flag.ABANDONED else []
    notes += [f"picture or file: {m.name or m.kind}" for m in message.materials]
    note = " · ".join(_words(one) for one in notes if one)
    return (
        f'<article class="{" ".join(classes)}"><span class="who">{who}</span> '
        f'<span class="note">{note}</span>\n{_body(message.kind, plain(message.text))}</article>\n'
    )


def _body(kind: Kind, text: str) -> str:
    text = text.strip("\n")
    if not text:
        return ""
    if kind not in (Kind.TOOL_CALL, Kind.TOOL_RESULT):
        return f'<p class="text" dir="auto">{escape(text)}</p>\n'
    lines = text.count("\n") + 1
    block = f'<pre dir="auto">{escape(text)}</pre>'
    if lines <= FOLDED_LINES:
        return f"{block}\n"
    return f"<details><summary>{lines:,} lines</summary>{block}</details>\n"
