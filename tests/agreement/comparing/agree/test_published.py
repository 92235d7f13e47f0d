"""Some of SRBench's and LSBench's pairs of queries; all of them: tests/benchmarks/published.py."""

import pytest

from tests.agreement.comparing.agree.published import confirmed, jobs, otherwise, outcome
from tests.packs import pack

SOME = ("SR Q1", "SR Q1 as found", "SR Q6 as found", "SR Q7", "LS Q3", "LS Q11")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("published")


@pack("srbench")
@pack("lsbench")
@pytest.mark.parametrize("name", SOME)
def test_verdicts_rows_and_causes_are_those_that_another_evaluation_confirmed(name, folder):
    (job,) = (one for one in jobs() if one["name"] == name)
    assert otherwise(outcome(job, folder), confirmed()) == []


@pack("srbench")
def test_queries_that_ask_for_different_things_are_put_down_to_this(folder):
    (job,) = (one for one in jobs() if one["name"] == "SR Q8 as found")
    causes = {cause for _, _, counts in outcome(job, folder).values() for cause in counts}
    assert causes == {"pull: different queries"}
