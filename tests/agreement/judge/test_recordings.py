"""The recorded cases: judged by the engine versions that made them, and by what these should do."""

from collections import Counter
from functools import cache

import pytest

from agreement.engines.registry import engine
from tests.agreement.command import lars
from tests.packs import HELD, PACKS, pack

PACK = PACKS["recordings"].folder
AGREEING = {
    HELD: {"csparql-0.9.7": 9, "yasper-cqels": 5, "rsp-js-1.3.5": 1},
    PACK: {"csparql-0.9.7": 36, "cqels-1.x": 4, "yasper-csparql": 2, "yasper-cqels": 9, "rsp-js-1.3.5": 1},
}
"""How many cases of a folder are what the specifications say."""
FOLDERS = pytest.mark.parametrize(
    "folder", [pytest.param(HELD, id="held"), pytest.param(PACK, id="pack", marks=pack("recordings"))]
)


@cache
def judged(folder, *options):
    return lars("judge", folder, *options, "--json")


@FOLDERS
def test_every_case_is_as_its_own_engine_version_predicts(folder):
    ran = judged(folder)
    assert (ran.code, ran.err) == (0, "")
    assert [one["id"] for one in ran.json["cases"] if not one["correct"]] == []
    assert len(ran.json["cases"]) == len(list(folder.rglob("*.json"))) > 50


@FOLDERS
def test_families_add_up_to_the_cases(folder):
    for ran in (judged(folder), judged(folder, "--engine", "specification")):
        families, cases = ran.json["families"], ran.json["cases"]
        assert sum(one["cases"] for one in families) == len(cases)
        assert sum(one["correct"] for one in families) == sum(bool(one["correct"]) for one in cases)


@FOLDERS
def test_the_specifications_predict_few_of_the_cases(folder):
    ran = judged(folder, "--engine", "specification")
    found = Counter(one["engine"] for one in ran.json["cases"] if one["correct"])
    assert (ran.code, ran.json["correct"], found) == (1, False, AGREEING[folder])


@FOLDERS
def test_rules_of_the_engine_explain_every_case_that_its_specification_does_not(folder):
    for one in judged(folder, "--engine", "specification").json["cases"]:
        named = [rule["rule"] for rule in one["rules"] or ()]
        assert bool(named) is not one["correct"], one["id"]
        assert set(named) <= {rule.name for rule in engine(one["engine"]).rules}
        assert bool(one["problem"]) is not one["correct"]


def test_another_engine_version_does_not_predict_what_csparql_answered():
    ran = lars("judge", HELD / "csparql-0.9.7", "--engine", "yasper-csparql", "--json")
    assert ran.code in (1, 2)
