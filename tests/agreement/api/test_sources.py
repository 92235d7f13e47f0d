"""What a call takes: a query, a trace and static data mean the same as path, text, table, graphs."""

import gzip
import inspect
import json
from ast import literal_eval
from datetime import UTC, datetime, timedelta
from io import BytesIO, StringIO
from time import process_time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from rdflib import BNode, Dataset, Graph, Literal, URIRef
from rdflib.namespace import Namespace

from agreement import api
from agreement.results.base.sources import _file_name
from lars.errors import LarsError
from lars.language.terms import XSD
from tests.packs import SAMPLES

EX = Namespace("http://example.org/")
QUERY = """PREFIX : <http://example.org/>
SELECT ?shop ?percent WHERE {
  STREAM :s [RANGE 3s] { ?shop :offers ?percent }
  ?shop :lies :here
}"""
OFFERS = [(2, EX.a, 30), (4, EX.b, 20)]
ROWS = {2: ["30"], 4: ["30"]}
STATIC = "@prefix : <http://example.org/> . :a :lies :here .\n"


def table():
    rows = [(t, f"<{shop}>", f"<{EX.offers}>", f'"{percent}"') for t, shop, percent in OFFERS]
    return pd.DataFrame(rows, columns=["t", "s", "p", "o"])


def graphs():
    for t, shop, percent in OFFERS:
        graph = Graph()
        graph.add((shop, EX.offers, Literal(str(percent))))
        yield t, graph


def lines():
    return "".join(f'<{shop}> <{EX.offers}> "{percent}" <{EX.s}> "{t}" .\n' for t, shop, percent in OFFERS)


def static_graph(kind=Graph):
    found = kind()
    found.add((EX.a, EX.lies, EX.here))
    return found


TRACES = {
    "pandas": table,
    "arrow": lambda: pa.Table.from_pandas(table(), preserve_index=False),
    "reader": lambda: pa.Table.from_pandas(table(), preserve_index=False).to_reader(),
    "graphs": graphs,
    "triples": lambda: [(t, (s, EX.offers, Literal(str(o)))) for t, s, o in OFFERS],
    "texts": lambda: [(t, (str(s), f"<{EX.offers}>", f'"{o}"')) for t, s, o in OFFERS],
    "texts and nodes": lambda: [(t, (s, str(EX.offers), Literal(str(o)))) for t, s, o in OFFERS],
    "numbers": lambda: [(t, (str(s), str(EX.offers), o)) for t, s, o in OFFERS],
    "text": lines,
    "text that is open": lambda: StringIO(lines()),
    "bytes that are packed": lambda: BytesIO(gzip.compress(lines().encode())),
    "bytes alone": lambda: lines().encode(),
    "times of numpy": lambda: [(np.int64(t), (s, EX.offers, Literal(str(o)))) for t, s, o in OFFERS],
}


def answered(found):
    return {one.t: [json.loads(row[0].split("^^")[0]) for row in one.rows] for one in found.answers}


@pytest.mark.parametrize("kind", TRACES)
def test_a_trace_means_the_same_in_each_form(kind):
    assert answered(api.solve(QUERY, TRACES[kind](), static=STATIC)) == ROWS


@pytest.mark.parametrize(
    "static", [BytesIO(STATIC.encode()), STATIC, static_graph(), static_graph(Dataset), [static_graph()]]
)
def test_static_data_mean_the_same_in_each_form(static):
    assert answered(api.solve(QUERY, lines(), static=static)) == ROWS


def test_polars_hands_its_tables_over_and_takes_ours():
    polars = pytest.importorskip("polars")
    assert answered(api.solve(QUERY, polars.from_pandas(table()), static=STATIC)) == ROWS
    found = api.solve(QUERY, lines(), static=STATIC)
    assert polars.DataFrame(found).shape == found.to_pandas().shape


