"""Line ends of query files: a long string keeps its own, and a place counts lines as an editor does."""

from tests.agreement.command import lars

TRACE = (
    '<http://e/a> <http://e/p> <http://e/b> <http://e/s> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
)


def write(folder, text):
    (folder / "q.rq").write_bytes(text.replace("\n", "\r\n").encode())
    (folder / "t.nq").write_text(TRACE)
    return folder / "q.rq", folder / "t.nq"


def test_a_long_string_keeps_carriage_returns(tmp_path):
    text = 'SELECT (STRLEN("""x\ny""") AS ?n)\nFROM STREAM <http://e/s> [NOW]\n{ ?s ?p ?o }\n'
    found = lars("solve", *write(tmp_path, text), "--mode", "push")
    assert (found.code, found.out) == (0, "t: (?n)\n1: (4)\n")


def test_a_place_is_shown_without_the_end_of_its_line(tmp_path):
    query, trace = write(tmp_path, "SELECT ?x # a comment\n{ ?x ?p }\n")
    found = lars("solve", query, trace)
    assert (found.code, found.err.split("\n")[1:]) == (2, ["  { ?x ?p }", "          ^", ""])
    assert found.err.startswith(f"lars: {query}:2:9: found }}")
