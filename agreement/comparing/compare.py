"""`lars compare`: where two specifications or engine versions part on a trace, and which rule parts them.

Who reports comes first, as it is and with some of it changed. Where two recordings differ is found by the
reports at one push, or in one time unit, against each other; what parts them are changes of one that make
a difference smaller, or undo it. Then what is given: two profiles, and queries with their trace, or cases.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, product, starmap
from math import floor
from pathlib import Path
from typing import Final

from agreement.comparing import judge
from agreement.comparing.matching.likeness import Likeness, match_rows
from agreement.documents.dates import Dates
from agreement.documents.recordings import SLACK, Case, Push, Recording, Report, in_common_columns
from agreement.documents.requests import (
    QUERY_SUFFIXES,
    absolute_text,
    as_engines_read,
    is_query,
    load_query,
)
from agreement.documents.traces import origin_in, point_in
from agreement.documents.values import cut
from agreement.engines import specifications
from agreement.engines.adapters import ADAPTER, adapted_version
from agreement.engines.engine import NOTHING_OFF, Engine, EngineRule, columns, fewest_enough
from agreement.engines.registry import ENGINES
from lars.durations import MILLISECOND, Duration
from lars.errors import LarsError
from lars.files import exists, read_text
from lars.language.windows import Bounds
from solver.facts import Row
from solver.settings import Progress, Time, TraceInput, Warn, no_progress
from translate.model.query import EngineQuery, Form

Reporter = specifications.Specification | Engine


@dataclass(frozen=True, slots=True)
class NamedReporter:
    """Who reports, as messages name it; `lexical` where its rows do not keep the kinds of terms."""

    name: str
    reporter: Reporter
    lexical: bool = False


def reporter(name: str) -> Reporter:
    """Return the specification or engine version of that name, or the specification in that file."""
    if not judge.is_judge(name):
        raise LarsError(f"unknown engine {cut(name)!r}; use {judge.ACCEPTED_JUDGES}")
    return ENGINES[name] if name in ENGINES else specifications.specification(name)


def check_reporter(name: str) -> None:
    """Raise for what names no specification, no engine version and no adapter."""
    if not judge.is_judge(name) and not name.startswith(ADAPTER):
        accepted = f"{judge.ACCEPTED_JUDGES}, '{ADAPTER}COMMAND'"
        raise LarsError(f"unknown engine {cut(name)!r}; use {accepted}")


def named_reporter(name: str, text: str) -> NamedReporter:
    """Return the specification or engine version of that name, that of a file, or a real engine's.

    The query's text is what an adapter is given.
    """
    check_reporter(name)
    if name.startswith(ADAPTER):
        engine, lexical = adapted_version(name.removeprefix(ADAPTER), text)
        return NamedReporter(engine.name, engine, lexical)
    return NamedReporter(name, reporter(name))


_SAID: Final = frozenset(("name", "description"))
"""The fields of a specification that change nothing."""
_BOUNDS: Final = "bounds"


@dataclass(frozen=True, slots=True)
class WindowPlacement:
    """Where the windows of a specification begin, and their ends; None for what it says itself.

    Without `start` windows close at the multiples of their slides, as those of engine versions do.
    """

    start: int | None = None
    bounds: Bounds | None = None


@dataclass(slots=True)
class ProfileSide:
    """A profile on its input, up to the last push or the time point `until`.

    `like` is the specification whose fields it can take on, if it is one.
    """

    name: str
    reporter: Reporter
    run: specifications.EngineRun
    placing: WindowPlacement
    like: specifications.Specification | None = None
    until: int | None = None
    _known: dict[frozenset[str], Recording] = field(default_factory=dict)

    @property
    def timed(self) -> bool:
        """Whether the times of its reports are told: not where an engine stamps real time."""
        return isinstance(self.reporter, specifications.Specification) or self.reporter.timed

    @property
    def changes(self) -> tuple[EngineRule, ...]:
        """What can be changed: the rules of an engine version, the fields in which `like` differs."""
        if isinstance(self.reporter, specifications.Specification):
            rules = () if self.like is None else fields(self.reporter, self.like)
            return tuple(rule for rule in rules if self.placing.bounds is None or rule.name != _BOUNDS)
        return self.reporter.rules

    @property
    def builds(self) -> "tuple[ProfileSide, ...]":
        """This side, and as each other build that is known of its engine version."""
        others = () if isinstance(self.reporter, specifications.Specification) else self.reporter.builds
        named = ((f"{self.name}, {build.build}", build) for build in others)
        return (self, *(replace(self, name=name, reporter=build, _known={}) for name, build in named))

    def reports(self, changed: frozenset[str] = NOTHING_OFF) -> Recording:
        """Return what it reports: rules that are changed are off, fields that are so are those of `like`.

        Raises LarsError for a query that it cannot run.
        """
        if changed not in self._known:
            self._known[changed] = self._run(changed)
        return self._known[changed]

    def _run(self, changed: frozenset[str]) -> Recording:
        engine_run = self.run
        if not isinstance(self.reporter, specifications.Specification):
            recording = self.reporter.run(engine_run.query, engine_run.static, engine_run.pushes, changed)
            return (
                judge.align(recording, (), engine_run.query)
                if engine_run.query.form is Form.ASK
                else recording
            )
        taken = {name: getattr(self.like, name) for name in changed}
        changed_specification = self.reporter.model_copy(update=taken)
        choice = specifications.choice_at(
            engine_run, changed_specification, self.placing.start, self.placing.bounds
        )
        until = engine_run.last if self.until is None else self.until
        return specifications.specified_answers(engine_run, changed_specification, choice, until)


def sides(first: ProfileSide, second: ProfileSide) -> tuple[ProfileSide, ProfileSide]:
    """Return both sides; one that is a specification can be changed into what the other one follows."""
    if isinstance(first.reporter, specifications.Specification):
        return replace(first, like=specification_of(second)), second
    if isinstance(second.reporter, specifications.Specification):
        return first, replace(second, like=specification_of(first))
    return first, second


def specification_of(side: ProfileSide) -> specifications.Specification:
    """Return the specification that a side is, or claims to follow."""
    who = side.reporter
    return who if isinstance(who, specifications.Specification) else specifications.builtin(who.specification)


def fields(of: specifications.Specification, like: specifications.Specification) -> Iterator[EngineRule]:
    """Yield the fields in which two specifications differ, with what both say."""
    for name in specifications.Specification.model_fields:
        one, other = getattr(of, name), getattr(like, name)
        if name not in _SAID and one != other:
            yield EngineRule(
                name,
                f"{specifications.in_words(one)} in {of.name}, "
                f"{specifications.in_words(other)} in {like.name}",
            )


@dataclass(frozen=True, slots=True)
class DifferenceOptions:
    """How reports are compared: their rows, and whether also their times.

    `has_times` is whether both sides tell times, so that several reports at one push are told apart.
    `pushes`: by the push during which they come; None: by the time unit of so many ms.
    """

    likeness: Likeness
    has_times: bool
    times: bool
    pushes: tuple[Push, ...] | None
    milliseconds: float


@dataclass(frozen=True, slots=True)
class ReportsByPlace:
    """Reports by their place, ascending: the number of the push, or of the time unit.

    `after` are those that no push triggers, as it would have to be later than all there are.
    """

    places: dict[int, tuple[Report, ...]]
    after: tuple[Report, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """How the reports at one place differ.

    `moved` are the times of reports that both have, at different times; `empty` those of reports
    without rows in place of which the other side has none.
    """

    place: int
    first: tuple[Report, ...]
    second: tuple[Report, ...]
    only_first: tuple[Row, ...]
    only_second: tuple[Row, ...]
    moved: tuple[tuple[float, float], ...]
    empty: tuple[float, ...]

    @property
    def size(self) -> int:
        """How much differs: rows, times and empty reports."""
        return sum(map(len, (self.only_first, self.only_second, self.moved, self.empty)))


def group_reports(recording: Recording, how: DifferenceOptions) -> ReportsByPlace:
    """Return the reports by place."""
    reach = list(accumulate((push.t for push in how.pushes or ()), max))
    places: dict[int, list[Report]] = {}
    after: list[Report] = []
    for report in recording.reports:
        place = _place(report, reach, how)
        (after if place is None else places.setdefault(place, [])).append(report)
    return ReportsByPlace({place: tuple(_joined(places[place])) for place in sorted(places)}, tuple(after))


def _place(report: Report, reach: Sequence[float], how: DifferenceOptions) -> int | None:
    if how.pushes is None:
        return floor((report.t + SLACK) / how.milliseconds)
    if report.trigger is not None:
        return report.trigger
    # A clock that pushes drive shows a time once a later push has come.
    place = bisect_right(reach, report.t + SLACK)
    return place if place < len(reach) else None


def _joined(reports: Iterable[Report]) -> Iterator[Report]:
    """Yield one report for each time: some engines give each row by itself."""
    by_place: dict[float, Report] = {}
    for report in reports:
        before = by_place.get(report.t)
        by_place[report.t] = report if before is None else replace(before, rows=(*before.rows, *report.rows))
    yield from (by_place[t] for t in sorted(by_place))


def differences(
    reports: ReportsByPlace, other: ReportsByPlace, how: DifferenceOptions
) -> dict[int, Difference]:
    """Return the difference at each place that has one, ascending."""
    places = sorted({*reports.places, *other.places})
    all_differences = (
        difference(place, reports.places.get(place, ()), other.places.get(place, ()), how) for place in places
    )
    return {one.place: one for one in all_differences if one is not None}


def difference(
    place: int, reports: tuple[Report, ...], other: tuple[Report, ...], how: DifferenceOptions
) -> Difference | None:
    """Return how the reports of two sides at one place differ; None where they do not."""
    pairs = pair_reports(reports, other) if how.has_times else [(_whole(reports), _whole(other))]
    missing: list[Row] = []
    extra: list[Row] = []
    moved, empty = [], []
    for mine, yours in pairs:
        rows = match_rows(mine.rows if mine else (), yours.rows if yours else (), how.likeness)
        missing, extra = [*missing, *rows.missing], [*extra, *rows.extra]
        if mine and yours:
            later = how.has_times and how.times and abs(mine.t - yours.t) > SLACK
            moved += [(mine.t, yours.t)] if later else []
        elif (alone := mine or yours) and not alone.rows:
            empty.append(alone.t)
    parting = Difference(place, reports, other, tuple(missing), tuple(extra), tuple(moved), tuple(empty))
    return parting if parting.size else None


def _whole(reports: tuple[Report, ...]) -> Report | None:
    rows = tuple(row for report in reports for row in report.rows)
    return replace(reports[0], rows=rows) if reports else None


def pair_reports(
    reports: Sequence[Report], other: Sequence[Report]
) -> list[tuple[Report | None, Report | None]]:
    """Return reports in pairs, ascending in time: two belong together if each is nearest to the other."""
    nearest = [_nearest(report.t, other) for report in reports]
    back = [_nearest(report.t, reports) for report in other]
    pairs = {n: m for n, m in enumerate(nearest) if m is not None and back[m] == n}
    both: list[tuple[Report | None, Report | None]] = [
        (report, other[pairs[n]] if n in pairs else None) for n, report in enumerate(reports)
    ]
    taken = set(pairs.values())
    return [*both, *((None, report) for n, report in enumerate(other) if n not in taken)]


def _nearest(t: float, reports: Sequence[Report]) -> int | None:
    """Return the number of the report nearest to a time, the earlier of two; None without any."""
    times = [report.t for report in reports]
    place = bisect_left(times, t)
    near = [n for n in (place - 1, place) if 0 <= n < len(times)]
    return min(near, key=lambda n: abs(times[n] - t), default=None)


@dataclass(frozen=True, slots=True)
class SwitchedRule:
    """A rule that can be switched: of an engine version, or a field of a specification; sides are 0 and 1."""

    number: int
    """That of its side."""
    profile: str
    rule: EngineRule


Changes = frozenset[tuple[int, str]]
"""What is changed: the side's number and the name of its rule or field."""
UNCHANGED: Changes = frozenset()