def timed_table(kind):
    """Return the offers of May 4, 8:00:02 and 8:00:04, as this library has texts and times."""
    moments = [datetime(2026, 5, 4, 8, 0, t, tzinfo=UTC) for t, _, _ in OFFERS]
    texts = {"s": [str(s) for _, s, _ in OFFERS], "p": [str(EX.offers)] * 2}
    columns = {"t": moments, **texts, "o": [percent for _, _, percent in OFFERS]}
    if kind == "pandas":
        return pd.DataFrame(columns).astype({"t": "datetime64[ns, UTC]", "s": "category"})
    polars = pytest.importorskip("polars")
    return polars.DataFrame(columns, schema_overrides={"s": polars.Categorical})


def in_file(kind, form, folder):
    """Return the file that a library writes of its offers."""
    path, frame = folder / f"offers.{form}", timed_table(kind)
    if form == "parquet":
        (frame.to_parquet if kind == "pandas" else frame.write_parquet)(path)
        return path
    # No library writes literals as N-Triples has them; all are IRIs.
    if kind == "pandas":
        frame.assign(o=str(EX.o)).to_csv(path)
    else:
        frame.with_columns(pytest.importorskip("polars").lit(str(EX.o)).alias("o")).write_csv(path)
    return path


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_times_and_numbers_of_data_frames_are_theirs(kind, tmp_path):
    found = api.solve(QUERY, timed_table(kind), static=STATIC)
    # Time 0 is one unit before the first element.
    typed = f'"30"^^<{XSD}integer>'
    assert [(one.t, one.rows[0][0]) for one in found.answers] == [(1, typed), (3, typed)]
    assert answered(api.solve(QUERY, in_file(kind, "parquet", tmp_path), static=STATIC)) == answered(found)
    of_csv = api.solve(QUERY, in_file(kind, "csv", tmp_path), static=STATIC)
    assert [(one.t, len(one.rows)) for one in of_csv.answers] == [(1, 1), (3, 1)]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_what_is_wrong_with_a_data_frame_names_it(kind):
    pytest.importorskip(kind)
    frame = timed_table(kind)
    bad = frame.assign(s="x") if kind == "pandas" else frame.with_columns(s=frame["o"].cast(str))
    with pytest.raises(api.PlacedError) as wrong:
        api.solve(QUERY, bad)
    assert str(wrong.value).startswith(f"{kind}.DataFrame:1:31: ")
    with pytest.raises(api.LarsError) as lost:
        api.solve(QUERY, frame[["t", "s"]])
    assert str(lost.value).startswith(f"{kind}.DataFrame: no column p, o among")


def test_a_stream_is_named_by_its_iri():
    found = api.solve(QUERY, stream={"http://example.org/s": table()}, static=STATIC)
    assert answered(found) == ROWS
    other = api.solve(QUERY, stream={"http://example.org/other": table()}, static=STATIC)
    assert not any(answered(other).values())


def test_a_blank_node_is_the_same_one_in_elements_as_rdflib_has_it():
    one, other = ((BNode("x"), name, EX.y) for name in (EX.first, EX.second))
    query = f"SELECT ?x WHERE {{ STREAM <e:s> [RANGE 9s] {{ ?x <{EX.first}> ?a . ?x <{EX.second}> ?b }} }}"
    both = Graph()
    both.add(one)
    both.add(other)
    assert [len(one.rows) for one in api.solve(query, [(1, both)]).answers] == [1]
    assert [len(one.rows) for one in api.solve(query, [(1, one), (2, other)]).answers] == [0, 1]
    apart = api.solve(query, [(1, one), (2, other)], blank_nodes="element")
    assert [len(one.rows) for one in apart.answers] == [0, 0]


def given(node, name=None):
    static = Dataset()
    graph = static.default_graph if name is None else static.graph(name)
    graph.add((node, EX.lies, EX.here))
    return static


