"""The page of `lars decide`: verdicts by period, the theorem, premises at their places in the query."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from rich.console import RenderableType

from agreement.documents.outputs import Json, number_ranges, range_text, short
from agreement.proving.decide import CheckedPremise, EveryStream, PeriodDecision, StreamWitness
from agreement.results.renderings.pages.blocks import MOST_RANGES, Lane, lanes_json, page_blocks
from agreement.results.renderings.pages.page import Page, PageHead, legend_of

_STREAMS: Final = 4
_STATIC: Final = 9
_LINE: Final = re.compile(r":(\d+):\d+$")
_CHECKED: Final = re.compile(r"what was checked$|  (yes|no ) ")
_MARKS: Final = {
    EveryStream.ALWAYS: "✓",
    EveryStream.NEVER: "✗",
    EveryStream.STATIC: "±",
    EveryStream.OPEN: "?",
}


@dataclass(frozen=True, slots=True)
class DecideContent:
    """What was asked, of which query's text, and what was found, as values and as it is printed."""

    title: str
    text: str
    verdicts: Sequence[PeriodDecision]
    holds: bool | None
    parts: Sequence[RenderableType]


def decide_page(given: DecideContent, document: Mapping[str, object], notes: Sequence[str]) -> Page:
    """Return the page."""
    asked = "Do push and pull agree on every stream?"
    said = [
        f"{verdict.value} for U = {number_ranges(periods, MOST_RANGES)}"
        for verdict in EveryStream
        if (periods := [one.period for one in given.verdicts if one.verdict is verdict])
    ]
    answer = f"Agreement on every stream: {'; '.join(said)}."
    premises = list(dict.fromkeys(premise for one in given.verdicts for premise in one.premises))
    others = list(_without_streams(part for part in given.parts if not _CHECKED.match(str(part))))
    page: Json = {
        "bar": [_stretch(list(own)) for _, own in groupby(given.verdicts, lambda one: one.verdict)],
        "theorems": _theorems(given.verdicts),
        "streams": [_stream(one.period, one.witness) for one in _first_of_each(given.verdicts)],
        "marks": [
            _square(one) for one in EveryStream if any(found.verdict is one for found in given.verdicts)
        ],
        "blocks": page_blocks(others),
        "premises": [_premise(one) for one in premises],
        "query": given.text.rstrip("\n").split("\n"),
    }
    return Page(PageHead(given.title, asked, given.holds, answer, notes), "decide", document, page)


def _without_streams(parts: Iterable[RenderableType]) -> Iterator[RenderableType]:
    """Yield what is printed but for streams, which are drawn."""
    inside = False
    for part in parts:
        said = part if isinstance(part, str) else ""
        inside = said.startswith("a stream on which they differ") or (inside and said.startswith("  "))
        if not inside:
            yield part


def _square(verdict: EveryStream) -> Json:
    return {"mark": _MARKS[verdict], "word": verdict.value, "kind": verdict.name.lower()}


def _stretch(own: Sequence[PeriodDecision]) -> Json:
    """Return periods in a row of one verdict, as wide as they are many."""
    return {"periods": range_text(own[0].period, own[-1].period), "count": len(own)} | _square(own[0].verdict)


def _theorems(verdicts: Sequence[PeriodDecision]) -> list[tuple[str, str]]:
    """Return each theorem that a verdict rests on, with what it says."""
    named = dict.fromkeys(one.theorem.value for one in verdicts if one.theorem is not None)
    return [
        (name, says) for name in named for theorem, says in legend_of(name) if theorem in name.split(",")[0]
    ]


def _first_of_each(verdicts: Sequence[PeriodDecision]) -> list[PeriodDecision]:
    """Return of the periods whose streams differ alike, as in the text, the first few."""
    found: dict[tuple[object, ...], PeriodDecision] = {}
    for one in verdicts:
        if one.witness is not None:
            found.setdefault((one.verdict, one.theorem), one)
    return list(found.values())[:_STREAMS]


def _stream(period: int, found: StreamWitness | None) -> Json:
    assert found is not None, "only periods with a stream are drawn"
    begin, end = found.period
    lanes: dict[str, list[tuple[float, str, str]]] = {}
    for fact in found.facts:
        *triple, stream = map(short, fact.arguments)
        lanes.setdefault(stream, []).append((fact.t, "push", " ".join(triple)))
    row = f"({', '.join(map(short, found.row))})"
    title = f"U = {period}, ({begin}, {end}]: {found.side} alone has {row}, {found.cause}"
    pulls = [(float(t), "pull", "pull evaluates") for t in {begin, end}]
    times = [fact.t for fact in found.facts]
    ends = min([begin, *times]), max([end, *times])
    drawn = [*(Lane(name, marks) for name, marks in lanes.items()), Lane("pull", pulls)]
    listed = []
    for fact in found.facts:
        *triple, stream = map(short, fact.arguments)
        listed.append(f"{fact.t}: {' '.join(triple)} on {stream}")
    listed += [f"static: {' '.join(short(str(term)) for term in row[:3])}" for row in found.static[:_STATIC]]
    if len(found.static) > _STATIC:
        listed.append(f"… and {len(found.static) - _STATIC} more static triples: --json lists them")
    return lanes_json(title, drawn, ends, period=found.period) | {"said": listed or ["nothing arrives"]}


def _premise(one: CheckedPremise) -> Json:
    line = _LINE.search(one.place)
    return {
        "holds": one.holds,
        "said": one.statement,
        "place": one.place.rpartition("/")[2],
        "line": None if line is None else int(line[1]),
    }
