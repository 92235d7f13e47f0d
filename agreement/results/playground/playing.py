"""The function `play`: a web page on which the texts of an experiment or program can be edited."""

import socket
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agreement.results.base.library import Listeners, StreamedTexts, offered_functions
from agreement.results.playground.texts import PlayedTexts, read_texts
from agreement.results.playground.worker import PlayProcess
from lars.dataclass import dataclass
from lars.errors import LarsError, pip_install, system_error
from lars.options import argument, option
from solver import memory

if TYPE_CHECKING:
    import uvicorn

    from agreement.results.playground.server import PlayServer

_HOST: Final = "127.0.0.1"
_MOST_MEMORY: Final = 2**30
_LAST_PORT: Final = 65_535


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayRequest:
    """The arguments of `lars play`.

    Prints the address of a local web page, which shows the experiment step by step.
    If you change a query, the trace or the period U, the page shows the new verdict.
    Ctrl-C ends the server. Requires starlette and uvicorn.

    Examples:
    lars play samples/slide
    lars play samples/door/door.lars samples/door/door.atoms
    """

    inputs: tuple[Path, ...] = argument(
        "[EXPERIMENT_DIR] | PROGRAM.lars TRACE..",
        "Experiment with one comparison, or a LARS program and its input. [default: the current folder]",
        default=(),
        source="trace",
    )
    port: int = option(
        0, "Port of the server. With 0, lars selects a free port.", least=0, most=_LAST_PORT, metavar="N"
    )
    time_limit: float = option(20.0, "Time limit of one evaluation.", least=0.1, most=3600, metavar="SECONDS")


def _played(texts: PlayedTexts, port: int, time_limit: float) -> Iterator[str]:
    """Yield the address of the playground, and run its server until the process ends."""
    most = min(memory.limit(), _MOST_MEMORY)
    with closing(_socket(port)) as listening, closing(PlayProcess(texts, most, time_limit)) as evaluator:
        yield from _serving(texts, evaluator, listening)


def _socket(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((_HOST, port))
        listening.listen()  # who reads the address may ask before the server has started
    except OSError as error:
        listening.close()
        raise system_error(f"--port {port}", error) from None
    return listening


def _serving(texts: PlayedTexts, evaluator: PlayProcess, listening: socket.socket) -> Iterator[str]:
    # Loads the server, which no other command needs.
    import uvicorn

    from agreement.results.playground.server import PlayServer

    server = PlayServer(texts, evaluator.answer, f"{_HOST}:{listening.getsockname()[1]}")
    yield server.address
    uvicorn.Server(server_config(server)).run(sockets=[listening])


def server_config(server: "PlayServer") -> "uvicorn.Config":
    """Return the configuration of the server: only HTTP, and few connections at the same time."""
    # Loads the server, which no other command needs.
    import uvicorn

    return uvicorn.Config(
        server.app(),
        log_level="error",
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="off",
        proxy_headers=False,
        limit_concurrency=32,
        timeout_keep_alive=5,
    )


@offered_functions(PlayRequest)
def play(request: PlayRequest, listeners: Listeners) -> StreamedTexts:
    """Return a playground of an experiment or program; its server runs while the caller reads the text."""
    del listeners
    if not all(map(find_spec, ("starlette", "uvicorn"))):
        raise LarsError(f"play requires starlette and uvicorn; use {pip_install('starlette', 'uvicorn')}")
    return StreamedTexts(_played(read_texts(request.inputs), request.port, request.time_limit))
