"""The start times that judging finds are those of trying all that there are; the smallest cases of it."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given

from tests.agreement.comparing.judge.every_start import (
    chained_case,
    compared_with_every_start,
    told_starts,
)
from tests.agreement.comparing.judge.recorded import own, pushed
from tests.agreement.comparing.judge.test_choices import OTHER
from tests.agreement.comparing.judge.test_properties import SEEDS
from tests.solver.strategies import part_of

SLOW = "SELECT ?s FROM STREAM <http://e/S> [RANGE 100s STEP 100s] WHERE { ?s <http://e/p> ?o }"
UNION = (
    "SELECT ?x ?y FROM STREAM <http://e/S> [RANGE {0}s STEP {0}s] FROM STREAM <http://e/R> "
    "[RANGE {1}s STEP {1}s] WHERE {{ {{ ?x <http://e/p> ?o }} UNION {{ ?y <http://e/q> ?o }} }}"
)


@part_of(0.3)
@given(SEEDS)
def test_the_start_times_that_fit_are_those_of_trying_each(seed):
    assert compared_with_every_start(str(seed))[1] == ""


@pytest.mark.parametrize(("most", "code"), [("5000", 0), ("500", 1)])
def test_a_start_at_which_all_reports_are_late_alike_is_found(tmp_path, most, code):
    made = own("csparql", 48, SLOW, pushed("130 x p o", "250 y p o", "400 z p o")).late(2000)
    found = made.judged(tmp_path, "solve", "--late", most, "--bounds", "low-open", "--no-diagnosis")
    assert found.code == code


def test_two_windows_close_in_the_order_of_a_sequence(tmp_path):
    given = pushed(f"30 b q o {OTHER}", "50 a p o", "400 z r o")
    reports = tuple((t, (("<http://e/a>", None),)) for t in (135000.0, 145000.0))
    made = replace(own("csparql", 0, UNION.format(100, 100), given), reports=reports, engine="sparqlstream")
    for match in ("time", "sequence"):
        how = ("--match", match, "--bounds", "low-open", "--empty", "ignored", "--no-diagnosis")
        assert made.judged(tmp_path, "solve", *how).code == 0


def test_three_windows_close_one_after_the_other():
    assert all(told_starts(chained_case(Random(seed)))[1] for seed in range(2))


@pytest.mark.parametrize(("most", "code"), [((), 0), (("--late", "20000"), 0), (("--late", "5000"), 1)])
def test_reports_are_as_late_as_the_slide_of_the_window_that_reported(tmp_path, most, code):
    made = own("csparql", 950, UNION.format(1000, 5), pushed("1100 a p o", "2100 b p o", "4000 z p o")).late(
        10000
    )
    found = made.judged(tmp_path, "solve", "--t0", "950", "--no-diagnosis", *most)
    assert found.code == code
