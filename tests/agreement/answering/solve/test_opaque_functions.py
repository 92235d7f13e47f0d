"""Functions that nobody computes here: translate prints the call, what evaluates says where it is."""

import pytest

from tests.agreement.command import lars

QUERY = """PREFIX : <http://e/>
SELECT ?x WHERE { STREAM :s [RANGE 9s] { ?x :p ?y }
  FILTER (?y > 1 && :near(?x, ?y)) }
"""
TRACE = """PREFIX : <http://e/> PREFIX prov: <http://www.w3.org/ns/prov#>
:g prov:generatedAtTime 1 . :g { :a :p 2 }
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "q.rq").write_text(QUERY)
    (tmp_path / "t.trig").write_text(TRACE)
    return tmp_path / "q.rq", tmp_path / "t.trig"


@pytest.mark.parametrize("how", [("--format", "lars"), ("--format", "asp"), ("--to", "sparqlstream")])
def test_translate_prints_the_call(files, how):
    ran = lars("translate", files[0], *how)
    assert (ran.code, "near" in ran.out) == (0, True)


@pytest.mark.parametrize(
    "arguments",
    [("solve",), ("agree",), ("explain", "ans(a)", "--at", 1), ("translate", "--format", "asp")],
)
def test_what_evaluates_says_where_the_call_is(files, arguments):
    command, *more = arguments
    ran = lars(command, *files, *more)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"lars: {files[0]}:3:21: found :near; expected a function with a value")
