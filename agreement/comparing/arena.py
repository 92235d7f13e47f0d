"""Search for the faults of an engine that explain recorded runs; each possible fault is a "switch".

If all faults are off, the simulated engine is correct. The search tries each fault, and sets of faults, on
all recorded runs. If a run is correct, but the simulation with a fault predicts other reports, the fault
raises a false alarm.

A run counts as evidence for a fault only if the run could also have refuted it. A run is therefore not
evidence if the fault would also explain the correct answers, no answers, or answers at other times. If the
runs have several causes, each cause must explain most of the runs on which it predicts a deviation. If many
faults are tried, some of the faults predict a few runs by chance. If the result of the search could be wrong,
the caller of the search adds runs.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import field, replace
from typing import Final, Generic, TypeVar

from lars.dataclass import dataclass

Run = TypeVar("Run")
Switch = TypeVar("Switch", bound=Hashable)

# All numbers are guesses with the given reasons; tests with toy engines (toy_faults.py) check their effect.
_SHARE_MISSED: Final = 0.05
"""The share of the wrong runs that a single cause may miss, besides one run.

A rare second fault may exist.
"""
_ALARMS_PER_RUN: Final = 0.1
"""The number of false alarms that a cause may raise per explained run, because causes can hide each other."""
_SHARE_EQUAL: Final = 0.98
"""The share of the best fault's evidence with which another fault counts as equal to it.

A smaller difference can be chance. Among equal faults, the first one is chosen.
"""
_RUNS_AT_ONCE: Final = 6
"""The number of runs on which every fault is tried, even after the time limit."""
_FIRST_RUNS: Final = 16
"""The number of first runs of which a fault must explain some run, to be tried on all runs."""
_SHARE_ENOUGH: Final = 0.5
"""The share of unexplained runs that a fault must explain to be chosen before others are tried."""
_SAMPLE: Final = 60
"""The maximum number of runs from which evidence and chance are estimated; each is judged several times."""
_FEW_SWITCHES: Final = 8
"""The number of faults up to which all are tried on all runs, even after the time limit.

Otherwise the order of trials would choose between them.
"""
_SHARE_EVIDENCE: Final = 0.75
"""The minimum share of evidence, among runs that are evidence or refute, for each of several causes.

