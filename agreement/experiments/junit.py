"""Verdicts as test cases: JUnit XML for CI systems, and a list of known failures."""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from lars.dataclass import dataclass
from lars.errors import LarsError, on_one_line
from lars.files import exists, read_text, rewrite

_KNOWN = "a list of known failures, one name per line"
PARAMETERS: Final = "parameters: "
"""The begin of the name of a test case that names parameters which `lars suite run` has found.

If several engines are compared, the name of the engine precedes these words.
"""
_REFUSED: Final = "refused: "
"""The begin of a line of a list of known failures that names a test whose query an engine rejects."""


@dataclass(frozen=True, slots=True)
class VerdictCase:
    """A verdict as a test case: it passes, fails for a reason, or is skipped for a reason.

    The field `text` contains the details of a failure. The field `error` is the reason why a run has no
    verdict. The field `refused` is the reason why an engine rejected the query of the test case.
    """

    group: str
    name: str
    failure: str | None = None
    skipped: str | None = None
    text: str = ""
    error: str | None = None
    refused: str | None = None


def junit_text(suite: str, cases: Sequence[VerdictCase], known: Collection[str] | None = None) -> str:
    """Return test cases as JUnit XML; known failures count as skipped.

    A refused test case is a failure if there is a list of known failures, and the list does not name it.

    >>> print(junit_text("s", [VerdictCase("g", "a<b"), VerdictCase("g", "c", "why")], ["c"]), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuite name="s" tests="2" failures="0" errors="0" skipped="1">
      <testcase classname="g" name="a&lt;b"/>
      <testcase classname="g" name="c"><skipped message="known failure: why"/></testcase>
    </testsuite>
    """
    bad = [case for case in cases if case.failure is not None or case.refused is not None]
    new = [case for case in bad if _is_new(case, known)]
    failures, skipped = len(new), len(bad) - len(new) + sum(case.skipped is not None for case in cases)
    errors = sum(case.error is not None for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    head = f"<testsuite name={_attribute(suite)} {counts}>"
    lines = (_case(case, is_new=_is_new(case, known), is_listed=known is not None) for case in cases)
    return "\n".join(('<?xml version="1.0" encoding="UTF-8"?>', head, *lines, "</testsuite>", ""))


def _is_new(case: VerdictCase, known: Collection[str] | None) -> bool:
    if known is None and case.refused is not None:
        return False
    return not covering(case, known or ())


def _line_of(case: VerdictCase) -> str:
    """Return the name of a test case as a line of a list of known failures, without spaces at its ends."""
    name = on_one_line(case.name).strip()
    return name if case.refused is None else f"{_REFUSED}{name}"


def _case(case: VerdictCase, *, is_new: bool, is_listed: bool) -> str:
    opened = f"  <testcase classname={_attribute(case.group)} name={_attribute(case.name)}"
    why = case.failure if case.refused is None else f"new refusal: {case.refused}"
    if why is not None and is_new:
        body = escape(_plain_xml(case.text))
        return f"{opened}><failure message={_attribute(why)}>{body}</failure></testcase>"
    if case.error is not None:
        return f"{opened}><error message={_attribute(case.error)}/></testcase>"
    if case.refused is not None:
        why = f"{'known refusal' if is_listed else 'refused'}: {case.refused}"
    else:
        why = case.skipped if case.failure is None else f"known failure: {case.failure}"
    return f"{opened}/>" if why is None else f"{opened}><skipped message={_attribute(why)}/></testcase>"


def _attribute(text: str) -> str:
    return quoteattr(_plain_xml(text))


def _plain_xml(text: str) -> str:
    """Return a text without the characters that XML 1.0 does not allow."""
    return "".join(
        character
        for character in text
        if character in "\t\n\r"
        or " " <= character <= "\ud7ff"
        or "\ue000" <= character <= "\ufffd"
        or character >= "\U00010000"
    )


def write_junit(
    path: Path, suite: str, cases: Sequence[VerdictCase], known: Collection[str] | None = None
) -> None:
    """Write test cases to a file as JUnit XML."""
    rewrite(path, junit_text(suite, cases, known))


def check_junit(path: Path) -> None:
    """Raise LarsError before a run if the run could not write the file at its end."""
    if not exists(path.parent, folder=True):
        raise LarsError(f"--junit {path}: cannot write the file: {path.parent} is not a folder")
    if exists(path, folder=True):
        raise LarsError(f"--junit {path}: cannot write the file: it is a folder; use the name of a file")


def read_known(path: Path) -> tuple[str, ...]:
    """Return the names in a list of known failures; empty lines and lines that start with # are comments.

    In a line, * matches any text.
    """
    lines = (line.strip() for line in read_text(path, _KNOWN).split("\n"))
    return tuple(dict.fromkeys(line for line in lines if line and not line.startswith("#")))


def without_known(
    cases: Iterable[VerdictCase], known: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of failures that are not known, and of known failures that no longer occur.

    A refused test case is a failure, and its line in the list begins with `refused: `.

    A line with parameters is no failure: the failures in the list are those of an engine with these
    parameters. If the run has other parameters, these are a failure that is not known.
    """
    cases = tuple(cases)
    listed = [name for name in known if names_parameters(name)]
    found = (_line_of(case) for case in cases if names_parameters(case.name))
    other = tuple(name for name in found if listed and name not in listed)
    known = [name for name in known if name not in listed]
    covered = {
        _line_of(case): covering(case, known)
        for case in cases
        if (case.failure, case.refused) != (None, None)
    }
    new = tuple(name for name, lines in covered.items() if not lines)
    needed = {line for lines in covered.values() for line in lines}
    return (*other, *new), tuple(name for name in known if name not in needed)


def covering(case: VerdictCase, known: Iterable[str]) -> list[str]:
    """Return the lines of a list of known failures that name a case; * matches any text.

    >>> covering(VerdictCase("operator", "istream-02", "why"), ["istream-*", "istream-01", "istream-02"])
    ['istream-*', 'istream-02']
    """
    name = _line_of(case)
    return [line for line in known if line == name or ("*" in line and _pattern(line).fullmatch(name))]


@cache
def _pattern(line: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, line.split("*"))), re.DOTALL)


def unlisted_parameters(cases: Iterable[VerdictCase], known: Sequence[str]) -> tuple[str, ...]:
    """Return the lines with the parameters that a run has found, if the list has no line with parameters."""
    if any(map(names_parameters, known)):
        return ()
    return tuple(_line_of(case) for case in cases if names_parameters(case.name))


def names_parameters(name: str) -> bool:
    """Return whether a name of a test case, or a line of a list of known failures, names parameters.

    >>> [names_parameters(name) for name in ("parameters: t0 0", "engine: parameters: t0 0", "join-01")]
    [True, True, False]
    """
    return f": {PARAMETERS}" in f": {name}"
