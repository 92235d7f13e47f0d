"""A side that never answers says so, and which part of its query no solution matches."""

from pathlib import Path
from random import Random

import pytest

from agreement import api
from agreement.comparing.matching.silence import silence
from tests.agreement.command import agree, lars
from tests.sizes import few
from translate.dialects import read_query

PREFIX = "PREFIX : <http://e/> "
STREAM = "STREAM :S [RANGE 9s] { ?s :p ?o }"
QUERIES = {
    "cs": "SELECT ?s ?n FROM STREAM :S [RANGE 3s STEP 3s] WHERE { ?s :p ?o . ?s :name ?n }",
    "graph": f"SELECT ?s ?n WHERE {{ {STREAM} GRAPH :g {{ ?s :name ?n }} }}",
    "optional": f"SELECT ?s ?n WHERE {{ {STREAM} OPTIONAL {{ GRAPH :g {{ ?s :name ?n }} }} }}",
    "from": f"SELECT ?s ?n FROM :g WHERE {{ {STREAM} ?s :name ?n }}",
    "pattern": f"SELECT ?s WHERE {{ {STREAM} STREAM :S [RANGE 9s] {{ ?s :q :b . ?s :p :z }} }}",
    "join": f"SELECT ?s WHERE {{ {STREAM} ?o :name ?n }}",
    "filter": f"SELECT ?s WHERE {{ {STREAM} FILTER(?o = :a) }}",
    "union": f"SELECT ?s WHERE {{ {{ {STREAM} ?s :no ?n }} UNION {{ {STREAM} GRAPH ?g {{ ?s ?p ?n }} }} }}",
}
NO_GRAPH = "the query reads the graph <http://e/g>"
UNNAMED = "no solution matches (GRAPH <http://e/g> {?s <http://e/name> ?n}) in the static data"


@pytest.fixture
def folder(tmp_path):
    for name, text in QUERIES.items():
        (tmp_path / f"{name}.rq").write_text(PREFIX + text)
    (tmp_path / "static.ttl").write_text('<http://e/a> <http://e/name> "A" .')
    lines = (f'<http://e/a> <http://e/p> <http://e/b> <http://e/S> "{t}" .\n' for t in (1, 4, 8))
    (tmp_path / "t.nq").write_text("".join(lines))
    return tmp_path


def asked(folder, query, *options):
    return lars("solve", folder / f"{query}.rq", folder / "t.nq", "--static", folder / "static.ttl", *options)


def test_a_side_that_reads_a_graph_that_is_absent_says_so_beside_the_verdict(folder):
    paths = (folder / "cs.rq", folder / "graph.rq", folder / "t.nq", "--static", folder / "static.ttl")
    found = agree(*paths)
    said = [
        text for text in found.json["warnings"] if "STEP" not in text and "two forms of one query" not in text
    ]
    assert said[0] == f"{NO_GRAPH}, but its static data contain only triples of the default graph"
    assert said[1] == f"the CQELS query (push) never returns a row: {UNNAMED}"
    assert all(found.err.count(f"warning: {text}") == 1 for text in said)
    assert "no row at any time" not in agree(*paths[:1], *paths[2:]).err


WHY = {
    "graph": [UNNAMED],
    "from": [],
    "pattern": [
        "{?s <http://e/q> <http://e/b>} at any time of evaluation",
        "{?s <http://e/p> <http://e/z>} at any time of evaluation",
    ],
    "join": ["{?o <http://e/name> ?n}), although each of its parts"],
    "filter": ["FILTER", "although each of its parts"],
    "union": ["no solution matches {?s <http://e/no> ?n}", "no solution matches (GRAPH ?g {?s ?p ?n})"],
}


@pytest.mark.parametrize("query", WHY)
def test_a_query_without_rows_names_the_patterns_without_match(folder, query):
    said = [line for line in asked(folder, query).err.splitlines() if "never returns a row" in line]
    assert len(said) == bool(WHY[query])
    for part in WHY[query]:
        assert part in said[0]


