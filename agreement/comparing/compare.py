"""Find the differences between two engines on one run, and the rules that cause the differences.

A `Reporter` is an engine version, a running engine or a specification. The reports of two reporters are
compared at each pushed triple or in each time unit. A rule of an engine version causes a difference if the
difference becomes smaller or disappears when the rule is switched off.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import product
from typing import Final

from agreement.comparing import judge
from agreement.comparing.matching.likeness import Likeness, RowMatch, match_rows
from agreement.comparing.matching.places import ReportMatch, Reports, TimePair, by_place, nearest_pairs
from agreement.comparing.smaller import fewest_enough
from agreement.documents.dates import Dates
from agreement.documents.recordings import SLACK, Push, Recording, Report, in_common_columns, rows_of
from agreement.documents.requests import sources
from agreement.engines import specifications
from agreement.engines.adapters.built_in import ADAPTER, adapted_version
from agreement.engines.engine import NOTHING_OFF, Engine, EngineRule
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import EngineRun, Specification
from lars.dataclass import dataclass
from lars.durations import MILLISECOND
from lars.errors import LarsError, cut
from lars.language.windows import Bounds
from solver.facts import Row
from solver.settings import Progress, no_progress
from translate.model.windows import Range


def profile(name: str) -> Specification | Engine:
    """Return the engine version or specification with a name; the name can be a specification file.

    Raises:
        LarsError: The name is unknown.
    """
    if not judge.is_judge(name):
        raise LarsError(f"unknown engine {cut(name)!r}; use {judge.ACCEPTED_JUDGES}")
    return ENGINES[name] if name in ENGINES else specifications.specification(name)


def check_reporter(name: str) -> None:
    """Raise LarsError if a name is not a specification, an engine version or an adapter."""
    if not judge.is_judge(name) and not name.startswith(ADAPTER):
        accepted = f"{judge.ACCEPTED_JUDGES}, or '{ADAPTER}COMMAND' for a real engine"
        raise LarsError(f"unknown engine {cut(name)!r}; use {accepted}")


_SAID: Final = frozenset(("name", "description"))
"""The parameters of a specification that do not influence its reports."""
_BOUNDS: Final = "bounds"


@dataclass(frozen=True, slots=True)
class Reporter:
    """An engine version, a running engine or a specification that reports rows, with its name in messages.

    - If the reporter is an engine version, each of its rules can be switched off.
    - If the reporter is a specification, each parameter can be set to the value of the specification `like`.
    - If `lexical` is true, the engine's reports do not distinguish IRIs, literals and blank nodes.
    - `start` is the start time of a specification's windows. If `start` is None, windows close at multiples
      of their slides.
    - `bounds` are the bounds of a specification's windows. If `bounds` is None, the specification determines
      the bounds.
    """

    name: str
    who: Specification | Engine
    lexical: bool = False
    start: int | None = None
    bounds: Bounds | None = None
    like: Specification | None = None

    @property
    def timed(self) -> bool:
        """Whether the times of reports can be compared; false if the engine reports real time."""
        return isinstance(self.who, Specification) or self.who.timed

    @property
    def specification(self) -> Specification:
        """The specification itself, or the specification that an engine claims to follow."""
        return (
            self.who
            if isinstance(self.who, Specification)
            else specifications.builtin(self.who.specification)
        )

    @property
    def switches(self) -> tuple[EngineRule, ...]:
        """The changeable rules of an engine version, or the changeable parameters of a specification."""
        if not isinstance(self.who, Specification):
            return self.who.rules
        rules = () if self.like is None else fields(self.who, self.like)
        return tuple(rule for rule in rules if self.bounds is None or rule.name != _BOUNDS)

    @property
    def builds(self) -> "tuple[Reporter, ...]":
        """This reporter, and a reporter for each other known build of its engine version."""
        others = () if isinstance(self.who, Specification) else self.who.builds
        return (self, *(replace(self, name=f"{self.name}, {build.build}", who=build) for build in others))

    def reports(
        self, run: EngineRun, switched: frozenset[str] = NOTHING_OFF, until: int | None = None
    ) -> Recording:
        """Return the reports on a run, with the given rules off or parameters changed.

        A specification reports up to the time point `until`; None means up to the last pushed triple.

        Raises:
            LarsError: The reporter cannot run the query.
        """
        if not isinstance(self.who, Specification):
            recording = self.who.run(run.query, run.static, run.pushes, switched)
            return judge.align(recording, (), run.query) if run.query.form == "ASK" else recording
        changed = self.who.model_copy(update={name: getattr(self.like, name) for name in switched})
        choice = specifications.choice_at(run, changed, self.start, self.bounds)
        return specifications.specified_answers(run, changed, choice, run.last if until is None else until)


def named_reporter(name: str, text: str) -> Reporter:
    """Return the reporter with a name: a specification, an engine version, a file, or an adapter.

    An adapter receives the text of the query.

    Raises:
        LarsError: The name is unknown, or the adapter rejects the query.
    """
    check_reporter(name)
    if name.startswith(ADAPTER):
        engine, lexical = adapted_version(name.removeprefix(ADAPTER), text)
        return Reporter(engine.name, engine, lexical)
    return Reporter(name, profile(name))


def fields(of: Specification, like: Specification) -> Iterator[EngineRule]:
    """Yield each parameter in which two specifications differ, with a text of both values."""
    for name in Specification.model_fields:
        one, other = getattr(of, name), getattr(like, name)
        if name not in _SAID and one != other:
            both = specifications.in_words(one), specifications.in_words(other)
            yield EngineRule(name, f"{both[0]} in {of.name}, {both[1]} in {like.name}")


def _joined(reports: Iterable[Report]) -> Iterator[Report]:
    """Yield one report for each time with all rows of this time; some engines report each row separately."""
    by_time: dict[float, Report] = {}
    for report in reports:
        before = by_time.get(report.t)
        by_time[report.t] = report if before is None else replace(before, rows=(*before.rows, *report.rows))
    yield from (by_time[t] for t in sorted(by_time))


def pair_reports(
    reports: Sequence[Report], other: Sequence[Report]
) -> list[tuple[Report | None, Report | None]]:
    """Pair the reports of two engines: each report of a pair is the nearest in time to the other report.

    A report without a partner is paired with None. Pairs with a report of `reports` come first, in order.
    """
    pairs = nearest_pairs([report.t for report in reports], [report.t for report in other])
    return [(None if n is None else reports[n], None if m is None else other[m]) for n, m in pairs]


@dataclass(frozen=True, slots=True)
class SwitchedRule:
    """A rule of an engine version, or a parameter of a specification, that a comparison changes.

    `number` is 0 for the first of the two compared engines, and 1 for the second.
    """

    number: int
    profile: str
    rule: EngineRule


Switched = frozenset[tuple[int, str]]
"""The rules and parameters that are changed, each as the number of its engine (0 or 1) and its name."""
_NOTHING: Final[Switched] = frozenset()
_MOST_STARTS: Final = 12
"""The maximum number of start times t0 that are tried if two engines differ.

