"""`lars decide A.rq B.rq --contained` and `--equivalent`: verdicts, their data, wrong calls."""

import json
import random
from dataclasses import replace
from functools import partial

import pytest

from agreement import api
from agreement.proving.containment import operators, reports_containment
from agreement.proving.witness.searching import out_of_time
from lars.errors import TimeLimitError
from solver.deadlines import Deadline
from tests.agreement.command import lars
from tests.agreement.proving.containment import window_pairs
from tests.agreement.proving.containment.argued_pairs import KINDS_ARGUED
from tests.agreement.proving.containment.known_pairs import answered, known_pairs, refutations
from tests.agreement.proving.containment.pairs import KINDS, judged
from tests.agreement.proving.containment.window_pairs import Windowed, pair, query
from tests.sizes import few

PAIRS = """
SELECT * {?x a :D . ?y a :U . ?x ?z ?y} | SELECT * {?x ?z ?y} | yes no
SELECT ?x {?x :p ?y . ?y :p ?z} | SELECT ?x {?x :p ?y} | yes no
SELECT ?x {?x :p ?y} | SELECT ?x {?x :p ?y . ?x :p ?z} | yes yes
SELECT ?x {{?x :p ?y} UNION {?x :q ?y}} | SELECT ?x {{?x :q ?y} UNION {?x :p ?y} UNION {?x :r ?y}} | yes no
SELECT * {?x :p ?y . ?y :q ?z} | SELECT * {?x :p ?y OPTIONAL {?y :q ?z}} | yes no
SELECT * {?x :p ?y OPTIONAL {?y :q ?z}} | SELECT * {?x :p ?y OPTIONAL {?y :q ?z . ?z :r ?x}} | no no
SELECT * {?x :p ?y OPT {?y :q ?z}OPT {?y :r ?w}} | SELECT * {?x :p ?y OPT {?y :r ?w} OPT {?y :q ?z}} | yes yes
SELECT * {?x :p ?y OPT {?y :q ?z OPT {?z :r ?w}}} | SELECT * {?x :p ?y OPT {?y :q ?z . ?z :r ?w}} | no no
SELECT ?x ?y {?x :p ?y OPTIONAL {?y :q ?z}} | SELECT ?x ?y {?x :p ?y} | yes yes
SELECT ?x {?x :p ?y FILTER(?y > 5)} | SELECT ?x {?x :p ?y FILTER(?y > 3)} | yes no
SELECT ?x {?x :p ?y FILTER(?y > 3)} | SELECT ?x {{?x :p ?y FILTER(?y > 5)} UNION {?x :p 4}} | no yes
SELECT ?x {?x :p ?y . ?x :p ?z FILTER(?y < ?z)} | SELECT ?x {?x :p ?y . ?x :p ?z FILTER(?y <= ?z)} | yes no
SELECT ?x {?x :p ?y FILTER(?y > 3)} | SELECT ?x {?x :p ?y FILTER(?y > 5 || ?y <= 5)} | yes no
SELECT ?x {?x :p ?y FILTER(?y = :a)} | SELECT ?x {?x :p :a} | yes yes
SELECT ?x {?x :p ?y MINUS {?x :q ?z}} | SELECT ?x {?x :p ?y} | yes no
SELECT ?x {?x :p ?new0 MINUS {?x :q ?new0}} | SELECT ?x {?x :p ?y MINUS {?x :q ?z}} | no yes
SELECT ?x {?x ?p ?y FILTER(?p != <http://example.org/p>)} | SELECT ?x {?x :k ?y} | no yes
SELECT ?x {STREAM :s [RANGE 3s] {?x :p ?y}} | SELECT ?x {STREAM :s [RANGE 5s] {?x :p ?y}} | yes no
SELECT ?x {STREAM :s [RANGE 6s SLIDE 3s] {?x :p ?y}} | SELECT ?x {STREAM :s [RANGE 8s] {?x :p ?y}} | yes no
SELECT ?x {STREAM :s [RANGE 6s SLIDE 3s] {?x :p ?y}} | SELECT ?x {STREAM :s [RANGE 7s] {?x :p ?y}} | no no
SELECT ?x {STREAM :s [ROWS 2] {?x :p ?y}} | SELECT ?x {STREAM :s [ROWS 3] {?x :p ?y}} | yes no
SELECT ?x {STREAM :s [RANGE 3s] {?x :p ?y}} | SELECT ?x FROM STREAM :s [RANGE 5s STEP 1s] {?x :p ?y} | yes no
SELECT ?x {STREAM :s [ROWS 3] {?x :p ?y}} | SELECT ?x {STREAM :s [RANGE 9s] {?x :p ?y}} | no no
SELECT ?x {STREAM :s [ROWS 3] {?x :p ?y}} | SELECT ?x {STREAM :s [RANGE UNBOUNDED] {?x :p ?y}} | yes no
SELECT ?x {STREAM :s [NOW] {?x :p ?y}} | SELECT ?x {STREAM :s [ROWS 3] {?x :p ?y}} | no no
SELECT ?x {STREAM :s [RANGE 10s] {?x :p ?y}} | SELECT ?x {NEAR UNION OLD} | yes no
SELECT ?x {STREAM :s [RANGE 30d] {?x :p ?y}} | SELECT ?x {STREAM :s [RANGE 30d SLIDE 1d] {?x :p ?y}} | no no
SELECT ?x {STREAM :s [RANGE 30d SLIDE 1d] {?x :p ?y}} | SELECT ?x {STREAM :s [RANGE 31d] {?x :p ?y}} | yes no
SELECT ?x {STREAM :s [NOW] {?x :p+ ?y}} | SELECT ?x {STREAM :s [RANGE 3s] {?x (:q|:p)+ ?y}} | yes no
SELECT ?x {STREAM :s [NOW] {?x :p/:p ?y}} | SELECT ?x {STREAM :s [RANGE 3s] {?x :p+ ?y}} | yes no
SELECT ?x ?y {?x :p+ ?y} | SELECT ?x ?y {?x :p* ?y} | yes no
ASK {STREAM :s [NOW] {?x :p ?y. ?x :q 1}} | ASK {STREAM :s [NOW] {?x :p 4} STREAM :s [NOW] {?x :q 1}} | no yes
SELECT ?x FROM STREAM :s [RANGE 3s STEP 1s] {?x :p+ ?y} | SELECT ?x {WALK UNION {?x :p+ ?y}} | yes yes
SELECT ?x ?y FROM STREAM :s [RANGE 3s STEP 1s] {?x :p+ ?y} | SELECT ?x ?y {WALK UNION {?x :p+ ?y}} | no yes
SELECT ?x OVER5 {?x :p+ ?y . ?x :q ?z FILTER(SAMETERM(?y, ?z))} | SELECT ?x OVER2 {?x :p+ ?y} | no no
ASK {?x :p ?y} | ASK {?x ?z ?y} | yes no
SELECT ?x {STREAM :s [NOW] {?x :p ?y}} | SELECT ?x {{STREAM :s [NOW] {?x :p ?y}} UNION {?x :p ?y}} | yes no
SELECT ?x {?x :p ?y} | SELECT ?x ?y {?x :p ?y} | no no
SELECT ?x {?x :p* ?y} | SELECT ?x {?x :p ?y} | no yes
SELECT ?x {GROUP5} | SELECT ?x {GROUP2} | no yes
SELECT ?x OVER5 {GROUPED} | SELECT ?x OVER2 {GROUPED} | no yes
SELECT ?x OVER5 {{GROUPED} FILTER(?n > 3)} | SELECT ?x OVER2 {{GROUPED} FILTER(?n > 3)} | no no
SELECT ?z {?z :q ?w {COUNTED}} | SELECT ?z {?z :q ?w . ?x :p ?y} | yes yes
SELECT ?z {?z :q ?w {SELECT (COUNT(?y) AS ?n) {?x :p ?y}}} | SELECT ?z {?z :q ?w} | yes yes
SELECT ?x OVER5 {GROUPED} | SELECT ?x OVER5 {GROUPED} | yes yes
SELECT ?x OVER5 {FIRST} | SELECT ?x OVER2 {FIRST} | no no
SELECT ?x {ALONE4} | SELECT ?x {ALONE1} | yes no
SELECT ?x {SELECT ?x {ALONE4}} | SELECT ?x {SELECT ?x {ALONE1}} | yes no
SELECT ?x {?x :p ?x} | SELECT ?x {{?x :p ?x BIND(?c AS ?e)} MINUS {?x :p ?x BIND(?c AS ?e)}} | no yes
SELECT ?x {?x :p ?x} | SELECT ?x {{?x :p ?x BIND(1/0 AS ?e)} MINUS {?x :p ?x BIND(?x+1 AS ?e)}} | no yes
SELECT ?x ?n {?x :p ?y BIND(EXISTS {?y :q ?y} AS ?n)} | SELECT ?x ?n {?x :p ?y} | no no
SELECT ?x ?n {GRAPH :g {GROUPED}} | SELECT ?x ?n {GRAPH :g {?x :p ?y}} | no no
SELECT ?g {GRAPH ?g {FILTER NOT EXISTS {?a :p 1}} GRAPH ?h {?c :p 1}} | SELECT ?g {GRAPH ?g {?a :r 1}} | no no
SELECT ?x {{{?x :p ?y} UNION {?x :q ?z}} {BIND(1 AS ?y)}} | SELECT ?x {?x :p ?y} | no no
SELECT ?x {{?x :p ?y} {BIND(1/0 AS ?y)}} | SELECT ?x {?x :p ?y FILTER(SAMETERM(1/0, ?y))} | no open
SELECT ?x {?x :p ?y} | SELECT ?x {?x :p ?y} GROUP BY ?x HAVING(COUNT(?y) > "0"^^INT) | yes yes
SELECT ?x {?x :p ?y} | SELECT ?x {?x :p ?y} GROUP BY ?x HAVING(COUNT(?y) > "EASTERN"^^INT) | no yes
SELECT ?x {?x :p ?y . ?x :q ?z . ?x :r ?w FILTER(TIMES)} | SELECT ?x {?x :p ?y FILTER(?y = ?y + 0)} | no no
SELECT ?x {LATER FILTER(!isNumeric(?y))} | SELECT ?x {LATER FILTER(?z < ?w || ?z >= ?w)} | no no
SELECT ?x {BOTH FILTER(ZEROS)} | SELECT ?x {STREAM :s [NOW] {?x :r ?y}} | no no
SELECT ?x {BOTH FILTER(DIFFERENT)} | SELECT ?x {BOTH FILTER(ORDERED)} | no no
SELECT ?x {MOMENT} | SELECT ?x {MOMENT {SELECT (COUNT(?z) AS ?n) {?y :q ?z}}} | no yes
SELECT (COUNT(?y) AS ?n) FROM NAMED WINDOW :w ON :s VIEW | SELECT (COUNT(?y) AS ?n) {MOMENT} | no yes
"""
BLOCKS = {
    "MOMENT": "STREAM :s [RANGE 1s] {?x :p ?y}",
    "VIEW": "[RANGE PT1S STEP PT1S] WHERE {WINDOW :w {?x :p ?y}}",
    "WALK": "{STREAM :s [RANGE 3s] {?x :p+ ?y}}",
    "NEAR": "{STREAM :s [RANGE 5s] {?x :p ?y}}",
    "OLD": "{STREAM :s [RANGE 10s SLIDE 5s] {?x :p ?y}}",
}
for width in "52":
    grouped = f"SELECT ?x (AVG(?y) AS ?n) {{STREAM :s [RANGE {width}s] {{?x :p ?y}}}} GROUP BY ?x"
    BLOCKS |= {f"GROUP{width}": grouped, f"OVER{width}": f"FROM STREAM :s [RANGE {width}s STEP 1s]"}
