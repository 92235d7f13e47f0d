"""Judge recorded cases, or the answers to a trace, as the options of `lars judge` request.

The input is read once: query, pushes, static data over time, and answers. An engine version or a
specification judges each case or file of answers. If a verdict is undecided, a function returns the reason.
"""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial, reduce
from itertools import accumulate
from math import gcd, inf
from pathlib import Path
from typing import Final, TypeVar

from agreement.comparing.judge.alignment import column_names
from agreement.comparing.judge.by_engine import VersionJudgement, judged_by, judged_refusal
from agreement.comparing.judge.diagnosis import (
    HUNTED,
    Diagnosis,
    FaultExplanation,
    MoreFaults,
    RecordingToJudge,
    by_borders,
    diagnose,
)
from agreement.comparing.judge.judgement import Judgement, judge_either, judge_recording
from agreement.comparing.judge.settings import narrow_options
from agreement.comparing.judge.verdicts import Verdict
from agreement.comparing.matching.likeness import only_kinds_apart
from agreement.comparing.matching.silence import rows_on, silence
from agreement.comparing.smaller import fewest_enough
from agreement.documents import recordings, requests, traces
from agreement.documents.dates import Dates
from agreement.documents.outputs import first_few, plain, quantity
from agreement.documents.placed import shown_json
from agreement.documents.recordings.case import HUNT_FILE, slug
from agreement.documents.requests import JudgeOptions
from agreement.engines import specifications
from agreement.engines.engine import Engine, EngineRule, columns, read_with_text, with_text
from agreement.engines.registry import ENGINES
from agreement.engines.specifications.content_answers import Same
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, NANOSECONDS, Duration
from lars.errors import FailedRunError, LarsError, about, cut
from lars.files import exists, read_text
from lars.language.terms import Iri
from lars.language.windows import Interval
from solver import settings
from solver.columns import trace_columns
from solver.facts import Static
from solver.job import Question, ask
from solver.traces import prepare, read_arrivals, read_static
from translate.analysis import is_pushed
from translate.model.query import MERGING, EngineQuery, Language, Setting
from translate.model.windows import Range
from translate.tau import lars_program, output_of, push

_SPAN: Final = re.compile(r"([0-9]{0,15})\.\.([0-9]{0,15})=(.+)", re.DOTALL)


def read_versions(texts: Iterable[str]) -> tuple[specifications.Version, ...]:
    """Return the versions of static data, each with its interval, from texts of the form FROM..TO=FILE.

    The interval includes FROM and TO. Either time can be omitted.

    Raises:
        LarsError: A text is invalid, or a file is unreadable.
    """
    return tuple(version for text in texts for version in _versions(text))


def _versions(text: str) -> Iterator[specifications.Version]:
    match = _SPAN.fullmatch(text)
    first, last = (int(end) if match and end else None for end in (match[1], match[2])) if match else (1, 0)
    if match is None or (first is not None and last is not None and first > last):
        raise LarsError(
            f"--static-at {cut(text)}: expected FROM..TO=FILE, such as 2..13=shops.ttl, ..1=before.ttl, "
            "14..=after.ttl"
        )
    static = read_static((settings.StaticFile(Path(match[3])),))
    if static.default:
        yield specifications.Version(frozenset(static.default), first, last)
    for name, triples in static.named.items():
        yield specifications.Version(frozenset(triples), first, last, name)


_FINEST: Final = Duration(1000)
"""The finest time unit for the times of a recording: a microsecond."""
ANSWERS_FORM: Final = "a file with a C-SPARQL, CQELS, SPARQLstream or RSP-QL query"


def read_judged_query(
    path: Path, unit: Duration, who: object = None, *, by_number: bool = False
) -> EngineQuery:
    """Return the query of a file, as it is read by the engine version or language that judges answers.

    Some engine versions have their own parser of queries. Otherwise, if `lars` parses the query, the lengths
    of windows must be multiples of `unit`. If `by_number` is true, integers in the windows of a Kolibrie
    query have the unit of the trace.
    """
    if isinstance(who, Engine) and who.own_parser is not None:
        return who.read(read_text(path, ANSWERS_FORM), str(path))
    query = requests.as_engines_read(path) if by_number else None
    if query is None:
        query = requests.load_query(path, unit, graphs=True)
    else:
        requests.check_lengths(query, str(path), unit)
    if isinstance(who, Engine):
        requests.check_comparable(query, str(path))
    return with_text(query, read_text(path, ANSWERS_FORM), str(path))


def remarks_on(query: EngineQuery, path: Path) -> Iterator[str]:
    """Yield the notes about a judged query, and a note if other commands read its windows in another unit."""
    yield from query.notes
    pairs = zip(requests.durations_of(query), requests.durations_in([path]), strict=False)
    for own, usual in (pair for pair in pairs if pair[0] != pair[1]):
        yield (
            f"{path}: {usual} is {own} here, because an engine of Kolibrie counts like its timestamps, which "
            "are milliseconds; use --reading numbers=milliseconds for the same reading in lars agree"
        )
        break


