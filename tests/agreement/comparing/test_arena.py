"""The arena on runs that are numbers: a switch predicts those that it divides."""

from agreement.comparing.arena import Arena
from agreement.comparing.smaller import made_small


def arena(wrong, right=(), over=False, telling=(2, 3, 4, 5)):
    """Return an arena in which a run is what switches predict if each divides it, and nothing is right."""
    return Arena(
        lambda run, switches: sum(run % one != 0 for one in switches) if switches else 1,
        lambda run, switches: all(run % one == 0 for one in switches),
        lambda _, switches: set(switches) <= set(telling),
        lambda _, switch: switch in telling,
        wrong,
        right,
        lambda: over,
    )


def test_the_switch_that_predicts_all_runs_is_the_only_cause():
    assert arena([6, 12, 18, 36]).single_cause([4, 3]).switch == 3


def test_of_switches_that_explain_the_same_the_first_is_preferred():
    assert [arena([6, 12]).single_cause(order).switch for order in ([2, 3], [3, 2])] == [2, 3]


def test_of_switches_with_as_much_evidence_the_one_that_leaves_no_run_unexplained_is_the_cause():
    """Evidence is counted in 60 runs at most, so that two switches can have the same."""
    runs = [*[6] * 99, 3]
    assert [arena(runs).single_cause(order).switch for order in ([2, 3], [3, 2])] == [3, 3]


def test_switches_that_no_run_tells_apart_are_equal():
    assert arena([6, 12], right=[5]).equals(2, [2, 3, 4]) == [3]
    assert arena([6, 12], right=[9]).equals(2, [3, 4]) == []
    assert arena([6, 2]).equals(2, [3]) == []


def test_a_switch_without_an_effect_predicts_only_right_runs():
    several = arena([6], right=[6])
    several.misses = lambda _, on: None if on == (3,) else 0
    assert several.equals(2, [3]) == []
    several.wrong = []
    assert several.equals(2, [3]) == [3]


def test_a_switch_that_predicts_something_else_of_right_runs_is_no_cause():
    assert arena([6, 12], right=[5, 7]).single_cause([2]) is None
    assert arena([6, 12], right=[4]).single_cause([2]).alarms == 0


def test_several_causes_leave_nothing_that_one_of_them_explains():
    several = arena([4, 8, 16, 20, 40, 80, 9, 27])
    first = several.next_cause([3, 2], [])
    second = several.next_cause([3, 2], [first.switch])
    assert (first.switch, second.switch, several.unexplained([2, 3])) == (2, 3, [])


def test_a_run_that_could_not_refute_a_switch_is_no_evidence_for_it():
    assert not arena([6, 12, 18], telling=()).single_cause([2, 3]).evidence
    assert arena([6, 12, 18], telling=[3]).single_cause([2, 3]).switch == 3


def test_a_switch_that_most_runs_refute_is_none_of_several_causes():
    assert arena([4, 8, *[3] * 2]).next_cause([2], []) is None
    assert arena([4, 8, 16, 3]).next_cause([2], []).switch == 2


def test_runs_that_a_fault_does_not_predict_refute_it_unless_a_fault_beside_it_does():
    assert of_some_runs([4, 8]).refuting(2, [2, 3]) == 0
    assert refuting(lambda run, on: int(run == 2 and 2 in on)) == 1
    assert refuting(lambda run, on: int(run == 2 and set(on) == {2})) == 0
    assert refuting(lambda *_: 1) == 2
    assert refuting(lambda *_: 1, lambda: True) == 0


def refuting(misses, over=lambda: False):
    """Return the number of runs that refute 2 beside 3, of a wrong and a right run."""
    several = of_some_runs([4], right=[2])
    several.misses = misses
    return several.refuting(2, [2, 3], over)


def test_of_two_faults_the_one_that_explains_all_runs_of_the_other_is_wider():
    assert [arena([6, 12]).wider(*pair) for pair in ((2, 3), (3, 2))] == [2, 3]
    assert [arena([6, 2]).wider(*pair) for pair in ((2, 3), (3, 2))] == [2, 2]
    assert arena([2, 3]).wider(2, 3) is None
    assert arena([2]).wider(2, 3) is None


def test_what_explains_half_of_all_and_one_of_the_first_is_named_before_others_are_tried_on_more():
    """A hunt has hundreds of switches, and little time for each."""
    tried = []
    several = of_some_runs([4, 9] * 20)
    several.misses = lambda run, on: tried.append(on) or sum(run % one != 0 for one in on)
    assert several.next_cause([2, *range(11, 200)], []).switch == 2
    assert tried.count((11,)) == 6


def test_what_explains_one_of_the_first_but_few_of_all_is_not_named_before_what_explains_more():
    several = of_some_runs([4, *[49] * 5, 4, *[9] * 16])
    assert several.next_cause([2, 3], []).switch == 3
    assert several.next_cause([2], []).switch == 2


def of_some_runs(wrong, right=()):
    """Return an arena in which a switch changes only the runs that it divides."""
    several = arena(wrong, right)
    several.expects = lambda run, switch: run % switch == 0
    return several


def test_a_switch_that_a_right_run_contradicts_explains_nothing():
    assert arena([6, 12, 5], right=[4]).count_explained(2) == 2
    assert arena([6, 12, 5], right=[4, 7]).count_explained(2) == 0
    assert arena([6, 12, 5], right=[4, 7]).contradictions(2) == 2


def test_the_switches_that_are_nearest_come_first():
    assert arena([6, 9]).nearest([5, 2, 3], 2) == [3, 2]
    assert arena([6, 9]).nearest([5, 2, 3], 2, lambda: True) == []


def test_where_time_is_up_a_few_runs_decide():
    assert arena([6] * 30, over=True).single_cause([5, 3]).switch == 3


def test_what_is_made_small_has_no_smaller_neighbour_that_is_kept():
    assert made_small(40, lambda n: iter((n // 2, n - 1)), lambda n: (n,), lambda n: n % 5 == 0) == 5