@pytest.mark.parametrize("name", [None, EX.graph])
def test_a_blank_node_of_static_data_and_a_trace_is_one(name):
    node, other = BNode(), BNode()
    lies = f"?x <{EX.lies}> ?y"
    query = (
        f"SELECT ?x {{ STREAM <e:s> [RANGE 9s] {{ ?s ?p ?x }} {f'GRAPH ?g {{{lies}}}' if name else lies} }}"
    )
    plain = Graph()
    plain.add((node, EX.lies, EX.here))
    statics = (given(node, name), given(other, name), *(() if name else (plain,)))
    found = [api.solve(query, [(1, (EX.a, EX.b, node))], static=static) for static in statics]
    assert [len(one.answers[0].rows) for one in found] == [1, 0, 1][: len(statics)]


def test_a_blank_node_of_two_streams_is_one():
    node = BNode()
    parts = "STREAM <e:s> [RANGE 9s] { ?s ?p ?x } STREAM <e:r> [RANGE 9s] { ?x ?q ?y }"
    streams = {"e:s": [(1, (EX.a, EX.b, node))], "e:r": [(1, (node, EX.b, EX.c))]}
    found = api.solve(f"SELECT ?x {{ {parts} }}", stream=streams)
    assert [len(one.rows) for one in found.answers] == [1]


def test_an_experiment_is_a_path_as_text_or_not():
    one, other = (api.agree(path, period=8) for path in (str(SAMPLES / "coupons"), SAMPLES / "coupons"))
    assert one.to_json() == other.to_json()


def test_a_message_names_values_not_the_files_in_which_they_lie():
    with pytest.raises(api.PlacedError) as wrong:
        api.translate("SELECT ?x\nWHERE { ?x")
    assert str(wrong.value).startswith("query.rq:2:")
    assert (wrong.value.place.source, wrong.value.place.line) == ("query.rq", 2)
    with pytest.raises(api.LarsError) as lost:
        api.solve(QUERY, [(1, 5)])
    assert str(lost.value).startswith("trace[0]: element 1: found [1, 5]; expected a pair (time, content)")


PROGRAM = "seen(X) ← ⊞^3 ◇ enter(X, D).\n"


@pytest.mark.parametrize(
    ("program", "trace", "found"),
    [
        ("seen(X) :- [+]^3 <> enter(X, D).", "1: enter(ann, hall).", "seen(ann)"),
        ("seen(X):-[+]^3 <> enter(X, D). ", "1: enter(ann, hall)", "seen(ann)"),
        (PROGRAM, [(1, "enter(ann, hall)")], "seen(ann)"),
        (PROGRAM, [(datetime(2026, 5, 4, 8, tzinfo=UTC), "enter(ann, hall).")], "seen(ann)"),
        ("s(X) :- striple(X, P, O, G).", '<e:ann> <e:in> <e:hall> <e:s> "1" .', "s(<e:ann>)"),
    ],
)
def test_one_line_is_a_text_and_an_atom_is_an_element(program, trace, found):
    assert api.solve(program, trace).answers[-1].streams == ((found,),)


def test_an_answer_and_static_data_of_one_line_are_texts():
    assert api.check(PROGRAM, "1: enter(ann, hall).", at=1, answer="1: seen(ann).").correct
    assert answered(api.solve(QUERY, lines(), static=f"<{EX.a}> <{EX.lies}> <{EX.here}> .")) == ROWS


def test_a_file_wins_over_a_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("1: my trace.", "my trace.atoms"):
        (tmp_path / name).write_text("1: enter(bob, hall).\n")
        assert api.solve(PROGRAM, name).answers[-1].streams == (("seen(bob)",),)


