"""The engine versions by name; each recording is what its own predicts, by rules that are all needed."""

from collections import Counter, defaultdict
from functools import cache

import pytest

from agreement.documents.recordings import in_common_columns, read_case
from agreement.documents.recordings.recording import made_lexical
from agreement.engines.registry import ENGINES, engine
from lars.errors import LarsError
from tests.agreement.engines.recorded_bags import bags
from tests.packs import HELD, recorded

NAMES = (
    "csparql-0.9.7",
    "cqels-1.x",
    "yasper-csparql",
    "yasper-cqels",
    "rsp-js-1.3.5",
    "rsp-rs-0.3.5",
    "yasper-rsp4j-1.0.1",
    "csparql2-rsp4j-c46e0f67",
)
WITHOUT_OWN = ("kolibrie-846becb",)
"""Engines that nobody but the packs has recorded: the tests of each have every rule by hand."""
RULES = [(name, rule.name) for name in NAMES for rule in ENGINES[name].rules]
BY_HAND_ALONE = {
    "csparql-0.9.7": {"W2"},
    "yasper-csparql": {"Y2", "Y6"},
    "yasper-cqels": {"YC1", "YC2", "YC3"},
    "rsp-js-1.3.5": {"S5"},
    "rsp-rs-0.3.5": {"A14", "D3"},
    "csparql2-rsp4j-c46e0f67": {"CS9"},
    "yasper-rsp4j-1.0.1": {"YO17"},
}
"""Rules that no recorded stream needs: the tests of each engine have a case for each by hand."""


@cache
def case_and_query(path):
    case = read_case(path)
    return case, ENGINES[path.parent.name].read(case.query, str(path))


def told(recording, version):
    """Return the bags of rows, and all else that the engine can be held to."""
    by_push = bags(recording, lambda report: (report.t if version.timed else None, report.trigger))
    times = [(report.t, report.trigger) for report in recording.reports if version.timed]
    return by_push, times, recording.rejected


def is_predicted(path, off=()):
    version = ENGINES[path.parent.name]
    builds = (version,) if off else (version, *version.builds)
    return any(is_predicted_by(build, path, off) for build in builds)


def is_refused(version, path):
    try:
        case, query = case_and_query(path)
        version.run(query, case.static, ())
    except LarsError:
        return True
    return False


def is_predicted_by(version, path, off):
    if read_case(path).refused is not None:
        return is_refused(version, path)
    case, query = case_and_query(path)
    found = version.predict(query, case.static, case.pushes, frozenset(off), case.recording)
    found = made_lexical(found) if case.lexical else found
    if not set(case.recording.variables) <= set(found.variables):
        return False
    mine, theirs = in_common_columns(found, case.recording)
    same = told(mine, version) == told(theirs, version)
    return same and (
        not any(case.windows) or bounds(case.recording, case.windows) == bounds(found, found.windows)
    )


def bounds(recording, windows):
    """Return the bounds that are told, as a multiset for each push: rows come in no order."""
    told_of = defaultdict(Counter)
    for report, window in zip(recording.reports, windows, strict=True):
        told_of[report.trigger][window] += 1
    return told_of


@pytest.mark.parametrize("path", [one for name in (*NAMES, *WITHOUT_OWN) for one in recorded(name)])
def test_what_was_recorded_is_predicted(path):
    assert is_predicted(path)


@pytest.mark.parametrize(("name", "rule"), RULES)
def test_without_any_one_rule_some_recording_is_not_predicted(name, rule):
    needed = any(not is_predicted(path, {rule}) for path in (HELD / name).glob("*.json"))
    assert needed is (rule not in BY_HAND_ALONE.get(name, ()))


def test_the_registry_has_every_engine_by_its_name():
    names = [*NAMES, *WITHOUT_OWN, "cqels-2011", "csparql-0.9.7-jena-2.13.0"]
    assert sorted(ENGINES) == sorted(names)
    assert [engine(name).name for name in names] == names
    for found in ENGINES.values():
        assert max(Counter(rule.name for rule in found.rules).values()) == 1
        assert found.specification in {"csparql", "cqels", "rspql"}


def test_an_engine_that_there_is_not_is_told_with_those_there_are():
    with pytest.raises(
        LarsError,
        match=r"unknown engine 'cqels'; use csparql-0\.9\.7, .*jena-2\.13\.0$",
    ):
        engine("cqels")
