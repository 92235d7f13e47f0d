"""Random recordings whose start times are looked for, and all those that there are, tried one by one."""

from dataclasses import replace
from itertools import product
from random import Random
from typing import NamedTuple, get_args

import pytest

from agreement.comparing.judge import judge_recording, start_search, start_times
from agreement.comparing.judge.alignment import recorded_for
from agreement.comparing.judge.verdicts import compare_reports, phase_of
from agreement.documents.recordings import Recording, Report
from agreement.documents.requests import EmptyReports, JudgeOptions, sources
from agreement.engines.engine import columns
from agreement.engines.specifications import (
    EngineRun,
    OpenChoice,
    Specification,
    Task,
    Version,
    elements_of,
    evaluated_windows,
    evaluations,
    frame_task,
    shape,
)
from solver.facts import Static
from tests.agreement.comparing.judge.recorded import SECOND, pushed
from translate.dialects import read_query

STREAMS = ("http://e/S", "http://e/R", "http://e/Q")
STRATEGIES = (
    ("window-close",), ("window-close",), ("window-close", "non-empty"), ("window-close", "non-empty"),
    ("content-change",), ("non-empty",), ("periodic",), ("periodic", "non-empty"),
    ("window-close", "periodic"), ("window-close", "content-change"), ("periodic", "content-change"), (),
)  # fmt: skip
ONE = (
    "SELECT ?a ?x FROM STREAM <http://e/S> {} WHERE {{ ?a <http://e/p> ?x }}",
    "SELECT (COUNT(?x) AS ?n) FROM STREAM <http://e/S> {} WHERE {{ ?a <http://e/p> ?x }}",
    "SELECT ?a ?k FROM STREAM <http://e/S> {} WHERE {{ ?a <http://e/p> ?x . ?a <http://e/kind> ?k }}",
    "SELECT ?a ?now FROM STREAM <http://e/S> {} WHERE {{ ?a <http://e/p> ?x BIND(NOW() AS ?now) }}",
)
BOTH = "FROM STREAM <http://e/S> {} FROM STREAM <http://e/R> {}"
TWO = (
    f"SELECT ?a ?b {BOTH} WHERE {{{{ {{{{ ?a <http://e/p> ?x }}}} UNION {{{{ ?b <http://e/q> ?y }}}} }}}}",
    f"SELECT ?a ?x ?y {BOTH} WHERE {{{{ ?a <http://e/p> ?x . ?b <http://e/q> ?y }}}}",
    "SELECT ?x FROM STREAM <http://e/S> {} FROM STREAM <http://e/S> {} WHERE {{ ?a <http://e/p> ?x }}",
)
PATTERNS = "{{ ?a <http://e/p> ?x }} UNION {{ ?b <http://e/q> ?y }} UNION {{ ?c <http://e/r> ?y }}"
THREE = (f"SELECT ?a ?b ?c {BOTH} FROM STREAM <http://e/Q> {{}} WHERE {{{{ {PATTERNS} }}}}",)


OPERATORS = ("RSTREAM", "RSTREAM", "ISTREAM", "DSTREAM")


class StartCase(NamedTuple):
    """A recording, what it is judged by, and the last slide that is used whole by the judge."""

    task: Task
    by: Specification
    recording: Recording
    options: JudgeOptions
    each: int


def start_case(rng: Random) -> StartCase:
    """Return a recording that a specification gives for some start times, late, or changed a little."""
    if rng.random() < 0.04:
        return chained_case(rng)
    sparse = rng.random() < 0.3
    slides = sparse_slides_of(rng) if sparse else slides_of(rng)
    windows = [clause(rng, slide) for slide in slides]
    text = rng.choice({1: ONE, 2: TWO, 3: THREE}[len(slides)])
    reach = rng.choice((2, 3, 5)) * max(slides) + rng.randrange(9)
    length = max(slides) if sparse else rng.choice((1, 5))
    task = task_of(rng, "REGISTER QUERY q AS " + text.format(*windows), reach, length)
    by = specification_of(rng, len(sources(task.query)), max(slides))
    options = options_of(rng, max(slides))
    if sparse and rng.random() < 0.5:
        by = Specification(name="closing", report=["window-close"], bounds=["low-open"], tick="triple")
        options = replace(options, match="sequence", empty="compared")
    if options.until is not None:
        options = replace(options, until=rng.randint(0, task.until))
    starts = tuple(options.registered + rng.randrange(slide) for slide in own_slides(task, by))
    choice = OpenChoice(starts, by.bounds[0])
    made = evaluations(evaluated_windows(task, by, choice))
    reports = changed(rng, [[t * 1000.0, rows] for t, rows in together(made)], max(slides))
    if len(reports) > 30:
        # Sequences that long take their time.
        options = replace(options, match="time")
    recording = Recording(columns(task.query), tuple(Report(t, rows) for t, rows in reports))
    return StartCase(task, by, recording, options, rng.choice((1, 1, 4, 64)))


