"""Every recording is what its engine version predicts, and no rule can be left out for all of them."""

from functools import cache

import pytest

from agreement.engines.cqels.query_text import read_written
from agreement.engines.registry import ENGINES
from agreement.recordings import read_case
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


def told(recording, engine):
    """Return the bags of rows, and all else that the engine can be held to."""
    by_push = bags(recording, lambda report: (report.t if engine.timed else None, report.trigger))
    times = [(report.t, report.trigger) for report in recording.reports if engine.timed]
    return by_push, times, recording.rejected


def is_predicted(path, off=()):
    case, query = case_and_query(path)
    engine = ENGINES[path.parent.name]
    found = engine.run(query, case.static, case.pushes, frozenset(off))
    if case.recording.variables not in ((), found.variables):
        return False
    same = told(found, engine) == told(case.recording, engine)
    return same and (not any(case.windows) or case.windows == found.windows)


@pytest.mark.parametrize("path", [one for name in NAMES for one in recorded(name)])
def test_what_was_recorded_is_predicted(path):
    assert is_predicted(path)


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_without_any_one_rule_some_recording_is_not_predicted(name, rule):
    needed = any(not is_predicted(path, {rule}) for path in (HELD / name).glob("*.json"))
    assert needed is (rule not in BY_HAND_ALONE.get(name, ()))
