"""The server: three tools over one `History`, each call in a worker thread that can be stopped."""

from __future__ import annotations

import logging
import os
import signal
import threading
import traceback
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio
from anyio import to_thread
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
)

from recall_tui import __version__
from recall_tui.errors import BadReferenceError, ConfigError, RecallError, SourceError
from recall_tui.mcp_server import lines, results, tools
from recall_tui.search.recall import request

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from recall_tui.history import History

    Answer = Callable[[object, Callable[[], bool]], CallToolResult]

logger: Final = logging.getLogger(__name__)


def build(
    history: History, granted: Collection[str] = tools.NAMES, current_session: str = ""
) -> Server[object]:
    """Return the server.

    Args:
        history: Where answers come from.
        granted: Names of the tools that may be used; the others are not even listed (S0-2).
        current_session: Key of the session that asks; its running turn is left out of answers.

    Raises:
        ConfigError: A granted tool does not exist.
    """
    for name in granted:
        if name not in tools.TOOLS:
            raise ConfigError(f"no such tool: {name}", f"there are {', '.join(tools.NAMES)}")
    answers: dict[str, Answer] = {
        tools.RECALL: partial(_recall, history, current_session),
        tools.MORE: partial(_more, history, current_session),
        tools.MATERIAL: partial(_material, history, current_session),
    }
    listed = [tool for name, tool in tools.TOOLS.items() if name in granted]

    async def list_tools(
        context: ServerRequestContext[object], page: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(
        context: ServerRequestContext[object], call: CallToolRequestParams
    ) -> CallToolResult:
        if call.name not in granted:
            unknown = request.RefusedError(request.Reason.INVALID_QUERY, "no such tool is granted")
            return results.refusal(unknown)
        return await _in_thread(answers[call.name], call.arguments or {})

    return Server(
        "recall",
        version=__version__,
        title="Recall",
        description="What was said and done in earlier coding-agent sessions.",
        instructions=tools.INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _in_thread(answer: Answer, parameters: object) -> CallToolResult:
    """Answer a call in a worker thread; a caller that gives up stops the search at once."""
    given_up = threading.Event()
    try:
        return await to_thread.run_sync(
            _guarded, answer, parameters, given_up.is_set, abandon_on_cancel=True
        )
    except anyio.get_cancelled_exc_class():
        given_up.set()
        raise


def _guarded(answer: Answer, parameters: object, stop: Callable[[], bool]) -> CallToolResult:
    """Turn whatever goes wrong into one of the four reasons; details go to the log only."""
    try:
        return answer(parameters, stop)
    except request.RefusedError as error:
        return results.refusal(error)
    except BadReferenceError:
        return results.refusal(request.not_found())
    except Exception as error:  # the edge of a front: a fault of ours must not end the server
        # A caller that is gone may have taken the history with it: that is no fault.
        return results.refusal(request.aborted() if stop() else _fault(error))


def _fault(error: Exception) -> request.RefusedError:
    """Log what went wrong and return what the caller is told of it."""
    kind = type(error).__name__
    if isinstance(error, RecallError):
        logger.warning("recall could not answer: %s", kind)
        return request.RefusedError(
            request.Reason.ABORTED,
            "the history cannot be read just now",
            "a person finds out why with `recall doctor`",
        )
    # Where it happened, never what it says: it may quote what was asked, or what was found.
    frames = traceback.extract_tb(error.__traceback__)
    places = " < ".join(f"{os.path.basename(f.filename)}:{f.lineno}" for f in frames[:-6:-1])
    logger.error("a fault of recall itself: %s at %s", kind, places)
    return request.RefusedError(request.Reason.ABORTED, "recall failed; see its log")


def _recall(
    history: History, current: str, parameters: object, stop: Callable[[], bool]
) -> CallToolResult:
    return results.envelope(history.recall(request.recall_from_tool(parameters, current), stop))


def _more(
    history: History, current: str, parameters: object, stop: Callable[[], bool]
) -> CallToolResult:
    return results.more(history.more(request.more_from_tool(parameters, current), stop))


def _material(
    history: History, current: str, parameters: object, stop: Callable[[], bool]
) -> CallToolResult:
    asked = request.material_from_tool(parameters, current)
    try:
        held = history.fetch(asked, stop)
    except SourceError as error:  # one file's matter: the history itself is well
        logger.info("a material is not there: %s", type(error).__name__)
        raise request.bytes_gone() from error
    return results.material(held)


def serve(
    history: History, granted: Collection[str] = tools.NAMES, current_session: str = ""
) -> None:
    """Serve over standard input and output until the client closes them.

    Logging goes to standard error; nothing else is ever printed. A client that is gone, however it
    went, is the end and no fault; so is Ctrl-C, which must not wait for a line to be read.
    """
    server = build(history, granted, current_session)

    async def run() -> None:
        async with stdio_server() as (reading, writing), anyio.create_task_group() as tasks:
            mended, requests = anyio.create_memory_object_stream[lines.Item]()
            tasks.start_soon(lines.mend, reading, mended)
            await server.run(requests, writing, server.create_initialization_options())

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        anyio.run(run)
    except* (BrokenPipeError, anyio.BrokenResourceError):
        logger.info("the client is gone")
