"""The tables of the index, and what makes an index of another version unusable.

`block` and `session` are what a search reads; `body` is apart so that a scan never walks over it.
`source` remembers what was read of each source, `proof` where to go on and whether that is valid:
a sync without work reads every `source` and no `proof`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_tui.errors import StoreError

if TYPE_CHECKING:
    import sqlite3

VERSION: Final = 6
"""`PRAGMA user_version` of an index this code reads and writes."""

TEXT_RULES: Final = "text"
"""`meta` key: the rules (secrets, folding) under which the stored text was made."""

LACKING: Final = "(state <> 'ok' OR unparsed > 0 OR torn > 0 OR unknown <> '')"
"""Condition on `source`, as its index needs it to be written: something of it is missing."""

COUNTS: Final = (
    # All that is summed up of sessions, without their names and paths. First comes what nobody
    # asks for: to list sessions it must not look better than the one by time.
    """CREATE INDEX session_counts ON session
(messages, copied, searchable, searchable_copied, started_ms, ended_ms, folded)""",
    f"CREATE INDEX source_lacking ON source (id) WHERE {LACKING}",
)
"""What the reach of every answer is told by."""

SUMMARIES: Final = (
    """CREATE TABLE summary (
  record INTEGER NOT NULL,         -- hash of the record id of a compaction's summary, ...
  block INTEGER NOT NULL,          -- ... and the block that holds it
  PRIMARY KEY (record, block)
) WITHOUT ROWID""",
    "CREATE INDEX summary_block ON summary (block)",
)
"""A copy of a compacted session begins with the summary: in the original that stands midway."""

_NO_MORE: Final = """BEGIN
  DELETE FROM stamps WHERE batch = {row}.id >> 6;
  INSERT OR IGNORE INTO unpacked VALUES ({row}.id >> 6);
END"""

STAMPS: Final = (
    """CREATE TABLE stamps (
  batch INTEGER NOT NULL,          -- source.id >> 6
  harness TEXT NOT NULL,
  root TEXT NOT NULL,
  first TEXT NOT NULL,             -- the first and the last of its paths as they sort
  last TEXT NOT NULL,
  paths BLOB NOT NULL,             -- of files that are not gone, joined by NUL
  looks BLOB NOT NULL              -- int64: every size, every mtime_ns, every ctime_ns
)""",
    "CREATE INDEX stamps_batch ON stamps (batch)",
    # Batches in which a source has changed since; the end of a sync packs them again.
    "CREATE TABLE unpacked (batch INTEGER PRIMARY KEY)",
    f"""CREATE TRIGGER source_added AFTER INSERT ON source {_NO_MORE.format(row="NEW")}""",
    f"""CREATE TRIGGER source_changed
