"""Traces of atoms: lines `18: near(a) done.` with @prefix at the head, and the column `atom` of tables.

The module also reads logs of I-DLV-sr and Distributed-SR: lines `2021-05-17T11:10:12 alpha(25); high;`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from lars.errors import LarsError, PlacedError
from lars.language.terms import Atom, Number, Symbol, Term, Variable
from lars.text import LOG_LINE, Scanner, read_ground_atom, read_line
from solver.facts import check_writable
from solver.rdf import canonical
from solver.settings import TraceOptions
from solver.traces.formats.lines import LineFormat
from solver.traces.input_files import ATOMS, FileHead, TracedAtom, TraceFile
from solver.traces.trace_times import Instant, MalformedPart, TimeKind, read_time

_TIMED: Final = re.compile(r"\s*[0-9]+\s*:")
_NAME: Final = r"(?!(?:not|true|false|mod|_)(?![A-Za-z0-9_]))[a-z_][A-Za-z0-9_]*"
_IRI: Final = r'<[A-Za-z][A-Za-z0-9+.\-]*:[^<>"{}|^`\\\x00-\x20]*>'
_ARGUMENT: Final = re.compile(rf"{_NAME}|0|-?[1-9][0-9]{{0,8}}|{_IRI}")
_ATOM: Final = re.compile(rf"({_NAME})(?:\(((?:{_ARGUMENT.pattern})(?:, ?(?:{_ARGUMENT.pattern}))*)\))?")
# The usual line, read at once; whatever it does not match is read term by term.
_USUAL: Final = re.compile(rf"([0-9]{{1,18}}):((?: {_ATOM.pattern}(?:,? {_ATOM.pattern})*)?)\.?")


class AtomLines(LineFormat):
    """The format of lines with a time and atoms."""

    bytes_of_atom = 20
    of_atoms = True

    def begun(self, source: TraceFile, head: FileHead, options: TraceOptions) -> TraceFile:
        """Return the file with the prefixes that its @prefix lines declare.

        Raises:
            LarsError: A stream is given for the file.
        """
        _ = options
        if source.stream and not source.candidates:
            raise LarsError(f"{head.path}: a file of atoms has no stream; use --stream only for files of RDF")
        return replace(source, prefixes=head_prefixes(head.plain))

    def read(self, source: TraceFile, line: str, *, first: bool) -> Sequence[TracedAtom]:
        """Return the atoms of a line, or an element with only the time if the line has no atoms."""
        _ = first
        return read_atoms(source, line)


def is_atoms(lines: Sequence[str]) -> bool:
    """Return whether the first line that is no comment and no @prefix starts with a time and a colon."""
    sentences = (line for line in map(str.strip, lines) if line and line[0] != "%" and line[:7] != "@prefix")
    return _TIMED.match(next(sentences, "")) is not None


def head_prefixes(file: Path) -> tuple[tuple[str, str], ...]:
    """Return the prefixes that a file declares before its first time; errors in declarations are ignored.

    The reader of the lines reports errors in declarations later. Every task needs the prefixes of the file,
    for any part of the file.
    """
    prefixes: dict[str, str] = {}
    with file.open("rb") as lines:
        for data in lines:
            line = data.decode("utf-8-sig", "replace")
            if _TIMED.match(line):
                break
            if line.lstrip().startswith("@"):
                with suppress(PlacedError):
                    read_line(Scanner(line.rstrip("\r\n"), str(file), 0, prefixes), may_declare=True)
    return tuple(prefixes.items())


def read_atoms(source: TraceFile, line: str) -> list[TracedAtom]:
    """Return a line's atoms in order, or an element with only the time if the line has no atoms.

    Raises:
        MalformedPart: A time or an atom is invalid.
    """
    usual = _USUAL.fullmatch(line)
    if usual is None:
        return _read_terms(source, line)
    time = source.stamped(Instant(TimeKind.INTEGER, int(usual[1])), 1)
    return _atoms_at(
        time, [(atom[1], tuple(_ARGUMENT.findall(atom[2] or ""))) for atom in _ATOM.finditer(usual[2])]
    )


def _read_terms(source: TraceFile, line: str) -> list[TracedAtom]:
    scanner = Scanner(line, source.path, 0, dict(source.prefixes))
    try:
        found = read_line(scanner, may_declare=False, read_atom=_read_atom)
    except PlacedError as error:
        raise MalformedPart(error.problem, error.place.column) from None
    if found is None:
        return []
    t, atoms, column = found
    return _atoms_at(source.stamped(Instant(TimeKind.INTEGER, t), column), map(_texts_of, atoms))


AtomText = tuple[str, tuple[str, ...]]
"""The predicate of an atom, and the texts of the atom's arguments."""


