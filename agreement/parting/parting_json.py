"""Where two profiles part, for machines."""

from collections.abc import Iterable, Sequence
from typing import Any

from agreement.outputs import binding, json_term
from agreement.parting.causes import Cause, Parted
from agreement.parting.command import Found
from agreement.parting.parting import Parting
from agreement.recordings.recording import Push, Report, Row
from lars.terms import Variable
from solver.facts import constant_of

Json = dict[str, Any]


def as_json(found: Sequence[Found]) -> Json:
    """Return a comparison on a trace, or those on cases with how they end together."""
    if len(found) == 1 and found[0].title is None:
        return _of_one(found[0].parting)
    return {
        "same": all(one.parting.same for one in found),
        "cases": [{"id": one.title} | _of_one(one.parting) for one in found],
    }


def _of_one(parting: Parting) -> Json:
    one, other = parting.after
    return {
        "same": parting.same,
        "first": parting.names[0],
        "second": parting.names[1],
        "aligned_by": "time unit" if parting.pushes is None else "push",
        "compared": parting.places,
        "differences": [_parted(part, parting) for part in parting.parted],
        "frequencies": [_cause(cause) | {"differences": count} for cause, count in parting.frequencies],
        "undo_all": [_cause(cause) for cause in parting.alone],
        "differing_fields": [{"field": one.name, "says": one.says} for one in parting.fields],
        "needed_rules": parting.needed and [rule.name for rule in parting.needed],
        "after_last_push": [_reports(parting, one), _reports(parting, other)],
    }


def _parted(part: Parted, parting: Parting) -> Json:
    found = part.difference
    return _place(found.place, parting.pushes) | {
        "first": _reports(parting, found.first),
        "second": _reports(parting, found.second),
        "only_first": _rows(parting, found.only_first),
        "only_second": _rows(parting, found.only_second),
        "moved_ms": [list(times) for times in found.moved],
        "empty_ms": list(found.empty),
        "parted_by": [_cause(cause) for cause in part.causes],
        "only_together": part.together and len(part.causes) > 1,
        "undone": part.undone,
    }


def _place(place: int, pushes: Sequence[Push] | None) -> Json:
    if pushes is None:
        return {"time_unit": place}
    push = pushes[place]
    terms = {name: json_term(constant_of(text)) for name, text in zip("spo", push.triple, strict=True)}
    return {"push": place, "ms": push.t, "triple": terms}


def _reports(parting: Parting, reports: Iterable[Report]) -> list[Json]:
    return [{"ms": report.t, "rows": _rows(parting, report.rows)} for report in reports]


def _rows(parting: Parting, rows: Iterable[Row]) -> list[Any]:
    variables = tuple(map(Variable, parting.columns))
    return [binding(variables, row) for row in rows]


def _cause(cause: Cause) -> Json:
    return {"profile": cause.profile, "name": cause.rule.name, "says": cause.rule.says}