@pytest.mark.parametrize("branches", [3, 12])
def test_each_part_of_a_union_is_searched_once(branches):
    # Nested unions, each searched again, took n squared evaluations of a branch.
    text = " UNION ".join(f"{{ ?s :p ?o . ?s :q{number} ?o . ?s :r ?o }}" for number in range(branches))
    query = read_query(f"{PREFIX}SELECT ?s WHERE {{ STREAM :S [RANGE 9s] {{ {text} }} }}", "q")
    searched = []

    def has_rows(part):
        searched.append(part)
        return False

    said = silence("the query", query, has_rows)
    assert f"{branches + 2 - 3} more parts have no solution" in said
    # The whole, each branch, and each of its patterns, of which two are the same in all branches.
    assert len(searched) == len(set(searched)) == 1 + branches + branches + 2


def test_of_many_patterns_without_match_three_are_named(folder):
    patterns = " . ".join(f"?s :p{number} ?o" for number in range(7))
    (folder / "many.rq").write_text(f"{PREFIX}SELECT ?s WHERE {{ STREAM :S [RANGE 9s] {{ {patterns} }} }}")
    (said,) = (line for line in asked(folder, "many").err.splitlines() if "never returns a row" in line)
    assert said.count("no solution matches") == 3
    assert " and 4 more parts have no solution; the predicate " in said
    assert said.endswith("; 4 more predicates do not occur")


def test_an_absent_graph_is_said_where_there_are_rows_too(folder):
    found = asked(folder, "optional")
    assert (NO_GRAPH in found.err, "no row" in found.err) == (True, False)


def test_a_graph_that_nothing_provides_from_is_said(folder):
    found = lars("solve", folder / "from.rq", folder / "t.nq")
    assert "the static data contain no graph <http://e/g>" in found.err
    assert "the query never returns a row: no solution matches {?s <http://e/name> ?n}" in found.err


@pytest.mark.parametrize("options", [(), ("--mode", "push"), ("--period", "2")])
def test_a_part_without_a_window_is_evaluated_at_the_times_of_its_query(folder, options):
    window = "" if "--period" in options else " STEP PT2S"
    (folder / "q.rq").write_text(
        f"{PREFIX}SELECT ?s FROM NAMED WINDOW :w ON :S [RANGE PT4S{window}] "
        "WHERE { WINDOW :w { ?s :p ?o } ?s :in ?room }"
    )
    found = lars("solve", folder / "q.rq", folder / "t.nq", *options)
    assert (found.code, found.out.count("(")) == (0, 1), found.err
    assert "never returns a row: no solution matches {?s <http://e/in> ?room} in the static data" in found.err
    assert "the static data are empty: add static data with --static FILE" in found.err


def test_a_part_of_merged_windows_has_no_match_at_the_times_of_evaluation(tmp_path):
    """The trace contains the triple, but the windows at 0 and 10 do not."""
    (tmp_path / "q.rq").write_text(f"{PREFIX}SELECT ?s FROM STREAM :S [RANGE 2s STEP 10s] {{ ?s :p ?o }}")
    lines = (f'<http://e/a> <http://e/p> <http://e/b> <http://e/S> "{t}" .\n' for t in (4, 14))
    (tmp_path / "t.nq").write_text("".join(lines))
    found = lars("solve", tmp_path / "q.rq", tmp_path / "t.nq")
    assert "no solution matches {?s <http://e/p> ?o} at any time of evaluation" in found.err


def test_evaluations_before_the_first_element_are_the_reason_not_the_pattern(tmp_path):
    (tmp_path / "q.rq").write_text(
        f"{PREFIX}SELECT ?s FROM STREAM :S [RANGE 9s STEP 5s] WHERE {{ ?s :p ?o }}"
    )
    (tmp_path / "t.nq").write_text('<http://e/a> <http://e/p> <http://e/b> <http://e/S> "2" .')
    early, late = (lars("solve", tmp_path / "q.rq", tmp_path / "t.nq", *to) for to in ((), ("--to", "5")))
    said = "the last evaluation, at 0, is before the first element, at 2; use a later --to"
    assert (said in early.err, "no solution" in early.err) == (True, False)
    assert "never returns" not in late.err