def recording_to_judge(
    run: specifications.EngineRun,
    unit: Duration,
    answers: recordings.Recording,
    options: JudgeOptions,
    versions: tuple[specifications.Version, ...] = (),
) -> RecordingToJudge:
    """Return answers with the task, the run and the options by which the answers are judged."""
    run = replace(run, unit=unit)
    refused_late = _late(Same((id(run.pushes),), run.pushes)).intersection(answers.rejected)
    elements, last = run.elements, run.last
    # An engine that rejects pushes that go back in time evaluates a stream without these pushes.
    if refused_late:
        elements = tuple(triple for triple in elements if triple.number not in refused_late)
        last = max((element.arrival for element in elements), default=0)
    end = last + _reach(run.query, unit) + run.wait
    if options.match == "sequence":
        # After the last window, all evaluations answer the same; each report may need one of them.
        end += len(answers.reports) * _slide(run.query, unit)
    else:
        latest = max((report.t for report in answers.reports), default=0.0)
        # After the last report and the last window, nothing is left to compare.
        end = max(last, min(int((latest + recordings.SLACK) / unit.milliseconds), end), options.last or 0)
    task = specifications.Task(run, elements, end, versions)
    how = replace(options, lexical=answers.lexical)
    if answers.rows_only:
        how = replace(how, empty="ignored")
    return RecordingToJudge(task, run, answers, how)


@lru_cache(maxsize=2)
def _late(pushes: Same[Sequence[recordings.Push]]) -> frozenset[int]:
    """Return the numbers of the pushes that go back in time; empty if the arrival times are known."""
    if any(push.came is not None for push in pushes.kept):
        return frozenset()
    latest = accumulate((push.t for push in pushes.kept), max, initial=-inf)
    both = zip(pushes.kept, latest, strict=False)
    return frozenset(number for number, (push, before) in enumerate(both) if push.t < before)


def judge_by(
    specification: specifications.Specification,
    recording: RecordingToJudge,
    progress: settings.Progress = settings.no_progress,
) -> tuple[Judgement, bool]:
    """Return the judgement by a specification, and whether a window is right only without late elements.

    An engine can lose late elements. If the judgement is incorrect, each window is therefore judged twice:
    with and without late elements. Only the windows that are wrong both with and without late elements count
    as wrong.
    """
    task, recorded, options = recording.task, recording.recording, recording.options
    judgement = judge_recording(task, specification, recorded, options, progress)
    if judgement.correct is not False:
        return judgement, False
    pushes = recording.run.pushes
    late = _late(Same((id(pushes),), pushes))
    if late := late and late.intersection(element.number for element in task.elements):
        either = judge_either(task, late, specification, recorded, options)
        worse, better = ((one.best.wrong, -one.best.score) for one in (judgement, either))
        if either.correct or (either.correct is False and better < worse):
            return either, True
    return judgement, False


def _slide(query: EngineQuery, unit: Duration) -> int:
    slides = (source.window.slide for source in requests.sources(query) if isinstance(source.window, Range))
    return max((slide.points(unit) for slide in slides if slide is not None), default=1)


def _reach(query: EngineQuery, unit: Duration) -> int:
    windows = (source.window for source in requests.sources(query))
    lengths = (
        (window.length, window.slide or unit, window.ahead or Duration(0))
        for window in windows
        if isinstance(window, Range)
    )
    return max((sum(length.points(unit) for length in each) for each in lengths), default=1)


KnownPushes = list[tuple[settings.TraceOptions, tuple[tuple[recordings.Push, ...], str | None]]]
"""The pushes of some files, and the dateTime of time 0, by the options with which they were read."""


def read_pushes(
    trace: settings.TraceInput,
    query: EngineQuery | None,
    unit: Duration,
    warn: Callable[[str], None],
    known: KnownPushes | None = None,
) -> tuple[tuple[recordings.Push, ...], str | None]:
    """Return a trace as pushes in arrival order, and the dateTime of time 0 if the times are dateTimes.

    All triples of one stream at one time form one graph. If `query` is None, the function reads all streams.
    The function warns of skipped lines, and of streams that the query does not read. If `known` contains the
    pushes of these files with these options, they are not read again; otherwise they are added to it.
    """
    if not trace.paths:
        raise LarsError("missing a trace; use timed N-Quads, TriG, CSV or Parquet")
    queries = () if query is None else (query,)
    options, known = traces.options_for(queries, trace.options), [] if known is None else known
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", settings.TraceWarning)
        if all(options != other for other, _ in known):
            known.append((options, pushes_at(trace.paths, options, unit)))
    pushes, zero = next(read for other, read in known if other == options)
    for warning in caught:
        about = warning.message.about if isinstance(warning.message, settings.TraceWarning) else "trace"
        # These warnings are about pull periods, which only `lars agree` has.
        if about != "periods":
            note = settings.told_origin(warn) if about == "origin" else warn
            note(str(warning.message))
    windows = [window for engine_query in queries for window in requests.sources(engine_query)]
    if windows and all(isinstance(source.stream, Iri) for source in windows):
        streams = [stream.value for engine_query in queries for stream in traces.streams_of(engine_query)]
        for message in traces.mismatches(streams, {push.stream for push in pushes}):
            warn(message)
    return pushes, zero


