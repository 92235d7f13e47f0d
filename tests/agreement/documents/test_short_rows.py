"""Rows of one output that differ are written differently, in texts and in tables for papers."""

import pytest

from agreement import api
from agreement.documents.outputs import short_rows, table_text, told_apart, triples_table
from agreement.documents.table_files import write_tables

V = "http://ex.org/v#"
XSD = "http://www.w3.org/2001/XMLSchema#"
QUERY = f"PREFIX : <{V}> SELECT ?a ?v WHERE {{ STREAM :s [RANGE 3s] {{ ?a :p ?v }} }}"
LONG = (
    '"a literal of only fifty characters, less than 200 !!"',
    '"a literal of only fifty characters, 200 ??"',
)
ALIKE = [
    '"5"',
    *(f'"5"^^<{XSD}{kind}>' for kind in ("integer", "decimal", "double")),
    *('"x"', '"x"@en', f"<{V}x>", "<http://other.org/x>", '"-"', '""', *LONG),
]


@pytest.fixture
def answers(tmp_path):
    """Return the answer of a query that has all terms at one time."""
    trace = tmp_path / "trace.nq"
    trace.write_text("".join(f'<{V}a> <{V}p> {term} <{V}s> "1" .\n' for term in ALIKE))
    (tmp_path / "q.rq").write_text(QUERY)
    return api.solve(tmp_path / "q.rq", trace)


def test_rows_of_one_time_point_have_different_texts(answers):
    line = list(answers.parts())[1]
    rows = line.removeprefix("1: (").removesuffix(")").split(") (")
    assert len(rows) == len(ALIKE) == len(set(rows))
    assert {'a, "5"', 'a, "5"^^xsd:integer', 'a, "x"@en', "a, <http://other.org/x>", 'a, "-"'} <= set(rows)
    assert f"a, {LONG[0][1:-1]}" in rows, "nothing clashes: the short form, in full"


@pytest.mark.parametrize("kind", ["markdown", "latex"])
def test_rows_of_tables_for_papers_are_different(answers, kind, tmp_path):
    write_tables(tmp_path / "out", answers.tables(), kind=kind)
    (path,) = (tmp_path / "out").glob("answers.*")
    cells = [
        line.rsplit("| a |" if kind == "markdown" else "& a &")[-1] for line in path.open() if " a " in line
    ]
    assert len(cells) == len(ALIKE) == len(set(cells))


def test_short_terms_of_frames_are_different(answers):
    terms = list(answers.to_pandas(terms="short")["?v"])
    assert len(set(terms)) == len(ALIKE)


def test_a_literal_does_not_look_like_an_unbound_variable():
    assert short_rows([('"-"',)]) == ['("-")']
    assert short_rows([(None,), ("<http://e/->",)]) == ["(-)", "(<http://e/->)"]


@pytest.mark.parametrize(
    "rows",
    [
        [('"a, b"', '"c"'), ('"a"', '"b, c"')],
        [('"x"',), ("<http://e/x>",), (r'"\"x\""',)],
        [(None, '"-, -"'), ('"-"', '"-"'), ('"-, -"', None)],
    ],
)
def test_punctuation_of_literals_does_not_make_rows_alike(rows):
    assert len(set(short_rows(rows))) == len(rows)
    (first,), others = told_apart(rows[:1], rows[1:])
    assert first not in others


def test_many_terms_with_one_short_name_are_written_in_linear_time():
    rows = [(f"<http://e/{n}/value>",) for n in range(20_000)]
    assert len(set(short_rows(rows))) == len(rows)


def test_triples_of_two_namespaces_are_told_apart():
    triples = [("<http://e/a>", "<http://e/p>", f"<http://{host}/b>") for host in "xy"]
    text = table_text(triples_table(("1", "s", triple) for triple in triples))
    assert "a p <http://x/b>" in text
    assert "a p <http://y/b>" in text
