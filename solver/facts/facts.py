"""Facts in the form of the solver, and the situation in which a program is evaluated."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from lars.dataclass import dataclass
from lars.errors import LarsError, cut
from lars.language import terms
from lars.language.program import Program, is_fact
from lars.language.windows import Interval
from solver.rdf import is_name_of_stream, read_term

Arguments = tuple[str, ...]
Row = tuple[str | None, ...]
"""The terms of an answer as texts; None is null."""
Background = Mapping[terms.Signature, Iterable[Arguments]]


STREAM_PREDICATE: Final = "striple"
"""The predicate of an RDF input triple; its arguments are the subject, predicate, object and stream."""
QUAD_PREDICATE: Final = "squad"
"""The predicate of an RDF input quad; its arguments are the subject, predicate, object, graph and stream."""
_STREAM_ARITY: Final = 4


class Fact(NamedTuple):
    """An input atom: its time point, predicate and argument texts.

    Sequences of facts are in arrival order.
    """

    t: int
    predicate: str
    arguments: Arguments


def with_triples(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return facts, with each triple of a named graph also as a triple without the graph before it."""
    found: dict[Fact, None] = {}
    for fact in facts:
        if fact.predicate == QUAD_PREDICATE:
            found[_without_graph(fact)] = None
        found[fact] = None
    return tuple(found)


def without_doubles(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Return facts without the triples that `with_triples` would add."""
    every = tuple(facts)
    doubles = {_without_graph(fact) for fact in every if fact.predicate == QUAD_PREDICATE}
    return tuple(fact for fact in every if fact not in doubles)


def _without_graph(fact: Fact) -> Fact:
    return Fact(fact.t, STREAM_PREDICATE, (*fact.arguments[:3], fact.arguments[-1]))


def is_triple(fact: Fact) -> bool:
    """Return whether the atom is a triple of a stream."""
    return fact.predicate == STREAM_PREDICATE and len(fact.arguments) == _STREAM_ARITY


@lru_cache(maxsize=2**16)
def constant_of(text: str) -> terms.Constant:
    """Return the constant of an argument text.

    >>> constant_of("-5"), constant_of("--5")
    (Number(value=-5), Symbol(name='--5'))
    """
    if is_name_of_stream(text):
        return terms.Iri(text[1:-1])
    if text[:1] in '<"' or text[:2] == "_:":
        return read_term(text)
    if text[:1] == "'":
        # Loads the reader of programs, which no query needs.
        from lars.text import Scanner

        return terms.Symbol(Scanner(text, "a fact").name() or "")
    return terms.Number(int(text)) if text.removeprefix("-").isdecimal() else terms.Symbol(text)


def atom_of(fact: Fact) -> terms.Atom:
    """Return the atom of a fact."""
    return terms.Atom(fact.predicate, tuple(map(constant_of, fact.arguments)))


def background_of(atoms: Iterable[terms.Atom]) -> dict[terms.Signature, list[Arguments]]:
    """Map each predicate of ground atoms to the rows of its arguments, as texts."""
    rows: dict[terms.Signature, list[Arguments]] = {}
    for atom in atoms:
        rows.setdefault(terms.signature(atom), []).append(tuple(map(str, atom.arguments)))
    return rows


def atoms_of(background: Background) -> Iterator[terms.Atom]:
    """Yield the ground atoms of a background, whose rows are texts (the inverse of `background_of`)."""
    for (name, _), rows in background.items():
        for arguments in rows:
            yield terms.Atom(name, tuple(map(constant_of, arguments)))


@dataclass(frozen=True, slots=True)
class Situation:
    """The data on which a program is evaluated: the timeline, the input, and the background.

    - `facts` is the input in arrival order. Equal facts at one time point count once, at their first arrival.
    - `background` contains atoms that hold at all times, such as static data (B in LARS).
    - `newest`, if given, is the time of the last atoms that the program sees, although later atoms still
      count in the size of tuple windows.
    """

    timeline: Interval
    facts: Sequence[Fact]
    background: Background
    newest: int | None = None

    def sees(self, fact: Fact) -> bool:
        """Return whether the program sees a fact, that is, whether the fact is not after `newest`."""
        return self.newest is None or fact.t <= self.newest


def with_facts(program: Program, background: Background) -> Background:
    """Return the given background together with the facts of the program."""
    own = background_of(
        rule.head for rule in program.rules if is_fact(rule) and isinstance(rule.head, terms.Atom)
    )
    names = dict.fromkeys((*background, *own))
    return {name: dict.fromkeys((*background.get(name, ()), *own.get(name, ()))) for name in names}


_LEAST: Final = -(2**31)
_GREATEST: Final = 2**31 - 1
_SHOWN: Final = 100


def check_writable(constant: terms.Constant) -> None:
    """Raise LarsError if a constant cannot be a symbol of clingo.

    Raises:
        LarsError: A number is outside 32 bits, or a text has NUL or a lone surrogate.
    """
    match constant:
        case terms.Number(value):
            if not _LEAST <= value <= _GREATEST:
                remedy = "write it as an RDF literal, or as a name in quotes"
                raise LarsError(f"the number {cut(str(value))} does not fit into 32 bits; {remedy}")
        case _:
            # A name is written with its NUL escaped.
            text = constant.name if isinstance(constant, terms.Symbol) else str(constant)
            if "\0" in text:
                raise _unwritable(constant, "a text for clingo cannot contain NUL")
            try:
                text.encode()
            except UnicodeEncodeError:
                raise _unwritable(constant, "a lone surrogate is not a valid character") from None


def _unwritable(constant: terms.Constant, problem: str) -> LarsError:
    text = ascii(str(constant))[1:-1]
    return LarsError(
        f"cannot write a symbol of clingo for {text[:_SHOWN]}{'…' * (len(text) > _SHOWN)}: {problem}"
    )
