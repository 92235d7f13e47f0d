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


def decide_page(content: DecideContent, document: Mapping[str, object], notes: Sequence[str]) -> Page:
    """Return the page."""
    question = "Do push and pull agree on every stream?"
    sentences = [
        f"{verdict.value} for U = {number_ranges(periods, MOST_RANGES)}"
        for verdict in EveryStream
        if (periods := [decision.period for decision in content.verdicts if decision.verdict is verdict])
    ]
    answer = f"Agreement on every stream: {'; '.join(sentences)}."
    premises = list(dict.fromkeys(premise for decision in content.verdicts for premise in decision.premises))
    others = list(_without_streams(part for part in content.parts if not _CHECKED.match(str(part))))
    page: Json = {
        "bar": [
            _stretch(list(own)) for _, own in groupby(content.verdicts, lambda decision: decision.verdict)
        ],
        "theorems": _theorems(content.verdicts),
        "streams": [
            _stream(decision.period, decision.witness) for decision in _first_of_each(content.verdicts)
        ],
        "marks": [
            _square(stream)
            for stream in EveryStream
            if any(decision.verdict is stream for decision in content.verdicts)
        ],
        "blocks": page_blocks(others),
        "premises": [_premise(premise) for premise in premises],
        "query": content.text.rstrip("\n").split("\n"),
    }
    return Page(PageHead(content.title, question, content.holds, answer, notes), "decide", document, page)


def _without_streams(parts: Iterable[RenderableType]) -> Iterator[RenderableType]:
    """Yield what is printed but for streams, which are drawn."""
    inside = False
    for part in parts:
        sentence = part if isinstance(part, str) else ""
        inside = sentence.startswith("a stream on which they differ") or (
            inside and sentence.startswith("  ")
        )
        if not inside:
            yield part


def _square(verdict: EveryStream) -> Json:
    return {"mark": _MARKS[verdict], "word": verdict.value, "kind": verdict.name.lower()}


def _stretch(own: Sequence[PeriodDecision]) -> Json:
    """Return periods in a row of one verdict, as wide as they are many."""
    return {"periods": range_text(own[0].period, own[-1].period), "count": len(own)} | _square(own[0].verdict)


def _theorems(verdicts: Sequence[PeriodDecision]) -> list[tuple[str, str]]:
    """Return each theorem that a verdict rests on, with what it says."""
    named = dict.fromkeys(decision.theorem.value for decision in verdicts if decision.theorem is not None)
    return [
        (name, says) for name in named for theorem, says in legend_of(name) if theorem in name.split(",")[0]
    ]


def _first_of_each(verdicts: Sequence[PeriodDecision]) -> list[PeriodDecision]:
    """Return of the periods whose streams differ alike, as in the text, the first few."""
    decisions: dict[tuple[object, ...], PeriodDecision] = {}
    for decision in verdicts:
        if decision.witness is not None:
            decisions.setdefault((decision.verdict, decision.theorem), decision)
    return list(decisions.values())[:_STREAMS]


def _stream(period: int, witness: StreamWitness | None) -> Json:
    assert witness is not None, "only periods with a stream are drawn"
    begin, end = witness.period
    lanes: dict[str, list[tuple[float, str, str]]] = {}
    for fact in witness.facts:
        *triple, stream = map(short, fact.arguments)
        lanes.setdefault(stream, []).append((fact.t, "push", " ".join(triple)))
    row = f"({', '.join(map(short, witness.row))})"
    title = f"U = {period}, ({begin}, {end}]: {witness.side} alone has {row}, {witness.cause}"
    pulls = [(float(t), "pull", "pull evaluates") for t in {begin, end}]
    times = [fact.t for fact in witness.facts]
    ends = min([begin, *times]), max([end, *times])
    drawn = [*(Lane(name, marks) for name, marks in lanes.items()), Lane("pull", pulls)]
    listed = []
    for fact in witness.facts:
        *triple, stream = map(short, fact.arguments)
        listed.append(f"{fact.t}: {' '.join(triple)} on {stream}")
    listed += [
        f"static: {' '.join(short(str(term)) for term in row[:3])}" for row in witness.static[:_STATIC]
    ]
    if len(witness.static) > _STATIC:
        listed.append(f"… and {len(witness.static) - _STATIC} more static triples: --json lists them")
    return lanes_json(title, drawn, ends, period=witness.period) | {"said": listed or ["nothing arrives"]}


def _premise(premise: CheckedPremise) -> Json:
    line = _LINE.search(premise.place)
    return {
        "holds": premise.holds,
        "said": premise.statement,
        "place": premise.place.rpartition("/")[2],
        "line": None if line is None else int(line[1]),
    }
