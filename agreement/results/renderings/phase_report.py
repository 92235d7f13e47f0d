"""The reports of `lars phase`: figure, text, JSON, HTML, and a heat map for notebooks.

In the figure, the pull period U is on the horizontal axis, and the window length L on the vertical axis. The
color is the share of agreeing periods. The HTML report also marks the lengths and periods at which the share
changes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from rich.console import RenderableType
from rich.table import Table

from agreement.comparing.agree.narrowing import evenly
from agreement.documents.outputs import Json, quantity, range_text, short
from agreement.documents.values import written_lengths
from agreement.proving.phase import PhaseDiagram
from agreement.results.renderings.pages.figure import (
    NO_LOOK,
    FigureLook,
    check_look,
    check_matplotlib,
    sized,
    style,
)
from agreement.results.renderings.pages.page import Page, render
from lars.durations import Duration, TimedPoints
from lars.errors import LarsError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS: Final = (".svg", ".png", ".pdf")
_WIDTH, _HEIGHT, _LABEL, _TICKS, _FONT = 6.4, 4.8, 50, 12, 10
_LEAST: Final = 2
"""The least height of a figure in inches in which the texts fit, for the default font size."""


def check(path: Path) -> None:
    """Raise LarsError for an unknown file extension, or if matplotlib is missing."""
    if path.suffix not in FORMATS:
        raise LarsError(f"{path}: expected a file name for the figure: *{', *'.join(FORMATS)}")
    check_matplotlib(str(path))


def figure_of(diagrams: Sequence[PhaseDiagram], look: FigureLook = NO_LOOK) -> "Figure":
    """Return a matplotlib figure, with a panel for each rate (speed) of the stream.

    The width of `look` is the width of the whole figure. Without a height, the height fits the width and the
    font size.

    Raises:
        LarsError: The texts do not fit the width or the height.
    """
    check_matplotlib("plot()")
    import matplotlib as mpl

    check_look(look)
    font_size, width, height = look
    scale = (font_size or _FONT) / _FONT
    wide = width or _WIDTH * len(diagrams)
    usual = _HEIGHT * max(wide / (_WIDTH * len(diagrams)), scale)
    with mpl.rc_context(style(font_size) if font_size else {}):
        if height is not None and height < _LEAST * scale:
            raise LarsError(
                f"cannot draw a figure with height={height:g}: its texts do not fit; use "
                f"height={_LEAST * scale:g} or a smaller font_size"
            )
        return sized(look, lambda width, height: _panels(diagrams, width or wide, height or usual, scale))


def _panels(diagrams: Sequence[PhaseDiagram], width: float, height: float, scale: float) -> "Figure":
    from matplotlib.figure import Figure

    lines = height / _HEIGHT / scale
    figure = Figure(figsize=(width, height), layout="constrained")
    panels = figure.subplots(1, len(diagrams), squeeze=False)[0]
    for panel, diagram in zip(panels, diagrams, strict=True):
        shares = [
            [float("nan") if (share := row.share(place)) is None else share for row in diagram.rows]
            for place in range(len(diagram.lengths))
        ]
        periods = [row.period for row in diagram.rows]
        # Told apart by readers who see no red or green, and in grey.
        mesh = panel.pcolormesh(
            range(len(periods) + 1), range(len(diagram.lengths) + 1), shares, cmap="cividis", vmin=0, vmax=1
        )
        _ticks(panel.set_xticks, periods)
        _ticks(panel.set_yticks, diagram.lengths, round(_TICKS * min(lines, 1)))
        panel.set_xlabel(f"pull period U{_in_unit(periods, diagram.unit)}")
        unit = _in_unit(diagram.lengths, diagram.unit)
        label = f"length L of the window on {short(str(diagram.stream))}{unit}"
        line = round(_LABEL * min(lines, 1))
        panel.set_ylabel("\n".join(wrap(label, line, max_lines=3, placeholder=" …")), parse_math=False)
        panel.set_title("" if len(diagrams) == 1 else f"{diagram.rate} times as fast")
    caption = wrap("share of periods on which push and pull agree", round(_LABEL * lines))
    figure.colorbar(mesh, ax=panels, label="\n".join(caption))
    return figure


def _in_unit(values: Iterable[int], unit: Duration) -> str:
    """Return the unit of numbers of time points; "" if all numbers are printed as durations."""
    return "" if all(isinstance(value, TimedPoints) for value in values) else f", in {unit}"


def _ticks(put: object, values: Sequence[int], most: int = _TICKS) -> None:
    places = tick_places(values, most)
    put([place + 0.5 for place in places], [str(values[place]) for place in places])  # type: ignore[operator]


def tick_places(values: Sequence[int], most: int = _TICKS) -> Sequence[int]:
    """Return the positions of at most `most` values for the ticks of an axis, if possible round numbers.

    >>> values = range(1, 51)
    >>> [values[place] for place in tick_places(values)]
    [5, 10, 15, 20, 25, 30, 35, 40, 45, 50]
    """
    if len(values) <= most:
        return range(len(values))
    for step in (digit * 10**power for power in range(len(str(max(values)))) for digit in (1, 2, 5)):
        places = [place for place, value in enumerate(values) if value % step == 0]
        if len(places) <= most:
            break
    # Values such as 7, 14, 21 have few round numbers.
    return places if len(places) > most // 4 else range(0, len(values), len(values) // most + 1)


def as_text(diagrams: Sequence[PhaseDiagram]) -> Iterator[RenderableType]:
    """Yield a summary, then a title and a table for each rate (speed) of the stream.

    A table contains, for each pull period, the ranges of window lengths that agree on equally many periods.
    """
    yield summary(diagrams)
    for diagram in diagrams:
        faster = "" if diagram.rate == 1 else f", the stream {diagram.rate} times as fast"
        unit = _in_unit((*diagram.lengths, *(row.period for row in diagram.rows)), diagram.unit)
        unit = unit and f", time in units of {diagram.unit}"
        what = f"by the length L of the window on {diagram.stream.value}{unit}{faster}"
        yield f"number of periods on which push and pull agree, {what}"
        table = Table("period U", "whole periods", "agreeing periods, by L")
        for row in diagram.rows:
            runs = (f"{range_text(first, last)}: {count}" for first, last, count in diagram.runs(row))
            table.add_row(str(row.period), str(row.whole), " · ".join(runs) if row.whole else "-")
        yield table


def summary(diagrams: Sequence[PhaseDiagram]) -> str:
    """Return a text: how many pairs of U and L have full agreement, and how often the share changes."""
    rows = [row for diagram in diagrams for row in diagram.rows if row.whole]
    cells = [(agreeing, row.whole) for row in rows for agreeing in row.agreeing]
    perfect = sum(agreeing == whole for agreeing, whole in cells)
    if not cells:
        return "Nothing is compared: the timeline contains no whole period."
    empty = sum(count == row.whole for row in rows for count in row.empty)
    these = "all of these" if empty == perfect else f"{empty} of these {perfect}"
    nothing = f" (for {'this pair' if perfect == 1 else these}, neither side reports a row)" if empty else ""
    changes = sum(
        len(list(diagram.runs(row))) - 1 for diagram in diagrams for row in diagram.rows if row.whole
    )
    pairs = quantity(len(cells), "pair")
    sentence = f"Push and pull agree on all periods for {perfect} of {pairs} of U and L{nothing}"
    if all(len(diagram.lengths) == 1 for diagram in diagrams):
        return f"{sentence}."
    steps = f"From one L to the next L, the number of agreeing periods changes {quantity(changes, 'time')}"
    return f"{sentence}. {steps} in total."


def as_json(diagrams: Sequence[PhaseDiagram], origin: str | None) -> Json:
    """Return the JSON document: the number of agreeing periods for each range of window lengths."""
    return {
        "unit": str(diagrams[0].unit),
        "origin": origin,
        "window": diagrams[0].stream.value,
        "diagrams": [
            {
                "rate": diagram.rate,
                "lengths": list(diagram.lengths),
                "periods": [
                    {
                        "period": row.period,
                        "whole": row.whole,
                        "runs": [
                            dict(zip(("from", "to", "agreeing", "empty"), run, strict=True))
                            for run in diagram.counts(row)
                        ],
                    }
                    for row in diagram.rows
                ],
            }
            for diagram in diagrams
        ],
    }


def phase_page(
    title: str,
    diagrams: Sequence[PhaseDiagram],
    commands: Sequence[str],
    document: Mapping[str, object],
    notes: Sequence[str],
) -> Page:
    """Return the content of the HTML report of the diagrams.

    `commands` are two command lines: the first computes the diagram again, the second compares push and pull
    with the window length of the query. If a Python program gives the input as values, `commands` is empty.
    """
    stream = short(str(diagrams[0].stream))
    shown = (each for one in diagrams for each in (*one.lengths, *(row.period for row in one.rows)))
    question = (
        f"On which share of the periods do push and pull agree, by the pull period U "
        f"and the length L of the window on {stream}{_in_unit(shown, diagrams[0].unit)}?"
    )
    page: Json = {
        "commands": commands,
        "own": diagrams[0].own_length,
        "named": written_lengths(row.period for diagram in diagrams for row in diagram.rows),
        "namedLengths": written_lengths(each for diagram in diagrams for each in diagram.lengths),
        "stream": stream,
        "diagrams": [_diagram(diagram, len(diagrams)) for diagram in diagrams],
    }
    return Page(
        title, question, None, summary(diagrams), notes, template="phase", document=document, page=page
    )


_CELLS: Final = 60_000
_RUNS: Final = 3_000
"""The maximum number of shares, and of changes of a share, in all diagrams of an HTML report."""


def _diagram(diagram: PhaseDiagram, count: int) -> Json:
    """Return the lengths of a diagram and, for some U, the number of agreeing periods at each length."""
    runs = sum(len(list(diagram.runs(row))) for row in diagram.rows if row.whole)
    fitting = min(_CELLS // max(len(diagram.lengths), 1), _RUNS * len(diagram.rows) // max(runs, 1)) // count
    phase_rows = evenly(diagram.rows, max(fitting, 1))
    return {
        "left": len(diagram.rows) - len(phase_rows),
        "rate": diagram.rate,
        "lengths": diagram.lengths,
        "periods": [
            {
                "period": row.period,
                "whole": row.whole,
                "agreeing": row.agreeing,
                "runs": [_run(*run) for run in diagram.runs(row)] if row.whole else [],
            }
            for row in phase_rows
        ],
    }


def _run(first: int, last: int, agreeing: int) -> Json:
    return {"lengths": range_text(first, last), "agreeing": agreeing}


_SCALE: Final = (
    (0, 34, 78),
    (53, 69, 108),
    (102, 105, 112),
    (148, 142, 119),
    (200, 184, 102),
    (254, 232, 56),
)
"""The colors of shares from 0 to 1, as in the script of the page.

