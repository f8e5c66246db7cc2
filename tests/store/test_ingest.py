"""From a reader's message to what a block holds."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recall_tui.harnesses.base import Facts, Parsed
from recall_tui.model import Flag, Kind, Material
from recall_tui.store import ingest
from recall_tui.store.block import TARGET_BYTES, BlockKind, Meta
from recall_tui.store.build import BlockBuilder
from recall_tui.store.clean import clean_facts, title_of
from recall_tui.store.ingest import pack_session, prepare, prepare_again
from recall_tui.store.stored import head, join, load, store
from recall_tui.text.fold import fold_bytes

SECRET = "ghp_" + "x7Kp2mQ9vR4t" * 3

texts = st.text(
    st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from(
            "aAbB ß İ Σς é e\u0301 \u1100\u1161\u11a8 한 漢字 😀 \x1b[31m \ufdd0 \ufdd1 \r\n\t"
        ),
    ),
    max_size=60,
)


@given(st.lists(st.tuples(texts, texts, st.sampled_from(list(Kind))), max_size=6))
def test_a_batch_is_its_messages_one_by_one(given_):
    batch = [Parsed(kind, f"{text} {SECRET}", rest=rest) for text, rest, kind in given_]
    assert ingest.prepare_all(batch) == [prepare(parsed) for parsed in batch]


class Listed:
    """A transcript of given messages."""

    def __init__(self, *messages, facts=None):
        self.facts = facts or Facts()
        self.unparsed = 0
        self.torn = False
        self.unknown = Counter()
        self.checkpoint = None
        self.messages = messages

    def __iter__(self):
        return iter(self.messages)


@given(texts, texts, st.sampled_from(list(Kind)))
def test_fold_is_the_fold_of_what_is_shown(text, rest, kind):
    made = prepare(Parsed(kind, text, rest=rest))
    shown = made.raw.decode()
    assert made.fold == fold_bytes(shown)
    assert b"\xff" not in made.fold
    assert b"\x1b" not in made.raw
    if made.horizon != Meta.WHOLE:
        seen = made.attributes["seen"]
        assert made.fold[: made.horizon] == fold_bytes(shown[:seen])


def test_a_tool_call_is_seen_up_to_its_projection():
    made = prepare(Parsed(Kind.TOOL_CALL, "cat Notes.md", rest="BODY of the file"))
    assert made.fold == b"cat notes.md\nbody of the file"
    assert made.horizon == len(b"cat notes.md")
    assert made.attributes == {"seen": 12}
    nothing = prepare(Parsed(Kind.TOOL_CALL, "", rest="only a body"))
    assert (nothing.fold, nothing.horizon) == (b"only a body", 0)
    whole = prepare(Parsed(Kind.TOOL_CALL, "ls"))
    assert (whole.horizon, whole.attributes) == (Meta.WHOLE, None)


@pytest.mark.contract("S0-30")
def test_a_tool_result_is_seen_for_ten_kibibytes():
    short = prepare(Parsed(Kind.TOOL_RESULT, "x" * 10240))
    assert short.horizon == Meta.WHOLE
    long = prepare(Parsed(Kind.TOOL_RESULT, "x" * 10241))
    assert (long.horizon, long.attributes) == (10240, {"seen": 10240})
    assert len(long.fold) == 10241
    cjk = prepare(Parsed(Kind.TOOL_RESULT, "漢" * 5000))
    assert (cjk.horizon, cjk.attributes) == (10239, {"seen": 3413})
    assert prepare(Parsed(Kind.ANSWER, "x" * 20000)).horizon == Meta.WHOLE


@given(
    st.text(st.sampled_from("aé\u0301\u0323ßİ\u1100\u1161\u11a8漢😀 \n"), min_size=1, max_size=8),
    st.integers(0, 12),
)
@example("e\u0301", 1)
@example("\u0301\u0323", 1)
@settings(max_examples=settings.default.max_examples // 2)
def test_the_horizon_of_a_result_cuts_its_fold_exactly(unit, shift):
    text = "x" * shift + unit * (12_000 // len(unit.encode()) + 1)
    made = prepare(Parsed(Kind.TOOL_RESULT, text))
    seen = made.attributes["seen"]
    shown = made.raw.decode()
    assert made.fold[: made.horizon] == fold_bytes(shown[:seen])
    assert len(shown[:seen].encode()) <= ingest.RESULT_HORIZON


def test_the_horizon_never_splits_a_mark():
    for shift in range(60):
        made = prepare(Parsed(Kind.TOOL_RESULT, "x" * (10210 + shift) + f" {SECRET} end"))
        if made.attributes:
            shown = made.raw.decode()[: made.attributes["seen"]]
            assert shown.count("\ufdd0") == shown.count("\ufdd1")


@pytest.mark.contract("S3-53")
def test_no_part_of_a_message_carries_a_secret():
    parsed = Parsed(
        Kind.TOOL_CALL, f"curl {SECRET}", rest=f"header {SECRET}", tool=f"t {SECRET}",
        model=SECRET, call="c1",
        materials=(Material("m", f"{SECRET}.png", "image", "image/png", 3),),
    )  # fmt: skip
    made = prepare(parsed)
    everything = made.raw + made.fold + repr(made.attributes).encode()
    assert SECRET.encode() not in everything
    assert SECRET.lower().encode() not in everything
    assert clean_facts(Facts(branch=SECRET, cwd=f"/{SECRET}")).branch != SECRET
    assert SECRET not in title_of(f"use {SECRET}")


def test_flags_and_facts():
    material = Material("m1", "a.png", "image", "image/png", 10, 2, 3, "@5")
    made = prepare(
        Parsed(
            Kind.TOOL_RESULT, "out", 5, "rec", tool="Bash", call="c", failed=True, abandoned=True,
            sidechain=True, duration_ms=7, model="m", materials=(material,),
        )
    )  # fmt: skip
    assert made.flags == Flag.FAILED | Flag.ABANDONED | Flag.SIDECHAIN | Flag.MATERIAL
    assert made.attributes == {
        "tool": "Bash", "call": "c", "model": "m", "ms": 7, "materials": [tuple(material)],
    }  # fmt: skip


def test_hashes_depend_on_content_and_kind_or_the_native_id():
    one, same = prepare(Parsed(Kind.PROMPT, "a")), prepare(Parsed(Kind.PROMPT, "a", 5))
    other, answer = prepare(Parsed(Kind.PROMPT, "b")), prepare(Parsed(Kind.ANSWER, "a"))
    assert (one.record, one.digest) == (same.record, same.digest)
    assert len({one.digest, other.digest, answer.digest}) == 3
    assert len({one.record, other.record, answer.record}) == 3
    named = prepare(Parsed(Kind.PROMPT, "a", record="r"))
    changed = prepare(Parsed(Kind.PROMPT, "b", record="r"))
    assert named.record == changed.record
    assert named.digest == one.digest != changed.digest


def test_times_that_no_calendar_shows_are_unknown():
    for time_ms in (-5, 10**15, 10**30):
        assert prepare(Parsed(Kind.PROMPT, "a", time_ms)).time_ms == 0


@pytest.mark.parametrize("rest", ["", "the rest"])
def test_preparing_again_changes_nothing_under_the_same_rules(rest):
    for kind in Kind:
        made = prepare(Parsed(kind, f"Text {SECRET} " * 400, 7, "r", rest, call="c", failed=True))
        again = prepare_again(
            kind, made.raw.decode(), made.time_ms, made.flags, made.record, made.attributes
        )
        assert again == made


# ---------------------------------------------------------------- packing


def test_a_session_is_packed_talk_and_results_apart():
    packing = pack_session(
        Listed(
            Parsed(Kind.INJECTED, "rules", 5),
            Parsed(Kind.PROMPT, "  do\n it ", 10, "first"),
            Parsed(Kind.TOOL_CALL, "ls", 20),
            Parsed(Kind.TOOL_RESULT, "a b", 30, failed=True),
            Parsed(Kind.ANSWER, "done", 40, materials=(Material("m", "", "image", "", 1),)),
        )
    )
    blocks = {block.kind: block for block in packing}
    assert list(blocks[BlockKind.TALK].meta.positions) == [0, 1, 2, 4]
    assert list(blocks[BlockKind.TOOL].meta.positions) == [3]
    assert packing.counts == ingest.Counts(5, 1, 1, 1, 1, 4)
    assert (packing.title, packing.opening) == ("", "do it")
    assert (packing.started_ms, packing.ended_ms) == (5, 40)
    assert packing.first_record == 0  # the first message has no id of its own


def test_facts_come_before_what_the_messages_say():
    facts = Facts(title="A \x1b[1mtitle", started_ms=1, ended_ms=99)
    packing = pack_session(Listed(Parsed(Kind.PROMPT, "x", 10, "r"), facts=facts))
    list(packing)
    assert packing.title == "A title"
    assert (packing.started_ms, packing.ended_ms) == (1, 99)
    assert packing.first_record


def test_blocks_close_at_their_target_and_giants_stand_alone():
    sizes = [200_000, 200_000, 200_000, 2_000_000, 100, 100]
    packing = pack_session(Listed(*(Parsed(Kind.ANSWER, "x" * n) for n in sizes)))
    lengths = [[len(b.fold_of(i)) for i in range(len(b.meta))] for b in map(_scanned, packing)]
    assert lengths == [[200_000] * 3, [2_000_000], [100, 100]]
    assert sum(lengths[0]) > TARGET_BYTES


def _scanned(built):
    from recall_tui.store.block import Block

    return Block(1, 1, built.kind, 0, built.meta, built.fold, lambda: built.raw)


def test_positions_go_on_where_an_earlier_read_ended():
    (block,) = pack_session(Listed(Parsed(Kind.ANSWER, "x")), start=41)
    assert list(block.meta.positions) == [41]


# ---------------------------------------------------------------- the stored form


def built(texts_, start=0, kind=BlockKind.TALK):
    builder = BlockBuilder(kind)
    for position, text in enumerate(texts_, start):
        parsed = Parsed(Kind.ANSWER, text, position, call=text[:3])
        builder.add(position, prepare(parsed))
    return builder.take()


@given(st.lists(texts, min_size=1, max_size=8), st.lists(texts, min_size=1, max_size=8))
def test_a_block_survives_storing_cutting_and_joining(left, right):
    whole = built(left + right)
    stored = store(whole)
    back = load(stored)
    assert back.meta.pack() == whole.meta.pack()
    assert (back.fold, back.raw) == (whole.fold, whole.raw)
    assert back.attributes == whole.attributes
    assert (stored.first, stored.last) == (0, len(left) + len(right) - 1)
    first, second = built(left), built(right, start=len(left))
    joined = join(first, second)
    assert store(joined) == stored
    assert store(head(joined, len(left))) == store(first)


def test_a_block_with_an_unknown_time_passes_every_lower_bound():
    builder = BlockBuilder(BlockKind.TALK)
    for position, time_ms in enumerate((50, 0, 70)):
        builder.add(position, prepare(Parsed(Kind.ANSWER, "x", time_ms)))
    stored = store(builder.take())
    assert (stored.first_ms, stored.last_ms) == (0, 70)


# ---------------------------------------------------------------- names of what hangs on a message


@pytest.mark.contract("S0-32")
def test_a_prompt_is_found_by_the_names_of_its_files_and_does_not_show_them():
    secret = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    held = (
        Material("a", "Quartals-Plan.PDF", "pdf", "application/pdf", 1),
        Material("b", "", "image", "image/png", 1),
        Material("c", f"key {secret}.txt", "text", "text/plain", 1),
    )
    made = prepare(Parsed(Kind.PROMPT, "see this", materials=held))
    assert made.raw == b"see this"
    assert made.fold == b"see this\nquartals-plan.pdf\nkey \xfe.txt"
    assert made.horizon == Meta.WHOLE
    again = ingest.prepare_again(
        Kind.PROMPT, "see this", 0, made.flags, made.record, made.attributes
    )
    assert again.fold == b"see this\nquartals-plan.pdf" and again.digest == made.digest
    result = prepare(Parsed(Kind.TOOL_RESULT, "out", materials=held))
    assert result.fold == b"out"
