"""Find out which of the CQELS queries that are derived from a C-SPARQL query are provably the same query.

The queries differ in whether a graph pattern g is matched only in its stream (brave) or also in the static
data (cautious). If some triple pattern of g matches no static data, the static alternative of the cautious
block never has a solution. In this case the choice between brave and cautious for g makes no difference
(theorem A6). The static data are the given data, or any data that match the query's own static patterns.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from agreement.proving import disjuncts
from agreement.proving.decide.question import AgreementQuestion
from agreement.proving.decisions import CheckedPremise, reported, trace_on
from lars.dataclass import dataclass
from lars.language.windows import Interval
from solver.job import Question
from translate.analysis import Choice, Variant, cq, model_of_cqels
from translate.errors import ModelError
from translate.model.patterns import EMPTY, Bgp, StreamBlock, TriplePattern
from translate.model.query import EngineQuery
from translate.tau import lars_program, output_of


@dataclass(frozen=True)
class VariantClasses:
    """The CQELS queries that are derived from a C-SPARQL query, in groups of provably equal queries."""

    question: AgreementQuestion

    @cached_property
    def variants(self) -> tuple[Variant, ...]:
        """All derived CQELS queries; empty if no CQELS query can be derived."""
        try:
            return cq(model_of_cqels(self.question.pair.cqels))
        except ModelError:
            return ()

    @cached_property
    def parts(self) -> tuple[tuple[str, CheckedPremise], ...]:
        """Each graph pattern of a stream, and whether its brave and cautious versions give the same query.

        The brave version of a pattern matches only the stream, the cautious version the stream or the static
        data. The patterns have the same order as the choices of each derived query.
        """
        patterns = model_of_cqels(self.question.pair.cqels).streams if self.variants else ()
        parts = [part for part in patterns if part.pattern != EMPTY]
        return tuple(
            (f"{part.pattern} of {part.stream}", self._choice(number, part))
            for number, part in enumerate(parts)
        )

    @cached_property
    def classes(self) -> tuple[tuple[Variant, ...], ...]:
        """The derived queries in groups, so that all queries of a group provably have the same answers."""
        grouped: dict[tuple[Choice, ...], list[Variant]] = {}
        for variant in self.variants:
            both = zip(variant.choices, self.parts, strict=True)
            key = tuple(choice for choice, (_, is_same) in both if not is_same.holds)
            grouped.setdefault(key, []).append(variant)
        return tuple(map(tuple, grouped.values()))

    def _choice(self, number: int, part: StreamBlock) -> CheckedPremise:
        triples = part.pattern.triples if isinstance(part.pattern, Bgp) else ()
        alone = next((pattern for pattern in triples if not self._is_stored(pattern)), None)
        if alone is not None:
            why = f"no static triple matches {{{alone}}}"
            why = f"assumed: {why} (A6)" if self.question.stock is None else why
            return CheckedPremise(why, True, self.question.places.triple(alone))
        place = self.question.places.triple(triples[0]) if triples else self.question.places.source
        if self._parted(number, part):
            return CheckedPremise("static data can match the whole part, and then rows differ", False, place)
        return CheckedPremise("static data may match the whole part; no differing row was found", None, place)

    def _is_stored(self, triple: TriplePattern) -> bool:
        if self.question.stock is not None:
            return disjuncts.is_stored(triple, self.question.stock)
        held = (edge.triple for edge in self.question.edges if edge.where == disjuncts.GraphSource())
        return any(disjuncts.unify(triple, pattern) for pattern in held)

    def _parted(self, number: int, part: StreamBlock) -> bool:
        """Return whether the brave and the cautious version of a graph pattern differ in a row on tried data.

        The brave version matches only the stream, the cautious version the stream or the static data.
        """
        own = "brave", "cautious"
        # All other choices stay brave, so that a difference comes from this choice alone.
        others = tuple("brave" for _ in self.variants[0].choices)
        choices = [(*others[:number], choice, *others[number + 1 :]) for choice in own]
        brave, cautious = (next(v.query for v in self.variants if v.choices == one) for one in choices)
        for disjunct in self._moved(part):
            way = disjuncts.satisfiability(disjunct, self.question.stock)
            if way.holds and self._differ(brave, cautious, disjunct, way.model):
                return True
        return False

    def _moved(self, part: StreamBlock) -> Iterator[disjuncts.Disjunct]:
        """Yield the alternatives of the query in which static data match a stream's graph pattern."""
        triples = part.pattern.triples if isinstance(part.pattern, Bgp) else ()
        where = disjuncts.Reading(part.stream, part.window)
        for judged in self.question.ways:
            edges = tuple(
                replace(edge, where=disjuncts.GraphSource())
                if edge.where == where and edge.triple in triples
                else edge
                for edge in judged.disjunct.edges
            )
            yield replace(judged.disjunct, edges=edges)

    def _differ(
        self, brave: EngineQuery, cautious: EngineQuery, disjunct: disjuncts.Disjunct, model: disjuncts.Model
    ) -> bool:
        setting, stock = self.question.setting, self.question.stock
        placement = disjuncts.Placement(setting)
        for data in placement.candidates(disjunct, model, stock or (), free=stock is None):
            t = data.last + 1
            trace = trace_on(data.facts(1), disjuncts.background_of(data.static), Interval(0, t))
            output, times = output_of(brave, setting).predicate, (t,)
            one, other = (
                reported(Question(lars_program(each, setting), output, times), "RSTREAM", trace, t - 1, t)
                for each in (brave, cautious)
            )
            if one != other:
                return True
        return False