@dataclass(frozen=True, slots=True)
class DifferenceWithRules:
    """A difference and what parts the profiles there; `undone` if without it nothing differs.

    `together`: it takes all of the causes together.
    """

    difference: Difference
    causes: tuple[SwitchedRule, ...] = ()
    undone: bool = False
    together: bool = False


@dataclass(slots=True)
class Search:
    """Both sides, compared with whatever is changed of them."""

    sides: tuple[ProfileSide, ProfileSide]
    how: DifferenceOptions
    _known: dict[Changes, Mapping[int, Difference] | None] = field(default_factory=dict)

    @property
    def causes(self) -> tuple[SwitchedRule, ...]:
        """All that can be changed."""
        return tuple(
            SwitchedRule(number, side.name, rule)
            for number, side in enumerate(self.sides)
            for rule in side.changes
        )

    def recordings(self, changed: Changes = UNCHANGED) -> tuple[Recording, Recording]:
        """Return what both sides report, in the same columns."""
        first, second = (
            side.reports(frozenset(name for own, name in changed if own == number))
            for number, side in enumerate(self.sides)
        )
        return in_common_columns(first, second)

    def differences(self, changed: Changes = UNCHANGED) -> Mapping[int, Difference] | None:
        """Return the differences by place; None where what is changed cannot be run."""
        if changed not in self._known:
            self._known[changed] = self._compared(changed)
        return self._known[changed]

    def _compared(self, changed: Changes) -> Mapping[int, Difference] | None:
        try:
            first, second = self.recordings(changed)
            return differences(group_reports(first, self.how), group_reports(second, self.how), self.how)
        except LarsError:
            if not changed:
                raise
            return None

    def size(self, changed: Changes, place: int) -> int | None:
        """Return how much differs at a place; None where what is changed cannot be run."""
        found = self.differences(changed)
        if found is None:
            return None
        return found[place].size if place in found else 0