A guess: each start time takes a complete evaluation, and most engines begin at 0 or soon after it.
"""


@dataclass(frozen=True, slots=True)
class DifferenceWithRules:
    """A difference between two engines at one triple or time unit, and the rules or parameters that cause it.

    `undone` is true if the difference disappears when the causes are changed. `together` is true if the
    causes are a set of which no single rule has the same effect.
    """

    difference: ReportMatch
    causes: tuple[SwitchedRule, ...] = ()
    undone: bool = False
    together: bool = False


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two engines on one run, with their reports for each set of changed rules or parameters.

    Each engine has its own run, because engines read the same query differently. Reports are compared at each
    pushed triple. If both engines are specifications, reports are compared in each time unit, because
    specifications also report at times without a triple. If `times` is true, and neither engine reports real
    time, the times of reports are also compared.
    """

    sides: tuple[Reporter, Reporter]
    runs: tuple[EngineRun, EngineRun]
    likeness: Likeness
    times: bool = True
    _reports: dict[tuple[int, frozenset[str]], Recording] = field(default_factory=dict)
    _known: dict[Switched, Mapping[int, ReportMatch] | None] = field(default_factory=dict)

    @property
    def pushes(self) -> tuple[Push, ...] | None:
        """The triples at which reports are compared; None if reports are compared in each time unit."""
        by_time = all(isinstance(side.who, Specification) for side in self.sides)
        return None if by_time else self.runs[0].pushes

    @property
    def causes(self) -> tuple[SwitchedRule, ...]:
        """The rules and parameters of both engines that can cause a difference."""
        return tuple(
            SwitchedRule(number, side.name, rule)
            for number, side in enumerate(self.sides)
            for rule in side.switches
        )

    def side(self, number: int, switched: frozenset[str] = NOTHING_OFF) -> Recording:
        """Return the reports of the engine with this number (0 or 1) after changes of rules or parameters."""
        if (number, switched) not in self._reports:
            self._reports[number, switched] = self.sides[number].reports(self.runs[number], switched)
        return self._reports[number, switched]

    def recordings(self, switched: Switched = _NOTHING) -> tuple[Recording, Recording]:
        """Return the reports of both engines, with their rows in the same columns."""
        first, second = (
            self.side(number, frozenset(name for own, name in switched if own == number)) for number in (0, 1)
        )
        return in_common_columns(first, second)

    def grouped(self, recording: Recording) -> tuple[dict[int, Reports], Reports]:
        """Return the reports by pushed triple or time unit, and the reports that no triple triggers.

        All reports of one time are joined to one report.
        """
        places, after = by_place(recording.reports, self.pushes, self.runs[0].unit.milliseconds)
        return {place: tuple(_joined(reports)) for place, reports in places.items()}, after

    def matched(self, place: int, first: Reports, second: Reports) -> ReportMatch:
        """Return the comparison of both engines' reports at one pushed triple or time unit."""
        timed = all(side.timed for side in self.sides)
        pairs = pair_reports(first, second) if timed else [(_whole(first), _whole(second))]
        missing, extra, apart = list[Row](), list[Row](), list[TimePair]()
        for mine, yours in pairs:
            rows = match_rows(mine.rows if mine else (), yours.rows if yours else (), self.likeness)
            missing += rows.missing
            extra += rows.extra
            if mine and yours:
                later = timed and self.times and abs(mine.t - yours.t) > SLACK
                apart += [(mine.t, yours.t)] if later else []
            elif (alone := mine or yours) and not alone.rows:
                apart.append((alone.t if mine else None, alone.t if yours else None))
        return ReportMatch(
            place, first, second, RowMatch((), tuple(missing), tuple(extra)), apart=tuple(apart)
        )

    @property
    def slide(self) -> int:
        """The largest slide of a specification's windows in time points; 0 if t0 moves no window."""
        windows = (
            source.window
            for side, run in zip(self.sides, self.runs, strict=True)
            if isinstance(side.who, Specification) and side.who.slide != "ignored"
            for source in sources(run.query)
            if specifications.query_starts(sources(run.query), run.unit) is None
        )
        slides = (one.slide for one in windows if isinstance(one, Range) and one.slide is not None)
        return max((slide.points(self.runs[0].unit) for slide in slides), default=0)

    def same_start(self) -> int | None:
        """Return a start time t0 of windows with which both engines report the same; None if none is found.

        Start times are tried from time 0 up to the largest slide, if the user sets no start time. For two
        specifications, None is returned: a start time applies to both, and only omits their first reports.
        """
        if self.pushes is None or any(side.start is not None for side in self.sides):
            return None
        fixed = {
            key: recording
            for key, recording in self._reports.items()
            if not isinstance(self.sides[key[0]].who, Specification)
        }
        for start in range(min(self.slide, _MOST_STARTS)):
            first, second = (replace(side, start=start) for side in self.sides)
            moved = Pairing((first, second), self.runs, self.likeness, self.times, dict(fixed))
            if moved.differences() == {}:
                return start
        return None

    def differences(self, switched: Switched = _NOTHING) -> Mapping[int, ReportMatch] | None:
        """Return the differences by pushed triple or time unit.

        If an engine cannot run with these changes, the function returns None.
        """
        if switched not in self._known:
            self._known[switched] = self._compared(switched)
        return self._known[switched]

    def _compared(self, switched: Switched) -> Mapping[int, ReportMatch] | None:
        try:
            (first, _), (second, _) = map(self.grouped, self.recordings(switched))
        except LarsError:
            if not switched:
                raise
            return None
        every = ((place, first.get(place, ()), second.get(place, ())) for place in sorted({*first, *second}))
        # Equal reports have no difference, and most reports are equal.
        found = (self.matched(*each) for each in every if each[1] != each[2])
        return {int(match.at): match for match in found if match.size}

    def size(self, causes: Iterable[SwitchedRule], place: float) -> int | None:
        """Return the number of different rows and times at one pushed triple or time unit.

        If an engine cannot run with these changes, the function returns None.
        """
        differences = self.differences(_of(causes))
        if differences is None:
            return None
        return differences[int(place)].size if place in differences else 0

    def explained(self, progress: Progress = no_progress) -> tuple[DifferenceWithRules, ...]:
        """Return each difference with the rules that cause it: single rules, or else a set of rules."""
        base = self.differences() or {}
        every = self.causes if base else ()
        for done, cause in enumerate(every):
            progress(done, len(every) + 1)
            self.differences(_of([cause]))
        explanations: list[DifferenceWithRules] = []
        for difference in base.values():
            explanations.append(self._explained(difference, explanations))
        return tuple(explanations)

    def _explained(
        self, difference: ReportMatch, explanations: Sequence[DifferenceWithRules]
    ) -> DifferenceWithRules:
        """Return a difference with the rules that cause it.

        First, the function looks for single rules without which the difference disappears. If no single rule
        removes the difference, the function looks for single rules without which the difference is smaller.
        If the difference remains without all these rules, the function looks for a minimal set of rules
        without which the remaining difference is smallest. The search for this set begins with all rules, and
        removes rules one by one.
        """
        sizes = {cause: self.size([cause], difference.at) for cause in self.causes}
        undoing = tuple(cause for cause, size in sizes.items() if size == 0)
        if undoing:
            return DifferenceWithRules(difference, undoing, undone=True)
        smaller = tuple(cause for cause, size in sizes.items() if size is not None and size < difference.size)
        left, least = (self.size(causes, difference.at) for causes in (smaller, self.causes))
        if left == 0 or least is None or least >= (difference.size if left is None else left):
            return DifferenceWithRules(difference, smaller, undone=left == 0)
        before = dict.fromkeys(earlier.causes for earlier in explanations if earlier.together)
        as_good = (rules for rules in before if self.size(rules, difference.at) == least)
        start = next(as_good, self.causes)
        rules = fewest_enough(start, lambda causes: self.size(causes, difference.at) == least)
        return DifferenceWithRules(difference, rules, undone=least == 0, together=len(rules) > 1)

    def needed(self) -> tuple[EngineRule, ...] | None:
        """Return a minimal set of rules with which an engine version reports the same as with all rules.

        If no engine version is compared with its own specification, the function returns None.
        """
        for number, version in enumerate(self.sides):
            other = self.sides[1 - number]
            if (
                isinstance(other.who, Specification)
                and not isinstance(version.who, Specification)
                and other.who.name == version.who.specification
                and not other.switches
            ):
                return fewest_enough(version.switches, partial(self._is_alike_by, number))
        return None

    def _is_alike_by(self, number: int, rules: Sequence[EngineRule]) -> bool:
        """Return whether an engine version reports the same if only the given rules are on."""
        off = frozenset(rule.name for rule in self.sides[number].switches if rule not in rules)
        try:
            own, changed = in_common_columns(self.side(number), self.side(number, off))
        except LarsError:
            return False
        (first, _), (second, _) = map(self.grouped, (own, changed))
        places = {*first, *second}
        every = ((place, first.get(place, ()), second.get(place, ())) for place in places)
        return not any(self.matched(*each).size for each in every if each[1] != each[2])


