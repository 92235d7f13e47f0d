"""The recorded cases: judged by the engine versions that made them, and by what these should do."""

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from agreement.engines.registry import engine
from tests.agreement.command import lars

FOLDER = Path(__file__).parents[2] / "../shared/recordings"
AGREEING = {"csparql-0.9.7": 36, "cqels-1.x": 4, "yasper-csparql": 2, "yasper-cqels": 9, "rsp-js-1.3.5": 1}


@cache
def judged(*options):
    if not FOLDER.exists():
        pytest.skip(f"no recordings at {FOLDER}")
    return lars("judge", FOLDER, *options, "--json")


def test_every_case_is_as_its_own_engine_version_predicts():
    ran = judged()
    assert (ran.code, ran.err) == (0, "")
    assert [one["id"] for one in ran.json["cases"] if not one["correct"]] == []
    assert len(ran.json["cases"]) == len(list(FOLDER.rglob("*.json"))) > 200


def test_families_add_up_to_the_cases():
    for ran in (judged(), judged("--engine", "specification")):
        families, cases = ran.json["families"], ran.json["cases"]
        assert sum(one["cases"] for one in families) == len(cases)
        assert sum(one["correct"] for one in families) == sum(bool(one["correct"]) for one in cases)


def test_the_specifications_predict_a_quarter_of_the_cases():
    ran = judged("--engine", "specification")
    found = Counter(one["engine"] for one in ran.json["cases"] if one["correct"])
    assert (ran.code, ran.json["correct"], found) == (1, False, AGREEING)


def test_rules_of_the_engine_explain_every_case_that_its_specification_does_not():
    for one in judged("--engine", "specification").json["cases"]:
        named = [rule["rule"] for rule in one["rules"] or ()]
        assert bool(named) is not one["correct"], one["id"]
        assert set(named) <= {rule.name for rule in engine(one["engine"]).rules}
        assert bool(one["problem"]) is not one["correct"]


def test_another_engine_version_does_not_predict_what_csparql_answered():
    if not FOLDER.exists():
        pytest.skip(f"no recordings at {FOLDER}")
    ran = lars("judge", FOLDER / "csparql-0.9.7", "--engine", "yasper-csparql", "--json")
    assert ran.code in (1, 2)