def static_of_run(
    files: Sequence[settings.StaticFile], query: EngineQuery, warn: Callable[[str], None]
) -> Static:
    """Return the static data of a run.

    The function warns of graphs that FROM names and the static data do not contain.
    """
    static = read_static(files)
    traces.check_graphs(static, query.dataset, warn)
    return static


def pushes_at(
    paths: Sequence[Path], options: settings.TraceOptions, unit: Duration
) -> tuple[tuple[recordings.Push, ...], str | None]:
    """Return the triples of trace files as pushes in the order of arrival, and the dateTime of time 0.

    The dateTime is None if the times are integers.

    Raises:
        LarsError: A file contains an atom that is not a triple.
    """
    columns = read_arrivals(prepare(paths, options), options)
    return recordings.pushes_of(columns, unit.milliseconds), columns.origin


def check_order(pushes: Sequence[recordings.Push], warn: Callable[[str], None]) -> None:
    """Warn if pushes go back in time, because engine versions process the pushes in the given order.

    If the arrival times are known, the function does not warn, because the pushes are in the order of
    arrival.
    """
    if any(push.came is not None for push in pushes):
        return
    later = range(1, len(pushes))
    number = next((number for number in later if pushes[number].t < pushes[number - 1].t), None)
    if number is not None:
        warn(
            f"push {number} has an earlier time than the push before it; use --sort to sort the pushes "
            "by time"
        )


def why_silent(
    who: specifications.Specification | Engine,
    run: specifications.EngineRun,
    choices: Iterable[specifications.OpenChoice] = (),
) -> Iterator[str]:
    """Yield the reasons why an engine version or a specification never reports a row for its input.

    The slides of windows are ignored: a pattern counts as matched if it matches the windows at some arrival.
    The argument `choices` contains the tested choices of start times and window bounds.
    """
    if isinstance(who, Engine) and (lost := who.loses(run.query)) is not None:
        yield f"{who.name} never returns a row. It ignores a part of the query: {lost}"
        return
    unit, query = run.unit, requests.with_sources(run.query, _moving)
    facts = (fact for triple in specifications.elements_of(run.pushes, unit) for fact in triple.facts())
    held = traces.background(run.static, traces.dataset_of((query,)), settings.unsaid, query.language)
    trace = traces.LocalTrace(trace_columns(tuple(facts)), Interval(0, run.last), held)
    setting = Setting("sparql11", unit, origin=run.origin)

    def question(part: EngineQuery) -> Question:
        return ask(push(lars_program(part, setting), "any"), output_of(part, setting).predicate)

    yield from traces.absent_graphs(query, held)
    has_rows = rows_on(trace, question)
    if not has_rows(query):
        yield silence(who.name, query, has_rows, trace=trace)
        return
    claimed = (
        who
        if isinstance(who, specifications.Specification)
        else specifications.specification(who.specification)
    )
    if "window-close" in claimed.report and _has_rows_later(claimed, run, choices):
        yield (
            f"{who.name} never returns a row: its windows report when they close. The windows that "
            f"are open at the last element, at {run.last}, never close"
        )


def _has_rows_later(
    claimed: specifications.Specification,
    run: specifications.EngineRun,
    choices: Iterable[specifications.OpenChoice],
) -> bool:
    """Return whether windows that close only after the last element would report rows."""
    last = run.last * run.unit.milliseconds
    for choice in tuple(choices) or (specifications.choice_at(run, claimed),):
        recording = specifications.specified_answers(
            run, claimed, choice, run.last + _reach(run.query, run.unit)
        )
        times = [report.t for report in recording.reports if report.rows]
        if times and min(times) > last:
            return True
    return False


def _moving(source: requests.WindowSource) -> requests.WindowSource:
    window = source.window
    return replace(source, window=replace(window, slide=None)) if isinstance(window, Range) else source


def run_of_case(case: recordings.Case, engine: Engine | None = None) -> specifications.EngineRun:
    """Return the engine's input in a case; the query is read by the engine version, if one is given.

    If no engine version is given, integers in the windows of a Kolibrie query are milliseconds, because the
    times of a case are milliseconds.
    """
    source = f"{case.path}: query"
    query = (read_with_text if engine is None else engine.read)(case.query, source)
    if engine is None and query.language is Language.KOLIBRIE:
        query = read_with_text(case.query, source, Language.RSPQL)
    return specifications.EngineRun(query, case.static, case.pushes, MILLISECOND)


