"""What is found out about two queries, for readers and as JSON."""

from collections.abc import Iterator, Sequence

from agreement.documents.outputs import Json, binding, json_triple, short
from agreement.documents.requests import sources
from agreement.proving.containment import Containment, FinerUnit, Holds, OneQuery
from agreement.proving.containment.canonical import in_unit
from lars.durations import Duration
from translate.model.query import ToStream

Direction = tuple[OneQuery, OneQuery, Containment]
"""A query, the one that its answers are looked for in, and what was found."""


def as_text(containments: Sequence[Direction], files: Sequence[str]) -> Iterator[str]:
    """Yield the report for readers: each direction, the data that refute it, a unit that changes it."""
    if any(_timed(one, other) for one, other, _ in containments):
        yield f"at every time of every stream, time in units of {containments[0][0].setting.unit}"
    for (query, other, containment), (mine, theirs) in zip(containments, _names_of(files), strict=False):
        verdict = f"{_WORDS[containment.holds]} ({containment.why})"
        yield f"{_subject(query, mine)} is one of {_whose(other, theirs)}: {verdict}"
        yield from _data(query, other, containment, mine)
        if containment.finer is not None:
            unit, again = containment.finer.unit, containment.finer.containment
            yield f"  with a unit of {unit}: {_WORDS[again.holds]} ({again.why})"
            yield from _data(in_unit(query, unit), in_unit(other, unit), again, mine)


def _timed(one: OneQuery, other: OneQuery) -> bool:
    return any(sources(query.query) for query in (one, other))


def _subject(query: OneQuery, file: str) -> str:
    return (
        f"each answer of {file}"
        if query.operator is ToStream.RSTREAM
        else f"what {_whose(query, file)} reports"
    )


def _whose(query: OneQuery, file: str) -> str:
    return file if query.operator is ToStream.RSTREAM else f"{query.operator.value} of {file}"


def _data(query: OneQuery, other: OneQuery, containment: Containment, mine: str) -> Iterator[str]:
    if (against := containment.against) is None:
        return
    when = f"at {_time(against.t, query)} " if _timed(query, other) else ""
    if against.before is not None:
        when = f"{when}(evaluated before at {_time(against.before, query)}) "
    row = ", ".join(map(short, against.row))
    yield f"  {when}{mine} alone has the row ({row}) of ({', '.join(map(str, query.result))})"
    for fact in against.facts:
        *triple, stream = map(short, fact.arguments)
        yield f"  {_time(fact.t, query)}: {' '.join(triple)} on {stream}"
    for subject, predicate, object_, graph in against.static:
        stored = (subject, predicate, object_)
        yield f"  static: {' '.join(short(str(term)) for term in stored)} in {graph}"


def _time(t: int, query: OneQuery) -> str:
    unit = query.setting.unit
    return f"0{str(unit).lstrip('0123456789')}" if t == 0 else str(Duration(t * unit.nanoseconds))


def _names_of(files: Sequence[str]) -> Sequence[Sequence[str]]:
    return files, files[::-1]


_WORDS = {Holds.YES: "yes", Holds.NO: "no", Holds.OPEN: "open"}
_VALUES = {Holds.YES: True, Holds.NO: False, Holds.OPEN: None}


def as_json(containments: Sequence[Direction], files: Sequence[str]) -> Json:
    """Return the report for machines: null is open."""
    directions = [
        {
            "of": mine,
            "in": theirs,
            "contained": _VALUES[containment.holds],
            "why": containment.why,
            "against": _json(query, containment),
            "finer": None if containment.finer is None else _finer(query, containment.finer),
        }
        for (query, _, containment), (mine, theirs) in zip(containments, _names_of(files), strict=False)
    ]
    verdicts = {containment.holds for _, _, containment in containments}
    whole = next(
        (value for holds, value in _VALUES.items() if holds in verdicts and holds is not Holds.YES), True
    )
    unit = str(containments[0][0].setting.unit)
    return {
        "unit": unit,
        "contained" if len(containments) == 1 else "equivalent": whole,
        "directions": directions,
    }


def _finer(query: OneQuery, finer: FinerUnit) -> Json:
    containment = finer.containment
    return {
        "unit": str(finer.unit),
        "contained": _VALUES[containment.holds],
        "why": containment.why,
        "against": _json(query, containment),
    }


def _json(query: OneQuery, containment: Containment) -> Json | None:
    if (against := containment.against) is None:
        return None
    return {
        "t": against.t,
        "before": against.before,
        "row": binding(query.result, against.row),
        "stream": [json_triple(fact) for fact in against.facts],
        "static": [
            {**binding("spo", tuple(map(str, triple))), "graph": str(graph)}
            for *triple, graph in against.static
        ],
    }
