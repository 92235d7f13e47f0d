"""What wrong runs have in common if nothing explains them: which rows are missing or extra, and when.

Each part of a description holds of all these runs, so that it is true whatever the cause is.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Final

from agreement.documents.requests import sources
from agreement.engines.engine import columns
from agreement.proving.hunting.references import UNJUDGED, HuntedRun, Reference, WrongPlace
from lars.language.terms import XSD
from solver.facts import Row
from translate.analysis import stream_blocks
from translate.model import patterns
from translate.model.patterns import Duplicates
from translate.model.query import EngineQuery, Form, ToStream
from translate.model.windows import Range

_FEW: Final = 3
"""Of fewer runs or rows nothing in common is said: one is chance."""
_NEARLY_ALL: Final = 0.9
_SELDOM: Final = 0.2
"""Of how many right runs a trait of wrong ones may be a trait too."""


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A wrong run, place by place: what is right there, what came, and what was right at the place before."""

    run: HuntedRun
    places: tuple[WrongPlace, ...]

    @property
    def lost(self) -> list[Counter[Row]]:
        """Which rows are missing at each place."""
        return [Counter(place.right) - Counter(place.came) for place in self.places]

    @property
    def more(self) -> list[Counter[Row]]:
        """Which rows are extra at each place."""
        return [Counter(place.came) - Counter(place.right) for place in self.places]


def described(wrong: Sequence[HuntedRun], right: Sequence[HuntedRun], judge: Reference) -> str:
    """Return what wrong runs have in common, in words."""
    compared = [ComparedRun(run, tuple(_judged_places(judge.verdict(run).places))) for run in wrong]
    parts = (_rows(compared), _missing(compared, right), _place(compared), trait_of(wrong, right))
    return "; ".join(filter(None, parts))


def _judged_places(places: Sequence[WrongPlace]) -> Iterator[WrongPlace]:
    return (place for place in places if place.problem != UNJUDGED)


def _rows(runs: Sequence[ComparedRun]) -> str:
    """Return how what came is related to what is right: the narrowest relation that all runs have."""
    return next((says for says, holds in _RELATIONS if all(map(holds, runs))), _OTHERWISE) + _origin(runs)


def _all_places(holds: Callable[[WrongPlace], object]) -> Callable[[ComparedRun], bool]:
    return lambda one: all(place.problem is None or holds(place) for place in one.places)


def _in_order(one: ComparedRun) -> bool:
    """Whether the same answers came in the same order, those at the end apart: at other times, then."""
    right = [Counter(place.right) for place in one.places if place.right]
    came = [Counter(place.came) for place in one.places if place.came]
    both = list(zip(right, came, strict=False))
    return bool(both) and 0 <= len(right) - len(came) <= 1 and all(a == b for a, b in both)


def _as_many(one: ComparedRun) -> bool:
    """Whether the same rows came, as often, in the whole run."""
    right, came = (
        Counter(chain.from_iterable(rows))
        for rows in zip(*((p.right, p.came) for p in one.places), strict=True)
    )
    return right == came


def _one_column(place: WrongPlace) -> bool:
    """Whether the rows are right but for one column."""
    rows = (*place.right, *place.came)
    widths = {len(row) for row in rows}
    if len(place.right) != len(place.came) or len(widths) != 1:
        return False
    return any(
        Counter(row[:n] + row[n + 1 :] for row in place.right)
        == Counter(row[:n] + row[n + 1 :] for row in place.came)
        for n in range(widths.pop())
    )


