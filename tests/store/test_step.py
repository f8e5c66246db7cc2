"""The one look at everything says "in step" only where a comparison finds nothing to do."""

from __future__ import annotations

import json
import os
import uuid
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall_tui.harnesses import registry
from recall_tui.store import stamps
from recall_tui.store.connect import open_reader, open_writer
from recall_tui.store.kept import Kept
from recall_tui.store.sync import plan as planning
from recall_tui.store.sync.discover import Place, discover
from recall_tui.store.sync.run import sync
from recall_tui.store.sync.step import in_step
from recall_tui.store.user import Tombstones, mark_of

T = 1_700_000_000


def name_of(number: int) -> str:
    return str(uuid.UUID(int=number, version=4))


def claude_line(text: str) -> str:
    record = {
        "type": "user", "uuid": name_of(hash(text) % 10**9), "parentUuid": None,
        "isSidechain": False, "sessionId": name_of(1), "timestamp": "2026-01-01T00:00:00Z",
        "cwd": "/x", "message": {"role": "user", "content": text},
    }  # fmt: skip
    return json.dumps(record) + "\n"


def codex_line(text: str) -> str:
    payload = {"id": name_of(7), "timestamp": "2026-01-01T00:00:00Z", "cwd": "/x", "note": text}
    record = {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": payload}
    return json.dumps(record) + "\n"


FILES = {
    "claude": [
        f"-home-x/{name_of(1)}.jsonl",
        f"-home-x/{name_of(2)}.jsonl",
        f"-home-x/{name_of(1)}/subagents/agent-a1.jsonl",
        "-home-y/any name.jsonl",
        f"-home-y/{name_of(3)}.jsonl",
    ],
    "codex": [
        f"sessions/2026/01/01/rollout-2026-01-01T00-00-00-{name_of(1)}.jsonl",
        f"sessions/2026/01/02/rollout-2026-01-02T00-00-00-{name_of(2)}.jsonl",
        "sessions/2026/01/02/other.jsonl",
    ],
}
LINES = {"claude": claude_line, "codex": codex_line}


class World:
    """Sessions of one program in a folder, and an index."""

    def __init__(self, folder, harness: str) -> None:
        self.root = folder / "home"
        self.root.mkdir(parents=True)
        self.index = str(folder / "index.db")
        self.places = [Place(registry.get(harness), str(self.root))]
        self.line = LINES[harness]
        self.files = FILES[harness]
        self.clock = T
        self.kept = Kept()

    def write(self, name: str, text: str, mode: str = "w") -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode) as file:
            file.write(text)
        self.clock += 1
        os.utime(path, (self.clock, self.clock))

    def act(self, action: str, name: str) -> None:
        path = self.root / name
        if action == "write":
            self.write(name, self.line(f"text {self.clock}"))
        elif action == "append":
            self.write(name, self.line(f"text {self.clock}"), "a")
        elif action == "touch" and path.exists():
            os.utime(path, (self.clock + 500, self.clock + 500))
        elif action == "empty":
            self.write(name, "")
        elif action == "foreign":
            self.write(name, '{"quite": "another"}\n')
        elif action == "delete":
            path.unlink(missing_ok=True)
        elif action == "beside":
            self.write(os.path.join(os.path.dirname(name), "notes.md"), "x")
        elif action == "rename" and path.exists():
            path.rename(path.with_name("renamed.jsonl"))
        elif action == "sync":
            self.sync()

    def sync(self, **options):
        return sync(self.index, self.places, self.kept, **options)

    def there(self) -> int:
        """How many sources there are that are wanted, as of the last sync."""
        found = discover(self.places).sources.values()
        with closing(open_reader(self.index)) as connection:
            rows = connection.execute("SELECT path FROM source WHERE state='excluded'")
            unwanted = {path for (path,) in rows}
        return sum(not self.kept.refuses(s) and s.path not in unwanted for s in found)

    def seen(self) -> int | None:
        with closing(open_reader(self.index)) as connection:
            return in_step(connection, self.places, self.kept)

    def stamps(self) -> bool:
        """Whether what is packed, or known not to be, is what the rows say; how much is not."""
        root = self.places[0].root
        with closing(open_reader(self.index)) as connection:
            rows = connection.execute(
                "SELECT path, size, mtime_ns, ctime_ns FROM source WHERE state<>'gone'"
            ).fetchall()
            found = stamps.known(connection, self.places[0].harness.id, root)
            left = connection.execute("SELECT count(*) FROM unpacked").fetchone()[0]
        assert found == {path: look for path, *rest in rows for look in [tuple(rest)]}
        return left == 0

    def to_do(self) -> bool:
        """Whether a comparison in full finds something to do, or something hidden."""
        discovery = discover(self.places)
        with closing(open_reader(self.index)) as connection:
            plan = planning.make(
                discovery,
                planning.known_sources(connection),
                lambda source: planning.namesakes(connection, source),
                self.kept,
                planning.wishes(connection, self.kept),
            )
        return not plan.idle or any(discovery.gaps_that_matter(plan.known_paths).values())


def forgotten(*names: str) -> Tombstones:
    return Tombstones((mark_of(harness, name), b"", 1) for harness in LINES for name in names)


WISHES = [
    Kept(),
    Kept(left_out=("*/-home-y", "*/2026/01/02")),
    Kept(forgotten(name_of(2))),
    Kept(forgotten(name_of(1), name_of(3)), ("*/-home-x/*/subagents",)),
    Kept(left_out=("/x",)),
]
ACTIONS = ["write", "append", "touch", "empty", "foreign", "delete", "beside", "rename", "sync"]


