"""CQELS-QL 2.0: bare names of streams, windows that tumble, slide or look ahead, and what is left out."""

import random
import re
from pathlib import Path

import pytest

from lars.durations import read_duration
from lars.language.terms import Iri
from lars.language.windows import TimeWindow
from tests.agreement.command import lars
from tests.translate.marked import fails_at_mark
from translate.analysis import closes, default_period, is_pushed
from translate.dialects import read_query
from translate.errors import QueryError, UnsupportedError
from translate.model.patterns import Bgp, StreamBlock
from translate.model.query import Language
from translate.model.windows import Now, Range, Rows, window_operator
from translate.writing import write_query

ONE = "{ ?a <e:p> ?b }"
MANUAL = Path(__file__).parents[3] / "translate" / "README.md"


def span(length, slide, ahead=None, ends="high-open"):
    durations = (None if part is None else read_duration(part) for part in (length, slide, ahead))
    past, step, future = durations
    return Range(past, step, ends=ends, ahead=future)


@pytest.mark.parametrize(
    ("text", "window", "operator"),
    [
        ("[NOW]", Now(), TimeWindow(0)),
        ("[TRIPLES 3]", Rows(3), None),
        ("[TRIPLES 3 SLIDE 1 EMIT ON_UPDATE]", Rows(3), None),
        ("[RANGE 5s]", span("5s", "5s"), TimeWindow(5, 0, 5, "high-open")),
        ("[range 1m step 30s]", span("1m", "30s"), TimeWindow(60, 0, 30, "high-open")),
        ("[RANGE 30s SLIDE 10s]", span("30s", "10s"), TimeWindow(30, 0, 10, "high-open")),
        ("[SLIDE 30s STEP 10s]", span("30s", "10s"), TimeWindow(30, 0, 10, "high-open")),
        ("[PAST 5s]", span("5s", "5s"), TimeWindow(5, 0, 5, "high-open")),
        ("[FUTURE 4s]", span("4s", "4s", ends="low-open"), TimeWindow(4, 0, 4, "low-open")),
        ("[FUTURE 4s STEP 2s]", span("4s", "2s", ends="low-open"), TimeWindow(4, 0, 2, "low-open")),
        ("[PAST 5s FUTURE 2s STEP 1s]", span("5s", "1s", "2s", "low-open"), TimeWindow(4, 2, 1)),
        ("[RANGE 5s FUTURE 2s]", span("5s", "7s", "2s", "low-open"), TimeWindow(4, 2, 7)),
    ],
)
def test_each_window_is_read_and_becomes_one_of_lars(text, window, operator):
    for query in (
        read_query(f"SELECT ?a FROM STREAM s {text} WHERE {{ STREAM s {ONE} }}", "q.rq"),
        read_query(f"SELECT ?a {{ STREAM s {text} {ONE} }}", "q.rq", Language.CQELS2),
        read_query(f"SELECT ?a FROM NAMED WINDOW <w> ON s {text} {{ WINDOW <w> {ONE} }}", "q.rq"),
    ):
        assert (query.language, query.pattern.stream) == (Language.CQELS2, Iri("s"))
        assert query.pattern.window == window
        found = window_operator(window, Iri("s"), read_duration("1s"), None)
        assert operator is None or found == operator


def test_ends_can_be_chosen_for_windows_that_look_ahead():
    window = span("5s", "1s", "2s", "low-open")
    assert window_operator(window, Iri("s"), read_duration("1s"), "closed") == TimeWindow(5, 2, 1)


@pytest.mark.parametrize(
    ("clauses", "pushed"),
    [
        ("FROM STREAM s [NOW]", True),
        ("FROM STREAM s [TRIPLES 4]", True),
        ("FROM STREAM s [RANGE 4s]", False),
        ("FROM STREAM s [RANGE 4s] FROM STREAM r [NOW]", True),
    ],
)
def test_windows_of_now_and_of_tuples_are_pushed_and_others_pulled(clauses, pushed):
    query = read_query(f"SELECT ?a {clauses} WHERE {{ STREAM s {ONE} }}", "q.rq")
    assert is_pushed(query) == pushed