def recorded_of_case(
    case: recordings.Case, options: JudgeOptions, unit: Duration | None = None
) -> RecordingToJudge:
    """Return a recorded case with the data for judging it, at the longest unit that divides its times.

    Reports at the end of the run belong to the last push, unless their time is later than all pushes.

    Args:
        case: The recorded case.
        options: The settings for judging, with times in time points.
        unit: The length of a time point, if the user sets it.

    Raises:
        LarsError: The unit does not divide the times of the case and the windows of its query.
    """
    run = run_of_case(case)
    longest = unit_of(run.query, case.pushes)
    if unit is not None and longest.nanoseconds % unit.nanoseconds:
        raise LarsError(
            f"--unit {unit}: does not divide the times and windows of the case {case.id}; use a unit that "
            f"divides {longest}"
        )
    end = max((push.t for push in case.pushes), default=-inf)
    due = (replace(report, trigger=len(case.pushes) - 1) for report in case.flush if report.t <= end)
    answers = replace(case.recording, reports=(*case.recording.reports, *due), lexical=case.lexical)
    return recording_to_judge(run, unit or longest, answers, options)


def unit_of(query: EngineQuery, pushes: Sequence[recordings.Push]) -> Duration:
    """Return the longest duration that divides all times and windows, but at most one second."""
    times = {t for push in pushes for t in (push.t, push.came) if t is not None}
    nanoseconds = {round(Fraction(str(t)) * NANOSECONDS["ms"]) for t in times}
    nanoseconds |= {duration.nanoseconds for duration in requests.durations_of(query)}
    unit = reduce(gcd, nanoseconds, NANOSECONDS["s"])
    return Duration(max(unit, _FINEST.nanoseconds))


def needed_rules(
    engine: Engine, run: specifications.EngineRun, recorded: recordings.Recording, options: JudgeOptions
) -> tuple[EngineRule, ...] | None:
    """Return a minimal set of the engine's rules that predicts the recording.

    Minimal means: if one rule of the set is removed, the engine does not predict the recording. If all
    rules together do not predict the recording, the function returns None. If the specification predicts the
    recording, with windows that begin at multiples of their slides, the set is empty. The function ignores
    the exact time of a report during its push.
    """
    untimed = replace(options, times=False)

    def predicts(build: Engine, rules: Sequence[EngineRule]) -> bool:
        off = frozenset(rule.name for rule in build.rules if rule not in rules)
        return judged_by(build, run, recorded, untimed, off).correct is True

    # Each build by itself, because `judged_by` accepts the prediction of any build.
    for build in (replace(one, builds=()) for one in (engine, *engine.builds)):
        if predicts(build, build.rules):
            return fewest_enough(build.rules, partial(predicts, build))
    return None


_Result = TypeVar("_Result")
_SUFFIX: Final = ".json"
_ACCEPTED: Final = "case files, folders of case files, or a query and its trace with --answers FILE"


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """The verdict of an engine version or a specification on a case.

    - `judge` is the name of the engine version or specification.
    - `rules` are the rules of the case's engine that explain why the case contradicts the specification; None
      if the rules were not requested, or if the engine version does not predict the case.
    - `other` is the verdict with the other value of the option --match; None if the case is correct.
    """

    case: recordings.Case
    judge: str
    judgement: VersionJudgement | Judgement
    rules: tuple[EngineRule, ...] | None = None
    other: VersionJudgement | Judgement | None = None

    @property
    def correct(self) -> bool | None:
        """Whether the judge predicts the case.

        The value is None if no report can be compared, or if the verdict is undecided.
        """
        return self.judgement.correct

    @property
    def is_empty(self) -> bool:
        """Whether an engine version predicts no report, and the case contains no report."""
        by_version = isinstance(self.judgement, VersionJudgement) and not self.judgement.places
        return by_version and self.case.refused is None


@dataclass(frozen=True, slots=True)
class RefusedCase:
    """A case that cannot be judged or compared, with the reason; `case` is None if the file is unreadable."""

    path: Path
    case: recordings.Case | None
    problem: str

    @property
    def id(self) -> str:
        """The id of the case, or the file's name if the case is unreadable."""
        return self.path.stem if self.case is None else self.case.id


def overall(verdicts: Sequence[bool | None]) -> bool | None:
    """Return whether all verdicts are "correct"; None if some are undecided and none is "incorrect"."""
    return False if False in verdicts else None if None in verdicts else True


def case_files(paths: Sequence[Path]) -> list[Path]:
    """Return the case files; a folder contributes the case files in the folder and its subfolders.

    The folder that `lars hunt --out` writes also contains a description of the hunt, which is no case.
    """
    if not paths:
        raise LarsError(f"missing input: use {_ACCEPTED}")
    files: list[Path] = []
    for path in paths:
        if not exists(path, folder=True) and path.suffix.lower() != _SUFFIX:
            if path.suffix in requests.QUERY_SUFFIXES:
                raise LarsError(f"missing --answers FILE: the recorded answers of the engine to {path}")
            raise LarsError(f"{path}: not a recorded case (*{_SUFFIX}) and not a folder; use {_ACCEPTED}")
        below = path.rglob("*") if exists(path, folder=True) else (path,)
        named = (file for file in below if file.suffix.lower() == _SUFFIX and file.name != HUNT_FILE)
        inside = sorted(file for file in named if file == path or not exists(file, folder=True))
        if not inside:
            raise LarsError(f"{path}: a folder without *{_SUFFIX}; expected {_ACCEPTED}")
        files += inside
    return list({file.resolve(): file for file in reversed(files)}.values())[::-1]