INSTEAD = "the static data contain no graph <http://e/g>. lars reads the default graph"
FROM_WAYS = {
    "solve": ["from.rq", "t.nq"],
    "solve --as": ["from.rq", "t.nq", "--as", "cqels-1.x"],
    "agree": ["from.rq", "t.nq", "--period", "3"],
    "compare": ["cqels", "cqels-1.x", "from.rq", "t.nq"],
    "judge": ["from.rq", "t.nq", "--answers", "a.ndjson", "--engine", "cqels"],
    "export": ["from.rq", "t.nq", "--to", "asp", "--out", "asp"],
}


@pytest.mark.parametrize("clause", ["FROM", "FROM NAMED"])
@pytest.mark.parametrize("way", FROM_WAYS)
def test_what_is_read_for_an_absent_graph_of_from_is_said(folder, monkeypatch, way, clause):
    monkeypatch.chdir(folder)
    Path("a.ndjson").write_text('{"t": 4, "rows": []}\n')
    Path("from.rq").write_text(PREFIX + QUERIES["from"].replace("FROM", clause))
    found = lars(way.split()[0], *FROM_WAYS[way], "--static", "static.ttl")
    assert found.err.count(INSTEAD) == 1
    assert INSTEAD not in lars(way.split()[0], *FROM_WAYS[way], "--static", "http://e/g=static.ttl").err


def test_a_cell_of_an_experiment_says_what_is_read_for_an_absent_graph(folder):
    keys = 'static = "static.ttl"\nfiles = "t.nq"\ncqels = "from.rq"\n[[engines]]\nengine = "cqels-1.x"\n'
    (folder / "experiment.toml").write_text(keys)
    assert lars("run", folder).err.count(INSTEAD) == 1


@pytest.mark.parametrize("name", ["cqels", "cqels-1.x"])
def test_engines_say_why_nothing_comes_out(folder, name):
    assert f"{name} never returns a row: {UNNAMED}" in asked(folder, "graph", "--as", name).err
    assert "no row" not in asked(folder, "from", "--as", name).err


def test_a_window_that_never_closes_is_why_nothing_comes_out(folder):
    (folder / "t.nq").write_text('<http://e/a> <http://e/p> <http://e/b> <http://e/S> "1" .\n')
    said = "csparql-0.9.7 never returns a row: its windows report when they close. The windows that are open"
    assert said in asked(folder, "cs", "--as", "csparql-0.9.7").err


def test_a_verdict_on_answers_says_why_none_is_expected(folder):
    (folder / "a.ndjson").write_text('{"t": 4, "rows": []}\n')
    options = {"answers": folder / "a.ndjson", "static": folder / "static.ttl", "engine": "cqels"}
    found = api.judge(folder / "graph.rq", folder / "t.nq", **options)
    assert found.to_json()["silent"][1] == f"cqels never returns a row: {UNNAMED}"
    assert api.judge(folder / "from.rq", folder / "t.nq", **options).to_json()["silent"] == []


def test_compared_profiles_say_why_nothing_comes_out(folder):
    found = lars("compare", "cqels", "cqels-1.x", folder / "graph.rq", folder / "t.nq")
    assert [f"{name} never returns a row: {UNNAMED}" in found.err for name in ("cqels", "cqels-1.x")] == [
        True
    ] * 2


@pytest.mark.parametrize("seed", few(range(40), 12))
def test_exactly_the_triple_patterns_without_match_are_named(tmp_path, seed):
    random = Random(seed)
    data = [tuple(random.choice(kind) for kind in ("ab", "pq", "xy")) for _ in range(random.randint(1, 3))]
    patterns = [
        tuple(random.choice(kind) for kind in ("ab", "pq", "xy")) for _ in range(random.randint(1, 3))
    ]
    patterns = list(dict.fromkeys(patterns))
    lines = (" ".join(f"<http://e/{one}>" for one in (*triple, "S")) for triple in data)
    (tmp_path / "t.nq").write_text("".join(f'{line} "{t}" .\n' for t, line in enumerate(lines, 1)))
    body = " . ".join(" ".join(f":{one}" for one in triple) for triple in patterns)
    (tmp_path / "q.rq").write_text(f"{PREFIX}SELECT * WHERE {{ STREAM :S [RANGE 9s] {{ {body} }} }}")
    found = lars("solve", tmp_path / "q.rq", tmp_path / "t.nq", "--mode", "push")
    missing = [triple for triple in patterns if triple not in data]
    named = [
        triple for triple in patterns if f"{{{' '.join(f'<http://e/{one}>' for one in triple)}}}" in found.err
    ]
    assert named == missing, found.err


