"""The report on the differences of two engines (`lars compare`): table, sentence, JSON, and figure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import Final

from rich.console import RenderableType
from rich.table import Table

from agreement.comparing.compare import DifferenceWithRules, Divergence, SwitchedRule
from agreement.comparing.judge import RefusedCase
from agreement.documents import outputs
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.recordings import Push, Report
from agreement.results.renderings.pages.blocks import lanes_json
from lars.durations import NANOSECONDS, Duration
from lars.language.windows import Interval
from solver.facts import Row

_ROWS: Final = 3
"""The maximum number of rows of only one side that are shown; a guess that keeps a cell short."""
_DIGITS: Final = 9
"""The maximum number of digits of a time that are shown."""


def as_text(
    comparisons: Sequence[Divergence], refused: Sequence[RefusedCase] = ()
) -> Iterator[RenderableType]:
    """Yield the text of each comparison; for several comparisons, also a sentence about all of them."""
    for comparison in comparisons:
        yield from _of_one(comparison)
    if len(comparisons) > 1:
        yield sentence(comparisons)
    for case in refused:
        yield not_compared(case)


def not_compared(case: RefusedCase) -> str:
    """Return a sentence with the reason why a case cannot be compared."""
    return f"not compared: {case.problem}"


def sentence(comparisons: Sequence[Divergence]) -> str:
    """Return a sentence about one comparison, or about all comparisons."""
    if len(comparisons) == 1:
        return summary(comparisons[0])
    same = sum(trace_comparison.same for trace_comparison in comparisons)
    rules = Counter(cause for trace_comparison in comparisons for cause, _ in trace_comparison.frequencies)
    frequent = sorted(rules.items(), key=lambda pair: (-pair[1], pair[0].rule.name))
    names = ", ".join(f"{cause.rule.name} in {count}" for cause, count in frequent)
    return f"the same in {same} of {len(comparisons)} cases" + (f"; explained by: {names}" if names else "")


def _of_one(parting: Divergence) -> Iterator[RenderableType]:
    if parting.title is not None:
        yield parting.title
    if parting.parted:
        yield _table(parting)
    yield summary(parting)
    yield from _rules(parting)
    for name, after in zip(parting.names, parting.after, strict=True):
        if after:
            left = outputs.quantity(len(after), "report")
            yield f"not compared: {left} of {name} for which no later push comes"


def page_parts(parting: Divergence) -> Iterator[RenderableType]:
    """Yield the parts of a comparison for an HTML report, in which a table explains each rule once."""
    if parting.frequencies:
        rules = (
            (_name_of(cause, parting), cause.rule.sentence, str(count))
            for cause, count in parting.frequencies
        )
        names = ("rule", "what it says", "differences")
        yield outputs.table("explained by", names, rules, right=("differences",))
    if parting.parted:
        yield _table(parting, parting.causes)
    told = {cause.rule.name for cause in parting.causes}
    others = tuple(rule for rule in parting.fields if rule.name not in told)
    yield from _rules(replace(parting, fields=others))


def _table(parting: Divergence, known: Iterable[SwitchedRule] = ()) -> Table:
    names = ("element", "time", "triple") if parting.pushes is not None else ("time unit",)
    columns = (*names, *_sides(parting), "explained by")
    # Once, since Dates depend on all differences.
    dates, rows, rules = _dates(parting), [], set(known)
    for difference in parting.parted:
        only = outputs.told_apart(difference.difference.rows.missing, difference.difference.rows.extra)
        first = _cell(difference.difference.right or (), only[0], dates)
        second = _cell(difference.difference.came, only[1], dates)
        causes = _causes(difference, parting, rules)
        rows.append((*_place(difference, parting, dates), first, second, causes))
        rules.update(difference.causes)
    return outputs.table(
        _title(parting), columns, rows, right=("element", "time", "time unit"), whole=("element", "time")
    )


def _title(parting: Divergence) -> str:
    if parting.dates.zero is None:
        return f"differences, times in units of {parting.dates.unit}"
    return f"differences{_dates(parting).caption}, times in units of {parting.dates.unit}"


def _dates(parting: Divergence) -> Dates:
    """Return the object that maps the times of differences to dateTimes."""
    pushes, parted = parting.pushes, parting.parted
    last = max((int(difference.difference.at) for difference in parted), default=0)
    end = last if pushes is None else ceil(_points(pushes[last].t, parting.dates.unit))
    return parting.dates.within(Interval(0, end))


def _sides(parting: Divergence) -> tuple[str, str]:
    first, second = parting.names
    return (first, second) if first != second else (f"{first} (1)", f"{second} (2)")


def _place(difference: DifferenceWithRules, parting: Divergence, dates: Dates) -> tuple[str, ...]:
    place = int(difference.difference.at)
    if parting.pushes is None:
        return (dates.text(place),)
    push = parting.pushes[place]
    return str(place), _when(push.t, dates), " ".join(map(outputs.short, push.triple))


def time(t: float, unit: Duration) -> str:
    """Return a time, given in milliseconds, as a text with a number of the given units."""
    return outputs.plain(_points(t, unit), _DIGITS)


def time_of(difference: DifferenceWithRules, parting: Divergence) -> str:
    """Return the time of a difference as the text report shows it, with the whole dateTime."""
    place = int(difference.difference.at)
    if parting.pushes is None:
        return parting.dates.text(place)
    return _when(parting.pushes[place].t, parting.dates)


def _when(t: float, dates: Dates) -> str:
    return time(t, dates.unit) if dates.zero is None else dates.text(_points(t, dates.unit))


def _points(t: float, unit: Duration) -> float:
    return t * NANOSECONDS["ms"] / unit.nanoseconds


def _cell(reports: Sequence[Report], only: Sequence[str], dates: Dates) -> str:
    if not reports:
        return "no report"
    lines = [
        f"{outputs.quantity(len(report.rows), 'row') if report.rows else 'empty'} at {_when(report.t, dates)}"
        for report in reports
    ]
    if only:
        more = [f"… {len(only) - _ROWS} more"] * (len(only) > _ROWS)
        lines.append("only here: " + " ".join((*only[:_ROWS], *more)))
    return "\n".join(lines)


def _causes(difference: DifferenceWithRules, parting: Divergence, rules: set[SwitchedRule]) -> str:
    if not difference.causes:
        unexplained = "no rule explains it" if parting.causes else "not known"
        return "the specifications of the engines" if parting.fields else unexplained
    lines = [
        _name_of(cause, parting) + ("" if cause in rules else f": {cause.rule.sentence}")
        for cause in difference.causes
    ]
    if difference.together:
        lines.append("(only together)")
    if not difference.undone:
        lines.append("(explains a part)")
    return "\n".join(lines)


def _name_of(cause: SwitchedRule, parting: Divergence) -> str:
    """Return a rule's name, with the name of its engine if both engines have a rule of that name."""
    others = {other.number for other in parting.causes if other.rule.name == cause.rule.name}
    return cause.rule.name if len(others) == 1 else f"{_sides(parting)[cause.number]} {cause.rule.name}"