def _texts_of(atom: Atom) -> AtomText:
    return atom.predicate, tuple(map(str, atom.arguments))


def _atoms_at(time: Instant, atoms: Iterable[AtomText]) -> list[TracedAtom]:
    traced = [TracedAtom(time, ATOMS, predicate, arguments) for predicate, arguments in atoms]
    return traced or [TracedAtom(time, ATOMS, None, ())]


def cell_atom(text: str, prefixes: Mapping[str, str]) -> AtomText | None:
    """Return the atom in a cell of a table, or None for an empty cell.

    Raises:
        PlacedError: The atom is invalid.
    """
    scanner = Scanner(text, "cell", 0, dict(prefixes))
    if scanner.skip() == len(text):
        return None
    atom = _read_atom(scanner)
    if scanner.skip() < len(text):
        scanner.fail("the end of the cell: a row has one atom")
    return _texts_of(atom)


def read_atom_text(scanner: Scanner) -> AtomText:
    """Read an atom at the scanner's position, and return its name and arguments as texts.

    Raises:
        PlacedError: The atom is invalid.
    """
    return _texts_of(_read_atom(scanner))


def _read_atom(scanner: Scanner) -> Atom:
    start = scanner.skip()
    atom = read_ground_atom(scanner)
    try:
        for term in atom.arguments:
            _check(term)
    except LarsError as error:
        raise PlacedError(scanner.place(start), str(error)) from None
    return atom


def _check(term: Term) -> None:
    """Raise LarsError if a term cannot be a symbol of the solver, or is not valid RDF."""
    if isinstance(term, Variable):
        raise LarsError(f"found the variable {term}; expected constants")
    check_writable(term)
    if not isinstance(term, Symbol | Number):
        canonical(str(term))


_LOG_TIME: Final = re.compile(r"[0-9][0-9T:.+\-Z]*(?=\s|$)")
_APART, _END = re.compile(r";\s*([+-])?"), re.compile(r"\s*$")
_MINUTE: Final = re.compile(r"[0-9-]+T[0-9]{2}:[0-9]{2}")
_WHOLE: Final = re.compile(r"\s*@end\s*;?\s*")
_LINE: Final = re.compile(r"\s*[0-9][0-9T:.+\-Z]*\s+(?!\s)(?:[a-z_][^;]*;\s*[+-]?\s*)+")


class LogLines(LineFormat):
    """The format of logs of I-DLV-sr: a time, then atoms; each line triggers an evaluation at its time.

    Distributed-SR writes `a;+` for an arrival, and `b;-` for an atom that no longer holds.
    """

    bytes_of_atom = 15
    of_atoms = True

    def begun(self, source: TraceFile, head: FileHead, options: TraceOptions) -> TraceFile:
        """Return the file unchanged.

        Raises:
            LarsError: A stream is given for the file.
        """
        _ = options
        if source.stream and not source.candidates:
            raise LarsError(f"{head.path}: a file of atoms has no stream; use --stream only for files of RDF")
        return source

    def read(self, source: TraceFile, line: str, *, first: bool) -> Sequence[TracedAtom]:
        """Return the atoms of a line of a log, and an auxiliary atom that triggers an evaluation."""
        _ = first
        if not line.strip() or _WHOLE.fullmatch(line):
            return ()
        scanner = Scanner(line, source.path)
        try:
            written = scanner.expect(_LOG_TIME, "a time, an integer or a dateTime, and a blank")
            atoms: list[AtomText] = [(LOG_LINE, ())]
            while not scanner.peek(_END):
                atom = read_atom_text(scanner)
                if scanner.expect(_APART, "the ; after an atom")[1] != "-":
                    atoms.append(atom)
        except PlacedError as error:
            raise MalformedPart(error.problem, error.place.column) from None
        # Java leaves out seconds that are 0.
        text = f"{written[0]}:00" if _MINUTE.fullmatch(written[0]) else written[0]
        time = source.stamped(read_time(text), written.start() + 1)
        return [TracedAtom(time, ATOMS, predicate, arguments) for predicate, arguments in atoms]


def is_log(lines: Sequence[str]) -> bool:
    """Return whether the first nonblank line is a line of a log of I-DLV-sr or Distributed-SR.

    >>> is_log(["3 a; b(2);"]), is_log(["3: a b(2)."])
    (True, False)
    """
    return _LINE.fullmatch(next((line for line in lines if line.strip()), "")) is not None
