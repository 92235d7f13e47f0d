"""The page of `lars phase`: shares of agreeing periods as a grid, U across and L up; where they change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agreement.comparing.agree.narrowing import evenly
from agreement.documents.outputs import Json, counted, short
from agreement.proving.phase import PhaseDiagram
from agreement.results.renderings.pages.page import Page
from lars.language.terms import Iri


@dataclass(frozen=True, slots=True)
class PhaseContent:
    """What was found, on what; the commands that tell a cell, and `lars agree` at the query's own length."""

    title: str
    commands: tuple[str, str]
    diagrams: Sequence[PhaseDiagram]
    unit: str
    window: str
    own: int


def phase_page(given: PhaseContent, document: Mapping[str, object], notes: Sequence[str]) -> Page:
    """Return the page."""
    stream = short(str(Iri(given.window)))
    asked = (
        f"On which share of the periods do push and pull agree, by the pulling period U "
        f"and the length L of the window on {stream}, in units of {given.unit}?"
    )
    page: Json = {
        "commands": given.commands,
        "own": given.own,
        "stream": stream,
        "diagrams": [_diagram(one, len(given.diagrams)) for one in given.diagrams],
    }
    return Page(given.title, asked, None, _said(given.diagrams), "phase", document, page, notes)


def _said(found: Sequence[PhaseDiagram]) -> str:
    rows = [row for one in found for row in one.rows if row.whole]
    cells = [(agreeing, row.whole) for row in rows for agreeing in row.agreeing]
    perfect = sum(agreeing == whole for agreeing, whole in cells)
    changes = sum(len(list(one.runs(row))) - 1 for one in found for row in one.rows if row.whole)
    said = f"Push and pull agree throughout at {perfect} of {counted(len(cells), 'pair')} of U and L"
    return f"{said}; as L grows the share changes {counted(changes, 'time')}."


_CELLS: Final = 60_000
_RUNS: Final = 3_000
"""So many shares, and so many places where one changes, are shown of all diagrams together."""


def _diagram(one: PhaseDiagram, count: int) -> Json:
    """Return a diagram as lengths and, for some periods, how many periods agree at each of them."""
    runs = sum(len(list(one.runs(row))) for row in one.rows if row.whole)
    fitting = min(_CELLS // max(len(one.lengths), 1), _RUNS * len(one.rows) // max(runs, 1)) // count
    shown = evenly(one.rows, max(fitting, 1))
    return {
        "left": len(one.rows) - len(shown),
        "rate": one.rate,
        "lengths": one.lengths,
        "periods": [
            {
                "period": row.period,
                "whole": row.whole,
                "agreeing": row.agreeing,
                "runs": [_run(*run) for run in one.runs(row)] if row.whole else [],
            }
            for row in shown
        ],
    }


def _run(first: int, last: int, agreeing: int) -> Json:
    return {"lengths": str(first) if first == last else f"{first}..{last}", "agreeing": agreeing}