Readers who cannot distinguish red and green can distinguish these colors.
"""
_NOTEBOOK: Final = 30
"""The maximum number of pull periods, and of lengths with a change, that a notebook shows."""
_LIGHT: Final = 0.18


def percent(agreeing: int, whole: int) -> str:
    """Return a share in percent with one decimal; the result is 100 only if all periods agree.

    >>> percent(2, 3), percent(3, 3), percent(2999, 3000), percent(1, 4), percent(1, 9999)
    ('66.7', '100', '99.9', '25', '0.1')
    """
    share = round(1000 * agreeing / whole) / 10
    number = min(share, 99.9) if agreeing < whole else share
    return f"{max(number, 0.1) if agreeing else 0:.1f}".removesuffix(".0")


def notebook_phases(diagrams: Sequence[PhaseDiagram]) -> str:
    """Return the HTML for a notebook: each diagram as a heat map."""
    return render(
        "phase_small",
        said=summary(diagrams),
        unit=diagrams[0].unit,
        stream=short(str(diagrams[0].stream)),
        diagrams=list(map(_map, diagrams)),
    )


def _map(diagram: PhaseDiagram) -> Json:
    places = range(len(diagram.lengths))
    starts = [
        place
        for place in places
        if place == 0 or any(row.agreeing[place] != row.agreeing[place - 1] for row in diagram.rows)
    ]
    spans = list(zip(starts, [*(start - 1 for start in starts[1:]), len(diagram.lengths) - 1], strict=True))
    rows, columns = evenly(spans, _NOTEBOOK), evenly(diagram.rows, _NOTEBOOK)
    return {
        "rate": diagram.rate,
        "periods": [row.period for row in columns],
        "left": len(diagram.rows) - len(columns) + len(spans) - len(rows),
        "rows": [
            {
                "lengths": _run(diagram.lengths[first], diagram.lengths[last], 0)["lengths"]
                + " ◂" * (diagram.lengths[first] <= diagram.own_length <= diagram.lengths[last]),
                "cells": [_shade(row.agreeing[first], row.whole) for row in columns],
            }
            for first, last in reversed(rows)
        ],
    }


def _shade(agreeing: int, whole: int) -> Json:
    if not whole:
        return {"paper": "none", "ink": "inherit", "share": "–", "said": "no whole period"}
    at = agreeing / whole * (len(_SCALE) - 1)
    low = min(int(at), len(_SCALE) - 2)
    mixed = [round(a + (b - a) * (at - low)) for a, b in zip(_SCALE[low], _SCALE[low + 1], strict=True)]
    parts = zip((0.2126, 0.7152, 0.0722), mixed, strict=True)
    light = sum(weight * (value / 255) ** 2.2 for weight, value in parts) > _LIGHT
    sentence = f"{agreeing} of {quantity(whole, 'period')} agree{'s' * (whole == 1)}"
    ink = "#000" if light else "#fff"
    return {"paper": f"rgb{tuple(mixed)}", "ink": ink, "share": percent(agreeing, whole), "said": sentence}
