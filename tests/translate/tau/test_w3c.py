"""The W3C's tests of query evaluation, through logic: each answer as a multiset, numbers by value."""

import importlib.util
import sys

import pytest

from tests.packs import PACKS, is_there, pack
from tests.w3c import run

FOLDER = PACKS["w3c-sparql"].folder


def harness():
    """Return the module that reads the tests and compares results."""
    if "w3c_harness" not in sys.modules:
        spec = importlib.util.spec_from_file_location("w3c_harness", FOLDER / "harness.py")
        sys.modules["w3c_harness"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["w3c_harness"])
    return sys.modules["w3c_harness"]


def cases():
    return harness().load_pack(str(FOLDER / "open")) if is_there("w3c-sparql") else []


@pack("w3c-sparql")
@pytest.mark.parametrize("group", sorted({case.group for case in cases()}))
def test_each_answer_of_a_group_is_the_expected_one(group):
    judge = harness()
    for case in (case for case in cases() if case.group == group):
        given = (case.query, case.base, list(case.default_graph_files), list(case.named_graph_files))
        found = judge.to_result(run(*given))
        assert judge.judge(case, ("ok", found, 0.0))["value_bag"] == 1, case.id
