"""Streams whose names are texts, as CQELS 2 and Kolibrie have them, in each command that shows triples."""

import pytest

from tests.agreement.command import lars

QUERIES = {
    "Sensors": "SELECT ?s ?v FROM STREAM Sensors [RANGE 10s STEP 5s] "
    "WHERE { STREAM Sensors { ?s <http://e/p> ?v } FILTER(?v > 20) }",
    ":sensors": "REGISTER RSTREAM <out> AS SELECT ?s ?v FROM NAMED WINDOW :w ON :sensors [RANGE 10 STEP 5] "
    "WHERE { WINDOW :w { ?s <http://e/p> ?v . FILTER(?v > 20) } }",
}
NUMBER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
LINES = [f'<http://e/a> <http://e/p> "2{t}"{NUMBER} "{t}" .\n' for t in (1, 3, 7)]


@pytest.fixture(params=QUERIES)
def given(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(QUERIES[request.param])
    (tmp_path / "t.nt").write_text("".join(LINES))
    return request.param, ("q.rq", "--stream", f"{request.param}=t.nt", "--unit", "1s")


@pytest.mark.parametrize(
    ("command", "more", "code"),
    [
        ("solve", (), 0),
        ("explain", ("--at", "5", "ans(a,23)"), 0),
        ("agree", ("--period", "5"), 1),
        ("phase", ("--period", "5"), 0),
    ],
)
def test_a_command_takes_a_trace_of_a_stream_with_a_bare_name(command, more, code, given):
    name, call = given
    ran = lars(command, *call, *more)
    assert ran.code == code, ran.err
    assert name in lars("explain", *call, "--at", "5", "ans(a,23)").out


@pytest.mark.parametrize("command", ["decide", "witness"])
def test_a_stream_of_a_bare_name_is_shown_that_nobody_gave(command, given):
    ran = lars(command, "q.rq", "--period", "5", "--unit", "1s")
    assert (ran.code, f" {given[0]}" in ran.out) == (1, True)


@pytest.mark.parametrize("command", ["witness", "shrink"])
def test_what_is_written_of_it_disagrees_again(command, given):
    call = given[1] if command == "shrink" else ("q.rq", "--unit", "1s")
    assert lars(command, *call, "--period", "5", "--out", "found").code == 1
    assert lars("agree", "found").code == 1
