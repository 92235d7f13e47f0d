"""Describe a question of `lars decide`: whether a pushed and a pulled query agree on all streams.

`Places` finds parts of a query in its text, for messages. `AgreementQuestion` contains the alternatives of
the queries (disjuncts), the sources of their patterns, and the obstacles to theorems.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from agreement.comparing.agree import AgreementTask, Pair
from agreement.documents.requests import Around
from agreement.proving.decide.theorems import hindrances, is_excluded, volatile
from agreement.proving.disjuncts import (
    Disjunct,
    Edge,
    GraphSource,
    Overlap,
    Reading,
    Satisfiability,
    Stock,
    disjuncts,
    edges_of,
    overlaps,
    satisfiability,
    stock_of,
    without_removed,
)
from agreement.proving.traceless import TracelessTask
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.formulas import Expression
from lars.language.program import variables as named_in
from lars.language.terms import RDF_TYPE, Iri, Literal, Term, Variable
from solver.settings import Warn
from translate import analysis, sparql
from translate.analysis.nullability import is_cautious
from translate.analysis.two_queries import have_one_pattern
from translate.dialects import tokens_of
from translate.errors import QueryError
from translate.model import patterns
from translate.model.query import MERGING, Setting
from translate.model.windows import Range, WindowExpression


@dataclass(frozen=True)
class Places:
    """Finds parts of a query in its text, and returns their places in the form file:line:column.

    If a part is not found, its place is the name of the file.
    """

    text: str
    source: str
    around: Around = Around()

    @cached_property
    def _document(self) -> sparql.Document:
        around = self.around
        text, source, prefixes = self.text, self.source, around.prefixes
        document = tokens_of(text, source, around.base or "", rdf12=around.rdf12, prefixes=prefixes)
        *_, whole = sparql.read_declarations(document)
        return whole

    @property
    def _tokens(self) -> tuple[sparql.Token, ...]:
        return self._document.tokens

    def _at(self, index: int | None) -> str:
        return self.source if index is None else str(self._document.place(self._tokens[index].start))

    def word(self, *words: str) -> str:
        """Return the place of the first occurrence of one of the keywords `words` in the query's text."""
        return self._at(next((n for n, token in enumerate(self._tokens) if token.is_word(*words)), None))

    def triple(self, triple: patterns.TriplePattern) -> str:
        """Return the place of a triple pattern's predicate in the query's text.

        If the predicate occurs several times, an occurrence with the same subject and object is preferred.
        """
        places = [n for n in range(len(self._tokens)) if self._is(n, triple.predicate)]
        exact = [n for n in places if self._is(n + 1, triple.object)]
        both = [n for n in exact if self._is(n - 1, triple.subject)]
        return self._at(next(iter((*both, *exact, *places)), None))

    def window(self, reading: Reading) -> str:
        """Return the place of a window in the query's text: the bracket after the name of its stream."""
        streams = [n for n in range(len(self._tokens)) if self._is(n, reading.name)]
        opened = [n + 1 for n in streams if self._tokens[n + 1].is_word("[")]
        return self._at(next(iter((*opened, *streams)), None))

    def condition(self, expression: Expression) -> str:
        """Return the place of the first FILTER, BIND or HAVING with all variables of an expression."""
        names = {name.name for name in named_in(expression)}
        for index, inside in self._conditions():
            if names <= inside:
                return self._at(index)
        return self.word("FILTER", "BIND", "HAVING")

    def _conditions(self) -> Iterator[tuple[int, frozenset[str]]]:
        for index, token in enumerate(self._tokens):
            if not token.is_word("FILTER", "BIND", "HAVING"):
                continue
            depth, inside = 0, set[str]()
            for one in self._tokens[index + 1 :]:
                depth += one.is_word("(", "{") - one.is_word(")", "}")
                if one.kind == "a variable":
                    inside.add(one.text[1:])
                if depth <= 0 and one.is_word(")", "}"):
                    break
            yield index, frozenset(inside)

    def _is(self, index: int, term: Term) -> bool:
        token = self._tokens[index] if 0 <= index < len(self._tokens) else self._tokens[-1]
        try:
            match term:
                case Variable(name):
                    return token.kind == "a variable" and token.text[1:] == name
                case Iri() if sparql.is_name(token):
                    return self._document.iri(token) == term
                case Iri():
                    return token.is_word("A") and token.text == "a" and term == RDF_TYPE
                case Literal():
                    known = token.kind in ("a string", "a number")
                    return known and self._document.literal(index) == term
                case _:
                    return False
        except QueryError:
            return False