@pytest.mark.parametrize("harness", FILES)
@settings(max_examples=settings.default.max_examples // 4, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_in_step_means_that_there_is_nothing_to_do(tmp_path_factory, harness, data):
    world = World(tmp_path_factory.mktemp("step"), harness)
    deed = st.tuples(st.sampled_from(ACTIONS), st.sampled_from(world.files))
    for action, name in data.draw(st.lists(deed, min_size=1, max_size=8)):
        world.act(action, name)
    world.kept = data.draw(st.sampled_from(WISHES))
    world.sync()
    if data.draw(st.booleans()):
        world.kept = data.draw(st.sampled_from(WISHES))
    for action, name in data.draw(st.lists(deed, max_size=2)):
        world.act(action, name)
    seen = world.seen()
    assert seen is None or not world.to_do()
    assert world.stamps()
    assert world.sync().done
    assert world.stamps()
    assert world.seen() in (None, world.there())


@pytest.mark.parametrize("harness", FILES)
def test_every_kind_of_change_is_seen(tmp_path, harness):
    world = World(tmp_path, harness)
    first, second = world.files[:2]
    for name in (first, second):
        world.act("write", name)
    assert world.sync().parsed == 2
    assert world.seen() == 2
    for action in ("append", "touch", "empty", "foreign", "rename", "delete"):
        world.act("write", first)
        world.sync()
        assert world.seen() == len(discover(world.places).sources) >= 2, action
        world.act(action, first)
        assert world.seen() is None, action
    world.sync()
    world.act("beside", second)
    assert world.seen() == len(discover(world.places).sources) >= 1


@pytest.mark.parametrize("kept", WISHES[1:4])
@pytest.mark.parametrize("harness", FILES)
def test_what_is_refused_does_not_hide_that_nothing_changed(tmp_path, harness, kept):
    world = World(tmp_path, harness)
    for name in world.files:
        world.act("write", name)
    world.sync()
    everything = world.seen()
    world.kept = kept
    assert world.seen() is None  # the wish is new
    world.sync()
    assert world.seen() == world.there() < everything
    refused = [s for s in discover(world.places).sources.values() if kept.refuses(s)]
    world.act("append", os.path.relpath(refused[0].path, world.root))
    assert world.seen() == world.there()
    world.kept = Kept()
    assert world.seen() is None
    world.sync()
    assert world.seen() == everything


def test_a_root_that_vanished_is_seen(tmp_path):
    world = World(tmp_path, "claude")
    world.act("write", world.files[0])
    world.sync()
    world.root.rename(tmp_path / "away")
    assert world.seen() is None
    with closing(open_reader(world.index)) as connection:
        elsewhere = [Place(registry.get("claude"), str(tmp_path / "never"))]
        assert in_step(connection, elsewhere, Kept()) == 0


def test_a_place_known_by_another_root_is_compared_in_full(tmp_path):
    world = World(tmp_path, "claude")
    world.act("write", world.files[0])
    world.sync()
    inner = [Place(registry.get("claude"), str(world.root / "-home-x"))]
    with closing(open_reader(world.index)) as connection:
        assert in_step(connection, inner, Kept()) is None
        assert in_step(connection, world.places, Kept(Tombstones([(b"m", b"", 1)]))) is None
        assert in_step(connection, world.places, Kept(left_out=("/x",))) is None


def test_looks_are_packed_64_a_row_and_never_older_than_their_sources(tmp_path):
    world = World(tmp_path, "claude")
    files = [f"-home-{number % 7}/{name_of(number)}.jsonl" for number in range(150)]
    for name in files:
        world.write(name, world.line(f"text {name}"))
    world.sync()
    count = "SELECT count(*) FROM stamps"
    with closing(open_writer(world.index)) as connection:
        assert connection.execute(count).fetchone()[0] == 3  # one look for each file costs more
        assert world.seen() == 150
        for change in (
            "UPDATE source SET size=size+1 WHERE id=70",
            "UPDATE source SET state='gone' WHERE id=71",
            "DELETE FROM source WHERE id=72",
        ):
            connection.execute(change)  # by a sync that is killed before it can pack
            assert not world.stamps(), change
            assert world.seen() is None, change
        assert connection.execute(count).fetchone()[0] == 2
    assert world.sync().done
    assert world.stamps()
    assert world.seen() == 150


def test_a_place_whose_name_begins_like_another_is_one_of_its_own(tmp_path):
    worlds = [World(tmp_path / name, "claude") for name in ("a", "a-b", "b")]
    places = [world.places[0] for world in worlds]
    for world in worlds:
        world.act("write", world.files[0])
    outer = Place(places[0].harness, str(tmp_path))
    sync(worlds[0].index, places)
    with closing(open_reader(worlds[0].index)) as connection:
        assert [in_step(connection, [place], Kept()) for place in places] == [1, 1, 1]
        assert in_step(connection, [outer], Kept()) is None  # known by other roots


def test_a_folder_where_a_file_was_is_seen(tmp_path):
    world = World(tmp_path, "claude")
    place = tmp_path / "home" / f"{name_of(1)}.jsonl"
    world.act("write", world.files[0])
    (world.root / world.files[0]).rename(place)
    world.places = [Place(world.places[0].harness, str(place))]
    world.sync()
    place.unlink()
    place.mkdir()
    assert world.seen() is None
