"""How large a disagreement is: what shrinking makes less."""

from dataclasses import dataclass

from agreement.proving.shrink.trial_evaluation import Disagreement
from lars.language.formulas import Expression
from translate.analysis import parts
from translate.model.patterns import Bgp, Filter, LeftJoin
from translate.model.query import EngineQuery


@dataclass(frozen=True, slots=True)
class Sizes:
    """Triples that arrive, static triples, time points, different terms, parts of both queries."""

    triples: int
    static: int
    end: int
    terms: int
    parts: int


def sizes_of(one: Disagreement) -> Sizes:
    """Return the sizes of a disagreement; a query's parts are its patterns, conditions and columns."""
    rows = [row[:3] for row in one.static.get(("triple", 4), ())]
    terms = {term for fact in one.facts for term in fact.arguments[:3]} | {t for row in rows for t in row}
    queries = sum(map(_parts, (one.pair.csparql, one.pair.cqels)))
    return Sizes(len(one.facts), len(rows), one.end, len(terms), queries)


def _parts(query: EngineQuery) -> int:
    found = list(parts(query.pattern))
    triples = sum(len(part.triples) for part in found if isinstance(part, Bgp))
    conditions: list[Expression] = [one.condition for one in found if isinstance(one, Filter)]
    conditions += [one.condition for one in found if isinstance(one, LeftJoin) and one.condition is not None]
    others = sum(not isinstance(one, Bgp) for one in found)
    return triples + len(conditions) + others + len(query.result)
