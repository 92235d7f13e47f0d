"""Where two profiles part: for readers a table of the differences and a sentence, and for machines."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import Final

from rich.console import RenderableType
from rich.table import Table

from agreement.comparing.compare.comparing import TraceComparison
from agreement.comparing.compare.parting import DifferenceWithRules, Divergence, SwitchedRule
from agreement.comparing.judge import RefusedCase
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.outputs import (
    Json,
    binding,
    encode,
    plain,
    quantity,
    record,
    short,
    table,
    told_apart,
)
from agreement.documents.recordings import Push, Report
from lars.durations import NANOSECONDS, Duration
from lars.language.windows import Interval
from solver.facts import Row

_ROWS: Final = 3
_DIGITS: Final = 9
"""Of more rows that one side alone has these are shown."""


def as_text(
    found: Sequence[TraceComparison], refused: Sequence[RefusedCase] = ()
) -> Iterator[RenderableType]:
    """Yield each comparison, and a sentence about all of them if there are several."""
    for one in found:
        yield from _of_one(one)
    if len(found) > 1:
        same = sum(one.parting.same for one in found)
        rules = Counter(cause for one in found for cause, _ in one.parting.frequencies)
        frequent = sorted(rules.items(), key=lambda one: (-one[1], one[0].rule.name))
        named = ", ".join(f"{cause.rule.name} in {count}" for cause, count in frequent)
        yield f"the same in {same} of {len(found)} cases" + (f"; what parts them: {named}" if named else "")
    for case in refused:
        yield f"not compared: {case.problem}"


def _of_one(found: TraceComparison) -> Iterator[RenderableType]:
    parting = found.parting
    if found.title is not None:
        yield found.title
    if parting.parted:
        yield _table(found)
    yield summary(found)
    yield from _rules(parting)
    for name, after in zip(parting.names, parting.after, strict=True):
        if after:
            yield f"not compared: {quantity(len(after), 'report')} of {name} for which no later push comes"


def page_parts(found: TraceComparison) -> Iterator[RenderableType]:
    """Yield a comparison for a page that has said its summary: each rule is told once, in a table."""
    parting = found.parting
    if parting.frequencies:
        rules = table("what parts them", "rule", "what it says", "differences", right=("differences",))
        for cause, count in parting.frequencies:
            rules.add_row(_named(cause, parting), cause.rule.sentence, str(count))
        yield rules
    if parting.parted:
        yield _table(found, told=parting.causes)
    told = {cause.rule.name for cause in parting.causes}
    others = tuple(one for one in parting.fields if one.name not in told)
    yield from _rules(replace(parting, fields=others))


def marks(found: TraceComparison) -> tuple[list[tuple[str, list[tuple[float, str, str]]]], Dates]:
    """Return when each side reports something where they part: its time, what kind of mark, its words."""
    parting, dates = found.parting, _dates(found)
    lanes: list[tuple[str, list[tuple[float, str, str]]]] = [(name, []) for name in _sides(parting)]
    for one in parting.parted:
        sides = ((one.difference.first, one.difference.only_first),)
        for (_, own), (reports, only) in zip(
            lanes, (*sides, (one.difference.second, one.difference.only_second)), strict=True
        ):
            for report in reports:
                kind = "bad" if only else "empty" if not report.rows else "push"
                own.append((_points(report.t, found.unit), kind, quantity(len(report.rows), "row")))
    return lanes, dates


def _table(found: TraceComparison, told: Iterable[SwitchedRule] = ()) -> Table:
    parting = found.parting
    names = ("push", "time", "triple") if parting.pushes is not None else ("time unit",)
    columns = (*names, *_sides(parting), "what parts them")
    rows = table(_title(found), *columns, right=("push", "time", "time unit"), whole=("push", "time"))
    shown = set(told)
    for one in parting.parted:
        only = told_apart(one.difference.only_first, one.difference.only_second)
        first = _cell(one.difference.first, only[0], found)
        second = _cell(one.difference.second, only[1], found)
        rows.add_row(*_place(one, found), first, second, _causes(one, parting, shown))
        shown.update(one.causes)
    return rows


def _title(found: TraceComparison) -> str:
    if found.origin is None:
        return f"where they part, times in {found.unit}"
    return f"where they part{_dates(found).caption}, time in units of {found.unit}"


def _dates(found: TraceComparison) -> Dates:
    """Return what the times at which they part are called."""
    pushes, parted = found.parting.pushes, found.parting.parted
    last = max((one.difference.place for one in parted), default=0)
    end = last if pushes is None else ceil(_points(pushes[last].t, found.unit))
    return found.dates.within(Interval(0, end))


def _sides(parting: Divergence) -> tuple[str, str]:
    first, second = parting.names
    return (first, second) if first != second else (f"{first} (1)", f"{second} (2)")


def _place(one: DifferenceWithRules, found: TraceComparison) -> tuple[str, ...]:
    place = one.difference.place
    if found.parting.pushes is None:
        return (_dates(found).text(place),)
    push = found.parting.pushes[place]
    return str(place), _when(push.t, found), " ".join(map(short, push.triple))


def time(t: float, unit: Duration) -> str:
    """Return a time in milliseconds as a number of units."""
    return plain(_points(t, unit), _DIGITS)


def _when(t: float, found: TraceComparison) -> str:
    dates = _dates(found)
    return time(t, found.unit) if dates.zero is None else dates.text(_points(t, found.unit))


def _points(t: float, unit: Duration) -> float:
    return t * NANOSECONDS["ms"] / unit.nanoseconds


def _cell(reports: Sequence[Report], only: Sequence[str], found: TraceComparison) -> str:
    if not reports:
        return "no report"
    lines = [
        f"{quantity(len(report.rows), 'row') if report.rows else 'empty'} at {_when(report.t, found)}"
        for report in reports
    ]
    if only:
        more = [f"… {len(only) - _ROWS} more"] * (len(only) > _ROWS)
        lines.append("only here: " + " ".join((*only[:_ROWS], *more)))
    return "\n".join(lines)


def _causes(one: DifferenceWithRules, parting: Divergence, shown: set[SwitchedRule]) -> str:
    if not one.causes:
        return "the specifications that they follow" if parting.fields else "no rule explains it"
    lines = [
        _named(cause, parting) + ("" if cause in shown else f": {cause.rule.sentence}")
        for cause in one.causes
    ]
    if one.together:
        lines.append("(together)")
    if not one.undone:
        lines.append("(in part)")
    return "\n".join(lines)


def _named(cause: SwitchedRule, parting: Divergence) -> str:
    """Return a rule's name; with its profile where both have one of that name."""
    others = {other.number for other in parting.causes if other.rule.name == cause.rule.name}
    return cause.rule.name if len(others) == 1 else f"{_sides(parting)[cause.number]} {cause.rule.name}"


