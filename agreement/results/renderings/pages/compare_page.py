"""What the page of `lars compare` draws: when each side reports something where the two part."""

from agreement.comparing.compare import TraceComparison
from agreement.documents.outputs import Json, plain
from agreement.results.renderings.comparisons.parting_report import marks
from agreement.results.renderings.pages.blocks import Lane, lanes_json


def parting_timelines(comparison: TraceComparison) -> list[Json]:
    """Return the timeline of the places at which they part; none where they do at none."""
    lanes, dates = marks(comparison)
    times = [t for _, own in lanes for t, _, _ in own]
    if not times:
        return []
    title = (
        f"When they part{dates.caption}: square: rows that the other lacks; ring: empty; dot: the same rows"
    )

    def text(t: float) -> str:
        return plain(t) if dates.zero is None else dates.text(t)

    return [lanes_json(title, [Lane(*lane) for lane in lanes], (min(times), max(times)), text)]