def each_case(
    paths: Sequence[Path],
    work: Callable[[recordings.Case], _Result],
    progress: settings.Progress = settings.no_progress,
) -> Iterator[_Result | RefusedCase]:
    """Yield the result for each case; a failure of one case does not stop the other cases.

    Raises:
        LarsError: The only case fails, or an error is unrelated to a case.
    """
    for done, path in enumerate(paths):
        progress(done, len(paths))
        case = None
        try:
            case = recordings.read_case(path)
            result: _Result | RefusedCase = work(case)
        except FailedRunError:
            raise
        except LarsError as error:
            # An error in the query of a case already begins with the path.
            problem = error if str(error).startswith(str(path)) else about(path, error)
            if len(paths) == 1:
                raise problem from None
            result = RefusedCase(path, case, str(problem))
        yield result


def refusals_text(cases: Sequence[RefusedCase], count: int) -> str | None:
    """Return a message with the number of cases that cannot be run, and the reason for the first case.

    The function returns None if `cases`, the cases that cannot be run, is empty.
    """
    return (
        f"{len(cases)} of {count} cases cannot be run. The first reason: {cases[0].problem}"
        if cases
        else None
    )


def judged_case(
    case: recordings.Case,
    judge: str | None,
    options: JudgeOptions,
    open_options: Sequence[str] = (),
    unit: Duration | None = None,
) -> CaseVerdict:
    """Return the verdict on a case, by the engine version of the case unless `judge` names another.

    If `judge` is the word `specification`, the specification of the case's engine or language judges the
    case. The argument `open_options` contains the options of the user that only a specification can use. The
    argument `unit` is the length of a time point, if the user sets it.

    Raises:
        LarsError: The engine and the language of the case are unknown, and `judge` is None or
            `specification`; or an engine version judges, and there are open options.
    """
    own = ENGINES.get(case.engine)
    by_itself = own if own is not None and own.own_parser is not None else None
    if judge in (None, case.engine) and by_itself is not None:
        refusal = _refusal(case, by_itself)
        if refusal is not None or case.refused is not None:
            return CaseVerdict(case, case.engine, judged_refusal(by_itself, refusal, case.refused))
    if case.refused is not None:
        raise LarsError(f"the engine rejected the query: {case.refused}. Its answers cannot be judged")
    name = _judge_of(case, own) if judge is None or judge == SPECIFICATION else judge
    if judge is None and own is not None:
        if open_options:
            raise LarsError(
                f"the case is judged by its engine version {case.engine}, which has no open parameters; "
                f"to use {' and '.join(open_options)}, add --engine {SPECIFICATION}"
            )
        name = case.engine
    turned = replace(options, match="time" if options.match == "sequence" else "sequence")
    judgement = _judgement(case, name, options, unit)
    if judgement.correct is not False:
        return CaseVerdict(case, name, judgement)
    other, rules = _judgement(case, name, turned, unit, hint=True), None
    if (
        own is not None
        and isinstance(judgement, Judgement)
        and own.specification == name
        and name in specifications.NAMES
        # If the model cannot run the query of the case, it has no rules to explain the case.
        and _refusal(case, own) is None
    ):
        recording = case.recording
        rules = needed_rules(own, run_of_case(case), recording, options)
    return CaseVerdict(case, name, judgement, rules, other)


def _refusal(case: recordings.Case, engine: Engine) -> str | None:
    """Return the reason why an engine version rejects the query of a case; None if it runs the query."""
    try:
        engine.run(engine.read(case.query, f"{case.path}: query"), case.static, ())
    except LarsError as error:
        return str(error)
    return None


def _judge_of(case: recordings.Case, own: Engine | None) -> str:
    """Return the specification that the engine of a case claims to follow, or that of the query language."""
    if own is not None:
        return own.specification
    if case.dialect in specifications.NAMES:
        return case.dialect
    language = f", and its language {case.dialect} has no specification" if case.dialect else ""
    raise LarsError(
        f"unknown engine {shown_json(case.engine)}{language}; use --engine with {ACCEPTED_JUDGES}"
    )


def _judgement(
    case: recordings.Case, name: str, options: JudgeOptions, unit: Duration | None, *, hint: bool = False
) -> VersionJudgement | Judgement:
    if name in ENGINES:
        pushes = name == case.engine
        how = replace(options, lexical=case.lexical, pushes=pushes)
        recording = replace(case.recording, windows=case.windows if any(case.windows) else ())
        return judged_by(ENGINES[name], run_of_case(case, ENGINES[name]), recording, how)
    task = recorded_of_case(case, options, unit)
    how_many = narrow_options(task.options, task.task) if hint else task.options
    said = specifications.with_query_bounds(specifications.specification(name), task.task.query)
    return judge_by(said, replace(task, options=how_many))[0]