BLOCKS["GROUPED"] = "SELECT ?x (AVG(?y) AS ?n) {?x :p ?y} GROUP BY ?x"
BLOCKS["COUNTED"] = "SELECT ?x (COUNT(?y) + 1 AS ?n) {?x :p ?y} GROUP BY ?x"
BLOCKS["BOTH"] = "STREAM :s [NOW] {?x :p ?y . ?x :q ?z}"
BLOCKS["ZEROS"] = "isNumeric(?y) && !?y && !?z && ?y = ?z && !SAMETERM(?y, ?z)"
BLOCKS["DIFFERENT"] = "isLiteral(?y) && isLiteral(?z) && ?y != ?z"
BLOCKS["ORDERED"] = "?y || !?y || ?z || !?z || ?y < ?z || ?y >= ?z"
BLOCKS["LATER"] = "STREAM :s [NOW] {?x :p ?y . ?x :q ?z . ?x :r ?w} FILTER(?y < ?z && ?y < ?w)"
BLOCKS["TIMES"] = "!isNumeric(?y) && " + " && ".join(
    f"?{one} = ?{other} && !SAMETERM(?{one}, ?{other})" for one, other in ("yz", "zw", "yw")
)
BLOCKS |= {"INT": "<http://www.w3.org/2001/XMLSchema#integer>", "EASTERN": "\N{ARABIC-INDIC DIGIT ZERO}"}
BLOCKS["FIRST"] = "SELECT ?x {?x :p ?y} ORDER BY ?x LIMIT 1"
for size in "41":
    absent = f"FILTER NOT EXISTS {{STREAM :s [ROWS {size}] {{?x :q ?y}}}}"
    BLOCKS[f"ALONE{size}"] = f"STREAM :s [ROWS 2] {{?x :p ?x}} {absent}"
