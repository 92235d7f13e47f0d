"""Explain the wrong runs of a hunt for faults of an engine, and define the order of the hunt's phases.

Each cause of wrong runs becomes one fault. A small stream shows the fault and distinguishes it from correct
behavior.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from itertools import chain, combinations, filterfalse, islice, pairwise, product, starmap, zip_longest
from typing import Final

from agreement.comparing.arena import Arena, Lead
from agreement.comparing.smaller import fewest_enough
from agreement.engines.adapters.messages import FailedEngineError, profile_of
from agreement.engines.engine import Engine, EngineRule
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import with_query_bounds
from agreement.proving.hunting import references
from agreement.proving.hunting.descriptions import described
from agreement.proving.hunting.hunted_queries import HuntedQuery, with_exchanged_windows
from agreement.proving.hunting.hunting import (
    MOST_FAULTS,
    MOST_KEPT,
    SHOWN,
    Fault,
    Hunt,
    Keeps,
    in_turns,
    or_sentence,
)
from agreement.proving.hunting.input_switches import pauses
from agreement.proving.hunting.portraits import delays, mute_queries, portraits, rests, silent
from agreement.proving.hunting.query_switches import LENGTHS_MEASURED, other_lengths
from agreement.proving.hunting.showing import Cause, Causes, Isolation, RuleCause, neighbours
from agreement.proving.hunting.streams import Stream, closing_streams, random_streams, streams
from agreement.proving.hunting.switches import other_switches, parameters_of
from lars.dataclass import dataclass
from lars.errors import LarsError, TimeLimitError
from solver.deadlines import check_time
from solver.settings import Progress, no_progress

# All numbers are guesses with the given reasons. No number was measured on its own.

_SEARCH_END: Final = 0.8
"""The share of the hunt's time limit at which the search for causes of wrong runs ends."""

_SEARCH_OVER: Final = 0.88
"""The share of the hunt's time limit at which the search for causes is cut off if its last step is slow."""

_PAIRED: Final = 0.5
"""The share of the time limit after which no pairs are tried: the causes of a part of the runs come first."""

# Causes.
_SHARE_OWN_VERSION: Final = 0.5
"""The share of the unexplained runs that the model of the tested engine version must predict."""
_SHARE_OTHER_VERSION: Final = 0.9
"""The share of the wrong runs that the model of another engine version must predict.

The share is high, because another version is more likely to be similar by chance.
"""
_RULE_RUNS: Final = 60
"""The number of runs from which lars determines the rules of an engine version that explain the runs."""
_FEWEST_FOR_PAIRS: Final = 12
"""The number of wrong runs from which on pairs of faults are tried; a pair may fit fewer runs by chance."""
_MOST_PAIRED: Final = 10
"""The number of possible faults that are combined in pairs; the number of pairs grows with its square."""
_SHARE_BY_CHANCE: Final = 0.1
"""The share of the wrong runs that may remain unexplained and are only counted."""
_RUNS_BY_CHANCE: Final = 2
"""The number of wrong runs that may remain unexplained, even if their share exceeds `_SHARE_BY_CHANCE`."""
_FEWEST_EVIDENCE: Final = 2
"""The number of runs that must be evidence for a cause; a single run can be chance."""
_LEFT_PER_EXPLAINED: Final = 1 / 3
"""The number of unexplained runs that a cause may leave per explained run, among runs of the same query."""
_MOST_TRIPLES_SHOWN: Final = 10
"""The maximum number of triples of a random stream that shows a single cause, so that people can check it."""
_DESCRIBED_LATE: Final = 20
"""The number of wrong runs, and of correct runs, that a description uses if no time is left."""

# Experiments that test a cause.
_WRONG_EXPERIMENTS: Final = 24
"""The maximum number of new streams on which a cause predicts a wrong report, to test the cause."""
_STREAMS_PER_QUERY: Final = 8
"""The maximum number of similar streams, and of random streams, that test a cause for each query."""
_RIGHT_EXPERIMENTS: Final = 8
"""The maximum number of new streams on which a cause predicts no wrong report, to test the cause."""
_MOST_TESTED: Final = 8
"""The maximum number of causes that are tested in one search; if all are refuted, no cause is accepted."""
_STREAMS_COMPARED: Final = 60
"""The number of streams of a query that are searched for one on which two causes predict other answers."""
_STREAMS_TOLD: Final = 4
"""The maximum number of runs of a query that tell two causes apart; one is enough, if it repeats."""
_MOST_NEIGHBOURS: Final = 40
"""The maximum number of streams similar to a wrong run's stream from which streams are drawn."""


