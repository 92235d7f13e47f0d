"""Atoms as users write them: with short names, and with variables for terms that they leave open."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import Final, TypeVar, assert_never

from agreement.answering.solve.solving import Answered, AnswerRows, EngineReports, Streams
from agreement.documents.outputs import short
from lars.dataclass import dataclass
from lars.errors import LarsError, cut
from lars.language.terms import Variable, write_name
from lars.text import VARIABLE, Scanner
from solver.facts import Row
from solver.rdf import NotATerm, canonical, read_term, value
from solver.settings import Warn

_EXAMPLES: Final = "an atom, such as 'ans(25,rayban,b)', 'near(<http://e/b>)' or '@_15 trigger'"
_TIMED: Final = re.compile(r"\s*@_([0-9]{1,19})\s+(.*)", re.DOTALL)
_SHAPE: Final = re.compile(r"\s*([^\s(),'\"<>]+'*|'(?:[^'\\]|\\.)*')(?:\s*\((.*)\))?\s*", re.DOTALL)
_BLANKS: Final = re.compile(r"\s*")
_PRIMED: Final = r"\w+'+(?=\s*(?:,|\Z))"
_ARGUMENT: Final = re.compile(
    rf"""((?>(?:{_PRIMED}|"(?:[^"\\]|\\.)*"(?:\^\^<[^<>]*>|@[\w-]+)?|'(?:[^'\\]|\\.)*'|"""
    r"""<<\(|<[^<>]*>|[^,"'<]+)+))(,|\Z)"""
)
"""The pattern of an argument in the text of an atom.

The group (?>..) prevents backtracking, so that a malformed text is rejected in linear time.
"""
ANY: Final = "_"
"""The argument that every term fits, also if the argument occurs several times in an atom."""
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,60}(?:\.[0-9]{1,60})?(?:[eE][+-]?[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class AskedAtom:
    """An atom as the user wrote it: its time (if the text contains @), predicate and arguments."""

    text: str
    t: int | None
    name: str
    arguments: tuple[str, ...]


def read_question(text: str) -> AskedAtom:
    """Return the time, predicate and arguments in the text of an atom.

    Raises:
        LarsError: The text is not an atom. The message shows the expected form.
    """
    timed = _TIMED.fullmatch(text)
    match = _SHAPE.fullmatch(timed.group(2) if timed else text)
    if not match:
        raise _malformed(text)
    inside = match.group(2)
    return AskedAtom(
        text.strip(),
        int(timed.group(1)) if timed else None,
        _name(match.group(1)),
        () if inside is None else _split(inside, text),
    )


def _malformed(text: str) -> LarsError:
    return LarsError(f"{cut(text)!r} is not an atom; expected {_EXAMPLES}")


def _name(text: str) -> str:
    return Scanner(text, "atom").name() or text if text[:1] == "'" else text


def _split(inside: str, text: str) -> tuple[str, ...]:
    parts, end = [], 0
    while True:
        blanks = _BLANKS.match(inside, end)
        part = _ARGUMENT.match(inside, end if blanks is None else blanks.end())
        if part is None or not part.group(1).strip():
            raise _malformed(text)
        parts.append(part.group(1).strip())
        if not part.group(2):
            return tuple(parts)
        end = part.end()


_Part = TypeVar("_Part")


def restricted(answers: Answered, text: str, warn: Warn) -> Answered:
    """Return the answers with only the rows or atoms of the form of a text, and the times with such answers.

    `warn` receives a warning if no answer has this pattern.

    Raises:
        LarsError: The text is no atom, or has another number of arguments than the rows have columns.
    """
    pattern = read_question(text)

    def counted(parts: Iterable[_Part]) -> Iterator[_Part]:
        is_any = False
        for part in parts:
            is_any = True
            yield part
        if not is_any:
            warn(f"{pattern.text}: no answer has this form (--where)")

    match answers:
        case AnswerRows(variables, at):
            fitting = _of_rows(pattern, variables)
            kept = ((t, [row for row in rows if fitting(row)]) for t, rows in at)
            return replace(answers, at=counted((t, rows) for t, rows in kept if rows))
        case EngineReports(variables, reports):
            fitting = _of_rows(pattern, variables)
            some = (replace(one, rows=[row for row in one.rows if fitting(row)]) for one in reports)
            return replace(answers, reports=tuple(counted(one for one in some if one.rows)))
        case Streams():
            found = ((t, tuple(_atoms(pattern, atoms, t) for atoms in streams)) for t, streams in answers.at)
            return replace(answers, parts=counted((t, streams) for t, streams in found if any(streams)))
        case _:
            assert_never(answers)


def _of_rows(pattern: AskedAtom, variables: Sequence[Variable]) -> Callable[[Row], bool]:
    """Return a function that tells whether a row has the form; raises LarsError if no row can have it."""
    names = [f"?{variable.name}" for variable in variables]
    if pattern.name not in ("ans", "ans1") or len(pattern.arguments) != len(names) or pattern.t is not None:
        form = f"ans({','.join(names)})" if names else "ans"
        raise LarsError(f"{pattern.text}: no row has this form; use '{form}', or terms in place of variables")
    return lambda row: fits(pattern.arguments, row, is_open)


def _atoms(pattern: AskedAtom, atoms: Iterable[str], t: int) -> tuple[str, ...]:
    """Return the atoms of an answer stream at time t that have the form, in their order."""
    wanted = t if pattern.t is None else pattern.t
    found = ((text, read_question(text)) for text in atoms)
    return tuple(
        text
        for text, one in found
        if (t if one.t is None else one.t) == wanted
        and one.name == pattern.name
        and fits(pattern.arguments, one.arguments, is_variable)
    )


def fits(arguments: Sequence[str], terms: Sequence[str | None], is_open: Callable[[str], bool]) -> bool:
    """Return whether the terms of an atom or row fit the arguments of an atom that a user wrote.

    A term fits an argument that is its text, its short name, or a number with the same value. Each term fits
    an argument for which `is_open` is true, a variable or `_`; the terms of equal variables must be equal.
    The term None is an unbound variable, which fits `-` and `null`.
    """
    bound: dict[str, str | None] = {}
    if len(arguments) != len(terms):
        return False
    for argument, term in zip(arguments, terms, strict=True):
        if is_open(argument):
            if argument != ANY and bound.setdefault(argument, term) != term:
                return False
        elif term is None:
            if argument not in ("-", "null"):
                return False
        elif not _names(argument, term):
            return False
    return True


def _names(argument: str, term: str) -> bool:
    if argument in (term, short(term)) or same_number(argument, term):
        return True
    if argument[:1] == "'":
        return _written(argument) == term
    # The case of language tags, and escapes, do not distinguish terms.
    return argument[:1] in '<"' and _canonical(argument) == term


@lru_cache(maxsize=2**10)
def _written(argument: str) -> str | None:
    """Return a name in quotes as answers contain it, such as x for 'x'."""
    scanner = Scanner(argument, "atom")
    name = scanner.name()
    return None if name is None or scanner.skip() < len(argument) else write_name(name)


@lru_cache(maxsize=2**10)
def _canonical(argument: str) -> str | None:
    try:
        return canonical(argument)
    except NotATerm:
        return None


def same_number(argument: str, term: str) -> bool:
    """Return whether a number that a user wrote is the value of a term.

    >>> same_number("21.5", '"21.50"^^<http://www.w3.org/2001/XMLSchema#decimal>'), same_number("1", '"1"')
    (True, False)
    """
    if not _NUMBER.fullmatch(argument):
        return False
    try:
        number = value(read_term(term))
    except NotATerm:
        return False  # an atom of a program may contain any term
    if isinstance(number, float):
        return number == float(argument)
    return isinstance(number, int | Decimal) and not isinstance(number, bool) and number == Decimal(argument)


def is_open(text: str) -> bool:
    """Return whether an argument of a row is a variable with ?, or `_`, which stands for any term."""
    return text == ANY or text.startswith("?")


def is_variable(text: str) -> bool:
    """Return whether an argument is a variable, or `_`, which stands for any term."""
    return text == ANY or VARIABLE.fullmatch(text) is not None
