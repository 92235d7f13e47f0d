"""Phase diagrams as a picture, for readers and as JSON.

The picture: U across, L up, the share of agreeing periods as colour.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import RenderableType
from rich.table import Table

from agreement.documents.outputs import Json, quantity, range_text, short
from agreement.proving.phase import PhaseDiagram
from lars.errors import LarsError
from lars.files import replacement_path
from lars.language.terms import Iri

FORMATS: Final = (".svg", ".png", ".pdf")
_WIDTH, _HEIGHT = 6.4, 4.8


def check(path: Path) -> None:
    """Raise LarsError for a file of another kind, and where nothing can draw."""
    if path.suffix not in FORMATS:
        raise LarsError(f"{path}: accepted: a picture named *{', *'.join(FORMATS)}")
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise LarsError(f"{path}: pictures need matplotlib: pip install 'lars-rsp[figure]'") from None


def draw(path: Path, diagrams: Sequence[PhaseDiagram], unit: str, window: str) -> None:
    """Write the picture, a panel for each rate."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH * len(diagrams), _HEIGHT), layout="constrained")
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
        _ticks(panel.set_yticks, diagram.lengths)
        panel.set_xlabel(f"pulling period U, in {unit}")
        panel.set_ylabel(f"length L of the window on {short(str(Iri(window)))}, in {unit}", parse_math=False)
        panel.set_title("" if len(diagrams) == 1 else f"{diagram.rate} times as fast")
    figure.colorbar(mesh, ax=panels, label="share of periods on which push and pull agree")
    with replacement_path(path) as new:
        figure.savefig(new, format=path.suffix[1:], metadata={} if path.suffix == ".png" else {"Date": None})


def _ticks(put: object, values: Sequence[int]) -> None:
    step = max(1, len(values) // 10)
    places = range(0, len(values), step)
    put([place + 0.5 for place in places], [str(values[place]) for place in places])  # type: ignore[operator]


def as_text(diagrams: Sequence[PhaseDiagram], unit: str, window: str) -> Iterator[RenderableType]:
    """Yield a table for each rate: for each period the lengths between which the share does not change."""
    yield summary(diagrams)
    for diagram in diagrams:
        faster = "" if diagram.rate == 1 else f", the stream {diagram.rate} times as fast"
        what = f"by the length L of the window on {window}, in {unit}{faster}"
        yield f"periods on which push and pull agree, {what}"
        table = Table("period U", "whole periods", "agreeing, by L")
        for row in diagram.rows:
            runs = (f"{range_text(first, last)}: {count}" for first, last, count in diagram.runs(row))
            table.add_row(str(row.period), str(row.whole), " · ".join(runs) if row.whole else "-")
        yield table


def summary(diagrams: Sequence[PhaseDiagram]) -> str:
    """Return at how many pairs of U and L they agree throughout, and how often that changes."""
    rows = [row for diagram in diagrams for row in diagram.rows if row.whole]
    cells = [(agreeing, row.whole) for row in rows for agreeing in row.agreeing]
    perfect = sum(agreeing == whole for agreeing, whole in cells)
    changes = sum(
        len(list(diagram.runs(row))) - 1 for diagram in diagrams for row in diagram.rows if row.whole
    )
    sentence = f"Push and pull agree throughout at {perfect} of {quantity(len(cells), 'pair')} of U and L"
    return f"{sentence}; as L grows the share changes {quantity(changes, 'time')}."


def as_json(diagrams: Sequence[PhaseDiagram], unit: str, window: str, origin: str | None) -> Json:
    """Return the diagrams for machines: runs of lengths with the number of agreeing periods."""
    return {
        "unit": unit,
        "origin": origin,
        "window": window,
        "diagrams": [
            {
                "rate": diagram.rate,
                "lengths": list(diagram.lengths),
                "periods": [
                    {
                        "period": row.period,
                        "whole": row.whole,
                        "runs": [
                            {"from": first, "to": last, "agreeing": count}
                            for first, last, count in diagram.runs(row)
                        ],
                    }
                    for row in diagram.rows
                ],
            }
            for diagram in diagrams
        ],
    }
