"""`recall material`: what hangs on a message; its bytes only into a file that is named (Q36)."""

from __future__ import annotations

import click

from recall_tui.cli import options, output
from recall_tui.cli.naming import reference
from recall_tui.cli.screen import one_line
from recall_tui.errors import ExitCode, QueryError, SourceError
from recall_tui.paths import write_new
from recall_tui.text import notation


@click.command()
@click.argument("ref")
@click.argument("material_id", metavar="ID")
@click.option("-o", "--output", "target", metavar="FILE", help="Write the bytes to this new file.")
@options.source_options
@options.json_option
@click.pass_context
def material(
    ctx: click.Context, *, ref: str, material_id: str, target: str | None, as_json: bool
) -> ExitCode:
    """Print what is known of the material ID of the message REF; with -o also save its bytes.

    Nothing is written without -o, nothing is overwritten, and no link is followed. The file can be
    read by its owner only.
    """
    from recall_tui.search.recall import wire
    from recall_tui.search.recall.request import MaterialRequest

    call = options.call_of(ctx)
    with call.history() as history:
        answer = history.fetch(MaterialRequest(reference(history, ref), material_id))
    if target is not None:
        save(target, answer.data)
    if as_json:
        shape = {"message_id": str(answer.reference), **wire.material(answer.material)}
        shape["bytes"] = len(answer.data)
        output.print_json({**shape, "written_to": target or ""})
        return ExitCode.FOUND
    held = answer.material
    facts = [
        held.mime,
        f"{held.width}×{held.height}" if held.width else "",
        notation.size(len(answer.data)),
    ]
    words = "  ".join(one_line(fact) for fact in facts if fact)
    output.out().line((one_line(held.name) or held.kind, "title"), f"  {words}")
    if target is not None:
        output.out().line(("written to ", "muted"), target)
    return ExitCode.FOUND


def save(path: str, data: bytes) -> None:
    """Write the bytes to a new file, for its owner only.

    Raises:
        QueryError: Something is there already, be it a link that leads nowhere.
        SourceError: It cannot be written.
    """
    try:
        write_new(path, data)
    except FileExistsError as error:
        raise QueryError(f"{path} is there already", "name a new file") from error
    except OSError as error:
        raise SourceError(f"cannot write {path}: {error.strerror or error}") from error