MADE_OF_SOLUTIONS = {
    "CONSTRUCT { ?n :of ?s }": "the subject is a literal",
    "CONSTRUCT { ?s ?n ?s }": "the predicate is no IRI",
    "DESCRIBE ?o": "no triple about the described resources",
    "SELECT ?s": "LIMIT or OFFSET removes every solution",
}


@pytest.mark.parametrize("form", MADE_OF_SOLUTIONS)
def test_a_query_whose_solutions_make_no_row_says_why(folder, form):
    end = " OFFSET 7" if form.startswith("SELECT") else ""
    (folder / "q.rq").write_text(f"{PREFIX}{form} WHERE {{ {STREAM} ?s :name ?n }}{end}")
    (said,) = (line for line in asked(folder, "q").err.splitlines() if "never returns a row" in line)
    assert MADE_OF_SOLUTIONS[form] in said
    assert ("LIMIT" in said) == bool(end)


WITHIN = {
    "{ SELECT ?s { BODY } OFFSET 7 }": "LIMIT or OFFSET removes every solution of (SELECT ?s STREAM",
    "BODY FILTER NOT EXISTS { STREAM :S [RANGE 9s] { ?s :p ?o } }": "FILTER !(EXISTS STREAM <http://e/S>",
}


@pytest.mark.parametrize("form", WITHIN)
def test_a_part_without_solutions_is_shown_as_it_was_written(folder, form):
    (folder / "t.nq").write_text('<http://e/a> <http://e/p> <http://e/b> <http://e/S> "1" .\n')
    body = form.replace("BODY", "STREAM :S [RANGE 9s] { ?s :p ?n }")
    (folder / "q.rq").write_text(f"{PREFIX}SELECT ?s {{ {body} }}")
    (said,) = (line for line in asked(folder, "q").err.splitlines() if "never returns a row" in line)
    assert WITHIN[form] in said


GAP = {
    "cs": "SELECT ?s ?o FROM STREAM :S [RANGE 3s STEP 1s] WHERE { ?s :p ?o }",
    "cq": "SELECT ?s ?o WHERE { STREAM :S [RANGE 3s] { ?s :p ?o } }",
    "far": "SELECT ?s ?o FROM STREAM :S [RANGE 3s STEP 100s] WHERE { ?s :p ?o }",
    "new": "REGISTER ISTREAM :o AS SELECT ?s ?o FROM NAMED WINDOW :w ON :S [RANGE PT40S STEP PT1S] "
    "WHERE { WINDOW :w { ?s :p ?o } }",
    "join": "SELECT ?s ?o ?n FROM STREAM :S [RANGE 3s STEP 1s] WHERE { ?s :p ?o . ?o :q ?n }",
    "no": "SELECT ?s ?o FROM STREAM :S [RANGE 3s STEP 1s] WHERE { ?s :q ?o }",
}
IN_GAP = {
    "cs": "the query returns no row from 10 to 20: no window at these times contains an element",
    "cq": "the query is never evaluated from 10 to 20: no triple arrives at these times",
    "far": "the query is never evaluated from 10 to 20: no time is a multiple of the pull period",
    "new": "the query reports no row from 10 to 20, because ISTREAM reports only new answers, and no answer "
    "is new at these times",
    "no": "the query returns no row from 10 to 20: no window at these times contains an element",
    "rule": "no rule derives an atom from 10 to 20: no window at these times contains an element",
}