@pytest.mark.parametrize(
    ("program", "trace", "said"),
    [
        ("p(X) if q(X)", "1: q(a).", "lars reads this string as a path; if it is a text, add a line break"),
        ("p(X) :- q(X.", "1: q(a).", "lars reads this string as a text, because no file has this name"),
        (PROGRAM, "enter(ann, hall)", "lars reads this string as a path; if it is a text, add a line break"),
        (PROGRAM, "hall.atoms", "no such file or folder"),
    ],
)
def test_a_string_that_is_neither_is_told_how_it_is_read(program, trace, said):
    with pytest.raises(api.LarsError) as wrong:
        api.solve(program, trace)
    assert said in str(wrong.value).splitlines()[-1]


@pytest.mark.parametrize(
    ("elements", "said"),
    [
        (
            [(1, (EX.a, EX.b, EX.c)), (2, "p(a)")],
            'element 2: found [2, "p(a)"], an atom as text, but element 1 ',
        ),
        ([(1, (EX.a, EX.b))], "element 1: found "),
        ([(1, ("ann", "e:in", "e:hall"))], "element 1: 'ann' is not an RDF term"),
        (
            [(1, [("e:a", "e:in", "e:hall")])],
            'a triple such as ("http://e/ann", "http://e/in", "http://e/hall")',
        ),
        (["1: p(a)."], "expected a pair (time, content)"),
    ],
)
def test_elements_of_other_forms_are_refused(elements, said):
    with pytest.raises(api.LarsError) as wrong:
        api.solve(QUERY, elements)
    assert said in str(wrong.value)


@pytest.mark.parametrize("source", [5, Graph(), None])
def test_what_is_no_trace_is_refused(source):
    with pytest.raises(api.LarsError, match=r"expected .*pairs"):
        api.solve(QUERY, source)


def test_a_long_text_is_told_from_a_query_at_once():
    start = process_time()
    for text in ("PREFIX a: <http://a/>\n" * 200, "PREFIX a: <http://a/> \n \n" * 200):
        assert _file_name(f"{text}a:x a:y a:z .") == ("trace", "")
        assert _file_name(f"{text}# it\nBASE <e:> .\n select * ") == ("query", ".rq")
    assert _file_name("VERSION \"1.2\"\nprefix : <e:>\nversion '1.1' ASK { }") == ("query", ".rq")
    assert _file_name('VERSION "1.2-messages"\n<e:x> <e:y> "select" .') == ("trace", "")
    assert process_time() < start + 1


def test_an_atom_is_a_text_and_no_path():
    query = "SELECT ?one { STREAM <http://e/s> [RANGE 3s] { ?x <http://e/in> ?one } }"
    for name in ("<http://e/a>", '"a{b"', '"←"'):
        trace = f'<http://e/x> <http://e/in> {name} <http://e/s> "1" .\n'
        assert api.explain(query, trace, f"ans({name})", at=1).holds
        assert api.explain(query, trace, atom=f"ans({name})", at=1).holds


ALIKE = {
    "period": [
        2,
        "2s",
        np.int64(2),
        np.uint8(2),
        timedelta(seconds=2),
        pd.Timedelta(2, "s"),
        [np.int64(2)],
        np.timedelta64(2 * 10**9, "ns"),
        np.array(2, "m8[s]"),
    ],
    "unit": ["1s", timedelta(seconds=1)],
    "origin": [
        "2026-05-04T08:00:00Z",
        datetime(2026, 5, 4, 8, tzinfo=UTC),
        pd.Timestamp("2026-05-04T08:00Z"),
        np.datetime64("2026-05-04T08:00", "ns"),
        np.datetime64("2026-05-04T08", "h"),
    ],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, some in ALIKE.items() for value in some])
def test_numbers_and_times_of_libraries_are_those_of_python(key, value):
    def agreed(some):
        return api.agree(QUERY, table(), **{"period": 2, key: some}).to_json()

    assert agreed(value) == agreed(ALIKE[key][0])


