"""What `lars judge` says if --t0 is given: about the start of the windows, and about other starts."""

import pytest

from tests.agreement.command import lars

RSPQL = """PREFIX : <http://e/>
REGISTER RSTREAM <http://e/out> AS
SELECT ?s ?a
FROM NAMED WINDOW :w1 ON STREAM :S [RANGE 4 STEP 4]
WHERE {
WINDOW :w1 { ?s :p ?a }
}
"""
CQELS = "PREFIX : <http://e/> SELECT ?s ?a { STREAM :S [RANGE 4s] { ?s :p ?a } }"


@pytest.fixture
def trace(tmp_path, monkeypatch):
    """Return a trace with a triple for the query at 0, 1 and 14, and other triples at all other times."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"q.rspql": RSPQL, "q.cqels": CQELS}.items():
        (tmp_path / name).write_text(text)
    lines = (
        f'<http://e/s> <http://e/{"p" if t in (0, 1, 14) else "n"}> "1" <http://e/S> "{t}" .\n'
        for t in range(21)
    )
    (tmp_path / "t.nq").write_text("".join(lines))
    return tmp_path


def test_reports_before_another_start_refute_it(trace):
    """With t0 = 9, only the last of three reports would be compared, as if nothing came before."""
    found = lars("solve", "q.rspql", "t.nq", "--as", "rsp-rs-0.3.5", "--json")
    (trace / "a.ndjson").write_text(found.out)
    judged = ("judge", "q.rspql", "t.nq", "--answers", "a.ndjson", "--t0", 0)
    said = lars(*judged, "--engine", "rspql").out
    assert "the engine rsp-rs-0.3.5 predicts exactly the recorded reports" in said
    assert "another t0: 9" not in said


@pytest.mark.parametrize("given", [(), ("--t0", 0)])
def test_the_option_t0_is_not_named_where_it_compares_nothing_more(trace, given):
    rows = [f"{t},s,1\n" for t in (1, 2, 3, 4, 5, *range(14, 19))]
    (trace / "a.csv").write_text("".join(["t,s,a\n", *rows]))
    judged = ("judge", "q.cqels", "t.nq", "--unit", "1s", "--answers", "a.csv", *given)
    said = lars(*judged).out
    assert (
        "not compared, because no window is open before t0 = 0 (RSP-QL 2014, Definition 26): 0 (1 m" in said
    )
    assert "to compare from t0 on" not in said
