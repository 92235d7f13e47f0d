"""A picture of phase diagrams: U across, L up, the share of agreeing periods as colour."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from agreement.documents.outputs import short
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


def draw(path: Path, found: Sequence[PhaseDiagram], unit: str, window: str) -> None:
    """Write the picture, a panel for each rate."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_WIDTH * len(found), _HEIGHT), layout="constrained")
    panels = figure.subplots(1, len(found), squeeze=False)[0]
    for panel, one in zip(panels, found, strict=True):
        shares = [
            [float("nan") if (share := row.share(place)) is None else share for row in one.rows]
            for place in range(len(one.lengths))
        ]
        periods = [row.period for row in one.rows]
        # Told apart by readers who see no red or green, and in grey.
        mesh = panel.pcolormesh(
            range(len(periods) + 1), range(len(one.lengths) + 1), shares, cmap="cividis", vmin=0, vmax=1
        )
        _ticks(panel.set_xticks, periods)
        _ticks(panel.set_yticks, one.lengths)
        panel.set_xlabel(f"pulling period U, in {unit}")
        panel.set_ylabel(f"length L of the window on {short(str(Iri(window)))}, in {unit}", parse_math=False)
        panel.set_title("" if len(found) == 1 else f"{one.rate} times as fast")
    figure.colorbar(mesh, ax=panels, label="share of periods on which push and pull agree")
    with replacement_path(path) as new:
        figure.savefig(new, format=path.suffix[1:], metadata={} if path.suffix == ".png" else {"Date": None})


def _ticks(put: object, values: Sequence[int]) -> None:
    step = max(1, len(values) // 10)
    places = range(0, len(values), step)
    put([place + 0.5 for place in places], [str(values[place]) for place in places])  # type: ignore[operator]