SPECIFICATION: Final = "specification"
"""The value of --engine that selects the specification of the case's own engine as judge."""
SOLVE: Final = "solve"
"""The value of --engine that selects the answers of `lars solve` as the correct answers."""
ACCEPTED_JUDGES: Final = (
    f"a specification ({', '.join(specifications.NAMES)}, or a file *{specifications.SUFFIX}) "
    f"or an engine version ({', '.join(ENGINES)})"
)


def is_judge(name: str) -> bool:
    """Return whether a name is an engine version, a specification, or the file of a specification."""
    return name in ENGINES or name in specifications.NAMES or name.endswith(specifications.SUFFIX)


NOTHING: Final = "nothing to compare"
_USABLE: Final = "expected cases with at least one report to compare"
NAMED: Final = 5


def undecided_cases(verdicts: Sequence[CaseVerdict]) -> str | None:
    """Return a message about the cases for which too few start times were tried to decide, or None."""
    left = [each for each in verdicts if each.correct is None and first_problem(each) != NOTHING]
    if not left:
        return None
    some_of = f"{len(left)} of {quantity(len(verdicts), 'case')}"
    named = first_few([each.case.id for each in left], NAMED)
    ended = any(
        isinstance(each.judgement, Judgement) and each.judgement.time_limit is not None for each in left
    )
    remedy = f"the time limit ended a search; {LONGER}" if ended else NARROW
    return f"undecided: {some_of}: {named}; {remedy}"


def cases_without_reports(verdicts: Sequence[CaseVerdict]) -> str | None:
    """Return a message about the cases without comparable reports; None if some case is incorrect."""
    if overall([verdict.correct for verdict in verdicts]) is not None:
        return None
    names = [verdict.case.id for verdict in verdicts if verdict.correct is None]
    count = f"{len(names)} of {quantity(len(verdicts), 'case')}"
    return f"{NOTHING} in {count}: {first_few(names, NAMED)}; {_USABLE}"


def by_family(verdicts: Iterable[CaseVerdict]) -> list[tuple[tuple[str, str, str], list[CaseVerdict]]]:
    """Return the recorded cases, grouped by the engine, the judge, and the key `family` of the case."""
    groups: dict[tuple[str, str, str], list[CaseVerdict]] = {}
    for verdict in verdicts:
        groups.setdefault((verdict.case.engine, verdict.judge, verdict.case.family), []).append(verdict)
    return sorted(groups.items(), key=lambda group: group[0])


def first_problem(verdict: CaseVerdict) -> str:
    """Return a description of the first difference of a case."""
    judgement = verdict.judgement
    if judgement.correct is None:
        return "undecided" if isinstance(judgement, Judgement) and judgement.undecided else NOTHING
    if isinstance(judgement, Judgement):
        windows = [window for window in judgement.best.windows if window.problem is not None]
        if judgement.correct:
            return ""
        share = f"({len(windows)} of {len(judgement.best.windows)})"
        return f"at {plain(windows[0].at)} ms: {windows[0].problem_text} {share}"
    place = judgement.by
    wrong = judgement.wrong
    return (
        f"{place} {wrong[0].at}: {wrong[0].problem} ({len(wrong)} of {len(judgement.places)})"
        if wrong
        else ""
    )


NARROW: Final = "use --t0 to select start times, --bounds to select bounds, or a coarser --unit"
"""The options that reduce the number of start times."""
AT_EACH_PERIOD: Final = "the query has no STEP, so it reports at each `period` of the experiment ({})"
"""The note about a query that `lacks_step`."""
LONGER: Final = "use a longer --time-limit, --t0 to select start times, or --bounds to select bounds"
"""The remedy for a search that the time limit ended."""


def nothing_to_compare(judgement: Judgement | VersionJudgement, dates: Dates) -> str | None:
    """Return the reason why no report can be compared; None if some report can be compared."""
    if judgement.correct is not None or (isinstance(judgement, Judgement) and judgement.undecided):
        return None
    if isinstance(judgement, VersionJudgement) or judgement.match == "sequence":
        return "nothing to compare: the answers have no report; expected at least one report"
    if not judgement.choices:
        return (
            "nothing to compare: neither the recorded answers nor the answers of `lars solve` have a row; "
            "use a trace for which the query has answers"
        )
    # The best verdict can be about other bounds, with which a report is compared.
    phase, milliseconds = judgement.vacuous[0].phase, dates.unit.milliseconds
    after, until = (in_points(t, milliseconds, dates) for t in (phase.after, phase.until))
    name = judgement.specification.name
    # An evaluation at the end of the trace would be compared only with a report.
    compared = f"({after}, {until}{')' if phase.edge <= phase.until else ']'}"
    if len(judgement.vacuous) < len(judgement.verdicts):
        by_starts = {verdict.choice.starts: verdict for verdict in judgement.vacuous}
        vacuous = [by_starts[starts] for starts in sorted(by_starts)]
        return (
            f"nothing to compare for t0 = {starts_in_words(vacuous, dates)}: with this t0, {name} has no "
            f"report to compare in {compared}, and neither have the answers. The answers do not fit another "
            "t0; use --t0 with the start times to try, or a longer trace"
        )
    if phase.after >= phase.until:
        return (
            f"nothing to compare: the first window of {name} can open as late as {after}, and "
            f"{until} is the last time to compare; use a longer trace, or --t0 with the start "
            "times to try"
        )
    return (
        f"nothing to compare: {name} has no report to compare in {compared}, and neither have the answers; "
        "use a trace of the query's streams, and the answers to this trace"
    )