The limit is not 1, because a second cause may hide this cause in a run.
"""


@dataclass(frozen=True, slots=True)
class Lead(Generic[Switch]):
    """A possible fault of an engine, with the wrong runs that it explains and the number of its false alarms.

    `explained` contains the numbers of the wrong runs that the fault explains. `evidence` contains the
    numbers of the explained runs that count as evidence for the fault. `alarms` is the number of false alarms
    on correct runs.
    """

    switch: Switch
    explained: frozenset[int]
    evidence: frozenset[int]
    alarms: int


@dataclass(slots=True)
class Arena(Generic[Run, Switch]):
    """The wrong and the correct runs of an engine, on which possible faults (switches) are compared.

    - `misses` returns the number of rows and reports in which a run differs from the simulation with some
      faults; None if the simulation is impossible.
    - `fits_plainly` returns whether the simulation with some faults equals the run, without further
      assumptions.
    - `can_refute` returns whether a run could have refuted the assumption of some faults.
    - `expects` returns whether the simulation of a run with a fault differs from the correct reports.
    - `is_over` returns whether the time limit is over. After the limit, only the runs that are already tried
      count.
    """

    misses: Callable[[Run, tuple[Switch, ...]], int | None]
    fits_plainly: Callable[[Run, tuple[Switch, ...]], bool]
    can_refute: Callable[[Run, tuple[Switch, ...]], bool]
    expects: Callable[[Run, Switch], bool]
    wrong: Sequence[Run]
    right: Sequence[Run]
    is_over: Callable[[], bool]
    _known_misses: dict[tuple[bool, int, tuple[Switch, ...]], int | None] = field(
        default_factory=dict, init=False
    )
    _known_refutable: dict[tuple[int, tuple[Switch, ...]], bool] = field(default_factory=dict, init=False)

    def explains(self, number: int, switches: tuple[Switch, ...]) -> bool:
        """Return whether the simulation with the given faults equals the wrong run with this number."""
        return self._misses_of(number, switches, right=False) == 0

    def _can_refute(self, number: int, switches: tuple[Switch, ...]) -> bool:
        if (number, switches) not in self._known_refutable:
            self._known_refutable[number, switches] = self.can_refute(self.wrong[number], switches)
        return self._known_refutable[number, switches]

    def _misses_of(self, number: int, switches: tuple[Switch, ...], *, right: bool) -> int | None:
        key = right, number, switches
        if key not in self._known_misses:
            run = (self.right if right else self.wrong)[number]
            self._known_misses[key] = self.misses(run, switches)
        return self._known_misses[key]

    def covers(self, number: int, causes: Sequence[Switch]) -> bool:
        """Return whether one of the causes, or all together, explain the wrong run with this number."""
        return any(self.explains(number, (cause,)) for cause in causes) or (
            len(causes) > 1 and self.explains(number, tuple(causes))
        )

    def unexplained(self, causes: Sequence[Switch]) -> list[int]:
        """Return the numbers of the wrong runs that none of the causes explains."""
        return [number for number in range(len(self.wrong)) if not self.covers(number, causes)]

    def single_cause(self, switches: Sequence[Switch]) -> Lead[Switch] | None:
        """Return the best possible fault that alone explains nearly all wrong runs, or None."""
        leads = [Lead(switch, frozenset(), frozenset(), 0) for switch in switches]
        # All are first tried on a few runs, so that a time limit leaves none out.
        for most in (_RUNS_AT_ONCE, _FIRST_RUNS, len(self.wrong)):
            numbers = range(min(most, len(self.wrong)))
            # Between a few all is tried, whatever the time: what is tried first would be named else.
            few = len(leads) <= _FEW_SWITCHES
            tried = [
                self._explained_by(lead.switch, numbers, (), _SHARE_MISSED, to_the_end=few) for lead in leads
            ]
            if most > _RUNS_AT_ONCE and not few and self.is_over():
                break
            leads = [lead for lead in tried if lead is not None]
        best = self._best([lead for lead in leads if lead.explained], ())
        every = range(len(self.wrong))
        # After the time limit, a named cause must still predict the other runs.
        if best is None or self._explained_by(best.switch, every, (), _SHARE_MISSED, to_the_end=True) is None:
            return None
        return best

    def nearest(
        self, switches: Sequence[Switch], most: int, is_over: Callable[[], bool] = lambda: False
    ) -> list[Switch]:
        """Return the `most` possible faults whose simulations are closest to a few of the wrong runs.

        If `is_over` becomes true before every fault is compared, the function returns no fault: the nearest
        of some faults need not be near.
        """
        numbers = range(min(_RUNS_AT_ONCE, len(self.wrong)))

        def distance(switch: Switch) -> int:
            both = (
                (self._misses_of(n, (switch,), right=False), self._misses_of(n, (), right=False))
                for n in numbers
            )
            return sum((without or 0) if with_it is None else with_it for with_it, without in both)

        distances = []
        for place, switch in enumerate(switches):
            if is_over():
                return []
            distances.append((distance(switch), place))
        return [switches[place] for _, place in sorted(distances)[:most]]

    def next_cause(self, switches: Sequence[Switch], causes: Sequence[Switch]) -> Lead[Switch] | None:
        """Return the fault with the most evidence in the runs that `causes` leave unexplained, or None.

        First, the function tries the faults that explain one of the first 6 of these runs. If none of these
        faults explains half of the runs, it tries the faults that explain one of the first 16 runs.
        """
        left = self.unexplained(causes)
        others = [switch for switch in switches if switch not in causes]
        # What explains most of the runs is hardly ever wrong about all of the first few.
        for most in (_RUNS_AT_ONCE, _FIRST_RUNS):
            others, before = (
                [
                    switch
                    for switch in others
                    if self._explained_by(switch, left[:most], (*causes, switch), 1)
                ],
                others,
            )
            tried = [self._explained_by(switch, left, (*causes, switch), 1) for switch in others]
            best = self._best([lead for lead in tried if lead is not None], causes, left)
            if best is not None and len(best.explained) >= len(left) * _SHARE_ENOUGH:
                break
            others = before
        return best

    def _evidence(self, lead: Lead[Switch], causes: Sequence[Switch]) -> frozenset[int]:
        """Return the numbers of those among the last explained runs that are evidence for a fault."""
        ways = ((lead.switch,), (*causes, lead.switch)) if causes else ((lead.switch,),)
        evidence = (
            number
            for number in sorted(lead.explained)[-_SAMPLE:]
            if self._can_refute(number, next(way for way in ways if self.explains(number, way)))
        )
        return frozenset(evidence)

    def _is_chance(self, lead: Lead[Switch], left: Sequence[int]) -> bool:
        """Return whether a fault explains too few of the runs on which it predicts wrong reports.

        A run does not count against the fault if the simulation with the fault is closer to the run than the
        correct reports are: the run may then have further causes.
        """
        others = [number for number in left if number not in lead.explained]
        sample = others[:_SAMPLE]
        refuted = sum(self._refutes(n, lead.switch) for n in sample)
        # As many runs of the sample are refuted as of all.
        every = refuted * len(others) / max(len(sample), 1)
        return len(lead.evidence) < _SHARE_EVIDENCE * (len(lead.evidence) + every)

    def _refutes(self, number: int, switch: Switch) -> bool:
        """Return whether a wrong run is not closer to the simulation with a fault than to correct reports."""
        with_it, without = (self._misses_of(number, on, right=False) or 0 for on in ((switch,), ()))
        return with_it >= without and self.expects(self.wrong[number], switch)

    def refuting(
        self, switch: Switch, causes: Sequence[Switch], is_over: Callable[[], bool] = lambda: False
    ) -> int:
        """Return the number of runs that refute a fault, alone and together with other causes.

        If `is_over` becomes true, no further run counts.
        """
        pairs = [tuple(one for one in causes if one in (switch, other)) for other in causes]
        ways = dict.fromkeys(((switch,), *pairs, tuple(causes)))

        def is_refuted(number: int, *, right: bool) -> bool:
            missed = (self._misses_of(number, way, right=right) for way in ways)
            if is_over() or not all(missed):
                return False
            run = (self.right if right else self.wrong)[number]
            return self.expects(run, switch) if right else self._refutes(number, switch)

        return sum(is_refuted(n, right=False) for n in range(len(self.wrong))) + sum(
            is_refuted(n, right=True) for n in range(len(self.right))
        )

    def equals(self, switch: Switch, switches: Sequence[Switch]) -> list[Switch]:
        """Return the other faults that predict exactly those wrong and right runs that a fault predicts."""
        every = [(n, True) for n in range(len(self.right))] + [(n, False) for n in range(len(self.wrong))]

        def predicts(one: Switch, number: int, *, right: bool) -> bool:
            missed = self._misses_of(number, (one,), right=right)
            # A fault without an effect on a run predicts that the run is right.
            return right if missed is None else not missed

        return [
            other
            for other in switches
            if other != switch
            and all(
                predicts(switch, n, right=right) == predicts(other, n, right=right)
                for n, right in reversed(every)
            )
        ]

    def count_explained(self, switch: Switch) -> int:
        """Return the number of wrong runs that one fault explains; 0 if a right run contradicts the fault."""
        if any(self._misses_of(n, (switch,), right=True) for n in range(len(self.right))):
            return 0
        return sum(self.explains(n, (switch,)) for n in range(len(self.wrong)))

    def contradictions(self, switch: Switch) -> int:
        """Return the number of runs that the simulation with one fault does not predict."""
        wrong = sum(not self.explains(n, (switch,)) for n in range(len(self.wrong)))
        return wrong + sum(bool(self._misses_of(n, (switch,), right=True)) for n in range(len(self.right)))

    def wider(self, one: Switch, other: Switch) -> Switch | None:
        """Return that of two faults which alone explains all wrong runs that the other explains alone.

        If there is no such fault, or if one of the faults alone explains no run, the function returns None.
        """
        mine, yours = (
            {number for number in range(len(self.wrong)) if self.explains(number, (switch,))}
            for switch in (one, other)
        )
        if not mine or not yours:
            return None
        return one if yours <= mine else other if mine <= yours else None

    def _explained_by(
        self,
        switch: Switch,
        numbers: Sequence[int],
        together: tuple[Switch, ...],
        share_missed: float,
        *,
        to_the_end: bool = False,
    ) -> Lead[Switch] | None:
        """Return a fault with the numbers of the runs that it explains.

        If the fault does not explain enough runs, or raises too many false alarms, the function returns None.
        `share_missed` is the share of runs that the fault may leave unexplained. After the time limit, only
        the runs that are already tried count.
        """
        explained: list[int] = []
        for done, number in enumerate(numbers):
            if done >= _RUNS_AT_ONCE and not to_the_end and self.is_over():
                break
            alone = self._misses_of(number, (switch,), right=False)
            # A switch that does not apply to a run adds nothing to the causes' predictions.
            if alone == 0 or (alone and len(together) > 1 and self.explains(number, together)):
                explained.append(number)
            elif done - len(explained) > share_missed * done:
                return None
        if not explained:
            return None
        alarms = self._alarms(switch, len(explained), self.right[:_FIRST_RUNS])
        return None if alarms is None else Lead(switch, frozenset(explained), frozenset(), alarms)

    def _alarms(self, switch: Switch, explained: int, right: Sequence[Run]) -> int | None:
        """Return the number of false alarms of a fault on correct runs; None for too many false alarms."""
        alarms = 0
        for number in range(len(right)):
            if number >= _RUNS_AT_ONCE and self.is_over():
                break
            alarms += bool(self._misses_of(number, (switch,), right=True))
            # Of few wrong runs that were tried nothing is known yet of how many more there are.
            if alarms > max(explained, _FIRST_RUNS) * _ALARMS_PER_RUN:
                return None
        return alarms

    def _best(
        self, leads: Sequence[Lead[Switch]], causes: Sequence[Switch], left: Sequence[int] = ()
    ) -> Lead[Switch] | None:
        """Return the fault with the most evidence; among nearly equal faults, the one that fits most runs.

        Because evidence consists of explained runs, the function skips faults that explain fewer runs than
        another fault has as evidence.
        """
        near: list[Lead[Switch]] = []
        for lead in sorted(leads, key=lambda one: -len(one.explained)):
            most = max((len(one.evidence) - one.alarms for one in near), default=0)
            if min(len(lead.explained), _SAMPLE) < most * _SHARE_EQUAL:
                break
            checked = self._with_evidence(lead, causes)
            if checked is not None and not (left and self._is_chance(checked, left)):
                near.append(checked)
        most = max((len(lead.evidence) - lead.alarms for lead in near), default=0)
        near = [lead for lead in near if len(lead.evidence) - lead.alarms >= most * _SHARE_EQUAL]
        # What leaves a run unexplained is refuted by what explains this run too.
        widest = max((len(lead.explained) for lead in near), default=0)
        near = [lead for lead in near if len(lead.explained) == widest]
        order = [lead.switch for lead in leads]
        near.sort(key=lambda lead: order.index(lead.switch))
        return max(near, key=self._plain_runs, default=None)

    def _with_evidence(self, lead: Lead[Switch], causes: Sequence[Switch]) -> Lead[Switch] | None:
        """Return a fault with its evidence and its false alarms on correct runs.

        If the fault raises more false alarms than it has runs as evidence, the function returns None.
        """
        evidence = self._evidence(lead, causes)
        alarms = self._alarms(lead.switch, len(lead.explained), self.right)
        if alarms is None or alarms > len(evidence):
            return None
        return replace(lead, evidence=evidence, alarms=alarms)

    def _plain_runs(self, lead: Lead[Switch]) -> int:
        sample = sorted(lead.evidence)[:_FIRST_RUNS]
        return sum(self.fits_plainly(self.wrong[number], (lead.switch,)) for number in sample)
