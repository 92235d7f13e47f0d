"""Every command that reads a trace with dateTimes notes its time 0; none of them warns of it."""

import pytest

from agreement import api
from tests.agreement.command import lars

QUERY = (
    "SELECT ?s ?v FROM STREAM <http://e/S> [RANGE 3s STEP 3s] WHERE { ?s <http://e/p> ?v }",
    "SELECT ?s ?v WHERE { STREAM <http://e/S> [RANGE 3s] { ?s <http://e/p> ?v } }",
)
SAID = "time 0 is 2026-02-27T09:59:59Z"
COMMANDS = {
    "solve": ["q.rq", "t.csv"],
    "solve --as": ["q.rq", "t.csv", "--as", "csparql"],
    "agree": ["q.rq", "t.csv"],
    "explain": ["q.rq", "t.csv", "ans(a,1)", "--at", "2026-02-27T10:00:02Z"],
    "shrink": ["q.rq", "t.csv"],
    "phase": ["q.rq", "t.csv", "--length", "1s..2s"],
    "judge": ["q.rq", "t.csv", "--answers", "a.ndjson", "--engine", "csparql"],
    "compare": ["csparql", "cqels", "q.rq", "t.csv"],
    "export": ["q.rq", "t.csv", "--to", "asp", "--out", "asp"],
    "run": ["."],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text(QUERY[0])
    rows = "".join(f"2026-02-27T10:00:0{n}Z,http://e/S,http://e/a,http://e/p,{n}\n" for n in (0, 1, 5))
    (tmp_path / "t.csv").write_text(f"t,stream,s,p,o\n{rows}")
    (tmp_path / "a.ndjson").write_text('{"t": 4, "rows": []}\n')
    (tmp_path / "experiment.toml").write_text('csparql = "q.rq"\nfiles = "t.csv"\n')
    return tmp_path


@pytest.mark.parametrize("way", COMMANDS)
def test_time_zero_is_a_note_in_each_command(folder, way):
    found = lars(way.split()[0], *COMMANDS[way])
    assert (found.err.count(f"note: {SAID}"), f"warning: {SAID}" in found.err) == (1, False), found.err


def test_time_zero_is_among_the_notes_of_a_result(folder):
    found = api.compare("csparql", "cqels", "q.rq", "t.csv")
    assert [SAID in note for note in found.notes if note.startswith("time 0")] == [True]
    assert not [text for text in found.warnings if SAID in text]
