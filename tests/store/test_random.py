"""Whatever happens to the sources, the index ends up as one made from them at once."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from unittest import mock

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall_tui.store.sync.run import sync
from tests.store.conftest import Desk, content
from tests.store.toy import line

NAMES = ("a.jsonl", "b.jsonl", "x/a.jsonl", "x/c.jsonl", "m/sub/d.jsonl")
KINDS = ("prompt", "answer", "tool_call", "tool_result")

operation = st.one_of(
    st.tuples(st.just("append"), st.sampled_from(NAMES), st.integers(1, 5)),
    st.tuples(st.just("torn"), st.sampled_from(NAMES), st.integers(1, 60)),
    st.tuples(st.just("hold"), st.sampled_from(NAMES), st.integers(0, 1)),
    st.tuples(st.just("truncate"), st.sampled_from(NAMES), st.integers(0, 300)),
    st.tuples(st.just("replace"), st.sampled_from(NAMES), st.integers(1, 3)),
    st.tuples(st.just("copy"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("move"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("delete"), st.sampled_from(NAMES), st.just(0)),
    st.tuples(st.just("away"), st.sampled_from(NAMES), st.just(0)),
    st.tuples(st.just("back"), st.sampled_from(NAMES), st.just(0)),
    st.tuples(st.just("big"), st.sampled_from(NAMES), st.integers(1, 4)),
    st.tuples(st.just("sync"), st.just(""), st.just(0)),
    st.tuples(st.just("verify"), st.just(""), st.just(0)),
)


class World:
    def __init__(self, folder: Path) -> None:
        self.desk = Desk(folder)
        self.count = 0

    def lines(self, count: int, size: int = 1) -> str:
        out = []
        for _ in range(count):
            self.count += 1
            n = self.count
            out.append(
                line(
                    KINDS[n % 4],
                    f"ünï {n} " * size,
                    t=1_700_000_000_000 + n * 1000 if n % 5 else 0,
                    id=f"r{n}" if n % 3 else "",
                    rest="rest" if n % 4 == 2 else "",
                    call=f"c{n}",
                )
            )
        return "".join(out)

    def apply(self, action: str, name: str, value) -> None:
        desk = self.desk
        path = desk.source / name
        parked = desk.source.parent / name.replace("/", "_")
        if action == "append":
            desk.append(name, self.lines(value))
        elif action == "big":
            desk.append(name, self.lines(value, 30_000))
        elif action == "torn":
            desk.append(name, self.lines(1)[:value])
        elif action == "hold":
            mark = '"hold": true, ' if value == 0 else '"release": true, '
            desk.append(name, self.lines(1).replace("{", "{" + mark, 1))
        elif action == "replace":
            desk.write(name, self.lines(value))
        elif action == "sync":
            desk.sync()
        elif action == "verify":
            desk.sync(verify=True)
        elif action == "back":
            if parked.exists() and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                parked.rename(path)
        elif not path.exists():
            return
        elif action == "truncate":
            os.truncate(path, min(value, path.stat().st_size))
            desk.touch(path)
        elif action == "copy":
            desk.write(value, path.read_text("utf-8"))
        elif action == "move":
            (desk.source / value).parent.mkdir(parents=True, exist_ok=True)
            path.rename(desk.source / value)
        elif action == "delete":
            path.unlink()
        elif action == "away":
            path.rename(parked)


@settings(max_examples=settings.default.max_examples // 2, suppress_health_check=list(HealthCheck))
@given(st.lists(operation, min_size=3, max_size=25), st.sampled_from([50_000, 8 << 20]))
def test_any_history_of_the_sources_ends_in_the_same_index(operations, memory) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch("recall_tui.store.writer.DRAFT_BYTES", memory),
    ):
        world = World(Path(folder))
        for action, name, value in operations:
            world.apply(action, name, value)
        world.desk.sync()
        fresh = os.path.join(folder, "fresh", "index.db")
        sync(fresh, world.desk.places)
        grown, made = content(world.desk.index), content(fresh)
        failed = {row[0] for row in world.desk.sql("SELECT path FROM source WHERE state='failed'")}
        for place in grown.keys() | made.keys():
            if place[0] in failed:
                continue  # keeps an earlier content, by design
            assert grown.get(place) == made.get(place), place
        assert world.desk.sql("PRAGMA integrity_check") == [("ok",)]
        orphans = "SELECT count(*) FROM {} WHERE session NOT IN (SELECT id FROM session)"
        assert world.desk.sql(orphans.format("block")) == [(0,)]
        assert world.desk.sql("SELECT count(*) FROM body WHERE id NOT IN (SELECT id FROM block)")[
            0
        ] == (0,)
        world.desk.close()