def chained_case(rng):
    """Return answers of three windows that close one after the other, in the order of the query or another.

    In these time points nothing but the closes tells start times apart: each has to be found from the others.
    """
    slide = rng.randint(8, 9)
    width, ends = rng.choice((slide, 2 * slide)), [n * slide for n in range(rng.randint(2, 3))]
    text = "REGISTER QUERY q AS " + THREE[0].format(*[f"[RANGE {width}s STEP {slide}s]"] * 3)
    last = ends[-1] + 2 * slide + slide // 2
    lines = [f"{t} {'abc'[n]}{t} {'pqr'[n]} {t} {STREAMS[n]}" for t in ends for n in range(3)]
    trace = elements_of(pushed(*lines, f"{last} z q 1 {STREAMS[2]}"), SECOND)
    task = Task(EngineRun(read_query(text, "query"), Static(frozenset(), {}), ()), trace, last + slide)
    by = Specification(name="closing", report=["window-close"], bounds=["low-open"], tick="triple")
    starts = tuple(rng.sample(range(slide // 2), 3))
    made = evaluations(evaluated_windows(task, by, OpenChoice(starts, by.bounds[0])))
    reports = tuple(Report(t * 1000.0, rows) for t, rows in together(made))
    options = JudgeOptions(match="sequence", empty="compared")
    return StartCase(task, by, Recording(columns(task.query), reports), options, 1)


def slides_of(rng):
    """Return one slide of up to 200, or several, so that all start times are not too many."""
    match rng.randrange(12):
        case 0 | 1 | 2 | 3:
            return [rng.choice((rng.randint(2, 40), rng.randint(65, 200)))]
        case 4:
            return [rng.randint(65, 200), rng.randint(1, 6)]
        case 5:
            return [rng.randint(2, 6) for _ in range(3)]
        case 6:
            return [rng.randint(2, 20)] * 2
        case _:
            return [rng.randint(1, 18) for _ in range(2)]


def sparse_slides_of(rng):
    """Return several slides that are alike or multiples: with few arrivals, all order is that of closes."""
    slide = rng.randint(3, 9)
    return rng.choice(([slide] * 3, [slide, slide], [slide, 2 * slide], [3 * slide, 2 * slide]))


def clause(rng, slide):
    """Return a window as text: of any width, gaps and no slide included, or of the newest triples."""
    width = max(1, rng.choice((slide, slide, slide + rng.randrange(4), slide // 2, 2 * slide, 3 * slide - 1)))
    if rng.random() < 0.05:
        return rng.choice(("[TRIPLES 2]", f"[RANGE {width}s]"))
    return f"[RANGE {width}s STEP {slide}s]"


def task_of(rng, text, reach, length):
    """Return a query and a trace that is short, with gaps and bursts, and static data that may change."""
    query = read_query(text, "query")
    read = {source.stream.value for source in sources(query)}
    times = sorted(rng.randint(0, reach) // length * length for _ in range(rng.randint(1, 9)))
    kinds = [rng.randrange(len(read)) for _ in times]
    lines = [
        f"{t} {rng.choice('ab')}{t % 3} {'pqr'[n]} {t % 4} {STREAMS[n]}"
        for t, n in zip(times, kinds, strict=True)
    ]
    static = frozenset((f"<http://e/a{n}>", "<http://e/kind>", f"<http://e/k{n}>") for n in range(3))
    last = reach // 2 + rng.randint(0, reach)
    versions = (Version(static, rng.choice((None, rng.randint(0, reach // 2))), rng.choice((None, last))),)
    slides = [getattr(source.window, "slide", None) for source in sources(query)]
    longest = max(1 if slide is None else slide.points(SECOND) for slide in slides)
    end = times[-1] + 2 * longest + rng.randrange(5)
    elements = elements_of(pushed(*lines), SECOND)
    changing = versions if rng.random() < 0.2 else ()
    return Task(EngineRun(query, Static(static, {}), ()), elements, end, changing)


def specification_of(rng, windows, slide):
    """Return a specification with any of its parameters."""
    listed = [rng.choice(STRATEGIES) for _ in range(windows)]
    if not any(listed):
        listed[0] = ("window-close",)
    if rng.random() < 0.5:
        listed = [rng.choice(STRATEGIES[:4])] * windows
    single = {str(n + 1): list(one) for n, one in enumerate(listed)}
    period = f"{rng.randint(1, rng.choice((max(2, slide // 3), 3 * slide)))}s"
    return Specification(
        name="random", report=list(listed[0]), windows=single, period=period,
        combination=rng.choice(("any", "any", "all")),
        bounds=[rng.choice(("low-open", "high-open", "closed", "open"))],
        tick=rng.choice(("triple", "instant")), stream=rng.choice(OPERATORS),
        empty=rng.choice(("reported", "silent")), rows=rng.choice(("bag", "bag", "set")),
    )  # fmt: skip


def options_of(rng, slide):
    """Return how it is compared: by time or in sequence, how late and how early, to which end."""
    return JudgeOptions(
        registered=rng.choice((0, 0, rng.randrange(7))),
        empty=rng.choice(get_args(EmptyReports)),
        early=rng.choice((0.0, 0.0, 300.0, 1000.0, 700.0 * slide)),
        until=rng.choice((None, None, None, 0)),
        late=rng.choice((None, None, 0.0, 1500.0, 1000.0 * slide, 2500.0 * slide)),
        match=rng.choice(("time", "time", "sequence")),
        whole=rng.choice((0, 256)),
    )


def together(made):
    """Return what is reported at each time point."""
    rows = {}
    for one in made:
        if one.reported:
            rows.setdefault(one.time, []).extend(one.rows)
    return [(t, tuple(own)) for t, own in rows.items()]


def changed(rng, reports, slide):
    """Return reports that are late, all alike or each for itself, often one of them otherwise than it was."""
    late = rng.choice((0, 0, 1000 * rng.randrange(slide + 1), 500 * rng.randrange(5), -300))
    jitter = rng.random() < 0.2
    for report in reports:
        report[0] += late + (rng.choice((0, 200, 1000)) if jitter else 0)
    if reports and rng.random() < 0.4:
        number = rng.randrange(len(reports))
        reports[number][1] = reports[number][1][1:]
    if len(reports) > 1 and rng.random() < 0.1:
        del reports[rng.randrange(len(reports))]
    return sorted(reports, key=lambda report: report[0])


def own_slides(task, by):
    """Return how many start times each window has."""
    frame = frame_task(task, by, by.bounds[0]).frame
    known = (shape(source, frame) for source in sources(task.query))
    return [1 if own is None else own.slide for own in known]


def fitting_starts(case: StartCase) -> set[tuple[int, ...]]:
    """Return the start times that fit, each of all that there are judged in whole."""
    task, by, options = case.task, case.by, case.options
    slides = own_slides(task, by)
    base = frame_task(task, by, by.bounds[0])
    table, recorded = base, recorded_for(task, case.recording)
    phase = phase_of(base, options.registered + max(slides) - 1, options)
    found = set()
    for z in product(*(range(options.registered, options.registered + slide) for slide in slides)):
        scheduled = table.scheduled(z)
        if compare_reports(scheduled, evaluations(scheduled), recorded, phase, options).correct:
            found.add(z)
    return found


def told_starts(case: StartCase) -> tuple[set[tuple[int, ...]] | None, bool | None]:
    """Return the start times that judging says fit, and its verdict; None if it tries only some of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(start_search, "FEW_STARTS", 0)
        patch.setattr(start_search, "_TOGETHER", 2)
        patch.setattr(start_times, "EACH", case.each)
        found = judge_recording(case.task, case.by, case.recording, case.options)
    if found.tried_choices < found.choices:
        # Most windows close after the last arrival: judging leaves it open, and says so.
        assert found.correct is None
        return None, None
    told = set()
    for one in found.matching:
        first = one.choice.starts
        told |= {first} if one.until is None else {(t,) for t in range(first[0], one.until + 1)}
    return told, found.correct


def compared_with_every_start(seed: str) -> tuple[str, str]:
    """Return what a random case held, and what judging says wrongly of it: '' where nothing."""
    case = start_case(Random(seed))
    expected, (told, correct) = fitting_starts(case), told_starts(case)
    held = f"{len(own_slides(case.task, case.by))} windows, {'correct' if expected else 'incorrect'}"
    if told is None:
        return f"{held}, left open", ""
    if bool(expected) is not (correct is True):
        return held, f"{correct}, while {len(expected)} start times fit, as {min(expected, default='-')}"
    if told - expected:
        return held, f"{sorted(told - expected)[:3]} do not fit"
    if len(own_slides(case.task, case.by)) == 1 and told != expected:
        return held, f"{sorted(expected - told)[:3]} fit too"
    return held, ""
