"""Facts in the form of the solver, static data, and the situation in which a program is evaluated."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.language import terms
from lars.language.program import Program, is_fact
from lars.language.windows import Interval
from solver.rdf import is_name_of_stream, read_term

Arguments = tuple[str, ...]
Row = tuple[str | None, ...]
"""The terms of an answer as texts; None is null."""
Background = Mapping[terms.Signature, Iterable[Arguments]]


_Item = TypeVar("_Item")
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
    """Return facts; a triple in a named graph is preceded by the same triple without the graph."""
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
    """Return the constant of an argument text."""
    if is_name_of_stream(text):
        return terms.Iri(text[1:-1])
    if text[:1] in '<"' or text[:2] == "_:":
        return read_term(text)
    if text[:1] == "'":
        # Loads the reader of programs, which no query needs.
        from lars.text import Scanner

        return terms.Symbol(Scanner(text, "a fact").name() or "")
    return terms.Number(int(text)) if text.lstrip("-").isdecimal() else terms.Symbol(text)


def atom_of(fact: Fact) -> terms.Atom:
    """Return the atom of a fact."""
    return terms.Atom(fact.predicate, tuple(map(constant_of, fact.arguments)))


def background_of(atoms: Iterable[terms.Atom]) -> dict[terms.Signature, list[Arguments]]:
    """Return ground atoms by predicate, in the form of a background."""
    rows: dict[terms.Signature, list[Arguments]] = {}
    for atom in atoms:
        rows.setdefault(terms.signature(atom), []).append(tuple(map(str, atom.arguments)))
    return rows


def atoms_of(background: Background) -> Iterator[terms.Atom]:
    """Yield the atoms of a background; this function is the inverse of `background_of`."""
    for (name, _), rows in background.items():
        for arguments in rows:
            yield terms.Atom(name, tuple(map(constant_of, arguments)))


@dataclass(frozen=True, slots=True)
class Situation:
    """The timeline, the input in arrival order, and the background B.

    Equal facts at one time point count once, at their first arrival. If `newest` is given, the program does
    not see arrivals after `newest`, but tuple windows count these arrivals.
    """

    timeline: Interval
    facts: Sequence[Fact]
    background: Background
    newest: int | None = None

    def sees(self, fact: Fact) -> bool:
        """Return whether the program sees the fact; tuple windows also count facts that it does not see."""
        return self.newest is None or fact.t <= self.newest


def with_facts(program: Program, background: Background) -> Background:
    """Return the background B: the given background and the facts of the program."""
    own = background_of(
        rule.head for rule in program.rules if is_fact(rule) and isinstance(rule.head, terms.Atom)
    )
    names = dict.fromkeys((*background, *own))
    return {name: dict.fromkeys((*background.get(name, ()), *own.get(name, ()))) for name in names}


_LEAST: Final = -(2**31)
_GREATEST: Final = 2**31 - 1
_SHOWN: Final = 100


def check_writable(constant: terms.Constant) -> None:
    """Raise LarsError for a number outside 32 bits, or for a text with NUL or a lone surrogate."""
    match constant:
        case terms.Number(value):
            if not _LEAST <= value <= _GREATEST:
                raise _unwritable(constant, "a number must fit into 32 bits")
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


Triple = tuple[str, str, str]


class CodedRows(AbstractSet[Arguments]):
    """Rows of texts that store each text once: row i contains the texts at the places `codes[i]`.

    Rows are distinct, in the order of `codes`.

    >>> rows = CodedRows(["<x:a>", "<x:b>"], np.array([(0, 1), (1, 1)]))
    >>> list(rows), rows == {("<x:a>", "<x:b>"), ("<x:b>", "<x:b>")}
    ([('<x:a>', '<x:b>'), ('<x:b>', '<x:b>')], True)
    """

    def __init__(self, texts: Sequence[str], codes: npt.NDArray[np.int64]) -> None:
        self.texts = texts
        self.codes = codes

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[Arguments]:
        text = self.texts.__getitem__
        return (tuple(map(text, row)) for row in self.codes.tolist())

    def __contains__(self, row: object) -> bool:
        return row in self._rows

    @classmethod
    def _from_iterable(cls, it: Iterable[_Item]) -> frozenset[_Item]:
        return frozenset(it)

    @cached_property
    def _rows(self) -> frozenset[Arguments]:
        return frozenset(self)

    def matching(self, patterns: Sequence[terms.Atom]) -> "CodedRows":
        """Return the rows that match the constants of at least one pattern, with only their texts."""
        mask = np.zeros(len(self), np.bool_)
        places: dict[str, int] = {}
        for pattern in patterns:
            fits = np.ones(len(self), np.bool_)
            for column, term in enumerate(pattern.arguments):
                if not isinstance(term, terms.Variable):
                    if (text := str(term)) not in places:
                        places[text] = self.texts.index(text) if text in self.texts else -1
                    fits &= self.codes[:, column] == places[text]
            mask |= fits
        kept, codes = np.unique(self.codes[mask], return_inverse=True)
        texts = [self.texts[code] for code in kept.tolist()]
        return CodedRows(texts, codes.reshape(-1, self.codes.shape[1]))


@dataclass(frozen=True, slots=True)
class Static:
    """Static triples as canonical texts; `named` maps the name of a graph to its triples.

    `engine_stores` maps a query language to the triples that only the engine of this language stores. The
    triples in `engine_stores` do not depend on FROM.
    """

    default: AbstractSet[Triple]
    named: Mapping[str, AbstractSet[Triple]]
    engine_stores: Mapping[str, "Static"] = field(default_factory=dict)


def graph_rows(graphs: Sequence[tuple[str, Sequence[AbstractSet[Triple]]]]) -> Collection[Arguments]:
    """Return the triples of graphs, each with the name of its graph; each graph is a union of sets.

    The triples of a graph are ascending. Triples that were read from one file stay in columns.
    """
    every = [part for _, parts in graphs for part in parts]
    coded = [part for part in every if isinstance(part, CodedRows)]
    if not coded or len(coded) < len(every) or any(part.texts is not coded[0].texts for part in coded):
        return [(*triple, name) for name, parts in graphs for triple in sorted(set().union(*parts))]
    texts, whole = [*coded[0].texts], [np.empty((0, 4), np.int64)]
    # A graph's name may be a term of the triples too.
    names = {name for name, _ in graphs}
    known = {text: place for place, text in enumerate(texts) if text in names}
    own = iter(coded)
    for name, parts in graphs:
        rows = distinct_rows([next(own).codes for _ in parts])
        number = known.setdefault(name, len(texts))
        texts += [name] * (number == len(texts))
        whole.append(np.column_stack((rows, np.full(len(rows), number, np.int64))))
    return CodedRows(texts, np.concatenate(whole))


def distinct_rows(parts: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Return the distinct rows of all given collections, in ascending order; each row has three numbers."""
    rows = np.concatenate([np.empty((0, 3), np.int64), *parts])
    rows = rows[np.lexsort(rows.T[::-1])]
    fresh = np.ones(len(rows), np.bool_)
    fresh[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[fresh]
