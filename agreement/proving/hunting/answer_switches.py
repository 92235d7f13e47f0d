"""Possible faults of engines in their answers: in the rows, the reports, and the times of reports.

A fault (switch) changes how a run is judged. If the run is correct under the change, the fault explains it.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial, reduce
from itertools import combinations, product
from math import ceil, comb, inf
from operator import or_
from typing import Final

from agreement.comparing.matching.likeness import Likeness, matched_by_keys
from agreement.comparing.matching.places import ReportMatch
from agreement.documents.recordings import Recording, Report
from agreement.engines.engine import RspqlDefinition
from agreement.proving.hunting.input_switches import ranges
from agreement.proving.hunting.query_switches import unlimited
from agreement.proving.hunting.references import JudgedRun, Pattern, Switch, any_truth
from lars.language.stream import ToStream
from solver.facts import Row
from solver.rdf import blanks_in, with_blanks
from translate.model.query import EngineQuery

_ROWS: Final = "SPARQL 1.1, 18.5: the answer is the multiset of all solutions"


_TIMES: Final = RspqlDefinition.AT_ITS_CLOSE


def answer_changes() -> Iterator[Switch]:
    """Yield possible faults of engines, each of which changes one property of otherwise correct answers."""
    yield Switch(
        "ASK is answered by 1 or 0, or a text, not by a boolean",
        "SPARQL 1.1, 16.3: ASK gives true or false",
        partial(_reported, lambda recording: _each(recording, any_truth)),
    )
    yield Switch(
        "a variable without a value is reported as an empty text",
        "SPARQL 1.1, 18.5, LeftJoin: a variable that nothing binds has no value",
        _with_unbound,
    )
    yield Switch(
        "LIMIT does not keep the first rows in the order of ORDER BY",
        "SPARQL 1.1, 18.5, Slice and OrderBy: the first solutions in the order of ORDER BY",
        _out_of_order,
    )
    yield Switch(
        "language tags are lost: a text with a language is read or reported as a text without a language",
        "RDF 1.1 Concepts, 3.3: literals are equal only if their language tags are equal",
        _without_languages,
    )
    yield Switch(
        "rows lose the kinds of terms: datatypes, languages, or IRIs",
        "RDF 1.1 Concepts, 3.3: terms of different kinds are different terms",
        _lexical,
    )
    yield Switch(
        "rows of one report have different labels for the same blank node",
        "SPARQL 1.1, 18.3.1: the scope of a blank node label is the whole answer",
        partial(_with_pattern, _relabelled),
    )
    yield Switch(
        "ISTREAM and DSTREAM compare labels of blank nodes, which change at each evaluation",
        RspqlDefinition.OPERATORS,
        _with_new_blanks,
    )
    yield Switch("each row is reported twice", _ROWS, partial(_reported, _rows_halved))
    yield Switch("each report comes twice", RspqlDefinition.EACH_WINDOW, partial(_reported, _halved))
    for says, kept in _OF_SEVERAL:
        yield Switch(says, RspqlDefinition.EACH_WINDOW, partial(_of_several, kept))
    for says, pattern in _PATTERNS:
        yield Switch(says, _ROWS, partial(_with_pattern, pattern))
    for most, words in _FEW_ROWS:
        says = f"an evaluation keeps {words} at most, before ISTREAM or DSTREAM compares it"
        yield Switch(says, _ROWS, partial(_cut_before_operator, most))
    for says, operator, reporting in _OPERATORS:
        yield Switch(says, RspqlDefinition.OPERATORS, partial(_by_operator, operator, reporting))
    yield Switch(
        "a window does not report if the preceding window had no triples",
        RspqlDefinition.EACH_WINDOW,
        _after_empty,
    )
    yield Switch(
        "LIMIT counts the rows of all reports, not of each report",
        "SPARQL 1.1, 18.5, Slice: LIMIT applies to the solutions of one evaluation",
        _limited_in_all,
    )
    for slides in (1, -1, 2):
        text = f"by {'one slide' if abs(slides) == 1 else '2 slides'}"
        yield Switch(
            f"every report is {'late' if slides > 0 else 'early'} {text}", _TIMES, partial(_by_slides, slides)
        )
    yield Switch(
        "every report of a query with several windows is late by one slide", _TIMES, _late_of_several
    )
    yield Switch("every report has the time at which its window opens", _TIMES, _at_opening)
    yield Switch("all reports have the same time", _TIMES, _at_one_time)
    for size, factor in (("large", 0.001), ("small", 1000.0)):
        yield Switch(f"times of reports are 1000 times too {size}", _TIMES, partial(_scaled, factor))
    yield Switch("a report waits for the next triple and has the time of this triple", _TIMES, _at_arrival)


def _at_arrival(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine has the fault that a report waits for the next triple.

    If each report has the time of a triple, only the order of the answers is judged. A run without reports is
    returned unchanged.
    """
    recorded = subject.recorded
    pushes, reports = recorded.run.pushes, recorded.recording.reports
    if not reports:
        return (subject,)
    if any(one.trigger is None or one.t != pushes[one.trigger].t for one in reports):
        return ()
    return (subject.with_options(match="sequence", until=None),)