@pytest.mark.parametrize(
    ("clauses", "is_bound"),
    [
        ("FROM STREAM s [NOW]", True),
        ("FROM STREAM s [NOW] FROM STREAM r [NOW]", False),
        ("FROM STREAM s [NOW] FROM <g>", False),
        ("FROM STREAM s [NOW] FROM STATIC <g>", False),
        ("FROM STREAM s [NOW] FROM NAMED <g>", False),
        ("FROM NAMED WINDOW <w> ON STREAM s [NOW]", False),
    ],
)
def test_bare_patterns_are_those_of_the_only_stream(clauses, is_bound):
    query = read_query(f"SELECT ?a {clauses} WHERE {{ ?a <p> ?b OPTIONAL {{ ?b <q> ?c }} }}", "q.rq")
    kinds = {type(query.pattern.left), type(query.pattern.right)}
    assert kinds == {StreamBlock if is_bound else Bgp}
    assert bool(query.declared) == (not is_bound) == any("no pattern reads" in note for note in query.notes)


def test_patterns_beside_a_block_are_static():
    query = read_query("SELECT ?a FROM STREAM s [NOW] { STREAM s { ?a <p> ?b } ?b <q> ?c }", "q.rq")
    assert isinstance(query.pattern.right, Bgp)


def test_two_blocks_of_a_stream_have_its_window():
    query = read_query(f"SELECT ?a FROM STREAM s- [RANGE 3s] {{ STREAM s- {ONE} STREAM s- {ONE} }}", "q.rq")
    assert query.pattern.left == query.pattern.right


def test_a_comment_begins_with_two_signs_too_but_in_strings_and_iris():
    text = "SELECT ?a -- don't { \n FROM STREAM s [NOW] { ?a <e:a--b> 'c--d' # e -- f\n }"
    (triple,) = read_query(text, "q.rq").pattern.pattern.triples
    assert str(triple) == '?a <e:a--b> "c--d"'
    quoted = read_query(r'SELECT ?a FROM STREAM s [NOW] { ?a <p> """c\""" -- d""" }', "q.rq")
    assert str(quoted.pattern.pattern.triples[0].object) == r'"c\"\"\" -- d"'
    assert read_query(text.replace("\n", "\r"), "q.rq").pattern.pattern.triples == (triple,)


def test_columns_have_commas_and_keys_their_direction_behind():
    text = "SELECT ?a, (1 AS ?n), ?b FROM STREAM s [NOW] { ?a ?p ?b } ORDER BY ?b DESC ?a ASC(?n)"
    query = read_query(text, "q.rq")
    assert [name.name for name in query.result] == ["a", "n", "b"]
    assert [(key.variable.name, key.descending) for key in query.modifiers.order] == [
        ("b", True),
        ("a", False),
        ("n", False),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "FROM STREAM s [FUTURE 4s EMIT EARLY_AND_FINAL LATENESS 2s]",
            ["EMIT EARLY_AND_FINAL", "LATENESS 2 s"],
        ),
        ("FROM <g> WITH DEPTH 3 CACHE 5m FROM STREAM s [NOW]", ["WITH DEPTH 3", "CACHE 5 m"]),
    ],
)
def test_what_changes_no_answer_is_left_out_with_a_note(text, words):
    query = read_query(f"SELECT ?a {text} {{ STREAM s {ONE} }}", "q.rq")
    assert [note.partition(" of CQELS 2 is ignored")[0] for note in query.notes] == words
    assert ["no early rows" in note for note in query.notes] == ["EMIT" in word for word in words]


