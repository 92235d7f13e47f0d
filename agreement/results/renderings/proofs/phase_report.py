"""Phase diagrams for readers and as JSON."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table

from agreement.documents.outputs import Json, counted, range_text
from agreement.proving.phase import PhaseDiagram


def as_text(found: Sequence[PhaseDiagram], unit: str, window: str) -> Iterator[RenderableType]:
    """Yield a table for each rate: for each period the lengths between which the share does not change."""
    yield summary(found)
    for one in found:
        faster = "" if one.rate == 1 else f", the stream {one.rate} times as fast"
        what = f"by the length L of the window on {window}, in {unit}{faster}"
        yield f"periods on which push and pull agree, {what}"
        table = Table("period U", "whole periods", "agreeing, by L")
        for row in one.rows:
            runs = (f"{range_text(first, last)}: {count}" for first, last, count in one.runs(row))
            table.add_row(str(row.period), str(row.whole), " · ".join(runs) if row.whole else "-")
        yield table


def summary(found: Sequence[PhaseDiagram]) -> str:
    """Return at how many pairs of U and L they agree throughout, and how often that changes."""
    rows = [row for one in found for row in one.rows if row.whole]
    cells = [(agreeing, row.whole) for row in rows for agreeing in row.agreeing]
    perfect = sum(agreeing == whole for agreeing, whole in cells)
    changes = sum(len(list(one.runs(row))) - 1 for one in found for row in one.rows if row.whole)
    said = f"Push and pull agree throughout at {perfect} of {counted(len(cells), 'pair')} of U and L"
    return f"{said}; as L grows the share changes {counted(changes, 'time')}."


def as_json(found: Sequence[PhaseDiagram], unit: str, window: str, origin: str | None) -> Json:
    """Return the diagrams for machines: runs of lengths with the number of agreeing periods."""
    return {
        "unit": unit,
        "origin": origin,
        "window": window,
        "diagrams": [
            {
                "rate": one.rate,
                "lengths": list(one.lengths),
                "periods": [
                    {
                        "period": row.period,
                        "whole": row.whole,
                        "runs": [
                            {"from": first, "to": last, "agreeing": count}
                            for first, last, count in one.runs(row)
                        ],
                    }
                    for row in one.rows
                ],
            }
            for one in found
        ],
    }
