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


def as_text(found: Sequence[Direction], files: Sequence[str]) -> Iterator[str]:
    """Yield the report for readers: each direction, the data that refute it, a unit that changes it."""
    if any(_timed(one, other) for one, other, _ in found):
        yield f"at every time of every stream, time in units of {found[0][0].setting.unit}"
    for (one, other, said), (mine, theirs) in zip(found, _named(files), strict=False):
        yield f"{_asked(one, mine)} is one of {_whose(other, theirs)}: {_WORDS[said.holds]} ({said.why})"
        yield from _data(one, other, said, mine)
        if said.finer is not None:
            unit, again = said.finer.unit, said.finer.containment
            yield f"  with a unit of {unit}: {_WORDS[again.holds]} ({again.why})"
            yield from _data(in_unit(one, unit), in_unit(other, unit), again, mine)


def _timed(one: OneQuery, other: OneQuery) -> bool:
    return any(sources(query.query) for query in (one, other))


def _asked(one: OneQuery, file: str) -> str:
    return (
        f"each answer of {file}" if one.operator is ToStream.RSTREAM else f"what {_whose(one, file)} reports"
    )


def _whose(one: OneQuery, file: str) -> str:
    return file if one.operator is ToStream.RSTREAM else f"{one.operator.value} of {file}"


def _data(one: OneQuery, other: OneQuery, said: Containment, mine: str) -> Iterator[str]:
    if (against := said.against) is None:
        return
    when = f"at {_time(against.t, one)} " if _timed(one, other) else ""
    if against.before is not None:
        when = f"{when}(evaluated before at {_time(against.before, one)}) "
    row = ", ".join(map(short, against.row))
    yield f"  {when}{mine} alone has the row ({row}) of ({', '.join(map(str, one.result))})"
    for fact in against.facts:
        *triple, stream = map(short, fact.arguments)
        yield f"  {_time(fact.t, one)}: {' '.join(triple)} on {stream}"
    for subject, predicate, object_, graph in against.static:
        stored = (subject, predicate, object_)
        yield f"  static: {' '.join(short(str(term)) for term in stored)} in {graph}"


def _time(t: int, one: OneQuery) -> str:
    unit = one.setting.unit
    return f"0{str(unit).lstrip('0123456789')}" if t == 0 else str(Duration(t * unit.nanoseconds))


def _named(files: Sequence[str]) -> Sequence[Sequence[str]]:
    return files, files[::-1]


_WORDS = {Holds.YES: "yes", Holds.NO: "no", Holds.OPEN: "open"}
_VALUES = {Holds.YES: True, Holds.NO: False, Holds.OPEN: None}


def as_json(found: Sequence[Direction], files: Sequence[str]) -> Json:
    """Return the report for machines: null is open."""
    directions = [
        {
            "of": mine,
            "in": theirs,
            "contained": _VALUES[said.holds],
            "why": said.why,
            "against": _json(one, said),
            "finer": None if said.finer is None else _finer(one, said.finer),
        }
        for (one, _, said), (mine, theirs) in zip(found, _named(files), strict=False)
    ]
    verdicts = {said.holds for _, _, said in found}
    whole = next(
        (value for holds, value in _VALUES.items() if holds in verdicts and holds is not Holds.YES), True
    )
    unit = str(found[0][0].setting.unit)
    return {"unit": unit, "contained" if len(found) == 1 else "equivalent": whole, "directions": directions}


def _finer(one: OneQuery, finer: FinerUnit) -> Json:
    found = finer.containment
    return {
        "unit": str(finer.unit),
        "contained": _VALUES[found.holds],
        "why": found.why,
        "against": _json(one, found),
    }


def _json(one: OneQuery, said: Containment) -> Json | None:
    if (against := said.against) is None:
        return None
    return {
        "t": against.t,
        "before": against.before,
        "row": binding(one.result, against.row),
        "stream": [json_triple(fact) for fact in against.facts],
        "static": [
            {**binding("spo", tuple(map(str, triple))), "graph": str(graph)}
            for *triple, graph in against.static
        ],
    }
