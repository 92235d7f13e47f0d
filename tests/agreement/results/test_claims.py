"""Published claims: each verdict is what its commands find, and changes with what they read."""

import shlex

import pytest

from agreement.results.suites.claims import Claim, _decided, decided_claims, published_claims
from lars.errors import LarsError
from tests.agreement.command import lars
from tests.packs import SHARED, pack

RIGHT = """t,shopper,shop,owner,coupon
8,http://e/carl,http://e/a,http://e/alice,http://e/ten
8,http://e/eve,http://e/a,http://e/alice,http://e/ten
16,http://e/diana,http://e/b,http://e/bob,http://e/coffee
"""
NAMED = (
    "prop-1",
    "prop-2",
    "agreement-condition-minus",
    "theorem-1",
    "containment-count",
    "csrbench",
    "citybench",
)


def verdict(name, folder, **changed):
    """Return what becomes of a claim after other texts stand in files that it reads."""
    (claim,) = (one for one in published_claims() if one.name == name)
    new = claim.model_copy(update={"files": {**claim.files, **changed}})
    for file, text in new.files.items():
        (folder / name).mkdir(exist_ok=True)
        (folder / name / file).write_text(text.lstrip("\n"))
    return _decided(new, folder, None)


def test_there_are_those_that_the_field_asks_for_each_with_its_source():
    every = published_claims()
    assert len(every) >= 20
    assert len({one.name for one in every}) == len(every)
    assert all(one.source and one.statement and one.commands for one in every)
    assert [part for part in NAMED if not any(one.name.startswith(part) for one in every)] == []


MENDED = "ans ← ⊞^5 ◇ in, trigger.\ntrigger ← ⊞^0 ◇ in.\n"
NOW = "SELECT ?s { STREAM <urn:s> [NOW] { ?s <urn:p> ?a } }\n"
SAME = "SELECT (COUNT(?x) AS ?n) WHERE { ?x <http://e/q> ?z . ?x <http://e/p> ?y }\n"
CHANGES = (
    ("prop-1-push", "push.lars", MENDED, "refuted", "survived"),
    ("short-period", "query.rq", NOW, "refuted", "proven"),
    ("containment-count", "wide.rq", SAME, "refuted", "proven"),
    ("several-answers", "query.rq", "", "proven", "open"),
    ("example-10", "printed.csv", RIGHT, "refuted", "survived"),
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda one: one[0])
def test_a_verdict_is_found_not_known(change, tmp_path):
    name, file, text, before, after = change
    assert verdict(name, tmp_path).kind == before
    assert verdict(name, tmp_path, **{file: text}).kind == after


def test_the_commands_do_what_a_reader_sees(tmp_path):
    for one in ("agreement-condition-minus", "example-10"):
        found = verdict(one, tmp_path)
        (command,) = found.commands
        words = [word.replace(f"{one}/", f"{tmp_path}/{one}/") for word in shlex.split(command)[1:]]
        assert lars(*words).code == 1
        assert found.kind == "refuted"


def test_what_needs_data_says_which(tmp_path):
    claim = Claim(
        name="n",
        source="s",
        statement="s",
        commands=("lars judge BENCHMARKS/csrbench/q BENCHMARKS/yabench/x",),
    )
    found = _decided(claim, tmp_path, tmp_path)
    assert (found.kind, found.why) == ("needs data", "--benchmarks DIR with csrbench, yabench")


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(
        LarsError,
        match="use a new or empty folder, or a folder that contains only an earlier run of the claims",
    ):
        decided_claims(tmp_path, None)
    assert [one.name for one in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("make", "x", "--benchmarks", "y"), "--benchmarks requires claims"),
        (("claims", "x", "--level", "core"), "--level requires run DIR"),
        (("claims",), "expected make DIR, run DIR, claims DIR"),
    ],
)
def test_wrong_words_are_one_message(words, said, tmp_path):
    ran = lars("suite", *words)
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    assert said in ran.err


READINGS = {
    "cqels-2-range": (lambda t: range(t - 10, t), lambda t: range(t - t % 10 - 10, t - t % 10)),
    "janus-offset-end": (lambda t: range(t - 9, t - 4), lambda t: range(t - 13, t - 9)),
    "janus-offset-step": (lambda t: range(t - 9, t - 4), lambda t: range(t - t % 2 - 9, t - t % 2 - 4)),
}
"""The times in the window of each of two readings at a time, by their documents."""


@pytest.mark.parametrize("name", READINGS)
def test_a_stream_that_tells_two_readings_of_a_window_does_so_by_their_definitions(name, tmp_path):
    found, (first, second) = verdict(name, tmp_path), READINGS[name]
    assert (found.kind, found.why) == ("refuted", "witness of 1 triple")
    words = shlex.split(found.commands[0].replace(f"{name}/", f"{tmp_path}/{name}/"))[1:]
    (shown,) = (one["against"] for one in lars(*words, "--json").json["directions"])
    (at,) = (triple["t"] for triple in shown["stream"])
    assert at in first(shown["t"])
    assert at not in second(shown["t"])


@pytest.mark.parametrize("gap", [False, True])
def test_derived_atoms_tell_two_logics_apart_where_they_follow_each_other(gap, tmp_path):
    # By the manual of LDSR l holds at 2, of h at 1 and 2; in LARS h at 1 is derived at 1 alone.
    log = "1 a;\n2 b;\n3 a;\n" if gap else "4 a;\n5 a;\n"
    differs = "survived" if gap else "refuted"
    assert verdict("ldsr-derived", tmp_path, **{"input.log": log}).kind == differs


@pack("csrbench")
def test_the_published_verdicts_of_csrbench_survive_when_times_count(tmp_path):
    every = [one for one in published_claims() if one.name.startswith("csrbench")]
    kinds = {one.name.split("-", 2)[2]: _decided(one, tmp_path, SHARED).kind for one in every}
    assert kinds == {"passes": "survived", "fails": "proven"}