def _whole(reports: Reports) -> Report | None:
    return replace(reports[0], rows=tuple(rows_of(reports))) if reports else None


def _of(causes: Iterable[SwitchedRule]) -> Switched:
    return frozenset((cause.number, cause.rule.name) for cause in causes)


@dataclass(frozen=True, slots=True)
class Divergence:
    """The differences of two engines on one run.

    - `places` is the number of pushed triples, or time units, at which an engine reports.
    - `pushes` is None if reports are compared by time unit.
    - `parted` contains the differences with the rules or parameters that cause them.
    - `alone` contains each rule that removes all differences if only this rule is changed.
    - `needed` is a minimal set of rules with which an engine version reports the same as with all rules; None
      if no engine version is compared with its own specification.
    - `fields` are the parameters in which the specifications of both engines differ.
    - `after` contains the reports of each engine that no triple triggers.
    - `silent` contains true for each engine that reports no row, otherwise false.
    - `start` is the start time t0 of a specification's windows; None if they close at multiples of their
      slide. `moves` is true if t0 moves windows of a specification. `same_start` is another start time with
      which both engines report the same, or None.
    - `title` is the name of the case. If times are dateTimes, `dates` converts time points to dateTimes.
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
    after: tuple[Reports, Reports]
    silent: tuple[bool, ...]
    start: int | None = None
    moves: bool = False
    same_start: int | None = None
    dates: Dates = Dates(unit=MILLISECOND)
    title: str | None = None

    @property
    def same(self) -> bool:
        """Whether both engines report the same rows at all pushed triples or time units."""
        return not self.parted

    @property
    def is_empty(self) -> bool:
        """Whether neither engine reports a row."""
        return self.same and all(self.silent)

    @property
    def frequencies(self) -> list[tuple[SwitchedRule, int]]:
        """The rules and parameters that cause differences, each with the number of its differences.

        The rule or parameter with the most differences comes first.
        """
        counter = Counter(cause for counts in self.parted for cause in counts.causes)
        order = {cause: n for n, cause in enumerate(self.causes)}
        return sorted(counter.items(), key=lambda pair: (-pair[1], order[pair[0]]))


def divergence(pairing: Pairing, progress: Progress = no_progress) -> Divergence:
    """Return the differences of two engines on one run.

    If an engine version has several known builds, the two builds that differ least are compared.

    Raises:
        LarsError: An engine cannot run the query.
    """
    first, second = _nearest_builds(pairing)
    # A specification can be changed into the other side's specification.
    if isinstance(first.who, Specification):
        first = replace(first, like=second.specification)
    elif isinstance(second.who, Specification):
        second = replace(second, like=first.specification)
    pairing = _with_sides(pairing, first, second)
    explanations = pairing.explained(progress)
    recordings = pairing.recordings()
    (ours, our_last), (theirs, their_last) = map(pairing.grouped, recordings)
    return Divergence(
        names=(first.name, second.name),
        columns=recordings[0].variables,
        pushes=pairing.pushes,
        places=len({*ours, *theirs}),
        parted=explanations,
        causes=pairing.causes,
        alone=tuple(
            cause for cause in pairing.causes if explanations and pairing.differences(_of([cause])) == {}
        ),
        needed=pairing.needed(),
        fields=tuple(fields(first.specification, second.specification)),
        after=(our_last, their_last),
        silent=tuple(not any(report.rows for report in recording.reports) for recording in recordings),
        start=first.start,
        moves=pairing.slide > 0,
        same_start=pairing.same_start() if explanations else None,
    )


def _with_sides(pairing: Pairing, first: Reporter, second: Reporter) -> Pairing:
    return Pairing((first, second), pairing.runs, pairing.likeness, pairing.times)


def _nearest_builds(pairing: Pairing) -> tuple[Reporter, Reporter]:
    """Return the builds of the two engines that differ least: the name of an engine can mean any build."""
    first, second = pairing.sides
    pairs = list(product(first.builds, second.builds))
    # Where a build has a name of its own, the engine's name means the usual one beside it.
    named = any(one.who is second.who for one in first.builds) or any(
        one.who is first.who for one in second.builds
    )

    def distance(both: tuple[Reporter, Reporter]) -> tuple[int, list[str]]:
        # Names, so that the usual of builds that differ alike comes first.
        parted = _with_sides(pairing, *both).differences() or {}
        return sum(match.size for match in parted.values()), sorted(side.name for side in both)

    return pairs[0] if named or len(pairs) == 1 else min(pairs, key=distance)