for name, block in BLOCKS.items():
    PAIRS = PAIRS.replace(name, block)
ROWS = [[part.strip() for part in line.split(" | ")] for line in PAIRS.strip().splitlines()]


@pytest.fixture
def files(tmp_path):
    """Return what writes two queries and returns their files."""

    def written(*texts):
        found = [tmp_path / name for name in ("one.rq", "other")]
        for file, text in zip(found, texts, strict=True):
            file.write_text(f"PREFIX : <http://e/> {text.replace('OPT {', 'OPTIONAL {')}")
        return found

    return written


@pytest.mark.parametrize(
    ("one", "other", "expected"), few([pytest.param(*row, id=str(n)) for n, row in enumerate(ROWS)], 34)
)
def test_pairs_with_known_answers(one, other, expected, files):
    pair = files(one, other)
    words = {True: "yes", False: "no", None: "open"}
    ran = lars("decide", *pair, "--equivalent", "--json")
    directions = ran.json["directions"]
    assert " ".join(words[each["contained"]] for each in directions) == expected
    assert (ran.code == 0) == (expected == "yes yes")
    # Each direction is decided in the same way: one of them is asked for alone, now this and now that.
    number = expected.startswith("no")
    alone = lars("decide", *(pair[::-1] if number else pair), "--contained", "--json")
    assert alone.json["directions"] == [directions[number]]
    assert alone.code == {"yes": 0, "no": 1, "open": 3}[expected.split()[number]]


