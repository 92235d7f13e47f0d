"""What is decided, and what is found out once: disjuncts, sources, what keeps theorems from applying."""

from dataclasses import dataclass
from functools import cached_property

from agreement.comparing.agree import Pair
from agreement.proving.decide.places import Places
from agreement.proving.decide.theorems import JudgedDisjunct, hindrances, volatile
from agreement.proving.disjuncts import (
    Edge,
    Overlap,
    Stock,
    disjuncts,
    edges_of,
    overlaps,
    satisfiability,
    without_removed,
)
from lars.durations import Duration
from translate.analysis import model_of_cqels, parts, rebuilt
from translate.analysis.query_remarks import normal
from translate.model.patterns import EMPTY, Bgp, PathPattern, Pattern, StreamBlock, Union
from translate.model.query import Setting
from translate.model.windows import Range, WindowExpression
from translate.tau import Trigger


@dataclass
class AgreementQuestion:
    """Two queries, how they are read, and the static data; `stock` None leaves these free."""

    pair: Pair
    setting: Setting
    trigger: Trigger
    stock: Stock | None
    places: Places

    @cached_property
    def judged_disjuncts(self) -> tuple[JudgedDisjunct, ...]:
        """The disjuncts of the CQELS query that MINUS can leave, with whether they are satisfiable."""
        profile = self.setting.profile
        found = disjuncts(without_removed(self.pair.cqels.pattern, profile), profile, exclusive=True)
        return tuple(JudgedDisjunct(one, satisfiability(one, self.stock)) for one in found)

    @cached_property
    def hindrances(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Why the query is not monotone, if it is not."""
        return tuple(dict.fromkeys(hindrances(self.pair.cqels)))

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """All triple patterns of the CQELS query, with where they are matched."""
        return edges_of(self.pair.cqels.pattern)

    @cached_property
    def overlap(self) -> Overlap | None:
        """Two patterns that keep sources from being exclusive (A6)."""
        return next(overlaps(self.edges, self.stock), None)

    @cached_property
    def volatile(self) -> str | None:
        """A function without a value of its own, in either query."""
        return volatile(self.pair.cqels) or volatile(self.pair.csparql)

    @cached_property
    def reads_static(self) -> bool:
        """Whether a part of the query is matched in static data, that of OPTIONAL, MINUS and EXISTS too."""

        def without(part: Pattern) -> Pattern | None:
            match part:
                case StreamBlock():
                    return EMPTY
                case Union(StreamBlock(_, _, part), Bgp() as again) if part == again:  # cautious
                    return EMPTY
                case _:
                    return None

        rest = parts(rebuilt(self.pair.cqels.pattern, without))
        return any(
            isinstance(part, PathPattern) or (isinstance(part, Bgp) and part != EMPTY) for part in rest
        )

    @cached_property
    def same_patterns(self) -> bool:
        """Whether both queries have one P; in one that is derived from the other they have."""
        theirs = model_of_cqels(self.pair.cqels).pattern
        return self.pair.choices is not None or normal(self.pair.csparql.pattern) == normal(theirs)

    def same_query(self, period: int) -> str | None:
        """Return why the two queries are not one Q for a period, None where they are."""
        if not self.same_patterns:
            return "the patterns of the two queries differ"
        model = model_of_cqels(self.pair.cqels)
        unit = self.setting.unit
        pulled = {(str(one.stream), _pulled(one.window, period, unit)) for one in self.pair.csparql.merged}
        pushed = {(str(one.stream), _stepped(one.window, unit)) for one in model.streams}
        return (
            None if pulled == pushed else "the windows of the two queries differ, seen at the times of pull"
        )

    def one_query(self, period: int) -> bool:
        """Whether both sides evaluate one query, as far as theorems need it."""
        return self.same_query(period) is None and self.overlap is None and self.volatile is None


def _pulled(window: WindowExpression, period: int, unit: Duration) -> str:
    """Return a window as pull sees it: at multiples of U a slide that divides U is none."""
    if isinstance(window, Range) and window.slide is not None and period % window.slide.points(unit) == 0:
        return str(Range(window.length, None, window.until))
    return _stepped(window, unit)


def _stepped(window: WindowExpression, unit: Duration) -> str:
    if isinstance(window, Range) and window.slide is not None and window.slide.points(unit) == 1:
        return str(Range(window.length, None, window.until))
    return str(window)
