"""Facts as the solver moves them, an input atom with its time, and the situation that a program meets."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from lars.errors import LarsError
from lars.language.program import Program, is_fact
from lars.language.terms import Atom, Constant, Number, Signature, Symbol, signature
from lars.language.windows import Interval
from solver.rdf import read_term

Arguments = tuple[str, ...]
Row = tuple[str | None, ...]
"""An answer's terms as texts, None for null."""
Background = Mapping[Signature, Iterable[Arguments]]


STREAM_PREDICATE: Final = "striple"
"""The predicate of RDF input: subject, predicate, object, stream."""
_STREAM_ARITY: Final = 4


class Fact(NamedTuple):
    """An input atom: time point, predicate, argument texts. Sequences of facts are in arrival order."""

    t: int
    predicate: str
    arguments: Arguments


def is_triple(fact: Fact) -> bool:
    """Whether the atom is a triple of a stream."""
    return fact.predicate == STREAM_PREDICATE and len(fact.arguments) == _STREAM_ARITY


@lru_cache(maxsize=2**16)
def constant_of(text: str) -> Constant:
    """Return the constant whose text it is."""
    if text[:1] in '<"' or text[:2] == "_:":
        return read_term(text)
    if text[:1] == "'":
        # Loads the reader of programs, which no query needs.
        from lars.text import Scanner

        return Symbol(Scanner(text, "a fact").name() or "")
    return Number(int(text)) if text.lstrip("-").isdecimal() else Symbol(text)


def atom_of(fact: Fact) -> Atom:
    """Return the atom of a fact."""
    return Atom(fact.predicate, tuple(map(constant_of, fact.arguments)))


def background_of(atoms: Iterable[Atom]) -> dict[Signature, list[Arguments]]:
    """Return ground atoms by predicate, as a background is given to the solver."""
    found: dict[Signature, list[Arguments]] = {}
    for atom in atoms:
        found.setdefault(signature(atom), []).append(tuple(map(str, atom.arguments)))
    return found


def atoms_of(background: Background) -> Iterator[Atom]:
    """Yield the atoms of a background; the inverse of `background_of`."""
    for (name, _), rows in background.items():
        for arguments in rows:
            yield Atom(name, tuple(map(constant_of, arguments)))


@dataclass(frozen=True, slots=True)
class Situation:
    """The timeline, the input in arrival order, and B.

    Equal facts at one time point count once, at their first arrival. With `newest` what arrived after
    that time is not seen at all, though tuple windows count it.
    """

    timeline: Interval
    facts: Sequence[Fact]
    background: Background
    newest: int | None = None

    def sees(self, fact: Fact) -> bool:
        """Whether the fact is seen, or merely counted."""
        return self.newest is None or fact.t <= self.newest


def with_facts(program: Program, background: Background) -> Background:
    """Return B: the background that is given, and the program's own facts."""
    own = background_of(rule.head for rule in program.rules if is_fact(rule) and isinstance(rule.head, Atom))
    names = dict.fromkeys((*background, *own))
    return {name: dict.fromkeys((*background.get(name, ()), *own.get(name, ()))) for name in names}


_LEAST: Final = -(2**31)
_GREATEST: Final = 2**31 - 1
_SHOWN: Final = 100


class UnwritableTermError(LarsError):
    """A constant has no ASP symbol; `problem` says why."""

    def __init__(self, constant: Constant, problem: str) -> None:
        shown = ascii(str(constant))[1:-1]
        super().__init__(f"no ASP symbol for {shown[:_SHOWN]}{'…' * (len(shown) > _SHOWN)}: {problem}")


def check_writable(constant: Constant) -> None:
    """Raise UnwritableTermError for a number outside 32 bit, or text with NUL or a lone surrogate."""
    match constant:
        case Number(value):
            if not _LEAST <= value <= _GREATEST:
                raise UnwritableTermError(constant, "numbers of the logic are 32 bit")
        case _:
            # A name is written with its NUL escaped.
            text = constant.name if isinstance(constant, Symbol) else str(constant)
            if "\0" in text:
                raise UnwritableTermError(constant, "NUL ends a text in ASP")
            try:
                text.encode()
            except UnicodeEncodeError:
                raise UnwritableTermError(constant, "a lone surrogate is no character") from None