def undecided_text(judgement: Judgement) -> str:
    """Return the message that no tried start time and no tried window bounds fit, with a remedy."""
    if judgement.time_limit is not None:
        return (
            f"undecided: the time limit of {judgement.time_limit:g} s ended the search after "
            f"{judgement.tried_choices} of {judgement.choices} choices of t0 and bounds, of which none fits; "
            f"{LONGER}"
        )
    return (
        f"undecided: none of the {judgement.tried_choices} tried choices of t0 and bounds fits; "
        f"{judgement.choices} choices exist; {NARROW}"
    )


def starts_in_words(verdicts: Iterable[Verdict], dates: Dates) -> str:
    """Return the start times of verdicts as a text; consecutive start times are written as 3..7."""
    texts: list[str] = []
    run: list[int] = []
    for verdict in (one for one in verdicts if one.choice.starts):
        z = verdict.choice.starts
        if len(set(z)) > 1:
            texts += [*_of_span(run, dates), f"({', '.join(map(dates.text, z))})"]
            run = []
        elif run and z[0] == run[1] + 1:
            run[1] = z[0] if verdict.until is None else verdict.until
        else:
            texts += _of_span(run, dates)
            run = [z[0], z[0] if verdict.until is None else verdict.until]
    return ", ".join([*texts, *_of_span(run, dates)]) or "any"


def _of_span(run: list[int], dates: Dates) -> list[str]:
    if not run:
        return []
    first, last = map(dates.text, run)
    between = ", " if run[1] == run[0] + 1 else ".."
    return [first if run[0] == run[1] else f"{first}{between}{last}"]


def in_points(t: float, milliseconds: float, dates: Dates) -> str:
    """Return a time in ms as a number of time points of `milliseconds` each, or as a dateTime."""
    return plain(t / milliseconds) if dates.zero is None else dates.text(t / milliseconds)


@dataclass(frozen=True, slots=True)
class AnswersVerdict:
    """The verdict on a file of answers, and the explanation of the verdict.

    - `names` are the columns of a row.
    - `dates` maps time points to dateTimes, if times are dateTimes.
    - `other` is the verdict with the other value of the option --match; None if the answers are correct.
    - `silent` contains the reasons why no row is expected at any time.
    - `lost` is true if a window is right only without the late elements, as if the engine lost late elements.
    - `lexical` is true if the format of the answers omits the kinds of RDF terms.
    """

    judgement: Judgement | VersionJudgement
    names: tuple[str, ...]
    dates: Dates
    diagnosis: Diagnosis | None = None
    other: Judgement | VersionJudgement | None = None
    silent: tuple[str, ...] = ()
    lost: bool = False
    lexical: bool = False

    @property
    def correct(self) -> bool | None:
        """Whether the answers are correct; None if the verdict is undecided."""
        return self.judgement.correct

    @property
    def undecided(self) -> str | None:
        """The reason why the answers are neither correct nor incorrect; None if the verdict is decided."""
        if isinstance(self.judgement, Judgement) and self.judgement.undecided:
            return undecided_text(self.judgement)
        return None


def judge_named(name: str) -> specifications.Specification | Engine:
    """Return the engine version or the specification with the given name."""
    return ENGINES[name] if name in ENGINES else specifications.specification(name)


def verdict_on(
    engine: str,
    recording: RecordingToJudge,
    progress: settings.Progress,
    zero: str | None = None,
    more: MoreFaults = lambda *_: iter(()),
) -> AnswersVerdict:
    """Return the verdict on answers, with an explanation if the answers are incorrect.

    The argument `zero` is the dateTime of time 0, if times are dateTimes. The function `more` yields further
    faults that may explain the answers.
    """
    judge = judge_named(engine)
    found = bare_verdict(judge, recording, progress, zero)
    turned = replace(recording.options, match="time" if recording.options.match == "sequence" else "sequence")
    judgement, unit = found.judgement, recording.run.unit
    if isinstance(judge, Engine):
        other = None if found.correct else judged_by(judge, recording.run, recording.recording, turned)
        return replace(found, other=other)
    if found.correct is not False:
        return found
    assert isinstance(judgement, Judgement)
    reference, recording = _with_bounds(judge, recording)
    diagnosis = None
    if only_kinds_apart([window.rows for window in judgement.best.windows]):
        pass  # No fault of windows explains an IRI in place of a text.
    elif recording.options.diagnosis:
        diagnosis = diagnose(recording, judgement, progress, more)
    elif recording.options.gracious:
        diagnosis = by_borders(recording, judgement)
    versions = recording.task.versions
    how_again = replace(turned, bounds=None)
    again = recording_to_judge(recording.run, unit, recording.recording, how_again, versions)
    narrowed = narrow_options(again.options, again.task)
    again_judged = judge_recording(again.task, reference, again.recording, narrowed, progress)
    return replace(found, diagnosis=diagnosis, other=again_judged)