Relation = tuple[str, Callable[[ComparedRun], bool]]
_RELATIONS: Final[tuple[Relation, ...]] = (
    (
        "empty answers are reported, or are not, where it should be otherwise",
        _all_places(lambda p: not p.right and not p.came),
    ),
    ("whole reports are missing", _all_places(lambda p: p.right and not p.came)),
    ("the answers are right, but reports come at other times", _in_order),
    ("the rows of each run are right, but come at other times", lambda one: _in_order(one) or _as_many(one)),
    ("reports come where none is due", _all_places(lambda p: p.came and not p.right)),
    (
        "rows that are right are reported more often or more seldom",
        _all_places(lambda p: set(p.right) == set(p.came)),
    ),
    ("rows are missing, and none is extra", _all_places(lambda p: not Counter(p.came) - Counter(p.right))),
    ("rows are extra, and none is missing", _all_places(lambda p: not Counter(p.right) - Counter(p.came))),
    ("one column has other values", _all_places(_one_column)),
    ("rows have other values: as many as are right", _all_places(lambda p: len(p.right) == len(p.came))),
    ("each wrong report has fewer rows than are right", _all_places(lambda p: len(p.right) > len(p.came))),
    ("each wrong report has more rows than are right", _all_places(lambda p: len(p.right) < len(p.came))),
)
_OTHERWISE: Final = "rows are missing, and others are extra"


def _origin(runs: Sequence[ComparedRun]) -> str:
    """Return where extra rows come from: which other places of the same run they would be right at."""
    some = [one for one in runs if any(one.more)]
    for says, holds in _ORIGINS if some else ():
        count = sum(map(holds, some))
        if count >= _NEARLY_ALL * len(some):
            return f", {says}" if count == len(some) else f", nearly always {says}"
    return ""


def _before(one: ComparedRun, *, last: bool = False) -> bool:
    """Whether all extra rows were right at the places before, or at the `last` with rows of these."""
    ever: set[Row] = set()
    for place, more in zip(one.places, one.more, strict=True):
        if set(more) - ever:
            return False
        own = set(place.right)
        ever = (own or ever) if last else ever | own
    return True


def _anywhere(one: ComparedRun) -> bool:
    right = set(chain.from_iterable(place.right for place in one.places))
    return all(set(more) <= right for more in one.more)


def _nowhere(one: ComparedRun) -> bool:
    right = set(chain.from_iterable(place.right for place in one.places))
    return not any(set(more) & right for more in one.more)


_ORIGINS: Final[tuple[Relation, ...]] = (
    ("those of the report before", lambda one: _before(one, last=True)),
    ("those of reports before", _before),
    ("those that are right at another time of the same run", _anywhere),
    ("those that are right at no time of the same run", _nowhere),
)


def _missing(runs: Sequence[ComparedRun], right: Sequence[HuntedRun]) -> str:
    """Return what all missing rows have, and none that is reported where it should be."""
    lost: set[str] = set()
    kept: set[str] = set()
    first, count = True, 0
    for one in runs:
        names, before = columns(one.run.query.read), set[Row]()
        for place, missing in zip(one.places, one.lost, strict=True):
            for row in missing:
                own = set(_features(names, row, before, missing[row]))
                lost, first, count = own if first else lost & own, False, count + 1
            for row in Counter(place.right) & Counter(place.came):
                kept.update(_features(names, row, before, place.right.count(row)))
            before = set(place.right) or before
    for run in right if lost - kept else ():
        rows = (row for _, report in run.answers.reports for row in report.rows)
        names = columns(run.query.read)
        kept.update(
            chain.from_iterable(_terms(names, tuple(row.get(name) for name in names)) for row in rows)
        )
    left = sorted(lost - kept, key=lambda text: (" as ?" in text, '"' in text or "<" in text, text))
    return f"missing rows, and no others, {left[0]}" if left and count >= _FEW else ""


def _features(names: Sequence[str], row: Row, before: set[Row], times: int) -> Iterator[str]:
    yield from _terms(names, row)
    yield "were right at the report before too" if row in before else "are new: not of the report before"
    if times > 1:
        yield "are there more than once"


def _terms(names: Sequence[str], row: Row) -> Iterator[str]:
    for name, text in zip(names, row, strict=False):
        yield f"have {_kind(text)}"
        yield f"have {_kind(text)} as ?{name}"
        if text is not None:
            yield f"have {text} as ?{name}"


def _kind(text: str | None) -> str:
    if text is None:
        return "no value"
    if not text.startswith('"'):
        return "a blank node" if text.startswith("_") else "an IRI"
    if text.endswith('"'):
        return "a text without a language"
    if text.endswith(">"):
        return f"a value of {text.rpartition('^^')[2].removeprefix(f'<{XSD}').strip('<>')}"
    return "a text with a language"