@pytest.mark.parametrize("name", ["Object", "triple", "isTriple", "every-one", "as-1"])
def test_a_name_can_be_a_word_of_sparql_1_2_or_begin_like_a_keyword(name):
    text = f"REGISTER QUERY {name} AS SELECT ?a FROM STREAM {name} [NOW] WHERE {{ STREAM {name} {ONE} }}"
    query = read_query(text, "q.rq")
    assert (query.name, query.pattern.stream) == (name, Iri(name))
    assert read_query(write_query(query, Language.CQELS2), "q.rq") == query
    assert "VERSION" not in write_query(query, Language.CQELS2)
    registered = f"REGISTER QUERY {name} AS SELECT ?a FROM STREAM <e:s> [RANGE 5s STEP 1s] {ONE}"
    assert read_query(registered, "q.rq").name == name


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT ?a FROM NAMED WINDOW <e:w> ON STREAM ¦ s [NOW] {{ WINDOW <e:w> {ONE} }}",
        f"SELECT ?a FROM STREAM s [NOW] {{ STREAM s {ONE} }} ORDER BY ?a DESC ¦ (?b)",
        f"REGISTER myop ¦ <e:o> AS SELECT ?a FROM NAMED WINDOW :w ON :s [TUMBLING 4] {{ WINDOW :w {ONE} }}",
        (
            "REGISTER RSTREAM <e:o> AS SELECT ?a FROM NAMED WINDOW :w ON :s [TUMBLING 4] "
            f"WITH POLICY (timeout=4s, ¦ fallback=drop) {{ WINDOW :w {ONE} }}"
        ),
    ],
)
def test_a_comment_is_white_space_between_any_two_words(text):
    query, plain = (read_query(text.replace("¦", one), "q.rq") for one in ("# don't { <\n", ""))
    assert (query, query.notes) == (plain, plain.notes)


@pytest.mark.parametrize(
    "text",
    [
        (
            "FROM NAMED WINDOW <e:v> ON s [NOW] FROM NAMED WINDOW <e:w> ON s [RANGE 4s] "
            f"{{ WINDOW <e:v> {ONE} WINDOW <e:w> {ONE} }}"
        ),
        f"FROM NAMED WINDOW <e:w> ON s [NOW] {ONE}",
        f"FROM NAMED WINDOW <e:w> ON s [NOW] {{ WINDOW <e:v> {ONE} }}",
    ],
)
def test_what_blocks_of_streams_cannot_express_is_written_with_names_of_windows(text):
    query = read_query(f"SELECT ?a ?b {text}", "q.rq")
    assert read_query(write_query(query, Language.CQELS2), "q.rq") == query


def test_a_note_says_that_an_aggregate_without_keys_has_one_row():
    def is_noted(text):
        return any("according to the document of CQELS 2" in note for note in read_query(text, "q.rq").notes)

    counted = f"SELECT (COUNT(?a) AS ?n) FROM STREAM s [NOW] {{ STREAM s {ONE} }}"
    assert is_noted(counted)
    assert not is_noted(f"{counted} GROUP BY ?a")
    assert not is_noted(f"SELECT (COUNT(?a) AS ?n) {{ STREAM <s> [NOW] {ONE} }}")


S = "SELECT ?a FROM STREAM s"