@pytest.fixture
def gap(tmp_path):
    for name, text in GAP.items():
        (tmp_path / f"{name}.rq").write_text(PREFIX + text)
    (tmp_path / "rule.lars").write_text("a(X) ← ⊞^3 ◇ striple(X, <http://e/p>, Y, <http://e/S>).")
    lines = (f'<http://e/a> <http://e/p> <http://e/b> <http://e/S> "{t}" .\n' for t in (1, 2, 50))
    (tmp_path / "t.nq").write_text("".join(lines))
    return tmp_path


@pytest.mark.parametrize("query", IN_GAP)
def test_solve_says_why_no_row_is_in_a_gap_of_the_input(gap, query):
    (path,) = gap.glob(f"{query}.*")
    found = lars("solve", path, gap / "t.nq", "--from", 10, "--to", 20)
    assert found.err.count("warning: ") == 1
    assert f"warning: {IN_GAP[query]}" in found.err


def test_solve_says_why_where_the_windows_contain_elements(gap):
    found = lars("solve", gap / "no.rq", gap / "t.nq", "--to", 2)
    assert "the query returns no row from 0 to 2: no solution matches {?s <http://e/q> ?o}" in found.err
    (gap / "rule.lars").write_text("a(X) ← ⊞^3 ◇ striple(X, <http://e/q>, Y, <http://e/S>).")
    found = lars("solve", gap / "rule.lars", gap / "t.nq", "--to", 2)
    assert "warning: no rule derives an atom from 0 to 2: no body is true" in found.err


def test_solve_does_not_say_that_rules_derive_nothing_when_answer_streams_share_no_atom(gap):
    (gap / "rule.lars").write_text("h(1). in(X) ← h(X), not out(X). out(X) ← h(X), not in(X).")
    given = ("solve", gap / "rule.lars", gap / "t.nq", "--from", 10, "--to", 11)
    assert "warning: no atom is in every answer stream from 10 to 11\n" in lars(*given, "--cautious").err
    assert "warning" not in lars(*given, "--brave").err
    with (gap / "rule.lars").open("a") as rules:
        rules.write("← not in(X), ⊞^now @_X true, X mod 2 = 0. ← in(X), h(X), ⊞^now @_10 true.")
    found = lars(*given, "--cautious").err
    assert "warning: no atom is in every answer stream from 10 to 11: no answer stream exists at 10" in found


def test_solve_as_an_engine_names_the_times_of_its_rows(gap):
    found = lars("solve", gap / "cs.rq", gap / "t.nq", "--from", 10, "--to", 20, "--as", "csparql")
    said = "its first report with a row is at 3, the last at 50"
    assert f"warning: csparql reports no row at the requested times: {said}" in found.err


def test_phase_says_that_no_side_has_a_row(gap):
    said = "warning: neither push nor pull reports a row: is static data (--static) or a stream missing"
    found = [
        lars("phase", gap / f"{name}.rq", gap / "t.nq", "--length", "1..3").err for name in ("join", "cs")
    ]
    assert [said in err for err in found] == [True, False]


def test_a_window_that_shows_nothing_at_any_time_is_named(tmp_path):
    (tmp_path / "p.lars").write_text(
        "p(X) ← ⊞^{from 9 to 3} ◇ f(X).\nq(X) ← ⊞^#0 ◇ f(X), ⊞^{from 3 to 9} ◇ f(X).\n"
    )
    (tmp_path / "s.atoms").write_text("1: f(a).\n")
    found = lars("solve", tmp_path / "p.lars", tmp_path / "s.atoms", "--in-process")
    said = [line.partition("p.lars:")[2] for line in found.err.splitlines() if "the window" in line]
    assert said == [
        "1:8: the window ⊞^{from 9 to 3} shows nothing, because 9 is after 3",
        "2:8: the window ⊞^#0 shows nothing, because it has 0 tuples",
    ]