def test_kinds_of_the_published_benchmark():
    wrong = [
        (one, sign, other, found)
        for one, sign, other in known_pairs()
        if (found := answered(one, other)[0]) not in (sign, "open")
    ]
    assert wrong == []


@pytest.mark.parametrize("kind", list(KINDS_ARGUED))
def test_kinds_with_answers_by_argument(kind):
    found = {pair: answered(pair[0], pair[2])[0] for pair in KINDS_ARGUED[kind]}
    assert [(pair, said) for pair, said in found.items() if said != pair[1]] == []


@pytest.mark.parametrize("number", [4, 12, 34, 52, 60])
def test_known_answers_are_those_that_rdflib_does_not_refute(number):
    one, sign, other = list(known_pairs())[number]
    assert refutations(one, other, 60) == {"<": (False, True), "=": (False, False), "|": (True, True)}[sign]


@pytest.mark.parametrize("kind", KINDS)
def test_random_pairs(kind):
    found = {seed: judged(seed, kind) for seed in range(7)}
    assert {seed: wrong for seed, (_, wrong) in found.items() if wrong is not None} == {}


def test_a_column_can_have_another_name(files):
    pair = files("SELECT ?x {?x :p ?y . ?y :p ?a}", "SELECT ?a {?a :p ?y}")
    assert (
        "the columns of the two queries have different names (--rename A=B)"
        in lars("decide", *pair, "--contained").out
    )
    assert lars("decide", *pair, "--contained", "--rename", "x=a").code == 0
    wrong = lars("decide", *pair, "--contained", "--rename", "q=a")
    assert (wrong.code, wrong.err) == (
        2,
        f"lars: --rename q=a: expected A=B, where A is a column of {pair[0]}: ?x\n",
    )


def test_a_column_gets_the_name_of_a_column_that_is_renamed_too(files):
    """The last new name is a hidden variable of the query, which must stay another variable."""
    pair = files(
        "SELECT ?x ?y {?x <urn:p> ?y . ?y <urn:q> ?z}", "SELECT ?y ?z {?y <urn:p> ?z . ?z <urn:q> ?x}"
    )
    assert lars("decide", *pair, "--equivalent", "--rename", "x=y", "--rename", "y=z").code == 0