@dataclass(slots=True)
class Explanation:
    """Explains the wrong runs of a hunt by causes, and adds a fault of the engine for each cause.

    The method `add_faults` has four phases. In the first phase, `_find_causes` adds causes to `causes`, and
    rules of an engine version to `rules`. If one cause explains all wrong runs, only this cause is added. If
    several causes are necessary, each further cause must explain runs that no earlier cause explains. The
    method `_confirmed_lead` runs the engine on new streams, which can refute a cause, and adds the new runs
    to `wrong` or `right`. The method `_add_version_rules` sets `followed`, and removes the runs that this
    engine version predicts from `wrong`. At the end of the first phase, `_remove_doubtful` removes doubtful
    causes from `causes`.

    In the second phase, `_isolating_runs` finds, for each cause, a stream that shows only this cause, and
    runs the engine on the stream. In the third phase, `_add_fault` minimizes the stream of each cause, and
    adds a fault to the hunt. In the last phase, `_add_unexplained` adds a fault for wrong runs without a
    cause, if their number is too large to be chance.

    If the time limit of the hunt ends a phase, the next phases use the results that exist.
    """

    hunt: Hunt
    wrong: list[references.HuntedRun]
    right: list[references.HuntedRun]
    causes: list[Cause] = field(default_factory=list, init=False)
    rules: list[RuleCause] = field(default_factory=list, init=False)
    followed: Engine | None = field(default=None, init=False)
    """The engine version whose rules are faults; runs that its model predicts need no other cause."""
    judge: references.Reference = field(init=False)
    arena: Arena[references.HuntedRun, references.Switch] = field(init=False)
    parameters: tuple[references.Switch, ...] = field(init=False)
    """The possible faults of the engine with its parameters; empty if an engine version is the judge."""
    switches: tuple[references.Switch, ...] = field(default=(), init=False)
    """The possible faults that were tried, without the faults that only describe the wrong runs."""
    left: int = field(default=0, init=False)
    """The number of wrong runs that no cause explains."""
    predicted: int = field(default=0, init=False)
    """The number of wrong runs that the model of an engine version predicts, and that are left out."""

    def __post_init__(self) -> None:
        """Create the object that compares possible faults with the wrong and the correct runs."""
        hunt = self.hunt
        judge = self.judge = hunt.reference.narrowed(self.right)
        if judge is not hunt.reference:
            self.right = [run for run in self.right if judge.verdict(run).correct]
        self.parameters = self._parameters()
        over = partial(hunt.is_past, _SEARCH_END)
        self.arena = Arena(
            self._misses,
            judge.fits_at_time_zero,
            judge.can_refute,
            judge.expects,
            self.wrong,
            self.right,
            over,
        )

    def _misses(self, run: references.HuntedRun, on: tuple[references.Switch, ...]) -> int | None:
        """Return the number of rows and reports in which a run differs from the prediction of given faults.

        Raises:
            TimeLimitError: The time of this phase of the hunt is over.
        """
        self.hunt.is_past(1)
        check_time()
        return self.judge.misses(run, on)

    @property
    def cause_switches(self) -> tuple[references.Switch, ...]:
        """The switches (possible faults of an engine) of the causes that are found so far."""
        return tuple(cause.switch for cause in self.causes)

    def add_faults(self) -> None:
        """Add a fault for each cause of wrong runs to the hunt, then a fault for runs without a cause."""
        # If the time is over, the causes found so far are used.
        with suppress(TimeLimitError), self.hunt.in_time(_SEARCH_OVER):
            self._find_causes()
            self._settle_equal_causes()
            self._remove_contradicted()
        self.left = self.hunt.left = len(self._unexplained())
        self.hunt.untried = self.hunt.is_past(_SEARCH_END) and bool(self.left)
        own = self.followed is not None and self.followed.name == self.hunt.name
        # A change of the specification comes before a rule of another engine.
        causes: Causes = (*self.rules, *self.causes) if own else (*self.causes, *self.rules)
        isolation = Isolation(self.hunt.reference, self.followed, self.cause_switches, self.hunt.queries)
        shown = self._isolating_runs(isolation, causes)
        for number, (cause, run) in enumerate(zip(causes, shown, strict=True)):
            now = self.hunt.seconds / self.hunt.limits.time_limit
            # The remaining time is divided evenly among the remaining causes.
            until = now + (SHOWN - now) / (len(causes) - number)
            self._add_fault(isolation, cause, run, until)
        self._add_unexplained()

    def _find_causes(self) -> None:
        every, switches = (*self.hunt.wrong, *self.hunt.right), self._possible_switches()
        self.switches = switches
        mute, pictures = tuple(mute_queries(every, self.wrong)), tuple(portraits(every, self.wrong))
        if parameter := self._confirmed_lead(self._single_parameter):
            self._add_cause(parameter)
            return
        for candidates in (silent(every), mute, switches, pictures, self._paired_switches(switches)):
            if alone := self._confirmed_lead(partial(self.arena.single_cause, tuple(candidates))):
                self._add_cause(alone)
                break
        if self.causes and not self._unexplained():
            return
        own = ENGINES.get(self.hunt.name)
        self._add_version_rules(() if own is None else (own,))
        self._add_next(tuple(mute_queries(every, self._unexplained())))
        # Parameters first, because they are few, and all possible faults may take longer than the time left.
        self._add_next(self.parameters)
        self._add_next(switches)
        self._add_version_rules(ENGINES.values())
        # A portrait only describes runs, so it counts only if it covers nearly all unexplained runs.
        lead = self.arena.next_cause([one for one in pictures if one.held is None], self.cause_switches)
        if (
            lead is not None
            and not self._is_enough
            and len(lead.explained) >= (1 - _SHARE_BY_CHANCE) * len(self._unexplained())
        ):
            self._add_cause(lead)
        self._join_causes()
        self._remove_doubtful()
        self._remove_unshown()

    def _settle_equal_causes(self) -> None:
        """Run the engine on streams that tell causes from other possible faults with the same predictions.

        A possible fault takes the place of a cause if more of the new runs contradict the cause. If no run
        tells both apart, both are kept, unless only one of them predicts the exact answers.
        """
        for place, cause in enumerate(self.causes):
            if cause.switch.held is not None or self.hunt.is_past(_SEARCH_END) or not self.wrong:
                continue
            equal = self.arena.equals(cause.switch, self.switches)
            for run in self._telling_runs(cause.switch, equal):
                self._add_experiment(run)
            contradicted = {one: self.arena.contradictions(one) for one in (cause.switch, *equal)}
            told = [one for one, n in contradicted.items() if n == min(contradicted.values())]
            first, *others = list(filterfalse(partial(self._permits_several, cause), told)) or told
            # A run that only two causes together predict is no evidence for the replacement of one cause.
            evidence = [run for run in cause.evidence if self.judge.predicts(run, (first,))]
            if first is cause.switch or not evidence:
                others = [one for one in contradicted if one in (first, *others) and one is not cause.switch]
                self.causes[place] = replace(cause, equals=others)
            else:
                self.causes[place] = replace(cause, switch=first, evidence=evidence, equals=others)

    def _permits_several(self, cause: Cause, switch: references.Switch) -> bool:
        return any(self.judge.permits_several(run, switch) for run in cause.evidence[:1])

    def _remove_contradicted(self) -> None:
        """Remove causes that runs contradict, except for the cause that explains most wrong runs.

        One further fault may be the reason that runs contradict the main cause of an engine.
        """
        counts = {cause: len(self._explained_by(cause.switch)) for cause in self.causes}
        for cause in sorted(self.causes, key=counts.__getitem__)[:-1]:
            if self._contradicting(cause):
                self.causes.remove(cause)

    def _telling_runs(
        self, cause: references.Switch, others: Sequence[references.Switch]
    ) -> Iterator[references.HuntedRun]:
        """Run the engine on streams for which a cause and others predict other answers; yield the runs."""
        if not others or not isinstance(self.judge, references.SpecificationReference):
            return
        unanswered = replace(self.wrong[0].answers, replies=(), flush=())
        exchanged = filter(None, map(with_exchanged_windows, self.hunt.queries))
        queries = (*self.hunt.queries, *filter(self._is_accepted, exchanged))
        left = list(others)
        for query in queries:
            told = 0
            for stream in islice(streams(query, self.hunt.limits.seed), _STREAMS_COMPARED):
                if not left or self.hunt.is_past(_SEARCH_END) or told == _STREAMS_TOLD:
                    break
                run = references.HuntedRun(query, stream, unanswered)
                apart = [one for one in left if self._differ(run, cause, one)]
                if apart and (answered := self.hunt.tested(query, stream)) is not None:
                    told += 1
                    yield answered
            left = [one for one in left if self.arena.equals(cause, (one,))]

    def _is_accepted(self, query: HuntedQuery) -> bool:
        """Return whether the engine accepts a query that it has not run before."""
        try:
            profile_of(self.hunt.engine, query.registration)
        except LarsError:
            return False
        return True

    def _differ(self, run: references.HuntedRun, one: references.Switch, other: references.Switch) -> bool:
        assert isinstance(self.judge, references.SpecificationReference)
        return not run.late and (self.judge.differ(run, one, other) or self.judge.differ(run, other, one))

    def _single_parameter(self) -> Lead[references.Switch] | None:
        """Return another parameter of the engine, such as bounds, that explains all wrong runs, or None.

        Parameters are tried before the many other faults, so that a slow engine leaves time for them.
        """
        every = range(len(self.wrong))
        # What explains all runs may have less evidence than a parameter that explains most of them.
        complete = [one for one in self.parameters if all(self.arena.explains(n, (one,)) for n in every)]
        return self.arena.single_cause(complete)

    def _add_cause(self, lead: Lead[references.Switch]) -> None:
        for one in self._apart(lead):
            explained, evidence = ([self.wrong[n] for n in each] for each in (one.explained, one.evidence))
            self.causes.append(Cause(one.switch, explained, evidence))

    def _apart(self, lead: Lead[references.Switch]) -> Sequence[Lead[references.Switch]]:
        """Return the two faults of a pair as two causes if enough runs show each fault without the other."""
        alone = [
            frozenset(n for n in lead.explained if self.arena.explains(n, (part,)))
            for part in lead.switch.parts
        ]
        apart = []
        for n, part in enumerate(lead.switch.parts):
            others = frozenset[int]().union(*alone[:n], *alone[n + 1 :])
            evidence = (m for m in alone[n] - others if self.judge.can_refute(self.wrong[m], (part,)))
            apart.append(Lead(part, alone[n], frozenset(evidence), lead.alarms))
        return apart if apart and all(len(one.evidence) >= _FEWEST_EVIDENCE for one in apart) else [lead]

    def _join_causes(self) -> None:
        """Make one cause of two causes that are not different faults.

        Alone, one of the causes explains only runs that the other explains too. If both together explain no
        more runs than the other cause, only the other cause is left.
        """
        for one, other in combinations(self.causes, 2):
            if one.switch.held or other.switch.held:
                continue
            left = [cause for cause in self.causes if cause not in (one, other)]
            if (wider := self.arena.wider(one.switch, other.switch)) is None:
                continue
            tried = (wider, references.both(one.switch, other.switch))
            choose = partial(self.arena.next_cause, tried, [cause.switch for cause in left])
            if lead := self._confirmed_lead(choose):
                self.causes[:] = left
                self._add_cause(lead)
                self._join_causes()
                return

    def _remove_unshown(self) -> None:
        """Remove the runs that are no evidence of a cause if causes were removed, and causes without any."""
        for cause in tuple(self.causes):
            before = self.cause_switches[: self.causes.index(cause)]
            ways = ((cause.switch,), (*before, cause.switch))
            shown = [run for run in cause.evidence if any(self.judge.predicts(run, way) for way in ways)]
            place = self.causes.index(cause)
            self.causes[place : place + 1] = [replace(cause, evidence=shown)] if shown else []

    def _remove_doubtful(self) -> None:
        """Remove doubtful causes while the number of wrong runs without a cause is too large to be chance.

        A cause is doubtful if it explains fewer runs than are unexplained, or if many wrong runs of the same
        queries are unexplained. The cause that a query never returns a row is always doubtful, because it is
        only a symptom.
        """
        while self._is_more_than_chance and (cause := next(filter(self._is_doubtful, self.causes), None)):
            self.causes.remove(cause)

    def _is_doubtful(self, cause: Cause) -> bool:
        explained, left = (
            Counter(run.query.name for run in runs) for runs in (cause.explained, self._unexplained())
        )
        beside = any(left[name] > _LEFT_PER_EXPLAINED * count for name, count in explained.items())
        return cause.switch.held is not None or beside or left.total() > len(cause.explained)

    def _paired_switches(self, switches: Sequence[references.Switch]) -> Iterator[references.Switch]:
        """Yield pairs of possible faults to try together, if enough runs are wrong.

        Each pair contains a fault whose prediction is nearly right for the wrong runs.
        """
        if len(self.wrong) >= _FEWEST_FOR_PAIRS and not self.hunt.is_past(_PAIRED):
            told = [one for one in switches if one.held is None]
            nearest = self.arena.nearest(told, _MOST_PAIRED, partial(self.hunt.is_past, _PAIRED))
            if not nearest:
                return
            first, *others = nearest
            # A fault that helps only together with the nearest one may predict badly alone: all are paired.
            others += [one for one in told if one is not first and one not in others]
            yield from starmap(references.both, product([first], others))
            yield from starmap(references.both, combinations(others[: _MOST_PAIRED - 1], 2))

    def _parameters(self) -> tuple[references.Switch, ...]:
        if not isinstance(self.judge, references.SpecificationReference):
            return ()
        said = with_query_bounds(self.judge.specification, *(query.read for query in self.hunt.queries))
        return parameters_of(said, self.hunt.reference.options)

    def _possible_switches(self) -> tuple[references.Switch, ...]:
        match self.judge:
            case references.SpecificationReference() as reference:
                measured = reference.at_zero_subjects(self.wrong[:LENGTHS_MEASURED])
                learned = (
                    *other_lengths(measured),
                    *rests(measured),
                    *delays(reference, self.wrong),
                    *pauses(self.wrong),
                )
                return *self.parameters, *other_switches(), *learned
            case references.VersionReference() as version:
                return version.switches
            case _:
                return ()

    @property
    def _is_enough(self) -> bool:
        return len(self.hunt.faults) + len(self.rules) + len(self.causes) >= (
            self.hunt.limits.faults or MOST_FAULTS
        )

    def _add_next(self, switches: Sequence[references.Switch]) -> None:
        """Add causes of wrong runs, the most frequent cause first, until no cause explains further runs."""
        while not self._is_enough and (
            lead := self._confirmed_lead(partial(self.arena.next_cause, switches, self.cause_switches))
        ):
            self._add_cause(lead)

    def _confirmed_lead(
        self, choose: Callable[[], Lead[references.Switch] | None]
    ) -> Lead[references.Switch] | None:
        """Return the best cause of wrong runs that new runs of the engine do not refute, or None.

        The new runs are kept, so that later causes are tested on these runs too. Enough wrong runs must be
        evidence for the cause, because many causes can predict the same missing reports.
        """
        tested, count = set[references.Switch](), 0
        while (lead := choose()) is not None and lead.switch not in tested:
            if len(tested) == _MOST_TESTED:
                return None
            tested.add(lead.switch)
            for run in self._experiments(lead):
                self._add_experiment(run)
                count += 1
        # If the time was over before an experiment could refute the cause, nothing confirms it.
        untested = count < _FEWEST_EVIDENCE and self.hunt.is_past(_SEARCH_END)
        return lead if lead is not None and len(lead.evidence) >= _FEWEST_EVIDENCE and not untested else None

    def _experiments(self, lead: Lead[references.Switch]) -> Iterator[references.HuntedRun]:
        """Run the engine on new streams that can refute a possible cause of wrong runs, and yield the runs.

        For most of the new streams, the cause predicts wrong reports. For the other new streams, which are
        similar to streams of wrong runs, the cause predicts correct reports.
        """
        explained = [self.wrong[number] for number in sorted(lead.explained)]
        left = {query.name: self._streams_to_try(query, explained) for query in self.hunt.queries}
        faulty, plain, template = 0, 0, explained[0].answers
        while left and faulty < _WRONG_EXPERIMENTS:
            for query in self.hunt.queries:
                stream = next(left[query.name], None) if query.name in left else None
                if stream is None or self.hunt.is_past(_SEARCH_END):
                    left.pop(query.name, None)
                    continue
                silent_run = references.HuntedRun(query, stream, replace(template, replies=(), flush=()))
                if self.judge.expects(silent_run, lead.switch, rows=True):
                    faulty += 1
                elif plain < _RIGHT_EXPERIMENTS and any(run.query is query for run in explained):
                    plain += 1
                else:
                    continue
                if (run := self.hunt.tested(query, stream)) is not None:
                    yield run

    def _streams_to_try(
        self, query: HuntedQuery, explained: Sequence[references.HuntedRun]
    ) -> Iterator[Stream]:
        """Yield streams on which to test a cause, similar to streams of runs that it explains, or random."""
        seed = f"{self.hunt.limits.seed} {self.hunt.runs}"
        only_late = all(run.late for run in explained)
        own = [run.pushes for run in explained if run.query is query][:_STREAMS_PER_QUERY]
        near = [stream for pushes in own for stream in islice(neighbours(query, pushes), _MOST_NEIGHBOURS)]
        random.Random(seed).shuffle(near)  # noqa: S311
        for pair in islice(
            zip_longest(near, islice(random_streams(query, seed), _STREAMS_PER_QUERY)), _STREAMS_PER_QUERY
        ):
            yield from (stream for stream in pair if stream and (only_late or not _is_late(stream)))

    def _add_experiment(self, run: references.HuntedRun) -> None:
        """Add a run that tested a cause to the wrong or to the correct runs with which causes are compared.

        A run is wrong only by the question of the hunt, which may allow several start times t0. If causes are
        tried with only one of them, runs that are correct for another one are left out. If the model of an
        engine version explains many wrong runs, runs that this model predicts are left out.
        """
        correct, engine = self.hunt.reference.verdict(run).correct, self.followed
        if correct and not self.judge.verdict(run).correct:
            return
        if engine is not None and references.follows(engine, run, self.judge.options, engine.rules):
            return
        if correct is not None:
            self.hunt.judged_runs += 1
            self.hunt.wrong_runs += not correct
            (self.right if correct else self.wrong).append(run)

    def _isolating_runs(self, isolation: Isolation, causes: Causes) -> list[references.HuntedRun | None]:
        """Return, for each cause, a run of the engine that shows only this cause, or None."""
        shown: dict[Cause | RuleCause, references.HuntedRun | None] = {}
        together: dict[Cause | RuleCause, references.HuntedRun] = {}
        half = (self.hunt.seconds / self.hunt.limits.time_limit + SHOWN) / 2
        for unanswered_run in self._candidate_runs(causes):
            left = [cause for cause in causes if shown.get(cause) is None]
            if not left or self.hunt.is_past(half):
                break
            for cause in isolation.promised(unanswered_run, left):
                if isolation.is_alone(unanswered_run, cause):
                    shown[cause] = self._confirmed_run(isolation, cause, unanswered_run)
                else:
                    # This run needs another rule too, so it is shown only if no run needs the cause alone.
                    together.setdefault(cause, unanswered_run)
        for cause in causes:
            if shown.get(cause) is None and cause in together:
                shown[cause] = self._confirmed_run(isolation, cause, together[cause])
        return [shown.get(cause) for cause in causes]

    def _candidate_runs(self, causes: Causes) -> Iterator[references.HuntedRun]:
        """Yield streams that may show only one cause of wrong answers, in the form of runs without answers.

        Small streams of wrong runs come first, then streams of all queries, then large streams of wrong runs.
        """
        if not causes:
            return
        unanswered = replace(causes[0].evidence[0].answers, replies=(), flush=())
        # Some queries may hide a cause, so the smallest stream of each query comes early.
        each = (in_turns(_smallest_first(cause.evidence)) for cause in causes)
        turns = (run for run in chain.from_iterable(zip_longest(*each)) if run is not None)
        # A run that is evidence of several causes is tried on all of them at once.
        distinct = {(run.query.name, run.pushes): run for run in turns}
        own = [replace(run, answers=unanswered) for run in distinct.values()]
        # When windows close hardly depends on the rest of queries, so one per kind of windows is enough.
        kinds = {
            (one.windows, *dict.fromkeys(letter[0] for letter in one.letters)): one
            for one in reversed(self.hunt.queries)
        }
        closing = (
            references.HuntedRun(query, stream, unanswered)
            for group in zip_longest(*map(closing_streams, kinds.values()))
            for query, stream in zip(kinds.values(), group, strict=True)
            if stream
        )
        small = (run for run in own if len(run.pushes) <= _MOST_TRIPLES_SHOWN)
        yield from (run for pair in zip_longest(small, closing) for run in pair if run is not None)
        every = [(query, streams(query, self.hunt.limits.seed)) for query in self.hunt.queries]
        # As many streams as the search for faults has tried.
        for _ in range(self.hunt.searched // len(every)):
            drawn = (references.HuntedRun(query, next(pushes), unanswered) for query, pushes in every)
            yield from (run for run in drawn if len(run.pushes) <= _MOST_TRIPLES_SHOWN)
        yield from (run for run in own if len(run.pushes) > _MOST_TRIPLES_SHOWN)

    def _confirmed_run(
        self, isolation: Isolation, cause: Cause | RuleCause, unanswered_run: references.HuntedRun
    ) -> references.HuntedRun | None:
        """Run the engine on a stream, and return the run if it shows only the given cause, otherwise None."""
        try:
            run = self.hunt.run(unanswered_run.query, unanswered_run.pushes)
        except FailedEngineError as error:
            self.hunt.fail(unanswered_run.query, unanswered_run.pushes, error)
            return None
        wrong = self.hunt.reference.verdict(run).correct is False
        return run if wrong and self._is_alone(isolation, cause, run) else None

    def _is_alone(self, isolation: Isolation, cause: Cause | RuleCause, run: references.HuntedRun) -> bool:
        return self._can_refute(cause, run) and isolation.right_without(run, cause) is not None

    def _can_refute(self, cause: Cause | RuleCause, run: references.HuntedRun) -> bool:
        """Return whether a cause explains a run, and the run is evidence for the cause."""
        if isinstance(cause, Cause):
            switch = cause.switch
            return self.judge.predicts(run, (switch,)) and self.judge.can_refute(run, (switch,))
        options, others = self.judge.options, tuple(one for one in cause.needed if one != cause.rule)
        lacking = references.follows(cause.engine, run, options, others)
        return not lacking and references.follows(cause.engine, run, options, cause.needed)

    def _still_shows(
        self, isolation: Isolation, cause: Cause | RuleCause, run: references.HuntedRun | None
    ) -> Keeps:
        """Return a function that decides whether a run on a smaller stream still shows a cause.

        `run` is a run that shows only this cause; None if no run is known.
        """
        if run is not None:
            alone, most = isolation.is_alone(run, cause), len(isolation.also_right_without(run, cause))
            return lambda one: (
                self._can_refute(cause, one)
                and isolation.right_without(one, cause) is not None
                and (
                    isolation.is_alone(one, cause)
                    if alone
                    else len(isolation.also_right_without(one, cause)) <= most
                )
            )
        if isinstance(cause, RuleCause):
            return partial(self._can_refute, cause)
        before = self.cause_switches[: self.causes.index(cause)]
        switches, predicts = (*before, cause.switch), self.judge.predicts
        return lambda one: predicts(one, switches) and not (before and predicts(one, before))

    def _add_fault(
        self, isolation: Isolation, cause: Cause | RuleCause, run: references.HuntedRun | None, until: float
    ) -> None:
        """Add the fault of a cause to the hunt, with a run on a stream that is as small as possible.

        `run` is a run that shows only this cause, or None. The minimization stops when the share `until` of
        the hunt's time limit is over.
        """
        beside = partial(isolation.beside, cause=cause)
        shown = self._still_shows(isolation, cause, run)
        small, ended = self.hunt.small(self._smallest_shown(cause, run, shown), shown, until)
        right = isolation.right_without(small, cause)
        others = isolation.other_causes(small, cause) if right is None else beside(small)
        on = (*self._needed(small, cause), cause.switch) if isinstance(cause, Cause) else ()
        verdict = self.hunt.reference.verdict(small, on, right)
        others = (*on[:-1], *(one for one in others if one not in on))
        told = [self._rule_switch(one) for one in others]
        times = len(self._explained_by(cause.switch)) if isinstance(cause, Cause) else len(cause.evidence)
        rule = self._rule_switch(cause.switch if isinstance(cause, Cause) else cause.rule)
        equal = tuple(cause.equals) if isinstance(cause, Cause) else ()
        isolated = right is not None and not others
        fault = Fault(small, verdict, self.hunt.first_wrong, rule, None, isolated, tuple(told), times)
        fault = replace(fault, smallest=ended, equal_rules=equal)
        against = self._contradicting(cause)
        if self.left or against:
            every = len(self.wrong) + self.predicted
            likely = or_sentence(rule.sentence, equal)
            fault = replace(fault, rule=None, equal_rules=(), likely=likely, of=every)
            fault = replace(fault, left=self.left, against=against)
        self.hunt.faults.append(fault)

    def _needed(self, run: references.HuntedRun, cause: Cause) -> tuple[references.Switch, ...]:
        """Return the other causes without which a cause does not predict a run; empty if none is needed."""
        others = tuple(one for one in self.cause_switches if one is not cause.switch)

        def enough(some: Sequence[references.Switch]) -> bool:
            return self.judge.predicts(run, (*some, cause.switch))

        return fewest_enough(others, enough) if not enough(()) and enough(others) else ()

    def _explained_by(self, switch: references.Switch) -> list[int]:
        """Return the numbers of the wrong runs that a cause explains, alone or together with all causes."""
        every = self.cause_switches
        return [
            n
            for n in range(len(self.wrong))
            if self.arena.explains(n, (switch,))
            or (
                len(every) > 1
                and self.arena.explains(n, every)
                and not self.arena.covers(n, [one for one in every if one is not switch])
            )
        ]

    def _contradicting(self, cause: Cause | RuleCause) -> int:
        """Return the number of runs that refute a cause, alone and together with other causes."""
        if isinstance(cause, RuleCause) or cause.switch.held is not None:
            return 0
        over = partial(self.hunt.is_past, SHOWN)
        return self.arena.refuting(cause.switch, self.cause_switches, over)

    def _smallest_shown(
        self, cause: Cause | RuleCause, run: references.HuntedRun | None, shows: Keeps
    ) -> references.HuntedRun:
        """Return the smallest run that shows a cause: `run`, or a smaller run that is evidence for the cause.

        If no time is left to minimize a stream, the fault is shown on the stream of this run.
        """
        ordered = _smallest_first(cause.evidence)
        if run is None:
            return ordered[0]
        smaller = (one for one in ordered[:_MOST_TESTED] if len(one.pushes) < len(run.pushes))
        return next((one for one in smaller if not self.hunt.is_past(1) and shows(one)), run)

    def _rule_switch(self, of: references.Switch | EngineRule) -> references.Switch:
        if isinstance(of, references.Switch):
            return of
        if self.followed is None:
            return references.Switch(of.sentence, of.right)
        sentence = f"{of.sentence} ({of.name} of {self.followed.name})"
        return references.Switch(sentence, of.right or "without that")

    def _unexplained(self) -> list[references.HuntedRun]:
        return [self.wrong[number] for number in self.arena.unexplained(self.cause_switches)]

    def _add_version_rules(self, engines: Iterable[Engine]) -> None:
        """Add rules of the first engine version whose model predicts enough wrong runs without a cause.

        If the model is of another engine than the hunted engine, the model must also predict correct runs.
        """
        left, reference = self._unexplained(), self.hunt.reference
        if not left or self.followed or not isinstance(reference, references.SpecificationReference):
            return
        for engine in engines:
            if engine.specification != reference.specification.name:
                continue
            predicted = [
                run for run in left if references.follows(engine, run, reference.options, engine.rules)
            ]
            own = engine.name == self.hunt.name
            enough = len(left) * _SHARE_OWN_VERSION if own else len(self.wrong) * _SHARE_OTHER_VERSION
            if len(predicted) >= enough and (own or self._predicts_right_runs(engine)):
                self._add_needed_rules(engine, predicted)
                self.wrong[:] = [run for run in self.wrong if run not in predicted]
                self.predicted += len(predicted)
                self.arena = replace(self.arena)
                self.followed = engine
                return

    def _predicts_right_runs(self, engine: Engine) -> bool:
        """Return whether the model of an engine version also predicts the first correct runs of the hunt."""
        options = self.hunt.reference.options
        return all(references.follows(engine, run, options, engine.rules) for run in self.right[:_RULE_RUNS])

    def _add_needed_rules(self, engine: Engine, runs: Sequence[references.HuntedRun]) -> None:
        options, sample = self.hunt.reference.options, runs[:_RULE_RUNS]

        def all_follow(rules: Sequence[EngineRule]) -> bool:
            return all(references.follows(engine, run, options, rules) for run in sample)

        needed = fewest_enough(engine.rules, all_follow)
        for rule in needed:
            whole = RuleCause(engine, rule, needed, ())
            shown = [run for run in runs if self._can_refute(whole, run)]
            if shown and not self._is_enough:
                self.rules.append(replace(whole, evidence=shown))

    def _is_unexplained(self, run: references.HuntedRun) -> bool:
        return not any(self.judge.predicts(run, (cause,)) for cause in self.cause_switches)

    @property
    def _is_more_than_chance(self) -> bool:
        """Whether the number of wrong runs without a cause is too large to be chance."""
        return len(self._unexplained()) > (
            max(_RUNS_BY_CHANCE, len(self.wrong) * _SHARE_BY_CHANCE) if self.causes else 0
        )

    def _run_similar_streams(self) -> None:
        """Run the engine on streams that are similar to streams of wrong runs without a cause.

        From the new runs, the hunt learns the properties that wrong runs share.
        """
        for run in _smallest_first(self._unexplained())[:_MOST_TESTED]:
            near = list(islice(neighbours(run.query, run.pushes), _MOST_NEIGHBOURS))
            random.Random(self.hunt.limits.seed).shuffle(near)  # noqa: S311
            for stream in near[:_RIGHT_EXPERIMENTS]:
                if (
                    stream
                    and not _is_late(stream)
                    and not self.hunt.is_past(_SEARCH_END)
                    and (one := self.hunt.tested(run.query, stream)) is not None
                ):
                    self._add_experiment(one)

    def _add_unexplained(self) -> None:
        """Add a fault for wrong runs without a cause, if their number is too large to be chance."""
        if self._is_enough or not self._is_more_than_chance:
            return
        self._run_similar_streams()
        left = self._unexplained()
        small, ended = self.hunt.small(_smallest_first(left)[0], self._is_unexplained)
        verdict = self.hunt.reference.verdict(small)
        one, explained = self._likely_parameter(small)
        likely = None if one is None else one.sentence
        # The runs on similar streams only describe the fault.
        fault = Fault(small, verdict, self.hunt.first_wrong, None, self._description(left), times=self.left)
        fault = replace(fault, smallest=ended, likely=likely, likely_runs=explained)
        self.hunt.faults.append(replace(fault, untried=self.hunt.untried))
        self.hunt.left = 0

    def _description(self, left: Sequence[references.HuntedRun]) -> str | None:
        """Return a text about what wrong runs without a cause share; None if no time is left."""
        mute = (one.sentence for one in mute_queries((*self.hunt.wrong, *self.hunt.right), left))
        # The description judges each run again, which takes time.
        most = _DESCRIBED_LATE if self.hunt.is_past(SHOWN) else MOST_KEPT
        with suppress(TimeLimitError):
            return "; ".join((described(left[:most], self.right[:most], self.judge), *mute))
        return None

    def _likely_parameter(self, run: references.HuntedRun) -> tuple[references.Switch | None, int]:
        """Return the parameter that predicts a run and most other wrong runs, and the number of these runs.

        If an engine has several faults, no cause may explain enough runs; a small run often has only one. A
        parameter that a right run contradicts is left out.
        """
        best: tuple[references.Switch | None, int] = None, 0
        with suppress(TimeLimitError):
            for one in self.parameters:
                if self.judge.predicts(run, (one,)) and self.judge.can_refute(run, (one,)):
                    explained = self.arena.count_explained(one)
                    best = (one, explained) if explained > best[1] else best
        return best


def _is_late(stream: Stream) -> bool:
    return any(later.t < push.t for push, later in pairwise(stream))


def _smallest_first(runs: Iterable[references.HuntedRun]) -> list[references.HuntedRun]:
    """Return runs in the order of the sizes of their streams; runs with blank nodes come last."""
    return sorted(runs, key=lambda run: (run.has_blanks, len(run.pushes)))


def run_hunt(hunt: Hunt, progress: Progress = no_progress) -> None:
    """Hunt for faults of an engine until a limit is reached or every query has failed too often.

    The hunt runs the engine on many streams, and minimizes a run in which the engine fails. It then repeats
    wrong runs with a new process, explains the repeatable wrong runs, and repeats the run of each fault.
    """
    hunt.explore(progress)
    hunt.add_failure()
    try:
        with hunt.in_time():
            _explain(hunt)
    except TimeLimitError:
        hunt.add_untried()
    hunt.add_failure()
    hunt.engine.end()
    for fault in hunt.faults:
        hunt.confirm(fault)
    hunt.join_unsteady()
    hunt.faults = hunt.faults[: hunt.limits.faults]


def _explain(hunt: Hunt) -> None:
    """Add the faults of the wrong runs that are repeatable.

    Raises:
        TimeLimitError: The time limit of the hunt is over.
    """
    steady = hunt.repeatable() if hunt.wrong else []
    if steady and len(hunt.faults) < (hunt.limits.faults or MOST_FAULTS):
        in_order = [hunt.defined(runs) for runs in (in_turns(steady), hunt.right)]
        Explanation(hunt, *in_order).add_faults()
    else:
        # A fault that is not repeatable is itself one of the wrong runs, so this run is not left.
        hunt.left = len(hunt.wrong) - sum(not fault.repeated for fault in hunt.faults)
