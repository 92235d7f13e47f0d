"""Wrong engines at each kind of vector: they fail where they differ, and nowhere else; each test has one."""

from collections import Counter

import pytest

from agreement.proving.hunting import WRITINGS
from agreement.proving.suite import judged_suite
from agreement.proving.suite.running import until_of
from agreement.proving.suite.vectors import of_ranges
from tests.agreement.proving.suite.replies import (
    OPEN,
    REPLIES,
    answer,
    evaluated,
    groups,
    is_right,
    told,
    wrong_replies,
)
from translate.model.query import Language


@pytest.fixture(scope="module")
def few(tests):
    return [one for one in tests if not one.name.startswith("late")][::9]


def test_there_are_forty_wrong_engines_that_report():
    assert len(REPLIES) >= 40


def test_a_wrong_engine_fails_where_it_differs_and_nowhere_else(few):
    for test in few:
        for right, numbers in [*groups(test)][::24]:
            names, until = right[0].names, until_of(test)
            good = [told(names, one.reports, until) for one in right]
            for name, reports in wrong_replies(test, right, numbers[0]):
                differs = told(names, reports, until) not in good
                assert is_right(answer(test, names, reports), right) != differs, (test.name, name)


def test_each_test_is_failed_by_a_wrong_engine_at_each_vector(few):
    for test in few:
        for right, numbers in groups(test):
            replies = wrong_replies(test, right, numbers[0])
            assert not all(is_right(answer(test, right[0].names, one), right) for _, one in replies)


def test_a_wrong_evaluator_fails_at_each_vector_where_it_differs_and_nowhere_else(tests):
    kinds, apart = ("optional", "filter", "minus", "limit", "static"), Counter()
    for test in [next(one for one in tests if kind in one.name) for kind in kinds]:
        names, until = test.expected(Language.RSPQL)[0].names, until_of(test)
        right_of = {number: right for right, numbers in groups(test) for number in numbers}
        for name, reports, numbers in evaluated(test):
            for right in [right_of[number] for number in numbers[::50]]:
                differs = told(names, reports, until) not in [
                    told(names, one.reports, until) for one in right
                ]
                assert is_right(answer(test, names, reports), right) != differs, (test.name, name)
                apart[name] += differs
    assert {OPEN, "OPTIONAL as a join", "FILTER ignored", "LIMIT and OFFSET ignored"} <= (+apart).keys()


@pytest.mark.parametrize("name", ["one row short", "empty reports left out", "late by one"])
def test_the_outcome_is_that_of_the_comparison(name, few):
    for right, numbers in [*groups(few[0])][::40]:
        came = answer(few[0], right[0].names, REPLIES[name](right[0].reports, few[0]))
        declared = frozenset({(numbers[0], "evaluation")})
        (result,) = judged_suite(name, WRITINGS[0], [came], declared).results
        silent = "passed" if came.has_reports else "not asked"
        assert result.outcome == (silent if is_right(came, right) else "failed")


@pytest.mark.parametrize("text", ["+1", "1_0", "0-2, 7", "\u0663", "0-", "2,1", ""])
def test_only_ascending_ascii_numbers_are_ranges_of_vectors(text):
    assert of_ranges("0-2,7") == (0, 1, 2, 7)
    with pytest.raises(ValueError):  # noqa: PT011 - the message is the part
        of_ranges(text)
