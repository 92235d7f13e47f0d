"""`lars translate --format sql`: a script that SQLite runs to our answers."""

import json

import pytest

from tests.agreement.answering.solve.test_standalone import QUERIES, as_tuples, by_us, options
from tests.agreement.command import lars
from tests.packs import SAMPLES
from tests.solver.sql.sql_cases import answers

DOOR = SAMPLES / "door" / "door.atoms"


@pytest.mark.parametrize("mode", ["push", "pull"])
@pytest.mark.parametrize("query", QUERIES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_sample_has_the_rows_of_solve(query, mode):
    period = ("--period", "5") if mode == "pull" else ()
    ran = lars("translate", query, *options(query.parent), "--mode", mode, *period, "--format", "sql")
    assert ran.code == 0, ran.err
    found = {}
    for t, *row in answers(ran.out):
        found.setdefault(t, set()).add(tuple(text or "null" for text in row))
    expected = by_us(query, ("--mode", mode, *period))
    assert found == {t: as_tuples(rows) for t, rows in expected.items() if rows}


@pytest.mark.parametrize("how", [("push",), ("pull", "--period", "2")], ids=["push", "pull"])
def test_at_a_time_without_evaluation_there_is_no_row(how, tmp_path):
    query, trace = tmp_path / "q.rq", tmp_path / "t.nq"
    query.write_text("SELECT ?x { STREAM <e:s> [RANGE 5s] { ?x <e:p> ?y } }")
    trace.write_text('<e:a> <e:p> <e:b> <e:s> "2" .\n')
    found = [
        answers(lars("translate", query, trace, "--format", "sql", "--mode", *how, "--at", t).out)
        for t in (2, 3)
    ]
    assert found == [[(2, "<e:a>")], []]


def test_a_program_has_the_atoms_of_solve(tmp_path):
    path = tmp_path / "p.lars"
    path.write_text(
        "in(X) ← ⊞^2 ◇ enter(X, D). two(X, Y) ← in(X), in(Y), X != Y. in(dog). ← two(ann, bob), in(bob)."
    )
    found = {}
    for t, predicate, *row in answers(lars("translate", path, DOOR, "--format", "sql").out):
        arguments = ", ".join(text for text in row if text is not None)
        found.setdefault(t, set()).add(f"{predicate}({arguments})")
    ran = lars("solve", path, DOOR, "--in-process", "--json")
    expected = {}
    for line in map(json.loads, ran.out.splitlines()):
        expected[line["t"]] = {atom for stream in line["answer_streams"] for atom in stream}
    assert found == {t: atoms for t, atoms in expected.items() if atoms}


def test_what_sql_cannot_say_is_refused_with_its_place(tmp_path):
    path = tmp_path / "p.lars"
    path.write_text('in(?x) ←\n  ⊞^2 ◇ enter(?x, ?d),\n  [REGEX(?x, "a")].\n')
    ran = lars("translate", path, "--format", "sql")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(
        f'lars: {path}:3:3: --format sql: [REGEX(?x, "a")]: SQL has no exact words for it'
    )


def test_a_script_without_a_trace_has_tables_to_load():
    query = SAMPLES / "coupons" / "query.cqels.rq"
    static = ("--static", SAMPLES / "coupons" / "products.ttl")
    out = lars("translate", query, "--format", "sql", "--mode", "push", "--unit", "1min", *static).out
    assert (
        "CREATE TABLE IF NOT EXISTS atom_striple (t BIGINT, seq BIGINT, a1 TEXT, a2 TEXT, a3 TEXT, a4 TEXT);"
        in out
    )
    assert "INSERT INTO atom_striple" not in out
    assert "INSERT INTO known_triple VALUES" in out
    assert "-- ans1(?percent, ?product, ?shop) ← ans2(" in out
    assert answers(out) == []


def test_a_refused_condition_counts_from_time_0_of_the_trace(tmp_path):
    query, trace = tmp_path / "q.rq", tmp_path / "t.nq"
    date = "http://www.w3.org/2001/XMLSchema#dateTime"
    query.write_text(
        "SELECT ?x { STREAM <e:s> [RANGE 5s] { ?x <e:p> ?y } "
        f'FILTER(NOW() > "2026-01-01T00:00:00Z"^^<{date}>) }}'
    )
    trace.write_text(f'<e:a> <e:p> <e:b> <e:s> "2026-05-04T08:00:03Z"^^<{date}> .\n')
    ran = lars("translate", query, trace, "--format", "sql")
    assert (ran.code, "1970" in ran.err, '[NOW(?T0, "2026-05-04T08:00:02Z"' in ran.err) == (2, False, True)


@pytest.mark.parametrize("form", ["lars", "ascii", "asp", "sql", "ticker", "latex", "json"])
def test_no_name_and_no_text_of_a_program_begins_a_line_of_its_translation(form, tmp_path):
    path, odd = tmp_path / "p.lars", r"a\nCREATE TABLE hacked(a int); --"
    path.write_text(f"'{odd}'('{odd}', \"{odd}\"). p(X, '{odd}') ← '{odd}'(X, \"{odd}\").")
    ran = lars("translate", path, "--format", form)
    assert (ran.code, "hacked" in ran.out or form in {"asp", "ticker"}) == (0, True), ran.err
    assert not [line for line in ran.out.splitlines() if line.lstrip().startswith("CREATE TABLE hacked")]