def test_two_columns_cannot_get_one_name(files):
    pair = files("SELECT ?x ?y {?x <urn:p> ?y}", "SELECT ?z {?z <urn:p> ?y}")
    wrong = lars("decide", *pair, "--contained", "--rename", "x=z", "--rename", "y=z")
    assert (wrong.code, wrong.err) == (
        2,
        "lars: --rename: cannot rename two columns to ?z; use a new name for each column\n",
    )


def test_queries_without_windows_are_read_as_sparql_11(files):
    # There MINUS removes nothing without a shared variable; in the paper's profile it does.
    pair = files("SELECT ?x {?x :p ?y}", "SELECT ?x {?x :p ?y MINUS {?a :q ?b}}")
    assert lars("decide", *pair, "--contained").code == 0
    assert lars("decide", *pair, "--contained", "--profile", "paper2015").code == 1


def test_a_verdict_names_its_profile_and_what_the_profile_changes(files):
    """T2: without a shared variable, MINUS of SPARQL 1.1 removes nothing, and the verdict is another one."""
    head, other = "SELECT ?x {STREAM :s [NOW] {?x :p ?y}", "{STREAM :s [NOW] {?a :q ?b}}}"
    pair = files(f"{head} MINUS {other}", f"{head} FILTER NOT EXISTS {other}")
    for command in ("decide", "witness"):
        ran = lars(command, *pair, *(["--equivalent"] if command == "decide" else ()))
        assert "T2 (MINUS): paper2015 evaluates MINUS as Diff" in ran.err
    ran = lars("decide", *pair, "--equivalent")
    assert (ran.code, "; profile paper2015\n" in ran.out) == (0, True)
    ran = lars("decide", *pair, "--equivalent", "--profile", "sparql11", "--json")
    assert (ran.code, ran.json["profile"], "T2" in ran.err) == (1, "sparql11", False)
    unbound = files(
        *(f"SELECT * {{?x :p ?y OPTIONAL {{?x :{a} ?w}} OPTIONAL {{?x :{b} ?w}}}}" for a, b in ("qr", "rq"))
    )
    ran = lars("decide", *unbound, "--equivalent", "--profile", "paper2015")
    assert "T1 (" in ran.err


def test_a_finer_unit_that_changes_the_verdict_is_named(files):
    bodies = ("[RANGE 5s SLIDE 5s]", "[RANGE 9s]")
    pair = files(*(f"SELECT ?x {{STREAM :s {window} {{?x :p ?y}}}}" for window in bodies))
    ran = lars("decide", *pair, "--contained")
    assert (ran.code, "time in units of 1s; profile paper2015\n" in ran.out) == (0, True)
    assert ": yes with a unit of 1s, but no with a unit of 500ms (" in ran.out
    assert "every time point of every stream, even if no engine evaluates at this time; time" in ran.out
    assert "with a unit of 500ms: no" in ran.out
    assert "at 19500ms" in ran.out
    found = lars("decide", *pair, "--contained", "--json").json
    assert (found["unit"], found["directions"][0]["finer"]["contained"]) == ("1s", False)
    assert lars("decide", *pair, "--contained", "--unit", "500ms").code == 1


@pytest.mark.parametrize("bounds", ["closed", "low-open", "high-open"])
def test_no_unit_finer_than_a_quarter_changes_more(bounds):
    rng = random.Random(bounds)
    for _ in range(6):
        one, other = (replace(each, bounds=bounds, scale=4) for each in pair(rng.random()))
        found = {
            scale: reports_containment(*(query(replace(each, scale=scale)) for each in (one, other))).holds
            for scale in (4, 5, 8)
        }
        assert len(set(found.values())) == 1


STREAM_OPERATORS = """
RSTREAM ISTREAM no | RSTREAM DSTREAM no | ISTREAM RSTREAM yes | ISTREAM ISTREAM yes | ISTREAM DSTREAM no
DSTREAM RSTREAM no | DSTREAM ISTREAM no | DSTREAM DSTREAM yes
"""


@pytest.mark.parametrize("case", STREAM_OPERATORS.replace("\n", " | ").strip(" |").split(" | "))
@pytest.mark.parametrize("window", ["RANGE PT5S STEP PT1S", "ELEMENTS 2"])
def test_operators_over_one_body(case, window, files):
    *operators, expected = case.split()
    body = f"SELECT ?x FROM NAMED WINDOW :w ON :s [{window}] WHERE {{WINDOW :w {{?x :p ?y}}}}"
    texts = (f"REGISTER {each} :o AS {body}" for each in operators)
    assert lars("decide", *files(*texts), "--contained").code == {"yes": 0, "no": 1}[expected]