def bare_verdict(
    judge: specifications.Specification | Engine,
    recording: RecordingToJudge,
    progress: settings.Progress,
    zero: str | None = None,
) -> AnswersVerdict:
    """Return the verdict of a specification or an engine version on answers, without an explanation."""
    dates = Dates(zero, recording.run.unit)
    if isinstance(judge, Engine):
        ours = judged_by(judge, recording.run, recording.recording, recording.options)
        return AnswersVerdict(ours, (), dates, lexical=recording.options.lexical)
    reference, recording = _with_bounds(judge, recording)
    judgement, lost = judge_by(reference, recording, progress)
    names = column_names(recording.recording, columns(recording.task.query))
    return AnswersVerdict(judgement, names, dates, lost=lost, lexical=recording.options.lexical)


def _with_bounds(
    specification: specifications.Specification, recording: RecordingToJudge
) -> tuple[specifications.Specification, RecordingToJudge]:
    """Return the specification with the window bounds that the query or the options set."""
    reference = specifications.with_query_bounds(specification, recording.task.query)
    if recording.options.bounds is None:
        return reference, recording
    # In the specification, because the diagnosis varies its parameters, and so also tries other bounds.
    reference = reference.model_copy(update={"bounds": (recording.options.bounds,)})
    return reference, replace(recording, options=replace(recording.options, bounds=None))


def explained_case(
    verdict: CaseVerdict,
    options: JudgeOptions,
    progress: settings.Progress,
    unit: Duration | None = None,
    more: MoreFaults = lambda *_: iter(()),
) -> AnswersVerdict | None:
    """Return the verdict on each window of an incorrect case, with the best explanation.

    Return None for a case that is not incorrect, or that an engine version judges.
    """
    if verdict.correct is not False or not isinstance(verdict.judgement, Judgement):
        return None
    recording = recorded_of_case(verdict.case, options, unit)
    counted = replace(recording, run=replace(recording.run, unit=recording.task.unit))
    return verdict_on(verdict.judge, counted, progress, more=partial(_hunted_first, verdict.case.id, more))


_HUNTED: Final = re.compile(r"\d\d-(.+)")
"""The name of a folder that `lars hunt` writes for a fault: a number and words of its sentence."""


def _hunted_first(
    name: str, more: MoreFaults, recording: RecordingToJudge, of: specifications.Specification
) -> Iterator[FaultExplanation]:
    """Yield the faults of `more`; the fault that `lars hunt` named for the case `name` ranks first."""
    hunted = _HUNTED.fullmatch(name.rpartition("/")[2])
    for fault in more(recording, of):
        rule = fault.sentence.partition('"')[2]
        is_named = hunted is not None and slug(rule).startswith(hunted[1])
        yield replace(fault, rank=HUNTED) if is_named else fault


def paths_of(inputs: Sequence[Path]) -> tuple[Path, tuple[Path, ...]]:
    """Return the query file and the trace files that a command line names, in this order."""
    if not inputs:
        raise LarsError("missing input: use a query, its trace and --answers FILE, or case files")
    query, *trace = inputs
    if query.suffix in requests.PROGRAM_SUFFIXES:
        raise LarsError(
            f"{query}: cannot judge a LARS program, because engines answer queries; use a query, or "
            "`lars check` with an answer stream of the program"
        )
    return query, tuple(trace)


def check_case_judge(name: str | None) -> None:
    """Raise LarsError if a name is neither `specification` nor a judge of recorded cases."""
    if name is not None and name != SPECIFICATION:
        check_judge(name)


def check_judge(name: str) -> None:
    """Raise LarsError if the name is neither an engine version nor a specification."""
    if not is_judge(name):
        raise LarsError(
            f"--engine {name}: unknown engine; use {ACCEPTED_JUDGES}, or {SOLVE} (with --answers)"
        )


def language_of(query: Path, unit: Duration) -> str:
    """Return the name of the specification for the language of a query."""
    read = requests.load_query(query, unit, graphs=True)
    language = read.language.value
    return language if language in specifications.NAMES else "cqels" if is_pushed(read) else "rspql"


def lacks_step(query: EngineQuery) -> bool:
    """Return whether a pull engine evaluates a query that does not define the times of evaluation.

    The period of an experiment then replaces the STEP. Other languages evaluate at each time point.
    """
    windows = [source.window for source in requests.sources(query)]
    by_clock = query.language in MERGING and query.every is None and bool(windows)
    return by_clock and all(isinstance(window, Range) and window.slide is None for window in windows)
