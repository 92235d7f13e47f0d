"""The process that evaluates a playground, and the class through which the server calls the process.

The server and the process exchange JSON texts; the length of each text is sent before the text. If an
evaluation takes too long or too much memory, the process is killed, and a new process answers the next
question.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, replace
from pathlib import Path
from struct import calcsize, pack, unpack
from threading import Event, Lock, Timer
from typing import IO, Any, Final

from agreement.documents.outputs import Json
from agreement.results.playground.evaluating import error_answer, evaluate
from agreement.results.playground.guard import guard
from agreement.results.playground.texts import PlayedTexts
from lars.files import temporary_folder
from solver import memory

_LENGTH: Final = ">Q"
_MOST_ANSWERS: Final = 200
"""The number of answers after which a process is replaced, because its caches grow."""
_COMMAND: Final = f"from {__name__} import serve; serve()"
_HOME: Final = Path(__file__).resolve().parents[3]


class PlayProcess:
    """A process that answers one question at a time.

    The process may use at most `most` bytes of memory, and at most `seconds` seconds for an answer.
    """

    def __init__(self, warm: PlayedTexts, most: int, seconds: float) -> None:
        self._warm, self._most, self._seconds = warm, most, seconds
        self._lock = Lock()
        self._start()

    def _start(self) -> None:
        self._running = ExitStack()
        folder = self._running.enter_context(temporary_folder(prefix="lars-play-"))
        path = os.pathsep.join((str(_HOME), *filter(None, (os.environ.get("PYTHONPATH"),))))
        self._process = subprocess.Popen(  # noqa: S603 - this program's own module
            [sys.executable, "-P", "-c", _COMMAND, str(self._most), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )
        self._running.callback(_end, self._process)
        self._answers, self._is_warm = 0, False
        _write(self._process.stdin, _as_json(self._warm, {}))

    def answer(self, texts: PlayedTexts, **view: Any) -> Json:
        """Return the answer of `evaluate`, or an error if the evaluation took too long or too much memory."""
        with self._lock:
            process, stopped = self._process, Event()

            def stop() -> None:
                stopped.set()
                process.kill()

            timer = Timer(self._seconds, stop)
            try:
                if not self._is_warm:  # its start is no part of the evaluation
                    _read(process.stdout)
                    self._is_warm = True
                timer.start()
                _write(process.stdin, _as_json(texts, view))
                answer = _read(process.stdout)
                self._answers += 1
            except (OSError, EOFError):
                answer = None
            finally:
                timer.cancel()
            if answer is None or stopped.is_set() or self._answers >= _MOST_ANSWERS:
                self.close()
                self._start()
        if answer is None:
            return _failure(self._most, self._seconds if stopped.is_set() else None)
        return answer

    def close(self) -> None:
        """End the process, and remove the files of the process."""
        self._running.close()


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        with suppress(OSError):
            if pipe is not None:
                pipe.close()


def _failure(most: int, seconds: float | None) -> Json:
    limit = f"{memory.size_text(most)} of memory" if seconds is None else f"{seconds:g} s"
    problem = (
        f"cannot evaluate the experiment: the evaluation takes more than {limit}; use a shorter "
        "trace or a smaller window"
    )
    return error_answer(problem)


def _as_json(texts: PlayedTexts, view: Mapping[str, Any]) -> Json:
    return {"texts": asdict(replace(texts, texts=dict(texts.texts))), "view": view}


def _answer(question: Json) -> Json:
    texts = PlayedTexts(**{**question["texts"], "inputs": tuple(question["texts"]["inputs"])})
    return evaluate(texts, **question["view"])


def _write(pipe: IO[bytes] | None, content: object) -> None:
    assert pipe is not None
    data = json.dumps(content).encode()
    pipe.write(pack(_LENGTH, len(data)) + data)
    pipe.flush()


def _read(pipe: IO[bytes] | None) -> Json:
    assert pipe is not None
    head = pipe.read(calcsize(_LENGTH))
    if len(head) < calcsize(_LENGTH):
        raise EOFError
    (length,) = unpack(_LENGTH, head)
    data = pipe.read(length)
    if len(data) < length:  # the process was killed while it wrote
        raise EOFError
    content: Json = json.loads(data)
    return content


def serve() -> None:
    """Answer questions from standard input; the first question only makes the process load its modules."""
    questions, answers = _own_pipes()
    memory.set_bound(int(sys.argv[1]))
    memory.watch(lambda _: os._exit(memory.FAILED))
    _answer(_read(questions))
    guard(Path(sys.argv[2]))
    _write(answers, {})
    with suppress(EOFError, BrokenPipeError):
        while True:
            _write(answers, _answer(_read(questions)))


def _own_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Return the pipes to the server, and hide them from all other code of this process."""
    pipes = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    return pipes
