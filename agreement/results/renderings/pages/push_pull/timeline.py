"""What a timeline draws: elements, evaluation times, windows, answers, as small numbers.

Of a long trace elements and evaluation times are counts in bins of time, and answers those of some rows.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from agreement.comparing.agree.sides import Sides
from agreement.documents.outputs import Json, counted, short
from agreement.documents.traces import Trace
from solver.columns import Numbering, TimeBins
from solver.facts import Fact, Row, is_triple
from solver.job import AnswerParts

_MOST_ELEMENTS: Final = 4_000
_MOST_LETTERS: Final = 60_000
"""So many elements stand on the page each as itself, with so many letters of terms; more are counted."""
_MOST_TIMES: Final = 4_000
_MOST_RUNS: Final = 3_000
_BINS: Final = 1_000
_ALL_BINS: Final = 40_000
"""So many bins for each stream, and for all of them together."""
_MOST_STREAMS: Final = 200


def elements(
    trace: Trace, terms: Numbering[str], behind: Iterable[Fact]
) -> tuple[Json, dict[Fact, int], list[str]]:
    """Return the elements of a trace in columns of numbers of terms, the place of each, and what is left out.

    Of many elements those behind the rows that are shown stand there, and how many arrive in bins of time.
    """
    count = sum(_totals(trace).values())
    every = (
        [fact for fact in trace.facts(trace.timeline) if is_triple(fact)] if count <= _MOST_ELEMENTS else []
    )
    letters = sum(map(len, {term for fact in every for term in fact.arguments}))
    if count <= _MOST_ELEMENTS and letters <= _MOST_LETTERS:
        return *_columns(every, terms), []
    found, places = _columns(sorted(dict.fromkeys(behind)), terms)
    bins, said = _binned(trace, count)
    return found | {"bins": bins}, places, said


def _columns(shown: Sequence[Fact], terms: Numbering[str]) -> tuple[Json, dict[Fact, int]]:
    columns = {
        name: [terms[fact.arguments[place]] for fact in shown]
        for place, name in enumerate(("s", "p", "o", "stream"))
    }
    places = {fact: place for place, fact in reversed(list(enumerate(shown)))}
    return {"t": [fact.t for fact in shown], **columns, "bins": None}, places


def _binned(trace: Trace, count: int) -> tuple[Json, list[str]]:
    """Return how many elements of each stream arrive in each bin, those of the fullest streams."""
    alone = _totals(trace)
    fullest = sorted(alone, key=lambda stream: (-alone[stream], stream))[:_MOST_STREAMS]
    bins = bins_of(trace, len(fullest))
    counts = trace.arrivals(bins)
    each = f"{count:,} elements are counted in bins of {counted(bins.width, 'time point')}"
    said = [f"{each}; those behind the rows below are drawn one by one"]
    if len(alone) > len(fullest):
        said.append(f"of {len(alone):,} streams the {len(fullest)} with the most elements are drawn")
    streams = {stream.strip("<>"): counts[stream].tolist() for stream in fullest}
    return {"first": bins.first, "width": bins.width, "streams": streams}, said


def _totals(trace: Trace) -> dict[str, int]:
    """Return how many elements each stream has."""
    found = trace.arrivals(TimeBins(trace.timeline.first, _span(trace), 1))
    return {stream: int(counts.sum()) for stream, counts in found.items()}


def _span(trace: Trace) -> int:
    return max(trace.timeline.last - trace.timeline.first + 1, 1)


def bins_of(trace: Trace, lanes: int) -> TimeBins:
    """Return bins of the timeline, equally wide and fewer where there are many lanes."""
    width = -(-_span(trace) // min(_BINS, _ALL_BINS // max(lanes, 1)))
    return TimeBins(trace.timeline.first, width, -(-_span(trace) // width))


def evaluations(found: AnswerParts, bins: TimeBins) -> Json:
    """Return evaluation times, of many how many there are in each bin."""
    if found.evaluations <= _MOST_TIMES:
        return {"times": found.whole().times.tolist(), "bins": None}
    counts = sum((bins.counts(part.times) for part in found.each_part()), np.zeros(bins.count, np.int64))
    return {"times": [], "bins": {"first": bins.first, "width": bins.width, "counts": counts.tolist()}}


def answers(sides: Sides, rows: Numbering[Row], first: Sequence[Row]) -> tuple[Mapping[str, Json], list[str]]:
    """Return when which rows are answers of push and of pull, and what is left out.

    A row has all its answers, or none; of many rows the `first` ones come, as many as there is room for.
    """
    found = {"push": sides.pushed, "pull": sides.pulled}
    many = sum(size for own in found.values() for _, size in own.parts) > _MOST_RUNS
    drawable = {name: own.of_rows(first) if many else own.whole() for name, own in found.items()}
    runs = {name: list(own.rows()) for name, own in drawable.items()}
    wanted = dict.fromkeys(first)
    sizes = Counter(row for own in runs.values() for row, _, _ in own)
    drawn, room = set(), _MOST_RUNS
    for row, size in sorted(sizes.items(), key=lambda one: (one[0] not in wanted, one[1])):
        room -= size
        if room < 0:
            break
        drawn.add(row)
    drawing = {
        name: {"runs": [[rows[row], begin, end] for row, begin, end in _in_order(own, drawn, wanted)]}
        for name, own in runs.items()
    }
    said = [f"answers are drawn of {counted(len(drawn), 'row')} below, not of all"] if many else []
    return drawing, said


def _in_order(
    runs: Iterable[tuple[Row, int, int]], drawn: set[Row], wanted: Mapping[Row, None]
) -> list[tuple[Row, int, int]]:
    return sorted((one for one in runs if one[0] in drawn), key=lambda one: (one[0] not in wanted, one[1]))


def term_texts(terms: Sequence[str]) -> list[str]:
    """Return terms as readers see them."""
    return list(map(short, terms))
