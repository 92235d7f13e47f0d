"""Streams of atoms as text, with one time point per line.

    @prefix e: <http://e/> .
    18: near(a) ans(25, e:x) done.   % blanks or commas part the atoms, the dot is optional
    50:                              % nothing new: the stream reaches 50

Terms are the constants of programs (`lars.text.notation`). A prefix is declared before the first time.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from lars.errors import PlacedError
from lars.language.terms import Atom, Constant
from lars.text.notation import read_prefix
from lars.text.scanner import Scanner

ReadAtom = Callable[[Scanner], Atom]

_TIME: Final = re.compile(r"([0-9]{1,1000})(?!\w)")
_COLON, _COMMA, _DOT = re.compile(":"), re.compile(","), re.compile(r"\.")
_DATE = re.compile(r"-[0-9]")
_OPEN, _CLOSE = re.compile(r"\("), re.compile(r"\)")
_APART: Final = re.compile(r"(?=[\s,.;%}]|\Z)")
_CONSTANT: Final = "a constant: 5, name, 'name', <iri>, ex:name, \"literal\" or _:b"
_LATE: Final = "expected each prefix declared once, before the first time"


StreamLine = tuple[int, tuple[Atom, ...], int]
"""A line of a stream: its time, its atoms in the order of arrival, and the column of the time in the line."""


def read_stream(text: str, source: str = "stream") -> list[tuple[int, Atom]]:
    r"""Return the arrivals (time, atom) of a text; errors name the text `source`.

    Raises PlacedError for an invalid text, and for a time before the time of an earlier line.

    >>> [f"{t} {atom}" for t, atom in read_stream("18: near(a), done.\n20:")]
    ['18 near(a)', '18 done']
    """
    return [(t, atom) for t, atoms, _ in _lines(text, source) for atom in atoms]


def _lines(text: str, source: str) -> Iterator[StreamLine]:
    prefixes: dict[str, str] = {}
    latest: int | None = None
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        scanner = Scanner(line, source, 0, prefixes)
        try:
            found = read_line(scanner, may_declare=latest is None)
            latest = _in_order(scanner, found, latest)
        except PlacedError as error:
            raise PlacedError(replace(error.place, line=number), error.problem) from None
        if found is not None:
            yield found


def _in_order(scanner: Scanner, line: StreamLine | None, latest: int | None) -> int | None:
    if line is None:
        return latest
    t, _, column = line
    if latest is not None and t < latest:
        problem = f"the time {t} comes after the later time {latest}; expected times that do not decrease"
        raise PlacedError(scanner.place(column - 1), problem)
    return t


def read_line(scanner: Scanner, *, may_declare: bool, read_atom: ReadAtom | None = None) -> StreamLine | None:
    """Return the content of a line, or None if the line has no time.

    Raises PlacedError for an invalid line; the error has line number 1. If `may_declare` is true, `@prefix`
    adds a prefix to the prefixes of the scanner. An existing prefix is never changed. The function
    `read_atom` reads one atom. If `read_atom` is None, `read_ground_atom` reads the atom.
    """
    if scanner.skip() == len(scanner.text):
        return None
    declared = 0
    while _declares(scanner, may_declare=may_declare):
        declared += 1
    line = None if declared else _timed(scanner, read_atom or read_ground_atom)
    if scanner.skip() < len(scanner.text):
        scanner.fail("the end of the line")
    return line


def _declares(scanner: Scanner, *, may_declare: bool) -> bool:
    start, known = scanner.skip(), scanner.prefixes
    scanner.prefixes = dict(known)
    is_one, read, scanner.prefixes = read_prefix(scanner), scanner.prefixes, known
    for name, iri in read.items():
        if known.get(name, iri if may_declare else None) != iri:
            raise PlacedError(scanner.place(start), f"found a new meaning of {name}:; {_LATE}")
    known.update(read)
    return is_one


def _timed(scanner: Scanner, read_atom: ReadAtom) -> StreamLine:
    start = scanner.skip()
    t = int(scanner.expect(_TIME, "a time: an integer of at least 0, as in 18: near(a).").group(1))
    # Their only other notation of times is that of the tables that contain the same atoms.
    dated = "; a table with the columns t,atom may have dateTimes" if scanner.peek(_DATE) else ""
    scanner.expect(_COLON, f"the : after a time{dated}")
    atoms: list[Atom] = []
    while scanner.skip() < len(scanner.text) and not scanner.accept(_DOT):
        if atoms:
            scanner.accept(_COMMA)
        atoms.append(read_atom(scanner))
    return t, tuple(atoms), start + 1


def read_ground_atom(scanner: Scanner) -> Atom:
    """Read an atom without variables, and check that a separator follows."""
    name = scanner.name()
    if name is None:
        scanner.fail("an atom: name or name(constant, ...)")
    arguments: tuple[Constant, ...] = ()
    end = scanner.offset
    if scanner.accept(_OPEN):
        arguments = scanner.listed(lambda: scanner.constant(_CONSTANT, _CONSTANT))
        end = scanner.expect(_CLOSE, ", or )").end()
    if not _APART.match(scanner.text, end):
        scanner.offset = end
        scanner.fail("a blank or comma after an atom, or the . that ends a line")
    return Atom(name, arguments)
