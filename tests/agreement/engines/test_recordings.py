"""The engine versions by name; each recording is what its own predicts, by rules that are all needed."""

from collections import Counter
from functools import cache

import pytest

from agreement.engines.cqels.query_text import read_written
from agreement.engines.registry import ENGINES, engine
from agreement.recordings import read_case
from lars.errors import LarsError
from tests.agreement.engines.recorded_bags import bags
from tests.packs import HELD, recorded
from translate.dialects import read_query

NAMES = ("csparql-0.9.7", "cqels-1.x", "yasper-csparql", "yasper-cqels", "rsp-js-1.3.5")
RULES = [(name, rule.name) for name in NAMES for rule in ENGINES[name].rules]
BY_HAND_ALONE = {
    "csparql-0.9.7": {"W2"},
    "yasper-csparql": {"Y2", "Y6"},
    "yasper-cqels": {"YC1", "YC2", "YC3"},
    "rsp-js-1.3.5": {"R2", "R5", "R6"},
}
"""Rules that no recorded stream needs: the tests of each engine have a case for each by hand."""


@cache
def case_and_query(path):
    case = read_case(path)
    read = read_written if path.parent.name == "cqels-1.x" else read_query
    return case, read(case.query, str(path))


def told(recording, version):
    """Return the bags of rows, and all else that the engine can be held to."""
    by_push = bags(recording, lambda report: (report.t if version.timed else None, report.trigger))
    times = [(report.t, report.trigger) for report in recording.reports if version.timed]
    return by_push, times, recording.rejected


def is_predicted(path, off=()):
    case, query = case_and_query(path)
    version = ENGINES[path.parent.name]
    found = version.run(query, case.static, case.pushes, frozenset(off))
    if case.recording.variables not in ((), found.variables):
        return False
    same = told(found, version) == told(case.recording, version)
    return same and (not any(case.windows) or case.windows == found.windows)


@pytest.mark.parametrize("path", [one for name in NAMES for one in recorded(name)])
def test_what_was_recorded_is_predicted(path):
    assert is_predicted(path)


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_without_any_one_rule_some_recording_is_not_predicted(name, rule):
    needed = any(not is_predicted(path, {rule}) for path in (HELD / name).glob("*.json"))
    assert needed is (rule not in BY_HAND_ALONE.get(name, ()))


def test_the_registry_has_every_engine_by_its_name():
    names = ["csparql-0.9.7", "cqels-1.x", "yasper-csparql", "yasper-cqels", "rsp-js-1.3.5", "cqels-2011"]
    assert list(ENGINES) == names
    assert [engine(name).name for name in names] == names
    for found in ENGINES.values():
        assert max(Counter(rule.name for rule in found.rules).values()) == 1
        assert found.specification in {"csparql", "cqels", "rspql"}


def test_an_engine_that_there_is_not_is_told_with_those_there_are():
    with pytest.raises(
        LarsError, match=r"found the engine 'cqels'; accepted: csparql-0\.9\.7, .*cqels-2011$"
    ):
        engine("cqels")