@dataclass
class AgreementQuestion:
    """The question of `lars decide` whether a pushed and a pulled query agree on all streams.

    `stock` contains the static triples. If `stock` is None, the static data are arbitrary.
    """

    pair: Pair
    setting: Setting
    stock: Stock | None
    places: Places

    @cached_property
    def pattern(self) -> patterns.Pattern:
        """The pattern of the CQELS query, without the static alternatives of derived cautious blocks.

        A cautious block matches a stream or the static data. If each pattern can match only one source, as
        the theorems require, the alternative for static data never matches. A cautious block that a user
        wrote is not changed.
        """

        def brave(part: patterns.Pattern) -> patterns.Pattern | None:
            return part.left if isinstance(part, patterns.Union) and is_cautious(part) else None

        if self.pair.choices is None:
            return self.pair.cqels.pattern
        return analysis.rebuild(self.pair.cqels.pattern, brave)

    @cached_property
    def ways(self) -> tuple[Satisfiability, ...]:
        """The disjuncts of the CQELS query (alternatives without UNION), and whether each of them can match.

        Disjuncts whose rows a MINUS always removes are left out.
        """
        profile = self.setting.profile
        ways = disjuncts(without_removed(self.pattern, profile), profile)
        return tuple(satisfiability(disjunct, self.stock) for disjunct in ways)

    @cached_property
    def standing(self) -> Disjunct | None:
        """A disjunct that matches without stream data, because its paths can have zero steps, or None."""

        def stay(part: patterns.Pattern) -> patterns.Pattern | None:
            inner = part.pattern if isinstance(part, patterns.StreamBlock) else part
            if not isinstance(inner, patterns.PathPattern) or not patterns.can_stay(inner.path):
                return None
            return None if {type(inner.subject), type(inner.object)} == {Variable} else patterns.EMPTY

        profile = self.setting.profile
        ways = disjuncts(analysis.rebuild(without_removed(self.pattern, profile), stay), profile)
        return next((way for way in ways if not way.readings), None)

    @cached_property
    def counts_nothing(self) -> bool:
        """Whether a query has an aggregate without GROUP BY, which can have a row even without a match."""
        return any(
            isinstance(part, patterns.Group) and not part.keys
            for query in (self.pair.csparql, self.pair.cqels)
            for part in analysis.parts(query.pattern)
        )

    @cached_property
    def excluded_beside_paths(self) -> bool:
        """Whether conditions exclude each alternative of the query, for all matches of its paths.

        Theorem G2 has this premise: if conditions exclude each alternative of a query, the query never has a
        row.
        """
        # Not `without_removed`: a MINUS that removes all matches of one step can leave matches of two steps.
        ends = frozenset[Variable]()
        for part in analysis.parts(analysis.without_paths(self.pattern)):
            if isinstance(part, patterns.PathPattern):
                ends |= patterns.variables(part)
            elif isinstance(part, patterns.Select) and any(
                isinstance(each, patterns.PathPattern) for each in analysis.parts(part)
            ):
                return False  # Disjuncts rename the variables that a subquery hides.
        return self._are_excluded(disjuncts(self.pattern, self.setting.profile), ends)

    @cached_property
    def excluded_in_any_source(self) -> bool:
        """Whether conditions exclude each disjunct, even if triples come from sources of other patterns."""
        return self._are_excluded([way.disjunct for way in self.ways])

    @staticmethod
    def _are_excluded(ways: Iterable[Disjunct], apart: frozenset[Variable] = frozenset()) -> bool:
        # All triples of a match can come from one source, where a blank node can occur in several of them.
        merged = (
            replace(way, edges=tuple(replace(edge, where=GraphSource(edge.where.name)) for edge in way.edges))
            for way in ways
        )
        return all(is_excluded(satisfiability(way), apart) for way in merged)

    @cached_property
    def hindrances(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The reasons why the query is not monotone, each with the keywords that show its place in the query.

        The result is empty if the query is monotone: its rows never disappear when more input arrives.
        """
        return tuple(dict.fromkeys(hindrances(self.pair.cqels)))

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """All triple patterns of the CQELS query, each with its source (a window or the static data)."""
        return edges_of(self.pattern)

    @cached_property
    def overlap(self) -> Overlap | None:
        """Two triple patterns of different sources that the same triple can match; None if none exist.

        If no triple can match patterns of different sources, the C-SPARQL and the CQELS query have the same
        answers (theorem A6).
        """
        return next(overlaps(self.edges, self.stock), None)

    @cached_property
    def volatile(self) -> str | None:
        """A function in a query, such as NOW(), whose value depends on more than its arguments, or None."""
        return volatile(self.pair.cqels) or volatile(self.pair.csparql)

    @cached_property
    def reads_static(self) -> bool:
        """Whether a part of the query, including OPTIONAL, MINUS and EXISTS, matches static data."""

        def without(part: patterns.Pattern) -> patterns.Pattern | None:
            return patterns.EMPTY if isinstance(part, patterns.StreamBlock) else None

        rest = analysis.parts(analysis.rebuild(self.pattern, without))
        # GRAPH ?g { } has no triple pattern, but depends on the names of the graphs.
        return any(
            isinstance(part, patterns.PathPattern | patterns.Graph | patterns.Service)
            or (isinstance(part, patterns.Bgp) and part != patterns.EMPTY)
            for part in rest
        )

    @cached_property
    def same_patterns(self) -> bool:
        """Whether both queries have the same pattern; always true if one query is derived from the other."""
        return self.pair.choices is not None or self._one_pattern is True

    @cached_property
    def _one_pattern(self) -> bool | None:
        return have_one_pattern(self.pair.csparql, self.pair.cqels)

    def same_query(self, period: int) -> str | None:
        """Return the reason why push and pull evaluate different queries at the times of pull, or None.

        `period` is the number of time points between two pulls.
        """
        if not self.same_patterns:
            unknown = "the patterns of the two queries have too many renamings of variables"
            return unknown if self._one_pattern is None else "the patterns of the two queries differ"
        if self.pair.csparql.language not in MERGING:
            return "pull does not merge its windows, so this check does not cover them"
        model = analysis.model_of_cqels(self.pair.cqels)
        unit = self.setting.unit
        sides = self.pair.csparql.merged, model.streams
        pulled, pushed = (
            {f"{_at_pulls(read.window, period, unit)} of {read.stream}" for read in reads} for reads in sides
        )
        if pulled == pushed:
            return None
        # If one side has no window of its own, the text names all its windows.
        texts = (
            " and ".join(sorted(one - other or one)) for one, other in ((pulled, pushed), (pushed, pulled))
        )
        return "the window of pull is {}, and the window of push is {}".format(*texts)

    def one_query(self, period: int) -> bool:
        """Return whether the main premises of the theorems about push and pull hold.

        Push and pull evaluate the same query, each triple pattern can match one source only, and each
        function depends only on its arguments.
        """
        return self.same_query(period) is None and self.overlap is None and self.volatile is None


def _at_pulls(window: WindowExpression, period: int, unit: Duration) -> str:
    """Return the text of a window at the times of pull, without its slide if the slide divides the period.

    Pull evaluates only at multiples of its period. There a window whose slide divides the period ends at the
    time of the evaluation, like a window without a slide. A window with T0 ends at its last close.
    """
    if not isinstance(window, Range) or window.slide is None or window.opens is not None:
        return str(window)
    without = period % window.slide.points(unit) == 0
    return str(replace(window, slide=None) if without else window)


def agreement_question(traceless_task: TracelessTask, places: Places, warn: Warn) -> AgreementQuestion:
    """Return the question whether a query that is pushed and a query that is pulled agree on all streams.

    Raises:
        LarsError: Both queries have the same mode, or they differ in more than their language and STEP.
    """
    task = traceless_task.task
    if not traceless_task.is_pair:
        problem = (
            "both queries are evaluated by push, or both by pull; use C-SPARQL and CQELS, or --contained, "
            "--equivalent"
        )
        raise LarsError(f"{traceless_task.inputs[1]}: {problem}")
    _check_one_model(task)
    known = traceless_task.static(warn)
    stock = None if known is None else stock_of(known)
    brave, *_ = traceless_task.pairs(warn)
    return AgreementQuestion(brave, task.setting, stock, places)


def _check_one_model(task: AgreementTask) -> None:
    """Raise LarsError if a C-SPARQL and a CQELS query differ in more than their language and STEP.

    The queries must have the same result variables, pattern, dataset and windows.
    """
    if task.csparql is None or task.cqels is None:
        return
    analysis.check_comparable(task.csparql, task.cqels)
    remarks = analysis.differences(task.csparql, task.cqels, task.setting.unit)
    apart = next((sentence for sentence in remarks if sentence.startswith(analysis.NO_MODEL)), None)
    if apart is not None:
        others = (
            "use lars agree to compare other queries on a trace, or --equivalent to compare them in one mode"
        )
        raise LarsError(f"{apart}\nexpected one query, or two forms of one query ({others})")
