"""Possible faults that only many runs show together, such as no report at all or always the same answer."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache, partial
from itertools import combinations
from math import gcd, inf
from typing import Final

from agreement.comparing.matching.places import ReportMatch
from agreement.documents.outputs import plain
from agreement.engines.engine import RspqlDefinition, columns
from agreement.proving.hunting.answer_switches import in_each, moved, without_labels
from agreement.proving.hunting.references import (
    HuntedRun,
    JudgedRun,
    Pattern,
    SpecificationReference,
    Switch,
)
from lars.language.terms import XSD, Literal
from solver.facts import Row
from solver.rdf import is_triple_term, read_term, value

_EACH_WINDOW: Final = RspqlDefinition.EACH_WINDOW
_DEFINED: Final = "Definition 24: an evaluation reports the answer over the content of the windows"
_SEVERAL: Final = 2
"""The number of delays that are tried as faults, and of equal answers that can be chance; a guess."""


def silent(runs: Sequence[HuntedRun]) -> Iterator[Switch]:
    """Yield the fault that an engine never reports a row, if no run of the engine has a row."""
    if runs and not any(run.has_rows for run in runs):
        reports = any(run.answers.reports or run.answers.flush for run in runs)
        says = "it never reports a row: every report is empty" if reports else "it never reports anything"
        yield Switch(says, _EACH_WINDOW, held=lambda run: not run.has_rows)


def mute_queries(runs: Sequence[HuntedRun], wrong: Sequence[HuntedRun]) -> Iterator[Switch]:
    """Yield the fault that an engine reports no row for some queries, if no run of them has a row."""
    mute = [name for name in _names(wrong) if not any(run.has_rows for run in runs if run.query.name == name)]
    if mute:
        of, them = ("query", "it") if len(mute) == 1 else ("queries", "them")
        yield Switch(
            f"it accepts the {of} {', '.join(mute)}, but reports no row for {them}",
            _EACH_WINDOW,
            held=lambda run: not run.has_rows if run.query.name in mute else None,
        )


def portraits(runs: Sequence[HuntedRun], wrong: Sequence[HuntedRun]) -> Iterator[Switch]:
    """Yield possible faults of all reports, such as a constant answer or two exchanged columns."""
    same = {query: _same_answer([run for run in runs if run.query.name == query]) for query in _names(runs)}
    told = {run.query.name for run in runs if run.has_rows}
    if told and all(same[query] for query in told):

        def constant(run: HuntedRun) -> bool | None:
            reports = run.answers.reports
            if not reports:
                return None
            # Without a common answer of the query, all reports of a run must equal its first report.
            answer = same.get(run.query.name) or _bag(reports[0][1].rows)
            return all(_bag(report.rows) == answer for _, report in reports)

        yield Switch("every report is the same constant answer for any input", _DEFINED, held=constant)
    yield Switch("it echoes: each arriving triple is reported unchanged", _DEFINED, held=_echo)
    names = dict.fromkeys(name for run in wrong for name in columns(run.query.read))
    for name in names:
        yield Switch(f"?{name} is never bound", _DEFINED, partial(_of_columns, (name,), _unbound))
        yield Switch(f"?{name} has other values", _DEFINED, partial(_of_columns, (name,), other_values))
    for kind in _KINDS:
        yield Switch(f"{kind} have other values", _DEFINED, partial(_of_kind, kind))
    for one, other in combinations(names, 2):
        says = f"?{one} and ?{other} are exchanged"
        yield Switch(says, _DEFINED, partial(_of_columns, (one, other), _exchanged))


def delays(reference: SpecificationReference, wrong: Sequence[HuntedRun]) -> Iterator[Switch]:
    """Yield the possible faults in which every report is late or early by a certain time.

    The function tries the delays that are most frequent in the wrong runs.
    """
    seen = Counter(delay for run in wrong[:_LOOKED_AT] for delay in set(reference.delays(run)))
    for delay, _ in seen.most_common(_SEVERAL):
        text = f"{plain(abs(delay))} ms {'late' if delay > 0 else 'early'}"
        yield Switch(f"every report is {text}", RspqlDefinition.AT_ITS_CLOSE, partial(moved, delay))


def rests(wrong: Sequence[JudgedRun]) -> Iterator[Switch]:
    """Yield the possible faults in which an engine rests: only some of the due reports come.

    Either no report comes for a time after each report, or only reports at multiples of a time come. The
    function measures these times in the wrong runs. An engine that reports only once in each run does not
    rest.
    """
    shortest, times, again = Counter[float](), list[float](), False
    for subject in wrong:
        last, gaps = None, list[float]()
        for window in subject.judgement.best.windows:
            if window.rows.actual:
                again = again or last is not None
                last = window.at
                times.append(last)
            elif window.rows.missing and last is not None:
                gaps.append(window.at - last + subject.recorded.task.unit.milliseconds)
        shortest.update([max(gaps)] if gaps else ())
    for rest in dict.fromkeys(
        (max(shortest, default=0), *(one for one, _ in shortest.most_common(_SEVERAL)))
    ):
        if rest and again:
            says = f"after a report, no report comes for {plain(rest)} ms"
            yield Switch(says, _EACH_WINDOW, partial(_with_pattern, partial(_after_rest, rest)))
    step = gcd(*map(int, times))
    tick = min((one.recorded.task.unit.milliseconds for one in wrong), default=0)
    if step > tick and all(one.is_integer() for one in times):
        says = f"only reports at multiples of {step} ms come"
        yield Switch(says, _EACH_WINDOW, partial(_with_pattern, partial(_at_multiples, step)))


def _with_pattern(pattern: Pattern, subject: JudgedRun) -> Iterator[JudgedRun]:
    yield replace(subject, pattern=pattern)


def _after_rest(rest: float, windows: Sequence[ReportMatch]) -> bool:
    """Return whether exactly the reports that are due less than `rest` ms after the last one are missing."""
    last = -inf
    for window in windows:
        comes = window.at - last >= rest
        if not _comes_only(window, comes=comes):
            return False
        last = window.at if comes and window.rows.expected else last
    return True


def _at_multiples(step: float, windows: Sequence[ReportMatch]) -> bool:
    """Return whether exactly the reports that are not due at multiples of `step` ms are missing."""
    return all(_comes_only(window, comes=window.at % step == 0) for window in windows)


def _comes_only(window: ReportMatch, *, comes: bool) -> bool:
    """Return whether a report is right if it comes, and otherwise missing."""
    if comes or not window.rows.expected:
        return window.problem is None
    return window.right is not None and not window.rows.actual


_LOOKED_AT: Final = 12
"""The number of wrong runs in which delays are measured; a guess: few runs show a delay of each report."""


def _names(runs: Sequence[HuntedRun]) -> list[str]:
    return list(dict.fromkeys(run.query.name for run in runs))


def _bag(rows: Sequence[Mapping[str, str | None]]) -> Counter[frozenset[tuple[str, str | None]]]:
    return Counter(frozenset(row.items()) for row in rows)


def _same_answer(runs: Sequence[HuntedRun]) -> Counter[frozenset[tuple[str, str | None]]] | None:
    """Return the rows of all reports with rows; None if reports differ, or if few reports have rows."""
    answers = [_bag(report.rows) for run in runs for _, report in run.answers.reports if report.rows]
    return answers[0] if len(answers) > _SEVERAL and all(one == answers[0] for one in answers) else None


def _echo(run: HuntedRun) -> bool | None:
    """Return whether the rows of each report contain only terms of the triple that caused the report.

    If no report has rows, the function returns None.
    """
    reports = [(n, report) for n, report in run.answers.reports if report.rows]
    if not reports:
        return None
    # Labels of blank nodes may differ.
    return all(
        {text and without_labels(text) for text in row.values()}
        <= {*map(without_labels, run.pushes[n].triple), None}
        for n, report in reports
        for row in report.rows
    )


ColumnsHold = Callable[[Sequence[int], list[Row], list[Row]], bool]


def _of_columns(wanted: Sequence[str], holds: ColumnsHold, subject: JudgedRun) -> Iterator[JudgedRun]:
    names = columns(subject.recorded.task.query)
    if set(wanted) <= set(names):
        pattern = in_each(partial(holds, [names.index(name) for name in wanted]))
        yield replace(subject, pattern=pattern)
    else:
        yield subject


def other_values(places: Sequence[int], right: Sequence[Row], came: Sequence[Row]) -> bool:
    """Return whether reported rows are right except for one column.

    `places` contains only the index of this column.
    """
    (place,) = places
    mine, yours = (Counter(row[:place] + row[place + 1 :] for row in rows) for rows in (right, came))
    return mine == yours


_KINDS: Final = ("numbers", "texts", "IRIs")


@lru_cache(maxsize=2**16)
def _kind(text: str) -> str | None:
    """Return the kind of a term as "numbers", "texts" or "IRIs"; None for blank nodes, dates and the like."""
    if text.startswith("<"):
        return None if is_triple_term(text) else "IRIs"
    term = read_term(text) if text.startswith('"') else None
    if not isinstance(term, Literal):
        return None
    if isinstance(number := value(term), int | float | Decimal) and not isinstance(number, bool):
        return "numbers"
    return "texts" if term.language is not None or term.datatype == XSD + "string" else None


def _other_terms(kind: str, right: list[Row], came: list[Row]) -> bool:
    """Return whether the reported rows are right except for the terms of one kind, such as numbers."""

    def masked(rows: Sequence[Row]) -> Counter[Row]:
        return Counter(tuple("" if text and _kind(text) == kind else text for text in row) for row in rows)

    occurs = any(text and _kind(text) == kind for row in right for text in row)
    return masked(right) == masked(came) and not (occurs and set(right) == set(came))


def _of_kind(kind: str, subject: JudgedRun) -> Iterator[JudgedRun]:
    """Yield the run to judge if an engine reports other values for terms of one kind, such as numbers."""
    yield replace(subject, pattern=in_each(partial(_other_terms, kind)))


def _unbound(places: Sequence[int], right: list[Row], came: list[Row]) -> bool:
    (place,) = places
    return Counter((*row[:place], None, *row[place + 1 :]) for row in right) == Counter(came)


def _exchanged(places: Sequence[int], right: list[Row], came: list[Row]) -> bool:
    one, other = places
    order = {one: other, other: one}
    mine = (tuple(row[order.get(place, place)] for place in range(len(row))) for row in right)
    return Counter(mine) == Counter(came)
