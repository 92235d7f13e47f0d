"""Random queries, traces and specifications: our own output is correct, and no longer once it is changed."""

from dataclasses import replace
from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st

from agreement.comparing.judge import judge_recording
from agreement.documents.recordings import Recording, Report
from agreement.documents.requests import JudgeOptions
from agreement.engines.engine import columns
from agreement.engines.specifications import evaluated_windows, evaluations
from tests.agreement.engines.specifications.operational_strategies import case
from tests.solver.strategies import part_of

SEEDS = st.integers(0, 10**9)
NEW = "<http://example.org/never-seen>"


class Drawn:
    """A random case with what its specification reports."""

    def __init__(self, seed: int, *, triggers: bool) -> None:
        drawn = case(Random(seed))
        self.task = drawn.task()
        places = drawn.places(self.task)
        self.specification, self.choice = drawn.specification(places), drawn.choice(places)
        profile = evaluated_windows(self.task, self.specification, self.choice)
        length = self.task.unit.milliseconds
        reports = tuple(
            Report(one.time * length, one.rows, one.trigger if triggers else None)
            for one in evaluations(profile)
            if one.reported
        )
        self.recording = Recording(columns(self.task.query), reports)

    def judged(self, recording=None):
        starts = tuple(sorted(set(self.choice.starts))) or (0,)
        bounds = self.choice.bounds
        options = JudgeOptions(t0=starts, bounds=bounds, until=self.task.until)
        return judge_recording(self.task, self.specification, recording or self.recording, options)

    def own(self, found):
        """Return the verdict for the choice that the recording was made with."""
        return next((one for one in found.verdicts if one.choice == self.choice), None)


@part_of(0.75)
@given(SEEDS, st.booleans())
def test_our_own_output_is_correct_for_the_start_times_it_was_made_with(seed, triggers):
    drawn = Drawn(seed, triggers=triggers)
    found = drawn.judged()
    own = drawn.own(found)
    assert own is not None
    assert own.correct is not False
    assert all(one.problem is None for one in (*own.transient, *own.windows, *own.later))
    assert found.correct is True or not own.windows


@part_of(0.5)
@given(SEEDS, st.sampled_from(("drop", "twice", "change")), st.booleans(), st.randoms(use_true_random=False))
def test_output_with_one_row_changed_is_not_correct_for_them(seed, what, triggers, rng):
    drawn = Drawn(seed, triggers=triggers)
    own = drawn.own(drawn.judged())
    stable = {window.at for window in own.windows}
    reports = [n for n, one in enumerate(drawn.recording.reports) if one.rows and one.t in stable]
    assume(reports and drawn.recording.variables)
    number = rng.choice(reports)
    recording = perturbed(drawn.recording, number, what, rng)
    before, after = (rows_at(one, drawn.recording.reports[number].t) for one in (drawn.recording, recording))
    same = before == after and drawn.specification.rows == "set"
    assert any(one.choice == drawn.choice for one in drawn.judged(recording).matching) is same


def rows_at(recording, t):
    """Return what is reported at a time as a set: evaluations inside one instant are compared together."""
    return {row for report in recording.reports if report.t == t for row in report.rows}


def perturbed(recording, number, what, rng):
    """Return a recording with a row of one report dropped, doubled or replaced."""
    report = recording.reports[number]
    row = rng.choice(report.rows)
    others = list(report.rows)
    others.remove(row)
    rows = {"drop": others, "twice": [*report.rows, row], "change": [*others, (NEW, *row[1:])]}[what]
    reports = list(recording.reports)
    reports[number] = replace(report, rows=tuple(rows))
    return replace(recording, reports=tuple(reports))