def _with_pattern(pattern: Pattern, subject: JudgedRun) -> Iterable[JudgedRun]:
    return (replace(subject, pattern=pattern),)


def _reported(change: Callable[[Recording], Recording | None], subject: JudgedRun) -> Iterable[JudgedRun]:
    recording = change(subject.recorded.recording)
    if recording is None or recording == subject.recorded.recording:
        return () if recording is None else (subject,)
    return (replace(subject, recorded=replace(subject.recorded, recording=recording)),)


def _each(recording: Recording, change: Callable[[Report], Report]) -> Recording:
    return replace(recording, reports=tuple(map(change, recording.reports)))


def _by_slides(slides: int, subject: JudgedRun) -> Iterable[JudgedRun]:
    task = subject.recorded.task
    for slide in dict.fromkeys(slide.points(task.unit) for _, slide in ranges(task) if slide):
        yield from moved(slides * slide * task.unit.milliseconds, subject)


def _late_of_several(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine reports queries with several windows one slide late.

    In the returned run, all reports are one slide earlier. If the query has one window, the run is returned
    unchanged.
    """
    return _by_slides(1, subject) if len(ranges(subject.recorded.task)) > 1 else (subject,)


def _at_opening(subject: JudgedRun) -> Iterable[JudgedRun]:
    task = subject.recorded.task
    lengths = dict.fromkeys(length.points(task.unit) for length, _ in ranges(task))
    for length in lengths:
        yield from moved(-length * task.unit.milliseconds, subject)


def _at_one_time(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine has the fault that all reports have the same time.

    If all reports of the run have the same time, only the order of the answers is judged. An engine with this
    fault reports as often as a correct engine.
    """
    reports = subject.recorded.recording.reports
    if not reports:
        yield subject
    elif len({one.t for one in reports}) == 1:
        due = (sum(window.rows.expected > 0 for window in one.windows) for one in subject.judgement.verdicts)
        if sum(bool(one.rows) for one in reports) >= min(due, default=0):
            yield subject.with_options(match="sequence", until=None)


def moved(by: float, subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run with all reports moved to times that are `by` ms earlier.

    Expected reports after the new end of the run are not judged.
    """
    task = subject.recorded.task
    until = subject.recorded.options.last
    end = (task.last if until is None else until) - max(0, ceil(by / task.unit.milliseconds))
    strict = subject.with_options(late=0.0, until=end if end > 0 else until)
    return _reported(lambda recording: _each(recording, lambda one: replace(one, t=one.t - by)), strict)


def _scaled(factor: float, subject: JudgedRun) -> Iterable[JudgedRun]:
    return _reported(lambda recording: _each(recording, lambda one: replace(one, t=one.t * factor)), subject)


_EMPTY_TEXT: Final = '""'


def _with_unbound(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine reports an unbound variable as an empty text.

    In the returned run, unbound values replace empty texts. A run without empty texts is returned unchanged.
    """
    if not any(_EMPTY_TEXT in row for one in subject.recorded.recording.reports for row in one.rows):
        return (subject,)

    def unbound(report: Report) -> Report:
        rows = (tuple(None if text == _EMPTY_TEXT else text for text in row) for row in report.rows)
        return replace(report, rows=tuple(rows))

    return _reported(lambda recording: _each(recording, unbound), subject)


def _out_of_order(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine has the fault that LIMIT keeps any rows, not the first rows.

    Each report must have the number of rows that LIMIT and OFFSET allow.
    """
    task = subject.recorded.task
    modifiers = task.query.modifiers
    if not modifiers.slices or not modifiers.order:
        return (subject,)
    query = unlimited(task.query)
    least, most = modifiers.offset, modifiers.limit

    def some(whole: list[Row], came: list[Row]) -> bool:
        left = max(0, len(whole) - least)
        return len(came) == (left if most is None else min(most, left)) and not Counter(came) - Counter(whole)

    changed = replace(subject.recorded, task=task.with_query(query))
    return (replace(subject, recorded=changed, pattern=in_each(some)),)


def _limited_in_all(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine applies LIMIT to the rows of all reports together."""
    most = subject.recorded.task.query.modifiers.limit
    if most is None:
        return (subject,)

    def pattern(windows: Sequence[ReportMatch]) -> bool:
        left = most
        for window in windows:
            right, came = map(Counter, _rows_of(window))
            if came.total() != min(left, right.total()) or came - right:
                return False
            left -= came.total()
        return True

    return (replace(subject, pattern=pattern),)


def _lexical(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if the terms in reported rows have lost their kinds, such as their datatypes.

    Reported and expected terms are compared by their texts. A boolean may be reported as a text.
    """
    recorded = subject.recorded
    told = any("^^" in (text or "") for one in recorded.recording.reports for row in one.rows for text in row)
    changed = recorded if told else replace(recorded, recording=_each(recorded.recording, any_truth))
    return (replace(subject, recorded=changed, pattern=in_each(_of_other_kinds)),)


def _without_languages(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the runs to judge if an engine loses language tags, either in its input or in reported rows."""
    elements = subject.recorded.task.elements
    plain = tuple(replace(one, triple=(*one.triple[:2], _untagged(one.triple[2]))) for one in elements)
    if plain == elements:
        return (subject,)
    return (subject.with_elements(plain), replace(subject, pattern=in_each(_of_lost_languages)))


def _untagged(text: str) -> str:
    return _TAG.sub('"', text)


_TAG: Final = re.compile(r'"@[-\w]+\Z')


def _of_lost_languages(right: list[Row], came: list[Row]) -> bool:
    return Counter(tuple(text and _untagged(text) for text in row) for row in right) == Counter(came)


def _of_other_kinds(right: list[Row], came: list[Row]) -> bool:
    """Return whether rows are right by their texts, and no reported term has a language that it must lack."""
    known = {text for row in right for text in row}
    if any(text and text not in known and _TAG.search(text) for row in came for text in row):
        return False
    return Counter(map(_plainly, right)) == Counter(map(_plainly, came))


def _plainly(row: Row) -> Row:
    return tuple(text and _TERM.sub(r"\1\2", text) for text in row)


_TERM: Final = re.compile(r'<([^>]*)>|"(.*)"(?:@[-\w]+|\^\^<[^>]*>)?', re.DOTALL)


def _rows_halved(recording: Recording) -> Recording | None:
    counts = [Counter(report.rows) for report in recording.reports]
    if any(count % 2 for rows in counts for count in rows.values()):
        return None
    halves = ([row for row, count in rows.items() for _ in range(count // 2)] for rows in counts)
    both = zip(recording.reports, halves, strict=True)
    return replace(recording, reports=tuple(replace(report, rows=tuple(rows)) for report, rows in both))


def _halved(recording: Recording) -> Recording | None:
    left: list[Report] = []
    kept: list[Report] = []
    for report in recording.reports:
        same = [one for one in left if one.t == report.t and Counter(one.rows) == Counter(report.rows)]
        if same:
            left.remove(same[0])
            kept.append(report)
        else:
            left.append(report)
    return None if left else replace(recording, reports=tuple(kept))


_OF_SEVERAL: Final = (
    ("only the first of the windows that close between two arrivals reports", 0),
    ("only the last of the windows that close between two arrivals reports", -1),
)
"""Faults in which only one of several windows reports: the first (0) or the last (-1)."""


def _of_several(kept: int, subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield runs to judge if only one of several windows that close together reports.

    Windows close together if no triple arrives between their closes. `kept` is 0 if only the first of the
    windows reports, and -1 if only the last of the windows reports. An engine may count only windows with
    rows, all evaluated windows, or also windows without a triple. An engine may also evaluate only the
    windows that report: ISTREAM and DSTREAM then compare with the preceding of these windows.
    """
    task = subject.recorded.task
    times = [triple.t * task.unit.milliseconds for triple in task.elements]
    operator = task.query.to_stream or subject.specification.stream
    evaluated = replace(subject.recorded, task=task.with_query(_whole(task.query)))
    ways = [(subject, "RSTREAM"), (replace(subject, recorded=evaluated), operator)]
    counts = ((1, ()), (0, ()), (1, _offsets_of_closes(subject, kept)))
    for place, counting in product((bisect_left, bisect_right), counts):
        for changed, compared in ways[: 1 if operator == "RSTREAM" else 2]:
            alone = partial(_one_of_several, kept, partial(place, times), counting, compared)
            yield replace(changed, pattern=alone)


def _offsets_of_closes(subject: JudgedRun, kept: int) -> tuple[Callable[[float], float], ...]:
    """Return a function for each window: from the time of a close to the next close of the window, in ms.

    If `kept` is 0, the function returns the preceding close instead. If t0 is not known, a window closes one
    slide later or earlier than the given close.
    """
    task, starts = subject.recorded.task, subject.recorded.options.starts
    unit = task.unit.milliseconds

    def beside(first: float | None, slide: float, at: float) -> float:
        if first is None:
            return at + (slide if kept else -slide)
        if kept:
            return first + max(0, (at - first) // slide + 1) * slide
        passed = ceil((at - first) / slide) - 1
        return first + passed * slide if passed >= 0 else -inf

    windows = [(length.milliseconds, slide.milliseconds) for length, slide in ranges(task) if slide]
    one = None if starts is None or len(starts) != 1 else starts[0] * unit
    return tuple(partial(beside, None if one is None else one + length, slide) for length, slide in windows)


def _one_of_several(
    kept: int,
    place: Callable[[float], int],
    counting: tuple[int, Sequence[Callable[[float], float]]],
    operator: ToStream,
    windows: Sequence[ReportMatch],
) -> bool:
    """Return whether only the first (0) or the last (-1) of the windows that close together reports.

    `place` returns the number of the arrival after the close of a window. `counting` contains the number of
    rows from which on a window counts, and functions to the next closes of windows that close without a
    triple; no function if such windows do not count. `operator` is applied to the rows of the windows that
    report.
    """
    least, others = counting
    alone: dict[int, ReportMatch] = {}
    due = [one for one in windows if one.right is not None and len(one.right_rows) >= least]
    for window in due if kept else reversed(due):
        alone[place(window.at)] = window
    alone = {n: one for n, one in alone.items() if all(place(other(one.at)) != n for other in others)}
    before = Counter[Row]()
    for window in windows:
        if not any(window is one for one in alone.values()):
            counts = any(window is one for one in due)
            if window.rows.actual or (window.came if counts else window.problem is not None):
                return False
            continue
        right, came = map(Counter, _rows_of(window))
        new = {"RSTREAM": right, "ISTREAM": right - before, "DSTREAM": before - right}[operator]
        told, wanted = (Counter(_unlabelled(rows.elements())) for rows in (came, new))
        if told != wanted or (operator == "RSTREAM" and window.problem is not None):
            return False
        before = right
    return True


def _after_empty(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Yield runs to judge if a window does not report because the window before it contains no triple.

    In the first returned run, the first window must not report; in the second returned run, the first window
    must report.
    """
    task = subject.recorded.task
    slide = min((slide.milliseconds for _, slide in ranges(task) if slide), default=0.0)

    def silent(first: int, windows: Sequence[ReportMatch]) -> bool:
        evaluated = [window for window in windows if window.right is not None]
        times = {window.at for window in evaluated}
        due = [one for one in evaluated[first:] if one.rows.expected and one.at - slide not in times]
        wrong = [window for window in windows if window.problem is not None]
        return wrong == due and not any(window.rows.actual for window in wrong)

    for first in (0, 1):
        yield replace(subject, pattern=partial(silent, first))


def _rows_of(window: ReportMatch) -> tuple[list[Row], list[Row]]:
    return [*window.rows.shared, *window.rows.missing], [*window.rows.shared, *window.rows.extra]


def in_each(holds: Callable[[list[Row], list[Row]], bool]) -> Pattern:
    """Return a function that checks whether the expected and reported rows of each window satisfy `holds`.

    The check ignores the labels of blank nodes, because engines choose these labels.
    """

    def pattern(windows: Sequence[ReportMatch]) -> bool:
        for window in windows:
            right, came = map(_unlabelled, _rows_of(window))
            # Rows cannot describe a report without a window, or a report with the right rows.
            strange = window.right is None or (window.problem and Counter(right) == Counter(came))
            if strange or not holds(right, came):
                return False
        return True

    return pattern


def without_labels(text: str) -> str:
    """Return the text of a term without the labels of its blank nodes."""
    return with_blanks(text, lambda _: "_:") if "_:" in text else text


def _unlabelled(rows: Iterable[Row]) -> list[Row]:
    return [tuple(text and without_labels(text) for text in row) for row in rows]


def _relabelled(windows: Sequence[ReportMatch]) -> bool:
    """Return whether rows are right, except that no two rows of a window share a blank node label."""
    for window in windows:
        right, came = _rows_of(window)
        if Counter(_unlabelled(right)) != Counter(_unlabelled(came)) or window.right is None:
            return False
        labels = [{label for text in row if text for label in blanks_in(text)} for row in window.came_rows]
        if window.problem is not None and not any(labels):
            return False
        if sum(map(len, labels)) > len(set().union(*labels)):
            return False
    return True


def _with_new_blanks(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine gives new labels to blank nodes at each evaluation.

    An engine with this fault reports rows with blank nodes at each evaluation: ISTREAM reports the current
    rows, and DSTREAM the previous rows.
    """
    task = subject.recorded.task
    operator = task.query.to_stream or subject.specification.stream
    if operator == "RSTREAM":
        return (subject,)
    new, old = (-1, -2) if operator == "ISTREAM" else (-2, -1)

    def reported(history: Sequence[Counter[Row]]) -> Counter[Row]:
        rows, others = ([Counter(), *history][place] for place in (new, old))
        return rows - Counter({row: n for row, n in others.items() if _unlabelled([row]) == [row]})

    return _by_operator(operator, reported, subject)


def _without_one(right: list[Row], came: list[Row]) -> bool:
    lost = Counter(right) - Counter(came)
    return lost.total() == bool(right) and not Counter(came) - Counter(right)


def _without_one_of_several(right: list[Row], came: list[Row]) -> bool:
    return right == came if len(right) < _SEVERAL else _without_one(right, came)


_SEVERAL: Final = 2


def _at_most(most: int, right: list[Row], came: list[Row]) -> bool:
    return len(came) == min(most, len(right)) and not Counter(came) - Counter(right)


def _one_twice(right: list[Row], came: list[Row]) -> bool:
    more = Counter(came) - Counter(right)
    return more.total() == bool(right) and more.keys() <= set(right) and not Counter(right) - Counter(came)


def _none_of_several(right: list[Row], came: list[Row]) -> bool:
    return came == (right if len(right) < _SEVERAL else [])


def _lost_report(place: int, windows: Sequence[ReportMatch]) -> bool:
    """Return whether only the first report with rows, or only the last report with rows, is missing.

    `place` is 0 for the first report, and -1 for the last report.
    """
    due = [window for window in windows if window.rows.expected]
    wrong = [window for window in windows if window.problem is not None]
    return wrong == due[place:][:1] and not any(window.rows.actual for window in wrong)


def _each_missing(step: int, first: int, windows: Sequence[ReportMatch]) -> bool:
    due = [window for window in windows if window.rows.expected]
    wrong = [window for window in windows if window.problem is not None]
    return wrong == due[first::step] and not any(window.rows.actual for window in wrong)


def _after_first(windows: Sequence[ReportMatch]) -> bool:
    due = [window for window in windows if window.rows.expected]
    wrong = [window for window in windows if window.problem is not None]
    return wrong == due[1:] and not any(window.rows.actual for window in wrong)


Reporting = Callable[[Sequence[Counter[Row]]], Counter[Row]]
"""A function from the expected rows of all evaluations so far to the rows that a faulty engine reports.

The rows of the current evaluation come last in the argument.
"""


def _remembering(reporting: Reporting, windows: Sequence[ReportMatch]) -> bool:
    """Return whether an engine reports, in each window, exactly the rows that a fault predicts.

    The function `reporting` predicts the rows from the expected rows of all windows so far.
    """
    history: list[Counter[Row]] = []
    for window in windows:
        right, came = map(Counter, _rows_of(window))
        history.append(right)
        told, wanted = (Counter(_unlabelled(rows.elements())) for rows in (came, reporting(history)))
        if window.triples is None or told != wanted:
            return False
    return True


def _before_preceding(history: Sequence[Counter[Row]]) -> Counter[Row]:
    return [Counter(), Counter(), *history][-3]


def _last(history: Sequence[Counter[Row]]) -> Counter[Row]:
    """Return the rows of the last evaluation with rows, except for the current evaluation."""
    return next(filter(None, history[-2::-1]), Counter())


def _ever(history: Sequence[Counter[Row]]) -> Counter[Row]:
    """Return the rows of all earlier evaluations, each as often as it occurs in one evaluation at most."""
    return reduce(or_, history[:-1], Counter())


def _by_operator(operator: ToStream, reporting: Reporting, subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine has a given fault of ISTREAM or DSTREAM.

    From all rows of the evaluations, the function `reporting` computes the rows that an engine with the fault
    reports.
    """
    task = subject.recorded.task
    if task.query.to_stream != operator:
        return (subject,)
    whole = task.with_query(_whole(task.query))
    changed = replace(subject.recorded, task=whole)
    return (replace(subject, recorded=changed, pattern=partial(_remembering, reporting)),)


def _cut_before_operator(most: int, subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine has the fault that each evaluation keeps at most `most` rows.

    An engine with this fault compares only the kept rows for ISTREAM and DSTREAM.
    """
    task = subject.recorded.task
    operator = task.query.to_stream or subject.specification.stream
    if operator == "RSTREAM":
        return (replace(subject, pattern=in_each(partial(_at_most, most))),)
    changed = replace(subject.recorded, task=task.with_query(_whole(task.query)))
    return (replace(subject, recorded=changed, pattern=partial(_cut, most, operator)),)


_MOST_CHOICES: Final = 20_000
"""The maximum number of choices of kept rows that are tried for one answer."""


def _cut(most: int, operator: ToStream, windows: Sequence[ReportMatch]) -> bool:
    """Return whether an engine that keeps at most `most` rows per evaluation can report the reported rows.

    The function tries all choices of the kept rows. If too many choices exist for DSTREAM, the function
    returns false.
    """
    kept, before = [Counter[Row]()], list[Row]()
    for window in windows:
        rows, came_rows = _rows_of(window)
        if operator == "DSTREAM":
            # DSTREAM reports rows of the previous answer, whose blank nodes the engine may label differently.
            match = matched_by_keys(before, came_rows, Likeness())
            came_rows = [*match.shared, *match.extra]
        right, came, before = Counter(rows), Counter(came_rows), rows
        number = min(most, right.total())
        # The report of ISTREAM contains chosen rows; that of DSTREAM contains none, so all choices are tried.
        if operator == "DSTREAM" and len(kept) * comb(right.total(), number) > _MOST_CHOICES:
            return False
        choices = (other for earlier in kept for other in _choices(operator, number, earlier, right, came))
        kept = list({frozenset(other.items()): other for other in choices}.values())
        if window.triples is None or not kept:
            return False
    return True


def _choices(
    operator: ToStream, number: int, before: Counter[Row], right: Counter[Row], came: Counter[Row]
) -> Iterator[Counter[Row]]:
    """Yield each choice of `number` kept rows of an evaluation with which an engine reports the rows `came`.

    `before` contains the kept rows of the previous evaluation, and `right` all rows of this evaluation.
    """
    # ISTREAM reports all new rows, so the other rows stay; DSTREAM reports all rows that do not stay.
    fixed, other = (came, before & right) if operator == "ISTREAM" else (before - came, right)
    left = number - fixed.total()
    for some in combinations((other if operator == "ISTREAM" else other - fixed).elements(), max(0, left)):
        chosen = fixed + Counter(some)
        new, old = chosen - before, before - chosen
        if chosen.total() == number and chosen <= right and came == (new if operator == "ISTREAM" else old):
            yield chosen


@cache
def _whole(query: EngineQuery) -> EngineQuery:
    return replace(query, to_stream="RSTREAM")


_OPERATORS: Final[tuple[tuple[str, ToStream, Reporting], ...]] = (
    (
        "ISTREAM reports a row only once, even if the row disappears and returns",
        "ISTREAM",
        lambda history: history[-1] - _ever(history),
    ),
    (
        "ISTREAM compares with the last answer that had rows",
        "ISTREAM",
        lambda history: history[-1] - _last(history),
    ),
    (
        "ISTREAM leaves out the first answer",
        "ISTREAM",
        lambda history: history[-1] - history[-2] if _last(history) else Counter(),
    ),
    (
        "ISTREAM compares with the answer before the preceding answer",
        "ISTREAM",
        lambda history: history[-1] - _before_preceding(history),
    ),
    (
        "DSTREAM reports nothing if the answer has no rows",
        "DSTREAM",
        lambda history: history[-2] - history[-1] if len(history) > 1 and history[-1] else Counter(),
    ),
    (
        "DSTREAM compares with the last answer that had rows",
        "DSTREAM",
        lambda history: _last(history) - history[-1],
    ),
    (
        "DSTREAM compares with the answer before the preceding answer",
        "DSTREAM",
        lambda history: _before_preceding(history) - history[-1],
    ),
)


def _without_kind(start: str, end: str, right: list[Row], came: list[Row]) -> bool:
    """Return whether exactly the rows with one kind of RDF term, such as IRIs, are missing.

    `start` and `end` are regular expressions for the first and the last characters of terms of this kind.
    """
    kind = re.compile(f"{start}.*{end}", re.DOTALL)
    kept = [row for row in right if not any(text and kind.fullmatch(text) for text in row)]
    return Counter(kept) == Counter(came)


_KINDS_OF_TERMS: Final = (
    ("texts with a language", '"', r"@[-\w]+"),
    ("texts", '"', '"'),
    ("literals with a datatype, such as numbers,", '"', ">"),
    ("IRIs", "<", ">"),
    ("blank nodes", "_:", ""),
)


_FEW_ROWS: Final = ((1, "one row"), (2, "two rows"), (3, "three rows"))
_PATTERNS: Final[tuple[tuple[str, Pattern], ...]] = (
    *(
        (f"rows with {kind} are not reported", in_each(partial(_without_kind, start, end)))
        for kind, start, end in _KINDS_OF_TERMS
    ),
    ("each report lacks one row", in_each(_without_one)),
    ("each report of several rows lacks one row", in_each(_without_one_of_several)),
    *((f"each report has {words} at most", in_each(partial(_at_most, most))) for most, words in _FEW_ROWS),
    ("one row of each report comes twice", in_each(_one_twice)),
    ("an answer of several rows is not reported", in_each(_none_of_several)),
    (
        "a report that equals the preceding report is missing",
        partial(_remembering, lambda history: Counter() if history[-1] == _last(history) else history[-1]),
    ),
    (
        "a row that has been reported before never comes again",
        partial(_remembering, lambda history: history[-1] - _ever(history)),
    ),
    (
        "a report also has the rows of all preceding reports",
        partial(_remembering, lambda history: history[-1] | _ever(history)),
    ),
    (
        "each report has the rows of the preceding evaluation",
        partial(_remembering, lambda history: history[-2] if len(history) > 1 else Counter()),
    ),
    ("the first report is missing", partial(_lost_report, 0)),
    ("the last report is missing", partial(_lost_report, -1)),
    ("every second report is missing", partial(_each_missing, 2, 1)),
    ("every second report is missing, from the first on", partial(_each_missing, 2, 0)),
    ("every third report is missing", partial(_each_missing, 3, 2)),
    ("only the first report comes", _after_first),
)