def part_profiles(search: Search, progress: Progress) -> tuple[DifferenceWithRules, ...]:
    """Return each difference with what parts the profiles there: single changes, else sets of them."""
    base = search.differences() or {}
    if not base:
        return ()
    every = search.causes
    for done, cause in enumerate(every):
        progress(done, len(every) + 1)
        search.differences(_of([cause]))
    explanations: list[DifferenceWithRules] = []
    for difference in base.values():
        explanations.append(_explained(search, difference, explanations))
    return tuple(explanations)


def _of(causes: Sequence[SwitchedRule]) -> Changes:
    return frozenset((cause.number, cause.rule.name) for cause in causes)


def _explained(
    search: Search, difference: Difference, explanations: Sequence[DifferenceWithRules]
) -> DifferenceWithRules:
    """Return the single changes that undo a difference, or those that make it smaller if that is all.

    Where these together leave something of it, and where there are none, the smallest set of
    changes that leaves least: one after the other is left out, of all of them or of such a set
    found before.
    """
    sizes = {cause: search.size(_of([cause]), difference.place) for cause in search.causes}
    undoing = tuple(cause for cause, size in sizes.items() if size == 0)
    if undoing:
        return DifferenceWithRules(difference, undoing, undone=True)
    smaller = tuple(cause for cause, size in sizes.items() if size is not None and size < difference.size)
    left = search.size(_of(smaller), difference.place)
    least = search.size(_of(search.causes), difference.place)
    if left == 0 or least is None or least >= (difference.size if left is None else left):
        return DifferenceWithRules(difference, smaller, undone=left == 0)
    before = dict.fromkeys(earlier.causes for earlier in explanations if earlier.together)
    as_good = (rules for rules in before if search.size(_of(rules), difference.place) == least)
    start = next(as_good, search.causes)
    rules = fewest_enough(start, lambda causes: search.size(_of(causes), difference.place) == least)
    return DifferenceWithRules(difference, rules, undone=least == 0, together=len(rules) > 1)


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where two profiles part: `places` are the pushes, or time units, at which either reports.

    `pushes` is None where reports are compared by time unit. `alone` are changes that undo every
    difference by themselves; `needed` the rules without each of which an engine version reports
    something else, None unless it is compared with its specification. `fields` are those in which the
    specifications differ that the profiles are or follow. `after` are reports of each side that no
    push triggers. `silent` tells of each side whether it reports no row.
    """

    names: tuple[str, str]
    columns: tuple[str, ...]
    pushes: tuple[Push, ...] | None
    places: int
    parted: tuple[DifferenceWithRules, ...]
    causes: tuple[SwitchedRule, ...]
    alone: tuple[SwitchedRule, ...]
    needed: tuple[EngineRule, ...] | None
    fields: tuple[EngineRule, ...]
    after: tuple[tuple[Report, ...], tuple[Report, ...]]
    silent: tuple[bool, ...]

    @property
    def same(self) -> bool:
        """Whether they report the same everywhere."""
        return not self.parted

    @property
    def is_empty(self) -> bool:
        """Whether they report the same, and no row: they agree on nothing."""
        return self.same and all(self.silent)

    @property
    def frequencies(self) -> list[tuple[SwitchedRule, int]]:
        """Return what parts them and at how many places, the most frequent first."""
        counter = Counter(cause for counts in self.parted for cause in counts.causes)
        order = {cause: n for n, cause in enumerate(self.causes)}
        return sorted(counter.items(), key=lambda pair: (-pair[1], order[pair[0]]))


def compare_sides(
    first: ProfileSide,
    second: ProfileSide,
    likeness: Likeness,
    *,
    times: bool = True,
    progress: Progress = no_progress,
) -> Divergence:
    """Return where two profiles part on the same trace.

    Of several builds, those that differ least. By push, or by time unit where both are specifications:
    nothing then needs a push to show the time. Times count where both sides tell them. Raises LarsError for a
    query that cannot be run.
    """
    by_time = all(isinstance(side.reporter, specifications.Specification) for side in (first, second))
    pushes = None if by_time else first.run.pushes
    how = DifferenceOptions(
        likeness, first.timed and second.timed, times, pushes, first.run.unit.milliseconds
    )
    both = sides(*_nearest_builds(first, second, how))
    search = Search(both, how)
    explanations = part_profiles(search, progress)
    recordings = search.recordings()
    reports, other = (group_reports(recording, search.how) for recording in recordings)
    return Divergence(
        names=(both[0].name, both[1].name),
        columns=recordings[0].variables,
        pushes=pushes,
        places=len({*reports.places, *other.places}),
        parted=explanations,
        causes=search.causes,
        alone=tuple(
            cause for cause in search.causes if explanations and search.differences(_of([cause])) == {}
        ),
        needed=_rules_needed(both, search.how),
        fields=tuple(fields(*map(specification_of, both))),
        after=(reports.after, other.after),
        silent=tuple(not any(report.rows for report in recording.reports) for recording in recordings),
    )


def _nearest_builds(
    first: ProfileSide, second: ProfileSide, how: DifferenceOptions
) -> tuple[ProfileSide, ProfileSide]:
    """Return both sides, of engines with several builds those that differ least: any may be meant."""
    pairs = list(product(first.builds, second.builds))
    # Where a build has a name of its own, the engine's name means the usual one beside it.
    named = any(one.reporter is second.reporter for one in first.builds) or any(
        one.reporter is first.reporter for one in second.builds
    )
    return pairs[0] if named or len(pairs) == 1 else min(pairs, key=partial(_distance, how))


def _distance(how: DifferenceOptions, both: tuple[ProfileSide, ProfileSide]) -> tuple[int, list[str]]:
    """Return how much differs; then names, so that the usual of builds that differ alike comes first."""
    size = sum(one.size for one in (Search(both, how).differences() or {}).values())
    return size, sorted(side.name for side in both)


def _rules_needed(
    both: tuple[ProfileSide, ProfileSide], how: DifferenceOptions
) -> tuple[EngineRule, ...] | None:
    """Return the rules of an engine version without which it reports something else on this trace."""
    for version, specified in (both, both[::-1]):
        if (
            isinstance(specified.reporter, specifications.Specification)
            and not isinstance(version.reporter, specifications.Specification)
            and specified.reporter.name == version.reporter.specification
            and not specified.changes
        ):
            return fewest_enough(version.changes, partial(_is_alike_by, version, how))
    return None


def _is_alike_by(version: ProfileSide, how: DifferenceOptions, rules: Sequence[EngineRule]) -> bool:
    """Whether nothing changes with all other rules off."""
    off = frozenset(rule.name for rule in version.changes if rule not in rules)
    try:
        own, changed = in_common_columns(version.reports(), version.reports(off))
    except LarsError:
        return False
    return not differences(group_reports(own, how), group_reports(changed, how), how)


CASE_SUFFIX: Final = ".json"
ACCEPTED: Final = (
    f"QUERY [QUERY] TRACE.. (queries: {', '.join(QUERY_SUFFIXES)}), "
    f"or recorded cases (*{CASE_SUFFIX}, or folders of them)"
)


@dataclass(frozen=True, slots=True)
class ComparedProfiles:
    """Two profiles by name, what they are compared on, and how."""

    names: tuple[str, str]
    trace: TraceInput
    unit: Duration
    start: Time | None
    bounds: Bounds | None
    likeness: Likeness
    times: bool


@dataclass(frozen=True, slots=True)
class TraceComparison:
    """Where profiles part on one trace; `title` is the case's, times are shown as `unit`, from `origin`."""

    parting: Divergence
    unit: Duration
    title: str | None = None
    origin: str | None = None

    @property
    def dates(self) -> Dates:
        """What dateTimes the time points are, where they are any."""
        return Dates(self.origin, self.unit)


