"""Regular expressions with back-references, matched by Python's `re` in a separate process.

pyoxigraph does not support back-references. A match can take very long, and `re` blocks signals and other
threads during the match.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from select import select
from threading import Lock
from typing import Final

from lars.dataclass import dataclass
from lars.errors import FailedRunError

_PATIENCE: Final = 10.0
"""The maximum number of seconds for one text.

The number is a guess: the time grows exponentially, so a pattern that needs more would need years for a
slightly longer text.
"""
_MATCHING: Final = """
import itertools, json, re, sys, warnings
warnings.simplefilter("ignore")
for line in sys.stdin:
    pattern, flags, text, most = json.loads(line)
    found = itertools.islice(re.compile(pattern, flags).finditer(text), most)
    print(json.dumps([match.regs for match in found]), flush=True)
"""
Spans = list[tuple[int, int]]
"""The starts and ends of a match and of its groups; (-1, -1) is a group without a match."""


@dataclass(frozen=True, slots=True)
class BackReferences:
    """A regular expression with back-references for Python's `re`.

    - `pattern` and `flags` are in Python's notation.
    - `groups` is the number of groups.
    - `text` is the pattern in the query, for messages.
    """

    pattern: str
    flags: int
    groups: int
    text: str

    def matches(self, text: str, most: int | None = None) -> list[Spans]:
        """Return the matches in a text, or only the first `most` matches.

        Raises:
            FailedRunError: The match takes too long, or its process has ended.
        """
        with _ASKING, _asking() as process:
            assert process.stdin is not None
            assert process.stdout is not None
            with suppress(BrokenPipeError):  # the process has ended: it does not answer
                process.stdin.write(f"{json.dumps([self.pattern, self.flags, text, most])}\n".encode())
                process.stdin.flush()
            if select([process.stdout], [], [], _PATIENCE)[0]:
                if not (line := process.stdout.readline()):
                    raise FailedRunError(
                        f'the process that matches the regular expression "{self.text}" has ended, perhaps '
                        "because memory is short; use a shorter expression or shorter texts"
                    )
                found: list[Spans] = json.loads(line)
                return found
            raise FailedRunError(
                f'the regular expression "{self.text}" takes more than {_PATIENCE:.0f} s on a text of '
                f"{len(text)} characters; use a regular expression without repetitions inside repetitions"
            )


@contextmanager
def _asking() -> Iterator[subprocess.Popen[bytes]]:
    """Yield the process that matches regular expressions.

    If the block raises an exception, such as after Ctrl-C, the process is killed, because its next answer
    would be the answer to the interrupted question.
    """
    if (process := _process(os.getpid())).poll() is not None:
        _process.cache_clear()
        process = _process(os.getpid())
    try:
        yield process
    except BaseException:
        process.kill()
        process.communicate()
        _process.cache_clear()
        raise


_ASKING: Final = Lock()


@cache
def _process(owner: int) -> subprocess.Popen[bytes]:
    # By the asking process, since a forked one would share the pipes. It ends with its standard input.
    del owner
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-I", "-S", "-c", _MATCHING], stdin=pipe, stdout=pipe)  # noqa: S603