def test_a_witness_of_an_operator_is_refused_not_denied(files):
    body = "SELECT ?x FROM NAMED WINDOW :w ON :s [RANGE PT5S STEP PT1S] WHERE {WINDOW :w {?x :p ?y}}"
    pair = files(*(f"REGISTER {each} :o AS {body}" for each in ("RSTREAM", "ISTREAM")))
    ran = lars("witness", *pair)
    assert (ran.code, ran.out) == (2, "")
    assert f"{pair[1]}: cannot search with ISTREAM" in ran.err
    assert "T14 (ISTREAM and DSTREAM): ISTREAM is ignored" in lars("decide", pair[1], "--period", "2").err


NO_ROW = (
    "WHERE {VALUES ?x {}}",
    "FROM NAMED WINDOW :w ON :s [RANGE PT5S STEP PT1S] WHERE {WINDOW :w {?x :p ?y}}",
)


@pytest.mark.parametrize(("operator", "body"), [("", NO_ROW[0]), ("REGISTER ISTREAM :o AS", NO_ROW[1])])
def test_groups_of_a_pattern_without_solutions_have_no_row(operator, body, files):
    """Without input, the pattern of the second body has no solutions either."""
    groups = f"SELECT ?x (COUNT(?x) AS ?n) {body} GROUP BY ?x"
    pair = files(f"{operator} {groups}", f"{operator} {groups} HAVING (COUNT(?x) > 1)")
    assert lars("decide", *pair, "--contained").code == (1 if operator else 0)


BY_STEP = """
DSTREAM 6 2 | RSTREAM 8 2 | yes
DSTREAM 6 2 | RSTREAM 7 2 | no
DSTREAM 6 2 | RSTREAM 6 2 | no
ISTREAM 6 2 | RSTREAM 6 2 | yes
RSTREAM 6 2 | ISTREAM 6 2 | no
RSTREAM 6 2 | DSTREAM 6 2 | no
ISTREAM 8 2 | RSTREAM 2 2 | yes
ISTREAM 8 3 | RSTREAM 1 3 | no
ISTREAM 8 2 | ISTREAM 4 2 | yes
ISTREAM 4 2 | ISTREAM 8 2 | no
ISTREAM 6 2 | DSTREAM 6 2 | no
DSTREAM 6 2 | ISTREAM 6 2 | no
DSTREAM 6 2 | DSTREAM 4 2 | no
DSTREAM 6 2 | DSTREAM 8 2 | no
DSTREAM 6 3 | RSTREAM 9 2 | open
DSTREAM 6 3 | RSTREAM 8 2 | no
ISTREAM 6 3 | ISTREAM 6 2 | no
"""


@pytest.mark.parametrize("line", BY_STEP.strip().splitlines())
def test_reports_are_compared_at_consecutive_evaluations_that_solve_has(line, files, tmp_path):
    *sides, expected = line.split(" | ")
    body = "[RANGE PT{}S STEP PT{}S] WHERE {{WINDOW :w {{?a :p ?v}}}}"
    made = [(operator, *numbers) for operator, *numbers in map(str.split, sides)]
    texts = [
        f"REGISTER {operator} <o> AS SELECT ?a FROM NAMED WINDOW :w ON :s {body.format(*numbers)}"
        for operator, *numbers in made
    ]
    pair = files(*texts)
    found = lars("decide", *pair, "--contained", "--json").json
    (direction,) = found["directions"]
    assert direction["contained"] == {"yes": True, "no": False, "open": None}[expected]
    alike = made[0][2] == made[1][2]
    assert f"every {f'{made[0][2]}s' if alike else '1s'} from time 0" in found["evaluated"]
    if expected == "no":
        rows = solved(pair, direction["against"], tmp_path, () if alike else BY_SECOND)
        assert [direction["against"]["row"] in each for each in rows] == [True, False]


BY_SECOND = ("--mode", "pull", "--period", "1s")


