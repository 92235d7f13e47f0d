"""The inputs of decisions and searches for all streams: one or two queries without a trace."""

from collections.abc import Mapping
from typing import Final

from agreement.comparing.agree import AgreementTask, Pair, are_pulled, comparison_trace, pairs
from agreement.documents.requests import sources
from agreement.documents.traces import background, dataset_of
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.language.terms import Iri
from solver.facts import Background
from solver.settings import Warn
from solver.traces import read_static
from translate.analysis import default_period, parts, profile_remarks, unbound_remarks
from translate.model.patterns import Bgp
from translate.model.query import Dataset, EngineQuery

_USUAL_PERIODS: Final = range(1, 11)


@dataclass(frozen=True, slots=True)
class TracelessTask:
    """One or two queries to compare on all streams, with the settings of the comparison.

    `inputs` are the names of the queries in messages.
    """

    task: AgreementTask
    queries: tuple[EngineQuery, ...]
    inputs: tuple[str, ...]

    @property
    def is_pair(self) -> bool:
        """Whether one query is pushed and the other is pulled; also true if only one query is given."""
        return len(set(are_pulled(self.queries))) == len(self.queries)

    @property
    def periods(self) -> tuple[int, ...]:
        """The pull periods in time points.

        By default, the pull period is the STEP of a query. If no query has a STEP, the periods are 1 to 10.
        """
        stated = (default_period(query, self.task.setting.unit) for query in self.queries)
        stepped = tuple(period for period in stated if period is not None)[:1]
        unit = self.task.setting.unit
        usual = (Duration(n * unit.nanoseconds).timed(unit) for n in _USUAL_PERIODS)
        return self.task.periods or stepped or tuple(usual)

    def pairs(self, warn: Warn) -> tuple[Pair, ...]:
        """Return the pairs of a pushed and a pulled query to compare.

        If only one query is given, the function returns a pair for each query that can be derived from it. If
        several queries can be derived, the query in which all patterns of streams match only streams comes
        first.

        Raises:
            LarsError: No pattern of the query is matched in a stream.
        """
        task, carried = self.task, frozenset[tuple[str, str]]()
        assigned = task.assigned
        if task.cqels is None and (task.trace.paths or task.generated):
            carried = comparison_trace(task, self.queries, warn).predicates()
        elif task.cqels is None and not assigned:
            assigned = self._only_stream()
            if len(self._predicates()) > 1 and assigned:
                warn(
                    f"all triple patterns are matched in {next(iter(assigned))}, the only stream of the "
                    "query; to match some in static data, use --assign STREAM=PREDICATE for the others"
                )
        all_pairs = pairs(task.csparql, task.cqels, carried, assigned)
        for query in self.queries:
            if query.to_stream in ("ISTREAM", "DSTREAM"):
                warn(
                    f"T14 (ISTREAM and DSTREAM): {query.to_stream} is ignored, because the comparison of "
                    "push and pull uses all answers at each time, and not only new or removed rows"
                )
            for remark in (*profile_remarks(query, task.setting), *unbound_remarks(query)):
                warn(remark)
        if any(sources(pair.cqels) for pair in all_pairs):
            return all_pairs
        raise LarsError(f"{self.inputs[0]}: cannot compare push and pull: {self._unmatched()}")

    def _only_stream(self) -> Mapping[Iri, tuple[Iri, ...]]:
        """Return the assignment of all predicates to the only stream; empty if the query has other input."""
        query = self.queries[0]
        streams = dict.fromkeys(part.iri for part in query.merged)
        alone = len(streams) == 1 and query.dataset == Dataset() and not self.task.trace.static
        return dict.fromkeys(streams, self._predicates()) if alone else {}

    def _predicates(self) -> tuple[Iri, ...]:
        """Return the predicates of the triple patterns of the first query."""
        bgps = (part for part in parts(self.queries[0].pattern) if isinstance(part, Bgp))
        predicates = (triple.predicate for bgp in bgps for triple in bgp.triples)
        return tuple(dict.fromkeys(each for each in predicates if isinstance(each, Iri)))

    def _unmatched(self) -> str:
        """Return the text of an error: why no pattern of the query is matched in a stream."""
        query, known = self.queries[0], self._predicates()
        if self.task.assigned:
            listed = ", ".join(str(each) for some in self.task.assigned.values() for each in some)
            return f"no pattern of the query has the predicate {listed} of --assign; assign its predicates"
        if not query.merged or not known:
            return "no part of the query is matched in a stream; use a query with windows"
        return (
            "the text of the query does not define which triple patterns are matched in which "
            "stream; use --assign STREAM=PREDICATE, such as "
            f"--assign {query.merged[0].iri.value}={known[0].value}"
        )

    def static(self, warn: Warn) -> Background | None:
        """Return the static data of the task; None if no files are given, so that the data are arbitrary."""
        files = self.task.trace.static
        return background(read_static(files), dataset_of(self.queries), warn) if files else None