AFTER UPDATE OF harness, path, part, root, size, mtime_ns, ctime_ns, state ON source
{_NO_MORE.format(row="NEW")}""",
    f"""CREATE TRIGGER source_removed AFTER DELETE ON source {_NO_MORE.format(row="OLD")}""",
)
"""How files looked, many in a row: every search asks for all of them. See `stamps`."""

TABLES: Final = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
    """CREATE TABLE session (
  id INTEGER PRIMARY KEY,          -- never used twice
  key TEXT NOT NULL UNIQUE,
  harness TEXT NOT NULL,
  native_id TEXT NOT NULL,
  path TEXT NOT NULL,
  part TEXT NOT NULL,
  root TEXT NOT NULL,
  stated BLOB NOT NULL DEFAULT x'', -- user.mark_of the id its records state, empty without one
  title TEXT NOT NULL,
  cwd TEXT NOT NULL,
  last_cwd TEXT NOT NULL,
  branch TEXT NOT NULL,
  models TEXT NOT NULL,            -- one a line
  kind TEXT NOT NULL,              -- model.SessionKind
  parent TEXT NOT NULL DEFAULT '', -- key of the main session, once that is indexed
  parent_native TEXT NOT NULL,     -- what the source says of it
  started_ms INTEGER NOT NULL,
  ended_ms INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  prompts INTEGER NOT NULL,
  tool_calls INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  materials INTEGER NOT NULL,
  searchable INTEGER NOT NULL DEFAULT 0, -- messages of the kinds recall finds
  size INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  version TEXT NOT NULL,
  presence TEXT NOT NULL DEFAULT 'present',
  gone_ms INTEGER NOT NULL DEFAULT 0,
  first_record INTEGER NOT NULL,   -- hash of the first native record id, 0 without one
  original INTEGER NOT NULL DEFAULT 0, -- the session its first `copied` messages come from
  copied INTEGER NOT NULL DEFAULT 0,
  searchable_copied INTEGER NOT NULL DEFAULT 0, -- of `searchable`, among the copied
  folded INTEGER NOT NULL DEFAULT 0,   -- all its messages are copies
  children INTEGER NOT NULL DEFAULT 0
)""",
    """CREATE TABLE block (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL,
  no INTEGER NOT NULL,             -- running number in the session
  kind INTEGER NOT NULL,           -- block.BlockKind
  first INTEGER NOT NULL,          -- positions of its first and last message
  last INTEGER NOT NULL,
  first_ms INTEGER NOT NULL,       -- 0 as soon as one message has no time
  last_ms INTEGER NOT NULL,
  meta BLOB NOT NULL,              -- block.Meta
  fold BLOB NOT NULL               -- what is searched
)""",
    """CREATE TABLE body (
  id INTEGER PRIMARY KEY,          -- the block's
  raw BLOB NOT NULL,               -- zstd of the marked texts: what is shown
  attributes BLOB NOT NULL         -- zstd of JSON {index in the block: facts}, empty for none
)""",
    # Sessions that are still being read and have no row yet: nobody looks at their blocks.
    "CREATE TABLE draft (session INTEGER PRIMARY KEY)",
    """CREATE TABLE source (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  harness TEXT NOT NULL,
  path TEXT NOT NULL,
  part TEXT NOT NULL,
  native_id TEXT NOT NULL,
  parent TEXT NOT NULL,
  root TEXT NOT NULL,
  size INTEGER NOT NULL,           -- these three as they were before it was read
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  session INTEGER,                 -- NULL: it yields no session
  state TEXT NOT NULL,             -- ok | failed | gone | excluded
  gone_ms INTEGER NOT NULL DEFAULT 0,
  error TEXT NOT NULL DEFAULT '',
  unparsed INTEGER NOT NULL DEFAULT 0,
  torn INTEGER NOT NULL DEFAULT 0,
  unknown TEXT NOT NULL DEFAULT '', -- JSON {record kind: count}
  UNIQUE (path, part, harness)
)""",
    """CREATE TABLE proof (
  id INTEGER PRIMARY KEY,          -- the source's
  resume_at INTEGER NOT NULL,      -- the reader's checkpoint: offset (-1: none), ...
  position INTEGER NOT NULL,       -- ... messages yielded for good, ...
  carry BLOB NOT NULL,             -- ... and its own state
  ends BLOB NOT NULL,              -- fingerprint of the part before `resume_at`
  covered INTEGER NOT NULL,        -- bytes that `digests` cover
  digests BLOB NOT NULL            -- one content digest a MiB
)""",
    """CREATE TABLE gap (
  harness TEXT NOT NULL,
  root TEXT NOT NULL,
  kind TEXT NOT NULL,
  count INTEGER NOT NULL,
  detail TEXT NOT NULL,
  action TEXT NOT NULL,
  place TEXT NOT NULL
)""",
    # Everything the choice of blocks asks for, so that choosing never touches a block's pages.
    "CREATE INDEX block_time ON block (last_ms DESC, kind, first_ms, session)",
    "CREATE INDEX block_session ON block (session, no, kind, first, last, first_ms, last_ms)",
    "CREATE INDEX session_time ON session (ended_ms DESC, id DESC)",
    "CREATE INDEX session_native ON session (native_id, harness)",
    "CREATE INDEX session_parent ON session (parent_native, harness) WHERE parent_native <> ''",
    "CREATE INDEX session_child ON session (parent) WHERE parent <> ''",
    "CREATE INDEX session_record ON session (first_record, harness) WHERE first_record <> 0",
    "CREATE INDEX session_original ON session (original) WHERE original <> 0",
    "CREATE INDEX session_folded ON session (id) WHERE folded = 1",
    "CREATE INDEX source_session ON source (session) WHERE session IS NOT NULL",
    "CREATE INDEX source_native ON source (native_id, harness)",
    *COUNTS,
    *SUMMARIES,
    *STAMPS,
)
"""The index of version `VERSION`, statement by statement."""


COUNTS_SEARCHABLE: Final = 2
"""From this version on `session` counts what recall finds."""

STATED: Final = 5
"""From this version on `session` knows by which id its records call it."""

OLDEST_READABLE: Final = 1
"""Indices from this version on can still be searched while a new one is built beside them."""


def create(connection: sqlite3.Connection) -> None:
    """Create the tables of an empty file, in the transaction that is open."""
    for statement in TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version={VERSION}")


def version(connection: sqlite3.Connection) -> int:
    """Return the version of a file; 0 for an empty one."""
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return number


def refuse_newer(connection: sqlite3.Connection) -> None:
    """Refuse an index that a later version of the program made.

    Raises:
        StoreError: It is newer than this code.
    """
    found = version(connection)
    if found > VERSION:
        raise StoreError(
            f"the index has version {found}, this program reads up to {VERSION}",
            "update recall-tui, or point RECALL_HOME at another folder",
        )