@pytest.mark.parametrize(
    ("marked", "word", "kind"),
    [
        (f"{S} [RANGE 5s] {{ ?a <p> ?b FILTER(¦SEQ(?a; ?b)) }}", "SEQ", UnsupportedError),
        ("FROM STREAM s [RANGE 5s] ¦MATCH (a)-[:K]->(b) RETURN a", "CypherQL", UnsupportedError),
        ("REGISTER QUERY q AS FROM STREAM s [NOW] ¦MATCH (a)--(b) RETURN a", "CypherQL", UnsupportedError),
        (f"{S} [¦TRIPLES PAST 3 FUTURE 2] {ONE}", "a tuple window with PAST", UnsupportedError),
        (f"{S} [TRIPLES 9 ¦SLIDE 2] {ONE}", "a tuple window with SLIDE", UnsupportedError),
        (f"{S} [RANGE 5¦] {ONE}", "a unit of time", QueryError),
        (f"{S} [RANGE ¦0s] {ONE}", "longer than zero", QueryError),
        (f"{S} [¦] {ONE}", "NOW", QueryError),
        (f"{S} [NOW] {{ STREAM ¦r {ONE} }}", "FROM STREAM r", QueryError),
        (f"{S} [NOW] FROM STREAM ¦s [RANGE 5s] {ONE}", "no other FROM STREAM", QueryError),
        (
            f"{S} [NOW] FROM NAMED WINDOW ¦<w> ON s [NOW] {{ WINDOW <w> {ONE} }}",
            "in a query with FROM STREAM",
            QueryError,
        ),
        (f"{S} [RANGE 5s STEP 1s ¦FUTURE 2s] {ONE}", "EMIT", QueryError),
        ("SELECT ?s FROM NAMED WINDOW <w> ON STREAM e ¦WHERE { ?s ?p ?o }", "[ and a window", QueryError),
        (f"{S} [NOW] FROM STATIC ¦'g' {ONE}", "an IRI", QueryError),
        (f"{S} [NOW] {{ ?a <p> ?b ¦GRAPH <g> {ONE} }}", "GRAPH in a query whose", UnsupportedError),
        (f"{S} [NOW] {{ ?a <p> ?b ¦SERVICE SILENT <g> {ONE} }}", "SERVICE in a", UnsupportedError),
        (f"{S} [NOW] {{ STATIC {{ ¦STREAM s {ONE} }} }}", "STREAM inside STATIC", QueryError),
        (f"{S} ¦RANGE 5s] {ONE}", "[ and a window", QueryError),
        ("SELECT ?a FROM NAMED WINDOW <w> ON STREAM ¦[RANGE 5 STEP 1]", "a variable or", QueryError),
    ],
)
def test_what_has_no_translation_is_refused_by_name(marked, word, kind):
    fails_at_mark(marked, word, kind=kind)


def test_the_rule_for_a_sequence_pairs_triples_whose_times_rise(tmp_path):
    (rule,) = re.findall(r"```lars seq.lars\n(.*?)```", MANUAL.read_text("utf-8"), re.DOTALL)
    (tmp_path / "seq.lars").write_text(rule)
    rng, smoke, fire = random.Random(3), "urn:smoke", "urn:fire"
    rows = sorted(
        (rng.randrange(16), f"urn:{rng.choice('abcd')}", rng.choice((smoke, fire))) for _ in range(30)
    )
    cells = "".join(f"{t},{name},urn:is,{what}\n" for t, name, what in rows)
    (tmp_path / "t.csv").write_text(f"t,s,p,o\n{cells}")
    trace = ["--stream", f"Alerts={tmp_path / 't.csv'}", "--evaluator", "both", "--in-process"]
    for line in lars("solve", tmp_path / "seq.lars", *trace).out.splitlines():
        t = int(line.partition(":")[0])
        seen = [row for row in rows if t - t % 5 - 5 <= row[0] < t - t % 5]
        pairs = {
            (a, b) for at, a, one in seen for to, b, two in seen if (one, two) == (smoke, fire) and at < to
        }
        assert line == f"{t}: {{{', '.join(sorted(f'ans(<{a}>, <{b}>)' for a, b in pairs))}}}"


@pytest.mark.parametrize(
    ("windows", "series", "period"),
    [
        ("[RANGE 10s STEP 4s] [RANGE 8s STEP 4s]", {(4, 10), (4, 0)}, 2),
        ("[RANGE 10s STEP 4s] [RANGE 5s]", {(4, 10), (5, 0)}, 1),
        ("[RANGE 10s STEP 4s] [RANGE 9s STEP 4s]", {(4, 10), (4, 9)}, 1),
        ("[RANGE 8s STEP 4s] [RANGE 5s]", set(), None),
    ],
)
def test_pull_is_at_each_close_of_a_window(windows, series, period):
    one, two = re.findall(r"\[.*?\]", windows)
    blocks = f"STREAM s {ONE} STREAM r {ONE}"
    query = read_query(f"SELECT ?a FROM STREAM s {one} FROM STREAM r {two} {{ {blocks} }}", "q.rq")
    assert set(closes(query, read_duration("1s"))) == series
    assert default_period(query, read_duration("1s")) == period
