"""Questions without a trace, as a new user asks them: what is refused or empty has its own true reason."""

import pytest

from tests.agreement.command import lars

MERGED = "PREFIX : <http://e/> SELECT ?x FROM STREAM :S [RANGE 9s] FROM STREAM :R [RANGE 9s] { ?x :p ?y }"
NEVER = "PREFIX : <http://e/> SELECT ?x { STREAM :S [RANGE 9s] { ?x :p ?y } FILTER(?y > 5 && ?y < 4) }"
SOME = "PREFIX : <http://e/> SELECT ?x { STREAM :S [RANGE 9s] { ?x :p ?y } }"
GHOST = "PREFIX : <http://e/> SELECT ?x { STREAM :S [RANGE 9s] { ?x :p ?y } FILTER(?ghost > 1) }"


@pytest.fixture
def written(tmp_path):
    def write(text, name="q.rq"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.mark.parametrize("command", ["decide", "witness"])
def test_a_query_with_windows_is_not_asked_for_windows(written, command):
    ran = lars(command, written(MERGED))
    assert (ran.code, "use a query with windows" in ran.err) == (2, False)
    assert "use --assign STREAM=PREDICATE, such as --assign http://e/S=http://e/p" in ran.err
    assert lars(command, written(MERGED), "--assign", "http://e/S=http://e/p", "--period", "3").code in {0, 1}
    other = lars(command, written(MERGED), "--assign", "http://e/S=http://e/q")
    assert "no pattern of the query has the predicate <http://e/q> of --assign" in other.err
    static = "PREFIX : <http://e/> SELECT ?x { ?x :p ?y }"
    assert "no part of the query is matched in a stream; use a query with windows" in (
        lars(command, written(static)).err
    )


def test_a_query_without_answers_is_contained_because_it_has_none(written):
    pair = written(NEVER, "a.rq"), written(SOME, "b.rq")
    ran = lars("decide", *pair, "--contained")
    assert (ran.code, "yes (this query never has an answer, because no disjunct" in ran.out) == (0, True)


@pytest.mark.parametrize(
    "words", [("decide", "--period", 3), ("witness", "--period", 3), ("decide", "b.rq", "--contained")]
)
def test_a_variable_that_nothing_binds_is_warned_of_without_a_trace_too(
    written, monkeypatch, tmp_path, words
):
    monkeypatch.chdir(tmp_path)
    written(SOME, "b.rq")
    ran = lars(words[0], written(GHOST), *words[1:])
    assert (
        ran.err.count("T6 (unbound variable): ?ghost is in an expression, but no pattern there binds it") == 1
    )


@pytest.mark.parametrize("digits", [310, 5000])
@pytest.mark.parametrize(
    ("command", "query"),
    [
        ("decide", SOME.replace("} }", "FILTER(?y > {n}) } }")),
        ("witness", SOME.replace("} }", "FILTER(?y > {n}) } }")),
        ("witness", SOME.replace("?x {", "(SUM(?y) AS ?n) {") + " HAVING(SUM(?y) > {n})"),
    ],
)
def test_numbers_beyond_the_doubles_are_numbers(written, command, query, digits):
    ran = lars(command, written(query.replace("{n}", "9" * digits)), "--period", 2)
    assert (ran.code, ran.err) == (1, "")