def solved(pair, against, folder, options):
    """Return what `lars solve` reports of each query at the time of a witness, on its stream."""
    trace, t = folder / "witness.nq", against["t"]
    triples = (
        f'{" ".join(written(triple[place]) for place in "spo")} <{triple["stream"]}> "{triple["t"]}" .'
        for triple in against["stream"]
    )
    trace.write_text("\n".join(triples) + "\n")
    for file in pair:
        ran = lars("solve", file, trace, "--trace-unit", "1s", "--to", t, *options, "--json")
        yield next(each["rows"] for each in map(json.loads, ran.out.splitlines()) if each["t"] == t)


def written(term):
    return f"<{term['value']}>" if term["type"] == "uri" else f'"{term["value"]}"'


@pytest.mark.parametrize("operator", ["ISTREAM", "DSTREAM"])
def test_what_the_other_answers_at_another_time_refutes_an_operator(operator):
    for window, wider in [(("range", 3, None), ("range", 5, None)), (("rows", 1), ("rows", 3))]:
        one = Windowed((((window, "?x", "<http://e/p>", "?x"),),), operator)
        other = Windowed((((wider, "?x", "<http://e/p>", "?y"),),), operator)
        found = reports_containment(query(one), query(other))
        assert window_pairs.shows(one, other, found.witness)


@pytest.mark.parametrize("seed", [1319, 1352])
def test_pairs_whose_data_take_two_evaluations(seed):
    found, wrong = window_pairs.judged(seed)
    assert (found.holds, wrong) == (False, None)


def test_what_only_grows_is_never_gone():
    body = (((("all",), "?x", "<http://e/p>", "?y"),),)
    gone, new = (query(Windowed(body, operator)) for operator in ("DSTREAM", "ISTREAM"))
    assert reports_containment(gone, new).why.endswith(
        "the first query only gains answers and never loses an answer"
    )


def test_a_query_that_never_answers_reports_nothing_gone():
    parts = ((("all",), "?x", "<http://e/p>", "?x"),)
    none = Windowed((((("range", 3, None), *parts[0][1:]),),), "DSTREAM", beside=(("NOT EXISTS", parts),))
    found = reports_containment(query(none), query(Windowed(((parts[0],),), "ISTREAM")))
    assert "the first query never has an answer" in found.why


def test_a_tuple_window_that_is_not_filled_leaves_it_open(files):
    windows = ("[TRIPLES 4294967296]", "[TRIPLES 4294967297]")
    small, large = files(*(f"SELECT ?x {{STREAM :s {window} {{?x :p ?y}}}}" for window in windows))
    assert lars("decide", small, large, "--contained").code == 0
    ran = lars("decide", large, small, "--contained")
    assert (ran.code, "more than 5000 triples is not tried" in ran.out) == (3, True)


@pytest.mark.parametrize("seed", few(range(25), 12))
def test_random_windows_beside_each_other(seed):
    assert window_pairs.judged(seed, made=window_pairs.pair_beside, seconds=4)[1] is None


@pytest.mark.parametrize("seed", few(range(25), 12))
def test_random_windows_operators_and_units(seed):
    assert window_pairs.judged(seed)[1] is None


@pytest.mark.parametrize("seed", few(range(40), 14))
def test_random_reports_of_queries_that_time_triggers(seed):
    made = partial(window_pairs.pair_by_time, made=(window_pairs.pair, window_pairs.pair_beside)[seed % 2])
    assert window_pairs.judged(seed, made=made, seconds=4)[1] is None


def test_a_star_and_its_conditions_are_decided_in_time(files):
    star = " . ".join(f"?x :p ?y{n}" for n in range(8))
    assert (
        lars(
            "decide", *files(f"SELECT ?x {{{star}}}", f"SELECT ?x {{{star} . ?y0 :q ?z}}"), "--contained"
        ).code
        == 1
    )
    parts = " ".join(f"?x :p{n} ?y{n} ." for n in range(5))
    texts = (
        f"SELECT ?x {{{parts} {' '.join(f'FILTER(?y{n} > {n + more} || ?y{n} < {n})' for n in range(5))}}}"
        for more in (2, 1)
    )
    assert lars("decide", *files(*texts), "--contained").code == 0


def test_a_time_limit_says_how_far_it_came(files):
    pair = files("SELECT ?x {STREAM :s [NOW] {?x :p ?y}}", "SELECT ?x {STREAM :s [RANGE 2s] {?x :p ?z}}")
    ran = lars("decide", *pair, "--contained", "--time-limit", "0")
    assert (ran.code, "the time limit of 0 s is up (--time-limit), before the disjuncts" in ran.out) == (
        3,
        True,
    )