def are_cases(inputs: Sequence[Path]) -> bool:
    """Whether what is compared on are recorded cases; raises LarsError for none and for a mixture."""
    if not inputs:
        raise LarsError(f"nothing to compare on; expected {ACCEPTED}")
    cases = [path for path in inputs if path.suffix == CASE_SUFFIX or exists(path, folder=True)]
    if cases and inputs[0] in cases and len(cases) < len(inputs):
        other = next(path for path in inputs if path not in cases)
        raise LarsError(f"{other}: no case; expected {ACCEPTED}")
    return inputs[0] in cases


def queries_and_traces(inputs: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return the one or two queries that a command line begins with, and the trace files after them."""
    second = len(inputs) > 1 and is_query(inputs[1])
    split = 2 if second else 1
    return list(inputs[:split]), list(inputs[split:])


def on_trace(
    profiles: ComparedProfiles, queries: Sequence[Path], warn: Warn, progress: Progress
) -> TraceComparison:
    """Return where two profiles part on a trace; of two queries each side has its own."""
    _check_reporters(profiles)
    texts = [absolute_text(read_text(path, judge.ANSWERS_FORM), str(path)) for path in queries]
    _check_columns([load_query(path, profiles.unit, as_engines_read(path)) for path in queries], queries)
    reporters = _reporters(profiles, texts[0], texts[-1])
    paths = (queries[0], queries[-1])
    read = [
        judge.read_judged_query(path, profiles.unit, who.reporter, by_number=True)
        for path, who in zip(paths, reporters, strict=True)
    ]
    warnings: list[str] = []
    engine_runs: list[specifications.EngineRun] = []
    zero = None
    for query in read:
        pushes, zero = judge.read_pushes(profiles.trace, query, profiles.unit, warnings.append)
        static = judge.static_of_run(profiles.trace.static, query, warnings.append)
        origin = origin_in(zero, profiles.trace.options)
        engine_runs.append(specifications.EngineRun(query, static, pushes, profiles.unit, origin))
    placing = _placing(profiles, zero, engine_runs[0].last)
    for who, engine_run in zip(reporters, (engine_runs[0], engine_runs[-1]), strict=True):
        if not isinstance(who.reporter, specifications.Specification):
            judge.check_order(engine_run.pushes, warnings.append)
    divergence = _compared(profiles, placing, reporters, (engine_runs[0], engine_runs[-1]), progress)
    for who, run, silent in zip(reporters, (engine_runs[0], engine_runs[-1]), divergence.silent, strict=True):
        choices = []
        if isinstance(who.reporter, specifications.Specification):
            choices.append(specifications.choice_at(run, who.reporter, placing.start, placing.bounds))
        warnings += judge.why_silent(who.reporter, run, choices) if silent else ()
    for message in dict.fromkeys(warnings):
        warn(message)
    return TraceComparison(divergence, profiles.unit, origin=zero)


def _placing(profiles: ComparedProfiles, zero: str | None = None, last: int = 0) -> WindowPlacement:
    """Return where windows begin, as a time point of a trace up to `last`, and what ends they have."""
    start = None if profiles.start is None else point_in(zero, profiles.start, profiles.trace.options, last)
    return WindowPlacement(start, profiles.bounds)


def on_cases(
    profiles: ComparedProfiles, paths: Sequence[Path], progress: Progress
) -> list[TraceComparison | judge.RefusedCase]:
    """Return where two profiles part on what was pushed in each of the recorded cases."""
    _check_reporters(profiles)
    placing = _placing(profiles)

    def found(case: Case) -> TraceComparison:
        reporters = _reporters(profiles, case.query, case.query)
        engines = (who.reporter if isinstance(who.reporter, Engine) else None for who in reporters)
        first, second = (judge.run_of_case(case, engine) for engine in engines)
        unit = judge.unit_of(first.query, first.pushes)
        runs = replace(first, unit=unit), replace(second, unit=unit)
        parting = _compared(profiles, placing, reporters, runs, no_progress)
        return TraceComparison(parting, MILLISECOND, case.id)

    return list(judge.each_case(judge.case_files(paths), found, progress))


def _check_reporters(profiles: ComparedProfiles) -> None:
    for name in profiles.names:
        check_reporter(name)


def _reporters(profiles: ComparedProfiles, first: str, second: str) -> tuple[NamedReporter, NamedReporter]:
    """Return both sides for the texts of their queries."""
    reporters = tuple(starmap(named_reporter, zip(profiles.names, (first, second), strict=True)))
    fixed = not any(isinstance(reporter.reporter, specifications.Specification) for reporter in reporters)
    if fixed and (profiles.start, profiles.bounds) != (None, None):
        option = "--t0" if profiles.start is not None else "--bounds"
        raise LarsError(f"{option} requires a specification; engine versions determine their windows")
    return reporters[0], reporters[1]


def _compared(
    profiles: ComparedProfiles,
    placing: WindowPlacement,
    reporters: tuple[NamedReporter, NamedReporter],
    runs: tuple[specifications.EngineRun, specifications.EngineRun],
    progress: Progress,
) -> Divergence:
    pairs = zip(reporters, runs, strict=True)
    first, second = (ProfileSide(who.name, who.reporter, on, placing) for who, on in pairs)
    likeness = replace(profiles.likeness, lexical=any(reporter.lexical for reporter in reporters))
    return compare_sides(first, second, likeness, times=profiles.times, progress=progress)


def _check_columns(read: Sequence[EngineQuery], paths: Sequence[Path]) -> None:
    """Raise where two queries answer different variables: every row would differ."""
    named = [sorted(columns(query)) for query in read]
    if named[0] != named[-1]:
        one, other = (", ".join(f"?{name}" for name in names) or "none" for names in (named[0], named[-1]))
        raise LarsError(
            f"{paths[-1]}: it answers the variables {other}, {paths[0]} answers {one}; expected the same"
        )
