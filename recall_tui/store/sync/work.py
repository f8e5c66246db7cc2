"""The part of a sync that reads sources and writes the index; imported only when there is work."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Final

from recall_tui import clock
from recall_tui.errors import Cancelled
from recall_tui.store import families, reach, sources
from recall_tui.store.connect import store_errors
from recall_tui.store.stored import StoredBlock
from recall_tui.store.sync import plan as planning
from recall_tui.store.sync import pool, worker
from recall_tui.store.sync.progress import SyncProgress
from recall_tui.store.writer import Draft

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from recall_tui.harnesses.base import Harness
    from recall_tui.model import Gap
    from recall_tui.store.kept import Kept
    from recall_tui.store.sync.plan import Job, Plan
    from recall_tui.store.sync.worker import Reading, Task
    from recall_tui.store.writer import Outcome, Writer

FIRST_COMMIT: Final = 1 << 20
"""Bytes of sources after which the first commit is made, so that a first search finds something."""

STEADY_COMMIT: Final = 32 << 20
"""Commits double up to this: larger ones only make readers and the journal wait."""

REPORT_S: Final = 0.1
"""Least time between two progress reports."""


class Sync:
    """The state of one sync. Its writer is open and holds the lock."""

    def __init__(
        self,
        writer: Writer,
        harnesses: Sequence[Harness],
        kept: Kept,
        on_progress: Callable[[SyncProgress], None],
        stop: Callable[[], bool],
    ) -> None:
        self._kept = kept
        self._unwanted = kept.unwanted
        self.progress = SyncProgress()
        self._writer = writer
        self._harnesses = {harness.id: harness for harness in harnesses}
        self._on_progress = on_progress
        self._stop = stop
        self._started = time.monotonic()
        self._reported = 0.0
        self._gone: set[int] = set()
        # A killed run has written sessions whose families nobody has looked at.
        self._all_unsettled = writer.get("unsettled", 0) == 1

    def run(
        self,
        plan: Plan,
        gaps: dict[tuple[str, str], list[Gap]],
        *,
        verify: bool = False,
        every: bool = True,
        carry: Callable[[], None] = lambda: None,
    ) -> SyncProgress:
        """Read and write what a plan says.

        Args:
            plan: Made of the state the writer has open.
            gaps: What could not be looked at, by (harness, root).
            verify: See `sync`.
            every: The plan is about every source, so every new wish has been heard.
            carry: Called when every source is read, before families are looked at.

        Raises:
            StoreError: The index cannot be written any more; what was committed stays.
        """
        with store_errors(self._writer.path):
            return self._run(plan, gaps, verify=verify, every=every, carry=carry)

    def _run(
        self,
        plan: Plan,
        gaps: dict[tuple[str, str], list[Gap]],
        *,
        verify: bool,
        every: bool,
        carry: Callable[[], None],
    ) -> SyncProgress:
        progress = self.progress
        progress.seen = plan.seen
        progress.unchanged = plan.unchanged + len(plan.returned)
        progress.gone = len(plan.gone)
        self._gone = {row.id for row in plan.gone}
        progress.returned = len(plan.returned)
        if not plan.idle or reach.noted(self._writer.connection, gaps) != gaps:
            self._note(plan, gaps)
        tasks = [self._task(number, job, verify=verify) for number, job in enumerate(plan.jobs)]
        progress.bytes_total = sum(task.weight for task in tasks)
        self._writer.expect(
            job.source for job in plan.jobs if job.row is None or job.row.session is None
        )
        try:
            self._read(plan.jobs, tasks)
            carry()
        except Cancelled:  # between two sources, so everything open is whole
            self._writer.commit()
        else:
            if every and not self._kept.is_noted(self._writer.connection):
                self._writer.begin()
                for key, value in self._kept.notes().items():
                    self._writer.put(key, value)
            dropped = not self._kept.gone and self._drop_gone()
            self._settle()
            if plan.excluded or plan.left_out or dropped:
                # No byte of what a person does not want kept stays in the journal.
                self._writer.clean_journal()
            progress.done = True
        self._total()
        return progress

    # ------------------------------------------------------------ steps

    def _drop_gone(self) -> bool:
        """Remove what was indexed of sources that their program deleted; return if there was any.

        After everything was read: a file that only moved is found again by then.
        """
        rows = planning.gone_sources(self._writer.connection)
        if rows:
            self._writer.begin()
        for row in rows:
            self.progress.removed += row.session is not None
            sources.remove(self._writer, row)
        return bool(rows)

    def _note(self, plan: Plan, gaps: dict[tuple[str, str], list[Gap]]) -> None:
        """Write what is certain before any source is read."""
        writer = self._writer
        with writer.transaction():
            sources.put_gaps(writer, gaps)
            sources.mark_gone(writer, plan.gone)
            sources.mark_returned(writer, plan.returned)
            sources.reroot(writer, plan.rerooted)
            for row in plan.excluded:
                self.progress.removed += row.session is not None
                sources.remove(writer, row)
            for row, source in plan.left_out:
                self.progress.removed += 1
                sources.leave_out(writer, row, source)
            writer.put("pending", len(plan.jobs))
            writer.put("unsettled", 1)

    def _read(self, jobs: list[Job], tasks: list[Task]) -> None:
        """Read every source and write its session; commits early, then steadily."""
        drafts: dict[int, Draft] = {}
        uncommitted, step, left = 0, FIRST_COMMIT, len(jobs)
        drafted = 0
        self._count_all()
        self._report()
        with closing(self._parts(tasks)) as parts:
            for item in parts:
                if self._stop():
                    raise Cancelled
                if item is None:
                    continue
                number, part = item
                draft = drafts.setdefault(number, Draft())
                if isinstance(part, StoredBlock):
                    drafted += self._writer.add(draft, part)
                    if drafted >= STEADY_COMMIT:
                        self._writer.commit()
                        drafted = 0
                    continue
                del drafts[number]
                job, weight = jobs[number], tasks[number].weight
                self._count(job, self._writer.finish(draft, job, part))
                self.progress.bytes_done += weight
                uncommitted += weight
                left -= 1
                if uncommitted >= step:
                    self._writer.put("pending", left)
                    self._writer.commit()
                    self._count_all()
                    uncommitted, step = 0, min(2 * step, STEADY_COMMIT)
                self._report()

    def _parts(self, tasks: list[Task]) -> Generator[tuple[int, StoredBlock | Reading] | None]:
        """Yield (job number, part) as sources are read, None when nothing comes for a while."""
        with closing(pool.Pool(tasks)) as several:
            while (task := several.take()) is not None:
                for part in worker.read(self._harnesses[task.source.harness], task):
                    yield task.number, part
            yield from several

    def _task(self, number: int, job: Job, *, verify: bool) -> Task:
        kind = type(self._harnesses[job.source.harness])
        known = None
        if job.row is not None and job.row.parent == job.source.parent:
            # Else it is read otherwise: what a parent gave a subagent is no prompt.
            known = planning.proof(self._writer.connection, job.row)
        name = f"{kind.__module__}:{kind.__qualname__}"
        return worker.Task(number, name, job.source, known, verify, self._unwanted)

    def _settle(self) -> None:
        """Bring families up to date, note the time, and commit."""
        writer = self._writer
        if self._all_unsettled:
            everyone = writer.connection.execute("SELECT id FROM session")
            writer.touched.update(row[0] for row in everyone)
        if writer.touched:
            writer.begin()
            families.update(writer.connection, writer.touched)
            writer.touched.clear()
        writer.settle(clock.now_ms())

    # ------------------------------------------------------------ reports

    def _count(self, job: Job, done: Outcome) -> None:
        progress = self.progress
        was_gone = job.row is not None and job.row.state == "gone"
        if done.moved:
            progress.renamed += 1
            progress.gone -= job.row is not None and job.row.id in self._gone
        if done.result == "same":
            progress.returned += was_gone and not done.moved
            progress.unchanged += 1
        elif done.result == "appended":
            progress.appended += 1
        elif done.result == "failed":
            progress.failed += 1
        elif done.result == "excluded":
            progress.seen -= 1
        else:
            progress.parsed += 1
            progress.removed += done.result == "removed"

    def _report(self) -> None:
        now = time.monotonic()
        self.progress.seconds = now - self._started
        if now - self._reported >= REPORT_S:
            self._reported = now
            self._on_progress(self.progress)

    def _total(self) -> None:
        """Make the last report."""
        self._count_all()
        self.progress.gaps = reach.gaps(self._writer.connection)
        self.progress.seconds = time.monotonic() - self._started
        self._on_progress(self.progress)

    def _count_all(self) -> None:
        totals = reach.totals(self._writer.connection)
        self.progress.sessions, self.progress.messages = totals
