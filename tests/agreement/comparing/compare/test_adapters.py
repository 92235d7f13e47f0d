"""Real engines as sides of a comparison, through their adapters."""

import sys

import pytest

from agreement.documents.requests import has_short_numbers
from tests.agreement.command import lars
from tests.agreement.engines.adapters.streams import rspql
from tests.packs import ROOT
from tests.sizes import few

pytestmark = pytest.mark.usefixtures("warm_engines")
SERVED = f"adapter:{sys.executable} -m agreement.cli serve-engine"
BROKEN = f"adapter:{sys.executable} {ROOT / 'tests/agreement/engines/adapters/broken.py'}"


@pytest.fixture
def inputs(tmp_path):
    """Return a query and a trace of it, as files."""
    query, trace = tmp_path / "q.rspql.rq", tmp_path / "t.nq"
    query.write_text(rspql(4, 2))
    line = '<http://e/a> <http://e/p> "{0}" <http://e/S> "{0}" .\n'
    trace.write_text("".join(line.format(t) for t in (1, 3, 6, 7, 12)))
    return query, trace


@pytest.mark.parametrize("name", few(["rsp-js-1.3.5", "rsp-rs-0.3.5", "kolibrie-846becb"], 2))
def test_an_engine_is_the_version_that_it_is(name, inputs):
    text = inputs[0].read_text()
    inputs[0].write_text(text.replace("STREAM :S", "<http://e/S>") if "kolibrie" in name else text)
    for first, second in ((f"{SERVED} {name}", name), (name, f"{SERVED} {name}")):
        ran = lars("compare", first, second, *inputs)
        assert ran.code == 0
        assert ran.err.startswith("warning: lengths of windows without a unit count units of 1ms")
        assert f"{name} (2) have the same reports at all" in ran.out
    assert "6: (" in lars("solve", *inputs, "--as", name).out


def test_plain_numbers_of_rsp_ql_count_milliseconds_where_engines_are_compared_as_where_one_is_recorded(
    inputs, tmp_path
):
    adapter, case = f"{SERVED} rsp-js-1.3.5", tmp_path / "case.json"
    lars("record", *inputs, "--adapter", adapter.removeprefix("adapter:"), "--out", case)
    recorded = lars("compare", adapter, "rspql", case, "--json").json["cases"][0]
    found = lars("compare", adapter, "rspql", *inputs, "--json").json
    assert found["differences"]
    assert [one["push"] for one in found["differences"]] == [one["push"] for one in recorded["differences"]]


def test_where_an_engine_leaves_a_specification_is_shown_as_for_its_version(inputs):
    found = [
        lars("compare", name, "rspql", *inputs, "--unit", "1ms", "--json").json
        for name in ("rsp-rs-0.3.5", f"{SERVED} rsp-rs-0.3.5")
    ]
    places = [[one["push"] for one in document["differences"]] for document in found]
    assert places[0] == places[1] != []


def test_two_real_engines_are_compared(inputs):
    ran = lars("compare", f"{SERVED} rsp-js-1.3.5", f"{SERVED} rsp-rs-0.3.5", *inputs, "--unit", "1ms")
    assert ran.code == 1
    assert "rsp-js-1.3.5 and rsp-rs-0.3.5 differ at " in ran.out


NAMES = ("rspql", "rsp-js-1.3.5")


def test_the_t0_of_a_comparison_is_named_and_other_t0_are_tried(tmp_path):
    query, trace = tmp_path / "q.rspql.rq", tmp_path / "t.nq"
    query.write_text(rspql(4, 3))
    line = '<http://e/a> <http://e/p> "{0}" <http://e/S> "{0}" .\n'
    trace.write_text("".join(line.format(t) for t in (1, 3, 6, 7, 12)))
    compared = ("compare", f"{SERVED} rspql", "rspql", query, trace)
    aligned, at_0, at_1 = lars(*compared), lars(*compared, "--t0", "0"), lars(*compared, "--t0", "1")
    assert "only t0 differs: with --t0 0, the reports are the same" in aligned.out
    assert "t0 with which windows close at multiples of their slide" in aligned.out
    assert (aligned.code, at_0.code, at_1.code) == (1, 0, 1)
    assert "the comparison uses t0 = 0" in at_0.out
    assert "rspql (1) and rspql (2) differ at " in at_1.out
    assert "only t0" not in at_1.out
    found, other = (lars("compare", f"{SERVED} {name}", *compared[2:], "--json").json for name in NAMES)
    assert (found["t0"], found["same_with_t0"]) == (None, 0)
    assert (other["same"], other["same_with_t0"]) == (False, None)


def test_no_t0_is_named_for_two_specifications_because_it_only_omits_the_first_reports(tmp_path):
    trace, queries = tmp_path / "t.nq", (tmp_path / "pull.rq", tmp_path / "push.rq")
    lines = (
        f'<http://e/a> <http://e/{p}> "{t}" <http://e/S> "{t}" .\n'
        for t, p in ((2, "p"), (9, "p"), (30, "q"))
    )
    trace.write_text("".join(lines))
    pattern = "{ ?s <http://e/p> ?o }"
    queries[0].write_text(f"SELECT ?o FROM STREAM <http://e/S> [RANGE 5s STEP 10s] WHERE {pattern}")
    queries[1].write_text(f"SELECT ?o WHERE {{ STREAM <http://e/S> [RANGE 5s] {pattern} }}")
    ran = lars("compare", "csparql", "cqels", *queries, trace, "--json")
    assert (ran.code, ran.json["same_with_t0"]) == (1, None)


def test_a_recorded_case_is_run_again(inputs, tmp_path):
    case, adapter = tmp_path / "case.json", f"{SERVED} rsp-js-1.3.5"
    lars("record", *inputs, "--adapter", adapter.removeprefix("adapter:"), "--out", case)
    assert lars("compare", adapter, "rsp-js-1.3.5", case).code == 0


@pytest.mark.parametrize(
    ("side", "code", "said"),
    [
        (f"{BROKEN} crashing", 3, "its last lines on standard error: Traceback | No more memory"),
        ("adapter:no-such-adapter", 2, "cannot start the adapter 'no-such-adapter': No such file"),
        ("adapter", 2, "'adapter:COMMAND'"),
    ],
)
def test_a_wrong_side_is_one_message(side, code, said, inputs):
    ran = lars("compare", side, "rspql", *inputs, "--unit", "1ms")
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert "Traceback (most" not in ran.err


def test_a_query_that_only_an_engine_may_read_is_handed_to_it(inputs, tmp_path):
    inputs[0].write_text("SELECT nothing that anybody reads")
    assert not has_short_numbers(inputs[0])
    ran = lars("record", *inputs, "--adapter", BROKEN.removeprefix("adapter:"), "--out", tmp_path / "c.json")
    assert ran.err.startswith("warning: ")
