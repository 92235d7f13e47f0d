"""The recorded cases: judged by the engine versions that made them, and by what these should do."""

import json
from functools import partial

import pytest

from agreement.comparing.judge import case_files
from agreement.engines.registry import engine
from tests.agreement.command import lars
from tests.once import once
from tests.packs import HELD, files_of, pack

AGREEING = {
    "csparql-0.9.7": ((32, 9), (76, 27)),
    "cqels-1.x": ((19, 0), (51, 4)),
    "yasper-csparql": ((6, 0), (5, 2)),
    "yasper-cqels": ((7, 5), (4, 4)),
    "rsp-js-1.3.5": ((14, 1), (2, 0)),
    "rsp-rs-0.3.5": ((9, 0), None),
}
"""How many cases of an engine there are, and how many its specification predicts: held, then others."""


def held(name):
    return sorted((HELD / name).glob("*.json"))


def others(name):
    """Return the pack's cases that the project does not hold."""
    own = {path.name for path in held(name)}
    return [path for path in files_of("recordings", f"{name}/*.json") if path.name not in own]


SOURCES = [
    *(pytest.param((held, name, *AGREEING[name][0]), id=f"held {name}") for name in AGREEING),
    *(
        pytest.param((others, name, *found), id=f"pack {name}", marks=pack("recordings"))
        for name, (_, found) in AGREEING.items()
        if found is not None
    ),
]


@pytest.fixture(scope="module", params=SOURCES)
def source(request, tmp_path_factory):
    """Engine, how many cases, how many of them as specified, and the two judgements: once for all tests."""
    files, name, *counts = request.param
    judged = partial(lars, "judge", *files(name), "--json")
    both = once(
        tmp_path_factory,
        f"judged {files.__name__} {name}",
        lambda: (judged(), judged("--engine", "specification")),
    )
    return name, *counts, *both


def test_every_case_is_as_its_own_engine_version_predicts(source):
    _, count, _, ran, _ = source
    assert (ran.code, ran.err) == (0, "")
    assert [one["id"] for one in ran.json["cases"] if not one["correct"]] == []
    assert len(ran.json["cases"]) == count


def test_families_add_up_to_the_cases(source):
    for ran in source[3:]:
        families, cases = ran.json["families"], ran.json["cases"]
        assert sum(one["cases"] for one in families) == len(cases)
        assert sum(one["correct"] for one in families) == sum(bool(one["correct"]) for one in cases)


def test_the_specifications_predict_few_of_the_cases(source):
    name, count, agreeing, _, ran = source
    found = [one["engine"] for one in ran.json["cases"] if one["correct"]]
    assert (ran.code, found) == (int(agreeing < count), [name] * agreeing)


def test_rules_of_the_engine_explain_every_case_that_its_specification_does_not(source):
    for one in source[-1].json["cases"]:
        named = [rule["rule"] for rule in one["rules"] or ()]
        assert bool(named) is not one["correct"], one["id"]
        assert set(named) <= {rule.name for rule in engine(one["engine"]).rules}
        assert bool(one["problem"]) is not one["correct"]


@pack("recordings-living")
@pytest.mark.parametrize("options", [(), ("--engine",)])
@pytest.mark.parametrize(
    ("name", "count"),
    [("csparql-0.9.7", 36), ("rsp-js-1.3.5", 53), ("rsp-rs-0.3.5", 53), ("kolibrie-846becb", 57)],
)
def test_living_engines_answer_as_their_versions_predict(name, count, options):
    files = [path for path in files_of("recordings-living", "*/*.json") if path.parent.name == name]
    ran = lars("judge", *files, "--json", *options, *[name for _ in options])
    assert (ran.code, ran.err) == (0, "")
    assert [one["correct"] for one in ran.json["cases"]] == [True] * count


def test_another_engine_version_does_not_predict_what_csparql_answered():
    ran = lars("judge", HELD / "csparql-0.9.7", "--engine", "yasper-csparql", "--json")
    assert ran.code in (1, 2)


def test_no_rule_about_empty_reports_explains_a_case_in_which_they_are_ignored():
    call = "judge", HELD / "yasper-csparql" / "019-8-burst-gap.json", "--engine", "specification", "--json"
    cases = (lars(*call, *more).json["cases"][0] for more in ((), ("--empty", "ignored")))
    named = [[rule["rule"] for rule in case["rules"]] for case in cases]
    assert named == [["Y1", "Y4", "Y5", "Y7"], ["Y1", "Y4", "Y5"]]


def test_a_case_is_compared_up_to_the_last_time_that_is_asked_for():
    """It differs first at 15 s, and its times count 10 ms."""
    call = "judge", HELD / "csparql-0.9.7" / "108-7-sparql11.json", "--engine", "specification", "--until"
    assert [lars(*call, until).code for until in (1499, 1500)] == [0, 1]


def test_cases_without_a_report_on_either_side_are_counted(tmp_path):
    case = json.loads((HELD / "csparql-0.9.7" / "108-7-sparql11.json").read_text())
    for name, more in (("a", {}), ("b", {"stream": [], "output": []})):
        (tmp_path / f"{name}.json").write_text(json.dumps(case | {"id": name} | more))
    sentence = lars("judge", tmp_path).out.splitlines()[-1]
    assert sentence == "2 of 2 cases are as predicted, 1 of them without a report on either side"
    assert [one["empty"] for one in lars("judge", tmp_path, "--json").json["cases"]] == [False, True]


def test_a_case_is_judged_once_however_it_is_named(tmp_path):
    for name in ("a.json", "b.JSON"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "c.json").mkdir()
    assert len(case_files((tmp_path, tmp_path / "a.json"))) == 2


def test_a_case_that_is_a_broken_link_is_not_left_out(tmp_path):
    (tmp_path / "a.json").write_bytes((HELD / "csparql-0.9.7" / "108-7-sparql11.json").read_bytes())
    (tmp_path / "b.json").symlink_to(tmp_path / "none.json")
    (tmp_path / "c.json").symlink_to(tmp_path, target_is_directory=True)
    assert [path.name for path in case_files((tmp_path,))] == ["a.json", "b.json"]
    ran = lars("judge", tmp_path)
    assert (ran.code != 0, "b.json" in ran.out + ran.err) == (True, True)
