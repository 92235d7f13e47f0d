"""What is found out about two queries, for readers and as JSON."""

from collections.abc import Iterator, Sequence

from agreement.containment.canonical import OneQuery
from agreement.containment.findings import Containment, Holds
from agreement.outputs import Json, binding, json_triple, short

Direction = tuple[OneQuery, OneQuery, Containment]
"""A query, the one that its answers are looked for in, and what was found."""


def as_text(found: Sequence[Direction], files: Sequence[str]) -> Iterator[str]:
    """Yield the report for readers: each direction, and the data that refute it."""
    for (one, _, said), (mine, theirs) in zip(found, _named(files), strict=False):
        yield f"each answer of {mine} is one of {theirs}: {_WORDS[said.holds]} ({said.why})"
        if said.against is None:
            continue
        row = ", ".join(map(short, said.against.row))
        yield f"  at {said.against.t} {mine} alone has the row ({row}) of ({', '.join(map(str, one.result))})"
        for fact in said.against.facts:
            *triple, stream = map(short, fact.arguments)
            yield f"  {fact.t}: {' '.join(triple)} on {stream}"
        for subject, predicate, object_, graph in said.against.static:
            stored = (subject, predicate, object_)
            yield f"  static: {' '.join(short(str(term)) for term in stored)} in {graph}"


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
        }
        for (one, _, said), (mine, theirs) in zip(found, _named(files), strict=False)
    ]
    verdicts = {said.holds for _, _, said in found}
    whole = next(
        (value for holds, value in _VALUES.items() if holds in verdicts and holds is not Holds.YES), True
    )
    return {"contained" if len(found) == 1 else "equivalent": whole, "directions": directions}


def _json(one: OneQuery, said: Containment) -> Json | None:
    if (against := said.against) is None:
        return None
    return {
        "t": against.t,
        "row": binding(one.result, against.row),
        "stream": [json_triple(fact) for fact in against.facts],
        "static": [
            {**binding("spo", tuple(map(str, triple))), "graph": str(graph)}
            for *triple, graph in against.static
        ],
    }
