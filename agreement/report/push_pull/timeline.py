"""What a timeline draws: elements, evaluation times, windows, answers, as small numbers."""

from collections.abc import Iterable, Sequence
from typing import Final, assert_never

from agreement.outputs import Json, short, short_row
from agreement.requests import sources
from agreement.traces import Trace
from lars.terms import Iri
from lars.windows import SlidingWindow, TimeWindow, TupleWindow
from solver.facts import Fact, Row, is_triple
from solver.job import AnswerRuns
from translate.query import EngineQuery, Setting
from translate.windows import window_operator

MOST_ELEMENTS: Final = 200_000
_MOST_RUNS: Final = 20_000


class NumberedTexts:
    """Texts by number, each once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """Return the number of a text."""
        return self._numbers.setdefault(text, len(self._numbers))

    @property
    def texts(self) -> list[str]:
        """The texts in the order of their numbers."""
        return list(self._numbers)


def elements(trace: Trace, terms: NumberedTexts) -> tuple[Json, dict[Fact, int]]:
    """Return the elements of a trace in columns of numbers of terms, and the place of each."""
    facts = [fact for fact in trace.facts(trace.timeline) if is_triple(fact)]
    shown = facts[:MOST_ELEMENTS]
    columns = {
        name: [terms.number(fact.arguments[place]) for fact in shown]
        for place, name in enumerate(("s", "p", "o", "stream"))
    }
    places = {fact: place for place, fact in reversed(list(enumerate(shown)))}
    return {"t": [fact.t for fact in shown], **columns, "left_out": len(facts) - len(shown)}, places


def windows(query: EngineQuery, setting: Setting, side: str) -> list[Json]:
    """Return the windows of a query: how their ends follow from a time point."""
    found = []
    for source in sources(query):
        label = str(source.window)
        stream = source.stream.value if isinstance(source.stream, Iri) else None
        one = window_operator(source.window, source.stream, setting.unit, setting.bounds)
        match one:
            case TimeWindow(past, future, step):
                ends = {"past": past, "future": future, "step": step, "open": one.open.value}
            case SlidingWindow(width, slide, start):
                ends = {"width": width, "slide": slide, "start": start}
            case TupleWindow(size):
                ends = {"size": size}
            case _:
                assert_never(one)
        found.append({"side": side, "stream": stream, "label": label, **ends})
    return found


def answers(runs: AnswerRuns, rows: NumberedTexts, first: Iterable[Row]) -> Json:
    """Return when which rows are answers, those of some rows before others, and the evaluation times."""
    wanted = {short_row(row) for row in first}
    found: list[tuple[bool, list[int]]] = []
    for row, begin, end in runs.rows():
        text = short_row(row)
        found.append((text not in wanted, [rows.number(text), begin, end]))
    found.sort(key=lambda one: (one[0], one[1][1]))
    return {"times": runs.times.tolist(), "runs": [run for _, run in found[:_MOST_RUNS]]}


def term_texts(terms: Sequence[str]) -> list[str]:
    """Return terms as readers see them."""
    return list(map(short, terms))