def test_times_of_numpy_are_moments_whatever_they_count():
    triple = (EX.a, EX.offers, Literal("30"))
    query = "SELECT ?o { STREAM :s [NOW] { ?s ?p ?o } }".replace(":s", "<http://example.org/s>")

    def times(*moments):
        solved = api.solve(query, [(t, triple) for t in moments], unit="1ns").to_json()["answers"]
        return [one["t_date"] for one in solved if one["rows"]]

    texts = ["2026-05-04T08:00:00.000000001", "2026-05-04T08:00:00.000000003"]
    given = [
        np.array(texts, "M8[ns]"),
        [pd.Timestamp(text) for text in texts],
        [np.datetime64(t) for t in texts],
    ]
    assert [times(*own) for own in given] == [texts] * 3


WRONG = [
    *(("period", value) for value in (2.5, object(), None.__class__, {"a": 1}, [2.5], timedelta(0))),
    *(("unit", value) for value in (1, timedelta(0), 1.5)),
    *(("static", value) for value in (table(), 5, [table()], {"http://e/g": 5})),
    *(("stream", value) for value in ("http://e/S", 5, [1], {"http://e/S": 5})),
    *((key, 5) for key in ("column", "prefix", "origin", "profile", "assign", "blank_nodes")),
    *(("sort", value) for value in ("no", 1, 0.0)),
    *(("period", value) for value in (np.timedelta64(1, "M"), np.timedelta64("NaT", "s"))),
    *(
        ("to", value)
        for value in (
            np.datetime64("NaT", "s"),
            np.datetime64(10**17, "s"),
            pd.Timestamp(np.datetime64(10**12, "s")),
        )
    ),
    *((key, 2.5) for key in ("at", "from_", "to", "certify", "semantics")),
    ("memory", 5),
]


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_a_keyword_of_another_type_is_named(key, value):
    known = inspect.signature(api.agree).parameters
    function = api.agree if key in known else api.solve
    if key not in inspect.signature(function).parameters:
        pytest.skip(f"no {key} here")
    more = {"period": 2} if function is api.agree and key != "period" else {}
    with pytest.raises(api.LarsError, match=rf"^{key}="):
        function(QUERY, table(), **more, **{key: value})


@pytest.mark.parametrize("keywords", [{"period": b"2"}, {"unit": b"1s"}, {"static": b"x"}, {"base": b"x:"}])
def test_bytes_are_refused_where_texts_and_numbers_are_read(keywords):
    (name,) = keywords
    with pytest.raises(LarsError, match=f"{name}=b.*bytes"):
        api.agree(QUERY, [], **keywords)


def test_a_relative_iri_in_a_text_is_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "SELECT ?x { STREAM <s> [RANGE 2s] { ?x <p> ?y } }"
    assert f"striple(?x, <{tmp_path.as_uri()}/p>, ?y, <{tmp_path.as_uri()}/s>)" in str(api.translate(text))
    assert f"<{EX.p}>" in str(api.translate(text, base=str(EX)))


def test_an_element_at_the_time_true_is_refused():
    with pytest.raises(api.LarsError, match=r"trace\[0\]: element 1: found .*expected a pair .time, content"):
        api.solve(QUERY, [(True, (EX.a, EX.b, EX.c))])


@pytest.mark.parametrize("arrow", ["<-", "->", "<=", "=>"])
def test_a_text_with_another_arrow_is_a_program(arrow):
    program = f"% gates\njammed(G) {arrow} [+]^3 <> blocked(G)."
    assert _file_name(program) == ("program", ".lars")
    if arrow == "<-":
        assert api.solve(program, [(1, "blocked(g)")]).answers
    else:
        with pytest.raises(api.LarsError, match=r"program.lars:2:11: found .*expected ← \(:-\)"):
            api.solve(program, [(1, "blocked(g)")])


@pytest.mark.parametrize("program", ["p(a).", "% gates\n p.", "@_T h(X) <- [+]^3 @_T q(X)."])
def test_a_text_that_begins_with_a_fact_or_with_a_head_at_another_time_is_a_program(program):
    assert _file_name(program) == ("program", ".lars")
    assert api.solve(program, "1: q(b).").answers
    assert _file_name("1: q(b).\n2: p(a).") == _file_name("1:\n p(a).") == ("trace", "")
    assert _file_name("a:x a:y a:z .") == ("trace", "")