def test_bounds_without_effect_are_named(tmp_path):
    """No warning about ⊞^{0 open}, which the manual calls ⊞^0."""
    (tmp_path / "p.lars").write_text(
        "p ← ⊞^{3,1,1 open} ◇ f, ⊞^{0 open} ◇ f, ⊞^{3,-1,1 open} ◇ f, not ⊞^{∞ high-open} ◇ f.\n"
    )
    (tmp_path / "s.atoms").write_text("1: f.\n")
    found = lars("solve", tmp_path / "p.lars", tmp_path / "s.atoms", "--in-process")
    said = [
        line.partition("p.lars:")[2].partition(":")[0::2]
        for line in found.err.splitlines()
        if "has no effect" in line
    ]
    assert [text.partition(" has no effect")[0] for _, text in said] == [
        "5: the word open in ⊞^{3,1,1 open}",
        "62: the word high-open in ⊞^{∞ high-open}",
    ]


def test_a_window_without_an_operator_is_named_with_the_remedy(tmp_path):
    """No warning about ⊞^0, which has no other time, and a fixed window, which restricts the time."""
    (tmp_path / "p.lars").write_text(
        "p(X) ← ⊞^3 f(X).\nq(X) ← f(X), not ⊞^#2 f(X), ⊞^0 f(X), ⊞^{from 1 to 2} f(X).\n"
        "r(X) ← ⊞^3 ◇ f(X), ⊞^3 □ f(X), ⊞^3 @_T f(X), ⊞^3 true.\n"
    )
    (tmp_path / "s.atoms").write_text("1: f(a).\n")
    found = lars("solve", tmp_path / "p.lars", tmp_path / "s.atoms", "--in-process")
    said = [line.partition("p.lars:")[2] for line in found.err.splitlines() if "warning: " in line]
    reason = "f(X) holds only if f(X) holds at the evaluation time itself, because no ◇, □ or @ follows"
    assert said == [
        f"{place} {reason} the window; for some time of the window, use {window} ◇ f(X) (in ASCII: <>); for "
        f"every time, use {window} □ f(X) (in ASCII: [])"
        for place, window in (("1:8: ⊞^3", "⊞^3"), ("2:14: ⊞^#2", "⊞^#2"))
    ]


def test_a_predicate_that_occurs_nowhere_is_named_with_the_near_one():
    query = "SELECT ?x WHERE { STREAM <e:s> [RANGE 5s] { ?x <http://e/temperatur> ?y ; <http://e/at> ?z } }"
    trace = [(1, ("e:a", "http://f/temperature", 3)), (2, ("e:a", "http://e/at", 3))]
    pull = "SELECT ?x FROM STREAM <e:s> [RANGE 5s STEP 5s] { ?x <http://e/temperatur> ?y ; <http://e/at> ?z }"
    expected = "<http://e/temperatur> does not occur in the data, but <http://f/temperature> occurs"
    for result in (api.agree(query, pull, trace, period=5, to=10), api.solve(query, trace)):
        said = [warning for warning in result.warnings if "never returns a row" in warning]
        assert said
        assert all(warning.endswith(expected) for warning in said)


SUMMED = "SELECT ?s (AVG(?v) AS ?m) (COUNT(?v) AS ?n) {} GROUP BY ?s"
SUMMED_PULL = SUMMED.format("FROM STREAM <urn:st> [RANGE 5s STEP 5s] WHERE { ?s <urn:v> ?v }")
SUMMED_PUSH = SUMMED.format("WHERE { STREAM <urn:st> [RANGE 5s] { ?s <urn:v> ?v } }")


@pytest.mark.parametrize(("value", "named"), [("n/a", True), ("7", False)])
def test_an_average_of_texts_is_named(tmp_path, value, named):
    (tmp_path / "pull.rq").write_text(SUMMED_PULL)
    (tmp_path / "push.rq").write_text(SUMMED_PUSH)
    typed = f'"{value}"' if named else f'"{value}"^^<http://www.w3.org/2001/XMLSchema#integer>'
    (tmp_path / "t.nq").write_text(f'<urn:a> <urn:v> {typed} <urn:st> "5" .\n')
    remark = "some rows have no value of ?m, because AVG(?v) is an error if a value of ?v is missing or not a"
    queries = tmp_path / "pull.rq", tmp_path / "push.rq"
    for command in (("solve", queries[0]), ("agree", *queries)):
        ran = lars(*command, tmp_path / "t.nq")
        assert (ran.code, ran.err.count(remark)) == (0, named)
