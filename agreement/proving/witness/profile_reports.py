"""Compute the reports of a specification or engine version on a stream that a search tries."""

from collections import Counter
from collections.abc import Mapping, Sequence

from agreement.comparing.compare import Reporter
from agreement.comparing.compare import profile as named_profile
from agreement.documents.recordings import Push
from agreement.engines.specifications import EngineRun
from lars.language.terms import DEFAULT
from solver.facts import Background, Fact, Row, Static
from translate.model.query import EngineQuery, Setting


def profile_reports(
    query: EngineQuery,
    setting: Setting,
    profile: tuple[str, int | None],
    inputs: tuple[Sequence[Fact], Background, int],
) -> Mapping[float, Sequence[Counter[Row]]]:
    """Return the reports of a specification or engine version, as rows by the time of the report in ms.

    `profile` contains the name of the specification or engine version, and the start time t0 of windows or
    None. `inputs` contains a stream, static data, and the last time point.
    """
    (name, start), (facts, known, last) = profile, inputs
    pushes = tuple(_push(fact, setting.unit.milliseconds) for fact in facts)
    run = EngineRun(query, _static(known), pushes, setting.unit, setting.origin)
    rows: dict[float, list[Counter[Row]]] = {}
    for report in Reporter(name, named_profile(name), start=start).reports(run, until=last).reports:
        rows.setdefault(report.t, []).append(Counter(report.rows))
    return rows


def _push(fact: Fact, length: float) -> Push:
    subject, predicate, object_, stream = fact.arguments
    return Push(fact.t * length, stream, (subject, predicate, object_))


def _static(known: Background) -> Static:
    """Return the static data of a LARS program as RDF graphs."""
    default: set[tuple[str, str, str]] = set()
    named: dict[str, set[tuple[str, str, str]]] = {}
    for subject, predicate, object_, graph in known.get(("triple", 4), ()):
        own = default if graph == DEFAULT.name else named.setdefault(graph, set())
        own.add((subject, predicate, object_))
    return Static(frozenset(default), {name: frozenset(some) for name, some in named.items()})