@pytest.mark.parametrize(
    ("limit", "seconds", "said"),
    [((), 5, "disjuncts; a search of 5 s is over: no stream"), (("--time-limit", "200"), 200, None)],
)
def test_a_search_uses_the_time_that_was_given_or_names_its_own(files, monkeypatch, limit, seconds, said):
    """More than 512 disjuncts are not compared, so only the search for a stream can decide."""
    searched = list[float]()

    def no_stream(search):
        searched.append(search.deadline.left)
        return out_of_time(1, None)

    monkeypatch.setattr(operators, "smallest", no_stream)
    many = " ".join(f"{{ ?x :p ?y{n} }} UNION {{ ?x :q ?y{n} }}" for n in range(10))
    ran = lars("decide", *files(f"SELECT ?x {{ {many} }}", "SELECT ?x { ?x :p ?x }"), "--contained", *limit)
    assert (ran.code, searched[0] <= seconds, searched[0] > 0.9 * seconds) == (3, True, True)
    assert said is None or said in ran.out


def test_the_time_of_a_step_is_named_as_a_part_of_the_limit():
    half = Deadline(60, 0).nearer(0.5)
    assert half.rest == 0  # nothing is left of a limit that is over
    with pytest.raises(TimeLimitError, match=r"^the first 45 s of the time limit of 60 s are up"):
        replace(half, rest=15).check()


@pytest.mark.parametrize(
    "text", ["SELECT ?x {STREAM <s> [NOW] {?x <p> ?y}}", "PREFIX : <> SELECT ?x {?x :p ?y}"]
)
def test_relative_iris_are_resolved_against_the_iri_of_the_file(text, tmp_path):
    (tmp_path / "q.rq").write_text(text)
    ran = lars("translate", tmp_path / "q.rq", "-q")
    assert (ran.code, ran.err) == (0, "")
    assert f"<{tmp_path.as_uri()}/" in ran.out


def test_names_of_queries_and_windows_can_be_relative(files):
    body = "SELECT ?x FROM NAMED WINDOW <w> ON :s [RANGE PT5S STEP PT1S] WHERE {WINDOW <w> {?x :p ?y}}"
    assert (
        lars("decide", *files(*(f"REGISTER RSTREAM <q> AS {body}" for _ in range(2))), "--contained").code
        == 0
    )


def test_wrong_calls_are_one_message(files):
    one, other = files("SELECT ?x {?x :p ?y}", "CONSTRUCT {?x :p ?y} {?x :p ?y}")
    for arguments, said in [
        ([one], "1 input; --contained"),
        ([one, other], "found CONSTRUCT, SELECT; expected two SELECT"),
        ([one, one.with_name("none.rq")], "no such file"),
    ]:
        ran = lars("decide", *arguments, "--contained")
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err


def test_what_pushes_others_out_of_a_tuple_window_has_a_name_that_no_query_has():
    one, other = (f"ASK {{ STREAM <urn:s> [ROWS {n}] {{ ?x <http://example.org/o> ?y }} }}" for n in (8, 7))
    assert api.contained(one, other).holds is False


def test_a_literal_of_a_stream_is_printed_so_that_it_can_be_typed_again():
    query = "SELECT ?m { STREAM <e:s> [RANGE 2s] { ?m <e:v> ?x FILTER(?x = 2 || ?x != 2) } }"
    other = query.replace(" FILTER(?x = 2 || ?x != 2)", "")
    assert 'v "none"^^xsd:integer (stream' in api.contained(query, other, equivalent=True).text


def test_both_directions_and_queries_of_one_name_are_told_apart(tmp_path):
    paths = [tmp_path / folder / "q.rq" for folder in "ab"]
    for path, length in zip(paths, (5, 9), strict=True):
        path.parent.mkdir()
        path.write_text(f"SELECT ?x {{ STREAM <urn:s> [RANGE {length}s] {{ ?x <urn:p> 1 }} }}")
    found = api.contained(*paths, equivalent=True)
    rows = [(row["of"], row["in"], row["found"]) for _, row in found.to_pandas("directions").iterrows()]
    one, other = map(str, paths)
    assert rows == [(one, other, "contained"), (other, one, "not contained")]
    assert found.page().title == f"{one} and {other}"