def summary(parting: Divergence) -> str:
    """Return a sentence with the first element or time unit at which two engines differ, and the causes."""
    first, second = _sides(parting)
    place = "element" if parting.pushes is not None else "time unit"
    places = f"{outputs.quantity(parting.places, place)} with a report"
    if not parting.places:
        return f"nothing to compare: neither {first} nor {second} has a report"
    if parting.same:
        ending = outputs.NO_ROWS if parting.is_empty else ""
        every = "all " if parting.places > 1 else ""
        return f"{first} and {second} have the same reports at {every}{places}{ending}"
    at = int(parting.parted[0].difference.at)
    where = parting.dates.option(at) if parting.pushes is None else str(at)
    when = "" if parting.pushes is None else f" (time {_when(parting.pushes[at].t, _dates(parting))})"
    rules = ", ".join(f"{_name_of(cause, parting)} ({count})" for cause, count in parting.frequencies)
    why = f"; rules that explain the differences: {rules}" if rules else f"; {_unexplained(parting)}"
    if parting.same_start is not None:
        t0 = parting.dates.option(parting.same_start)
        why = f"; only t0 differs: with --t0 {t0}, the reports are the same"
    count = len(parting.parted)
    return f"{first} and {second} differ at {count} of {places}, first at {place} {where}{when}{why}"


def _unexplained(parting: Divergence) -> str:
    if parting.causes or parting.fields:
        return "no rule explains the differences"
    return "no side has rules that could explain the differences; an engine model as a side has rules"


def _rules(parting: Divergence) -> Iterator[str]:
    if parting.moves and parting.places and parting.start is None:
        yield "the comparison uses a t0 with which windows close at multiples of their slide; see --t0"
    elif parting.moves and parting.places and parting.start is not None:
        yield f"the comparison uses t0 = {parting.dates.option(parting.start)}"
    if parting.fields and parting.parted:
        names = "; ".join(f"{rule.name}: {rule.sentence}" for rule in parting.fields)
        whose = "" if parting.pushes is None else " of the engines"
        yield f"the specifications{whose} differ in {names}"
    if parting.alone:
        names = ", ".join(_name_of(cause, parting) for cause in parting.alone)
        yield f"to remove all differences, change one of these: {names}"
    if parting.needed:
        names = ", ".join(rule.name for rule in parting.needed)
        yield f"the reports on this trace follow from these rules alone: {names}"