def summary(found: TraceComparison) -> str:
    """Return the sentence that says whether and where they part."""
    parting = found.parting
    first, second = parting.names
    place = "push" if parting.pushes is not None else "time unit"
    places = f"{quantity(parting.places, place)} at which either reports"
    if not parting.places:
        return f"nothing to compare: neither {first} nor {second} reports at a {place}"
    if parting.same:
        return f"{first} and {second} report the same at all {places}"
    at = parting.parted[0].difference.place
    where = found.dates.option(at) if parting.pushes is None else str(at)
    when = "" if parting.pushes is None else f" (time {_when(parting.pushes[at].t, found)})"
    rules = ", ".join(f"{_named(cause, parting)} ({count})" for cause, count in parting.frequencies)
    why = f"; what parts them: {rules}" if rules else "; no rule of them explains it"
    return (
        f"{first} and {second} part at {len(parting.parted)} of {places}, first at {place} {where}{when}{why}"
    )


def _rules(parting: Divergence) -> Iterator[str]:
    if parting.fields and parting.parted:
        named = "; ".join(f"{one.name}: {one.sentence}" for one in parting.fields)
        whose = "" if parting.pushes is None else "that they follow "
        yield f"the specifications {whose}differ in {named}"
    if parting.alone:
        named = ", ".join(_named(cause, parting) for cause in parting.alone)
        yield f"changed alone, each of these undoes every difference: {named}"
    if parting.needed:
        yield "rules needed on the whole trace: " + ", ".join(rule.name for rule in parting.needed)


def as_json(found: Sequence[TraceComparison], refused: Sequence[RefusedCase] = ()) -> Json:
    """Return a comparison on a trace, or those on cases with how they end together."""
    if len(found) == 1 and found[0].title is None:
        return _json_of_one(found[0].parting, found[0].dates) | {"origin": found[0].origin}
    same = all(one.parting.same for one in found)
    return {
        "same": None if same and refused else same,
        "cases": [{"id": one.title} | _json_of_one(one.parting, NO_DATES) for one in found],
        "refused": [{"id": one.id, "problem": one.problem} for one in refused],
    }


def _json_of_one(parting: Divergence, dates: Dates) -> Json:
    return {
        "same": parting.same,
        "first": parting.names[0],
        "second": parting.names[1],
        "aligned_by": "time unit" if parting.pushes is None else "push",
        "compared": parting.places,
        "differences": [_json_parted(part, parting, dates) for part in parting.parted],
        "frequencies": [_json_cause(cause) | {"differences": count} for cause, count in parting.frequencies],
        "undo_all": list(map(_json_cause, parting.alone)),
        "differing_fields": [record(one, {"name": "field"}) for one in parting.fields],
        "needed_rules": parting.needed and [rule.name for rule in parting.needed],
        "after_last_push": [_json_reports(parting, reports, dates) for reports in parting.after],
    }


def _json_parted(part: DifferenceWithRules, parting: Divergence, dates: Dates) -> Json:
    found = part.difference
    return _json_place(found.place, parting.pushes, dates) | {
        "first": _json_reports(parting, found.first, dates),
        "second": _json_reports(parting, found.second, dates),
        "only_first": _json_rows(parting, found.only_first),
        "only_second": _json_rows(parting, found.only_second),
        "moved_ms": encode(found.moved),
        "empty_ms": encode(found.empty),
        "parted_by": list(map(_json_cause, part.causes)),
        "only_together": part.together and len(part.causes) > 1,
        "undone": part.undone,
    }


def _json_place(place: int, pushes: Sequence[Push] | None, dates: Dates) -> Json:
    if pushes is None:
        return dates.with_dates({"time_unit": place})
    return {"push": place, **_json_ms(pushes[place].t, dates), "triple": binding("spo", pushes[place].triple)}


def _json_ms(t: float, dates: Dates) -> Json:
    date = dates.date(_points(t, dates.unit))
    return {"ms": t} if date is None else {"ms": t, "ms_date": date}


def _json_reports(parting: Divergence, reports: Iterable[Report], dates: Dates) -> list[Json]:
    return [_json_ms(report.t, dates) | {"rows": _json_rows(parting, report.rows)} for report in reports]


def _json_rows(parting: Divergence, rows: Iterable[Row]) -> list[Json]:
    return [binding(parting.columns, row) for row in rows]


def _json_cause(cause: SwitchedRule) -> Json:
    return {"profile": cause.profile, **record(cause.rule, {"sentence": "says"})}