def _place(runs: Sequence[ComparedRun]) -> str:
    """Return after how many reports of a run, or up to which, it is wrong; nothing if anywhere."""
    numbers: list[int] = []
    most = 0
    for one in runs:
        due = accumulate((bool(place.right) for place in one.places), initial=0)
        both = list(zip(one.places, due, strict=False))
        numbers += [number for place, number in both if place.problem is not None]
        most = max(most, sum(bool(place.right) for place in one.places))
    if len(runs) < _FEW or not numbers:
        return ""
    if min(numbers):
        return f"the first {'report is' if min(numbers) == 1 else f'{min(numbers)} reports are'} right"
    last = max(numbers) + 1
    return (
        f"only the first {'report' if last == 1 else f'{last} reports'} of a run" if 2 * last < most else ""
    )


def trait_of(wrong: Sequence[HuntedRun], right: Sequence[HuntedRun]) -> str:
    """Return which constructs of queries or traits of streams all wrong runs have, and few right ones."""
    common = frozenset[str].intersection(*map(traits, wrong)) if len(wrong) >= _FEW else frozenset[str]()
    others = Counter(trait for run in right for trait in traits(run))
    seldom = [trait for trait in sorted(common) if others[trait] <= len(right) * _SELDOM]
    best = min(seldom, key=lambda trait: others[trait], default=None)
    return "" if best is None else f"seen with {best} only"


def traits(run: HuntedRun) -> frozenset[str]:
    """Return constructs of a run's query and traits of its stream, in words."""
    return frozenset((*_of_query(run.query.read), f"the query {run.query.name}", *_of_stream(run)))


def _of_query(query: EngineQuery) -> Iterator[str]:
    kinds = {
        "OPTIONAL": patterns.LeftJoin,
        "FILTER": patterns.Filter,
        "UNION": patterns.Union,
        "MINUS": patterns.Minus,
        "aggregates": patterns.Group,
        "BIND": patterns.Extend,
        "VALUES": patterns.Values,
    }
    parts = list(_parts(query.pattern))
    yield from (name for name, kind in kinds.items() if any(isinstance(part, kind) for part in parts))
    if query.form is not Form.SELECT:
        yield query.form.value
    if query.modifiers.duplicates is Duplicates.DISTINCT:
        yield "DISTINCT"
    if query.to_stream not in {None, ToStream.RSTREAM}:
        yield str(query.to_stream.value if query.to_stream else "")
    read = sources(query)
    if len(read) > 1:
        yield "several windows"
    if any(isinstance(part, patterns.Bgp) and part.triples for part in parts):
        yield "static data"
    blocks = [block.pattern for block in stream_blocks(query.pattern)]
    if any(isinstance(group, patterns.Bgp) and len(group.triples) > 1 for group in blocks):
        yield "several triple patterns"
    windows = [source.window for source in read if isinstance(source.window, Range)]
    if any(w.slide and w.length.nanoseconds > w.slide.nanoseconds for w in windows):
        yield "overlapping windows"
    if any(w.slide and w.length.nanoseconds < w.slide.nanoseconds for w in windows):
        yield "gaps between windows"


def _parts(pattern: patterns.Pattern) -> Iterator[patterns.Pattern]:
    yield pattern
    for name in ("left", "right", "pattern"):
        inner = getattr(pattern, name, None) if not isinstance(pattern, patterns.StreamBlock) else None
        if inner is not None:
            yield from _parts(inner)


def _of_stream(run: HuntedRun) -> Iterator[str]:
    pushes = run.pushes
    if any(later.t < push.t for push, later in pairwise(pushes)):
        yield "late triples"
    if len({push.t for push in pushes}) < len(pushes):
        yield "triples of one instant"
    if len({(push.stream, push.triple) for push in pushes}) < len(pushes):
        yield "a triple that comes again"
    if any(not push.t for push in pushes):
        yield "triples at time 0"
