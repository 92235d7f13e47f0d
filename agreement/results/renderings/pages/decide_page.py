"""The page of `lars decide`: verdicts by period, the theorem, premises at their places in the query."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import RenderableType

from agreement.documents.outputs import Json
from agreement.proving.decide import CheckedPremise, EveryStream, PeriodDecision
from agreement.results.renderings.pages.blocks import listed, page_blocks
from agreement.results.renderings.pages.page import Page

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
        f"{verdict.value} for U = {listed(periods)}"
        for verdict in EveryStream
        if (periods := [one.period for one in given.verdicts if one.verdict is verdict])
    ]
    answer = f"Agreement on every stream: {'; '.join(said)}."
    premises = list(dict.fromkeys(premise for one in given.verdicts for premise in one.premises))
    others = [part for part in given.parts if not (isinstance(part, str) and _CHECKED.match(part))]
    page: Json = {
        "squares": [{"period": one.period} | _square(one.verdict) for one in given.verdicts],
        "marks": [
            _square(one) for one in EveryStream if any(found.verdict is one for found in given.verdicts)
        ],
        "blocks": page_blocks(others),
        "premises": [_premise(one) for one in premises],
        "query": given.text.rstrip("\n").split("\n"),
    }
    return Page(given.title, asked, given.holds, answer, "decide", document, page, notes)


def _square(verdict: EveryStream) -> Json:
    return {"mark": _MARKS[verdict], "word": verdict.value, "kind": verdict.name.lower()}


def _premise(one: CheckedPremise) -> Json:
    line = _LINE.search(one.place)
    return {
        "holds": one.holds,
        "said": one.said,
        "place": one.place.rpartition("/")[2],
        "line": None if line is None else int(line[1]),
    }