def test_a_text_with_an_arrow_in_a_literal_is_a_trace():
    assert _file_name('1: said(a, "b <- c").\n') == ("trace", "")
    assert _file_name('<http://e/a> <http://e/p> "p(a) <- q" <http://e/s> "1" .\n') == ("trace", "")


def test_a_page_of_texts_has_a_plain_title(tmp_path):
    found = api.solve("p(X) ← ⊞^3 ◇ q(X).", [(1, "q(a)")])
    for how, title in ({}, "program, solved"), ({"title": "Gates"}, "Gates"):
        found.write_report(tmp_path / "a.html", **how)
        assert f"<title>{title}" in (tmp_path / "a.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("rows", [[{"time": 1, "room": "hall"}, {"time": 2, "room": "lab"}]])
@pytest.mark.parametrize("table", [list, pd.DataFrame])
def test_a_table_with_own_columns_leads_to_a_complete_keyword(rows, table):
    query = "SELECT ?r { STREAM <http://e/S> [RANGE 3s] { ?s <http://example.org/room> ?r } }"
    with pytest.raises(api.LarsError) as wrong:
        api.solve(query, table(rows))
    said = str(wrong.value)
    assert said.count("column=") == 1
    column = literal_eval(said.partition("such as column=")[2])
    assert column == {"t": "{time}", "s": "_:{row}", "http://example.org/room": "{room}"}
    solved = api.solve(query, table(rows), column=column)
    assert [answer.rows for answer in solved.answers] == [(('"hall"',),), (('"hall"',), ('"lab"',))]


BARE = "SELECT ?v WHERE { STREAM <http://e/S> [RANGE 5s] { ?s <http://e/v> ?v } }"
JOINED = "SELECT ?v WHERE { STREAM <http://e/S> [RANGE 5s] { ?s <http://e/v> ?v } ?x <http://e/w> ?v }"


def in_each_form(node):
    """Yield an element with a node as a triple of rdflib, a triple with texts, and a row of a table."""
    s, p = URIRef("http://e/a"), URIRef("http://e/v")
    yield [(1, (s, p, node))]
    yield [(1, (str(s), p, node))]
    yield [{"t": 1, "s": str(s), "p": str(p), "o": node}]


@pytest.mark.parametrize(
    "value",
    [*map(float, ("nan", "inf", "-inf")), "a\nb", 'say "x"\r\n\\', "\t", 10**60, URIRef("http://e/ü")],
    ids=str,
)
def test_a_node_of_rdflib_is_one_term_in_each_form_and_in_static_data(value):
    node = value if isinstance(value, URIRef) else Literal(value)
    graph = Graph()
    graph.add((URIRef("http://e/a"), URIRef("http://e/w"), node))
    dataset = Dataset()
    dataset.add((URIRef("http://e/a"), URIRef("http://e/w"), node))
    for elements in in_each_form(node):
        for static in (graph, dataset):
            (answer,) = api.solve(JOINED, stream={"http://e/S": elements}, static=static).answers
            assert len(answer.rows) == 1


@pytest.mark.parametrize("iri", ["http://e/a b", 'http://e/"'])
def test_an_iri_that_rdflib_does_not_write_names_its_element(iri):
    for elements in in_each_form(URIRef(iri)):
        with pytest.raises(LarsError, match=r"element 1: .* is not an RDF term: it has a character"):
            api.solve(BARE, stream={"http://e/S": elements})
    graph = Graph()
    graph.add((URIRef(iri), URIRef("http://e/w"), Literal(1)))
    with pytest.raises(LarsError, match="it has a character that no IRI has"):
        api.solve(JOINED, stream={"http://e/S": [(1, ("http://e/a", "http://e/v", 1))]}, static=graph)
