"""What CQELS registers of a query's pattern: stream patterns, static elements and FILTERs, one by one."""

from dataclasses import dataclass

from lars.formulas import Expression
from lars.program import variables as variables_of
from lars.terms import Iri, Term, Variable
from translate.errors import QueryError
from translate.patterns import Exists, Pattern, TriplePattern
from translate.scope import mentioned
from translate.windows import WindowExpression


@dataclass(frozen=True, slots=True)
class StreamTriple:
    """A triple pattern inside a STREAM block; `number` and `block` count from 0 in the order of the text."""

    number: int
    block: int
    stream: Iri | Variable
    window: WindowExpression
    pattern: TriplePattern

    @property
    def terms(self) -> tuple[Term, ...]:
        """Stream, subject, predicate, object."""
        return self.stream, *self.pattern.terms

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables of the pattern; that in the place of the stream is one."""
        return frozenset(term for term in self.terms if isinstance(term, Variable))

    @property
    def constants(self) -> int:
        """How many of its four terms are constants."""
        return sum(not isinstance(term, Variable) for term in self.terms)


@dataclass(frozen=True, slots=True)
class Condition:
    """A FILTER with its EXISTS; `block` is the STREAM block that it stands in, None outside of them."""

    expression: Expression
    exists: tuple[Exists, ...] = ()
    block: int | None = None

    @property
    def variables(self) -> frozenset[Variable]:
        """All variables that it mentions, those inside of EXISTS too."""
        own = frozenset(test.variable for test in self.exists)
        inside = (mentioned(test.pattern) for test in self.exists)
        return variables_of(self.expression).union(*inside) - own


@dataclass(frozen=True, slots=True)
class Body:
    """The elements of a WHERE clause, each kind in the order of the text.

    A static element is a run of triples, a GRAPH, a UNION or a group without a stream. `others`
    are what stands inside STREAM and is neither a triple nor a FILTER, as errors with their places.
    """

    triples: tuple[StreamTriple, ...]
    statics: tuple[Pattern, ...]
    filters: tuple[Condition, ...]
    others: tuple[QueryError, ...] = ()
