"""List all possible faults of an engine (switches) that a hunt tries.

A fault changes the specification, the query, the input or the answers. If two possible faults explain the
same runs, the earlier one in the list is preferred.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from math import ceil
from typing import Final, get_args

from agreement.comparing.judge.diagnosis import OTHER_CHANGE, FaultExplanation, RecordingToJudge, variations
from agreement.documents.requests import JudgeOptions, sources
from agreement.engines import specifications
from agreement.engines.engine import RspqlDefinition
from agreement.engines.specifications.parameters import Combination
from agreement.proving.hunting.answer_switches import answer_changes
from agreement.proving.hunting.input_switches import STARTS, input_changes, ranges
from agreement.proving.hunting.query_switches import operators, other_lengths, query_changes
from agreement.proving.hunting.references import JudgedRun, Switch, explains, late_times
from lars.errors import LarsError

_PARAMETERS: Final = {
    "report": "Definition 23 (when a window reports)",
    "bounds": "Definition 13 (which ends a window contains)",
    "slide": "Definition 13 (how windows slide)",
    "tick": "Definition 23 (which arrivals form one tick)",
    "stream": "Definitions 20 to 22 (RSTREAM, ISTREAM, DSTREAM)",
    "empty": "Definition 24 (whether an answer without rows is reported)",
    "combination": "Definition 23 (which windows have to report)",
}


EARLIER: Final = "windows that opened before time 0 also report"
"""The rule of engines whose windows close at multiples of their slide."""
_BOUNDS: Final = {"open": "bounds = open: windows are open at both ends, (o, c)"}


def parameters_of(of: specifications.Specification, options: JudgeOptions) -> tuple[Switch, ...]:
    """Return the possible faults of an engine with its parameters, such as the bounds and t0 of windows."""
    return (*_parameters(of), *_of_one_window(), *_at_arrivals(of), *_at_end(), *_start_times(options))


def other_switches() -> tuple[Switch, ...]:
    """Return the possible faults of an engine with queries, with input and with answers."""
    return (*operators(), *query_changes(), *input_changes(), *answer_changes())


def faults_of_recording(
    recorded: RecordingToJudge, of: specifications.Specification
) -> Iterator[FaultExplanation]:
    """Yield each fault that predicts a recording completely, and that other answers would have refuted.

    A recording with many triples or reports has no such fault, because its explanation would take too long.
    """
    pushes = recorded.run.pushes
    if recorded.options.match != "time" or not recorded.is_short:
        return
    late = () if any(push.came is not None for push in pushes) else late_times([push.t for push in pushes])
    subject = JudgedRun(of, replace(recorded, options=replace(recorded.options, worth=0)), late)
    for switch in (*parameters_of(of, recorded.options), *other_switches(), *other_lengths([subject])):
        if recorded.options.deadline.is_over:
            return
        if explains(subject, switch):
            says = f'{of.name} with the fault "{switch.sentence}"'
            yield FaultExplanation(says, 1, 1, complete=True, unrecorded=0, rank=OTHER_CHANGE)


def _parameters(of: specifications.Specification) -> Iterator[Switch]:
    fields = type(of).model_fields
    every = [
        *((says, other) for says, other in variations(of) if other.rows == of.rows),
        *(
            (f"combination = {specifications.in_words(value)}", of.model_copy(update={"combination": value}))
            for value in get_args(Combination)
            if value != of.combination
        ),
    ]
    for says, changed in every:
        name = next(field for field in fields if getattr(of, field) != getattr(changed, field))
        value = getattr(changed, name)
        right = f"{_PARAMETERS.get(name, name)}: {name} = {specifications.in_words(getattr(of, name))}"
        sentence = _BOUNDS.get(specifications.in_words(value), says) if name == "bounds" else says
        yield Switch(sentence, right, partial(_with_parameter, name, value))


def _of_one_window() -> Iterator[Switch]:
    """Yield the possible faults that an engine evaluates a query only when one certain window closes."""
    for says, place in (("first", 0), ("last", -1)):
        yield Switch(
            f"only the close of the {says} of several windows causes an evaluation",
            f"{_PARAMETERS['combination']}: each window that reports",
            partial(_with_one_window, place),
        )


def _with_one_window(place: int, subject: JudgedRun) -> Iterable[JudgedRun]:
    numbers = [str(n) for n, _ in enumerate(sources(subject.recorded.task.query), 1)]
    if len(numbers) == 1:
        return (subject,)
    silent: dict[str, frozenset[object]] = {n: frozenset() for n in numbers if n != numbers[place]}
    return _with_parameter("windows", silent, subject)


def _at_arrivals(of: specifications.Specification) -> Iterator[Switch]:
    """Yield the possible fault that an engine evaluates a query at each arrival.

    An engine with this fault uses a window that ends at the arrival.
    """
    yield Switch(
        "each arrival triggers an evaluation over the window that ends at the arrival: report = "
        "content-change, "
        "slide = ignored",
        f"{_PARAMETERS['report']}: report = {specifications.in_words(of.report)}",
        _following_arrivals,
    )


def _following_arrivals(subject: JudgedRun) -> Iterable[JudgedRun]:
    changes = {"report": frozenset(("content-change",)), "slide": "ignored"}
    for bounds, tick in product(("low-open", "closed"), ("instant", "triple")):
        ends = {"bounds": (bounds,), "tick": tick}
        specification = subject.specification.model_copy(update={**changes, **ends})
        changed = replace(subject, specification=specification).with_options(bounds=None, until=None)
        new = _of_new(changed)
        for one in (changed,) if new is changed else (changed, new):
            yield one
            yield from _begun_earlier(one)


def _of_new(subject: JudgedRun) -> JudgedRun:
    """Return the run without the reports that the arrival of a repeated triple has caused.

    A repeated triple does not change the content of a window, which is a set of triples.
    """
    recorded = subject.recorded
    pushes, reports = recorded.run.pushes, recorded.recording.reports
    again = {number for number, push in enumerate(pushes) if push in pushes[:number]}
    left = tuple(one for one in reports if one.trigger not in again)
    if left == reports:
        return subject
    return replace(subject, recorded=replace(recorded, recording=replace(recorded.recording, reports=left)))


def _at_end() -> Iterator[Switch]:
    """Yield the possible fault that an engine also reports windows that are open at the end of the stream."""
    yield Switch(
        "the windows that are still open at the end of the stream are also reported, at the last time",
        RspqlDefinition.AT_ITS_CLOSE,
        _evaluated_at_end,
    )


def _evaluated_at_end(subject: JudgedRun) -> Iterable[JudgedRun]:
    recorded = subject.recorded
    changed = replace(recorded, task=replace(recorded.task, at_end=True))
    return (replace(subject, recorded=changed).with_options(until=recorded.task.last),)


def _with_parameter(name: str, value: object, subject: JudgedRun) -> Iterable[JudgedRun]:
    specification = subject.specification.model_copy(update={name: value})
    changed = replace(subject, specification=specification)
    return (changed.with_options(bounds=None) if name == "bounds" else changed,)


def _start_times(options: JudgeOptions) -> Iterator[Switch]:
    if options.t0 is not None:
        starts = options.starts or ()
        if options.aligned:
            right = "t0 = aligned, as given: a window closes at each multiple of its slide"
            yield Switch("windows that opened before time 0 do not report", right, _begun_at_zero)
        right = f"t0 = {', '.join(map(str, starts)) or options.t0}, as given"
        for start in range(STARTS):
            if start not in starts:
                at = partial(_with_start, start)
                yield Switch(f"windows begin at another t0: {start}", right, at)
        yield Switch("windows begin at the time of the first triple", right, _with_first)
    yield Switch(
        "windows that opened before the first triple do not report",
        RspqlDefinition.GRID,
        _begun_later,
    )
    if options.aligned:
        return
    right = f"{RspqlDefinition.GRID}, and no window opens before t0"
    yield Switch(EARLIER, right, _begun_earlier)


def _with_start(start: int, subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if windows begin at another t0.

    Raises LarsError if a report with rows comes up to this t0: it would not be compared, but no window that
    begins at this t0 has closed yet.
    """
    recorded = subject.recorded
    opened = start * recorded.task.unit.milliseconds
    if any(report.rows and report.t <= opened for report in recorded.recording.reports):
        raise LarsError(f"a report comes before windows begin at t0 = {start}")
    return (subject.with_options(t0=(start,)),)