def as_json(comparisons: Sequence[Divergence], refused: Sequence[RefusedCase] = ()) -> outputs.Json:
    """Return the JSON document of a comparison on a trace, or of comparisons on cases."""
    if len(comparisons) == 1 and comparisons[0].title is None:
        return _json_of_one(comparisons[0], comparisons[0].dates) | {"origin": comparisons[0].dates.zero}
    same = all(comparison.same for comparison in comparisons)
    return {
        "same": None if same and refused else same,
        "cases": [
            {"id": comparison.title} | _json_of_one(comparison, NO_DATES) for comparison in comparisons
        ],
        "refused": [{"id": case.id, "problem": case.problem} for case in refused],
    }


def _json_of_one(parting: Divergence, dates: Dates) -> outputs.Json:
    return {
        "same": parting.same,
        "empty": parting.is_empty,
        "first": parting.names[0],
        "second": parting.names[1],
        "aligned_by": "time unit" if parting.pushes is None else "push",
        "compared": parting.places,
        "t0": parting.start,
        "same_with_t0": parting.same_start,
        "differences": [_json_parted(part, parting, dates) for part in parting.parted],
        "frequencies": [_json_cause(cause) | {"differences": count} for cause, count in parting.frequencies],
        "undo_all": list(map(_json_cause, parting.alone)),
        "differing_fields": [outputs.record(rule, {"name": "field"}) for rule in parting.fields],
        "needed_rules": parting.needed and [rule.name for rule in parting.needed],
        "after_last_push": [_json_reports(parting, reports, dates) for reports in parting.after],
    }


def _json_parted(part: DifferenceWithRules, parting: Divergence, dates: Dates) -> outputs.Json:
    difference = part.difference
    return _json_place(int(difference.at), parting.pushes, dates) | {
        "first": _json_reports(parting, difference.right or (), dates),
        "second": _json_reports(parting, difference.came, dates),
        "only_first": _json_rows(parting, difference.rows.missing),
        "only_second": _json_rows(parting, difference.rows.extra),
        "moved_ms": [list(pair) for pair in difference.apart if None not in pair],
        "empty_ms": [t for pair in difference.apart if None in pair for t in pair if t is not None],
        "parted_by": list(map(_json_cause, part.causes)),
        "only_together": part.together and len(part.causes) > 1,
        "undone": part.undone,
    }


def _json_place(place: int, pushes: Sequence[Push] | None, dates: Dates) -> outputs.Json:
    if pushes is None:
        return dates.with_dates({"time_unit": place})
    return {
        "push": place,
        **_json_ms(pushes[place].t, dates),
        "triple": outputs.binding("spo", pushes[place].triple),
    }


def _json_ms(t: float, dates: Dates) -> outputs.Json:
    date = dates.date(_points(t, dates.unit))
    return {"ms": t} if date is None else {"ms": t, "ms_date": date}


def _json_reports(parting: Divergence, reports: Iterable[Report], dates: Dates) -> list[outputs.Json]:
    return [_json_ms(report.t, dates) | {"rows": _json_rows(parting, report.rows)} for report in reports]


def _json_rows(parting: Divergence, rows: Iterable[Row]) -> list[outputs.Json]:
    return [outputs.binding(parting.columns, row) for row in rows]


def _json_cause(cause: SwitchedRule) -> outputs.Json:
    return {"profile": cause.profile, **outputs.record(cause.rule, {"sentence": "says"})}


def parting_timelines(parting: Divergence) -> list[outputs.Json]:
    """Return the timeline of the differences; the result is empty without differences."""
    dates = _dates(parting)
    parted = [part.difference for part in parting.parted]
    first = [(report, each.rows.missing) for each in parted for report in each.right or ()]
    second = [(report, each.rows.extra) for each in parted for report in each.came]
    lanes = [
        (name, [_mark(report, bool(only), parting.dates.unit) for report, only in reports])
        for name, reports in zip(_sides(parting), (first, second), strict=True)
    ]
    times = [t for _, marks in lanes for t, _, _ in marks]
    if not times:
        return []
    signs = "Square: rows that the other side lacks; ring: no row; dot: the same rows"
    title = f"Times of the differences{dates.caption}. {signs}"
    text = outputs.plain if dates.zero is None else dates.text
    return [lanes_json(title, lanes, (min(times), max(times)), text)]


def _mark(report: Report, parts: bool, unit: Duration) -> tuple[float, str, str]:
    """Return the mark of a report on the timeline: its time, kind and label."""
    kind = "bad" if parts else "empty" if not report.rows else "push"
    return _points(report.t, unit), kind, outputs.quantity(len(report.rows), "row")