def _with_first(subject: JudgedRun) -> Iterable[JudgedRun]:
    return _with_start(min((triple.t for triple in subject.recorded.task.elements), default=0), subject)


def _begun_later(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine does not report windows that open before the first triple."""
    task, starts = subject.recorded.task, _earliest(subject)
    slide = max((slide.points(task.unit) for _, slide in ranges(task) if slide), default=1)
    first = min((triple.t for triple in task.elements), default=0)
    later = tuple(start + max(0, ceil((first - start) / slide)) * slide for start in starts)
    return (subject if later == starts else subject.with_options(t0=later),)


def _earliest(subject: JudgedRun) -> tuple[int, ...]:
    """Return the times at which the first windows of the run open, of each window if they are aligned."""
    task, options = subject.recorded.task, subject.recorded.options
    if options.aligned:
        return tuple(dict.fromkeys(-length.points(task.unit) for length, _ in ranges(task))) or (0,)
    return options.starts or (0,)


def _begun_at_zero(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine with aligned windows reports none that opened before time 0."""
    task = subject.recorded.task
    slides = {slide.points(task.unit) for _, slide in ranges(task) if slide}
    slide = max(slides, default=1)
    return (subject.with_options(t0=tuple(dict.fromkeys(start % slide for start in _earliest(subject)))),)


def _begun_earlier(subject: JudgedRun) -> Iterable[JudgedRun]:
    """Return the run to judge if an engine also reports windows that opened before time 0."""
    unit = subject.recorded.task.unit
    earlier = -max((length.points(unit) for length, _ in ranges(subject.recorded.task)), default=0)
    return (subject.with_options(t0=None, registered=earlier),)
