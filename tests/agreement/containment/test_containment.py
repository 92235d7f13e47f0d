"""`lars decide A.rq B.rq --contained` and `--equivalent`: verdicts, their data, wrong calls."""

import pytest

from tests.agreement.command import lars
from tests.agreement.containment.known_pairs import answered, known_pairs, refutations
from tests.agreement.containment.pairs import KINDS, judged

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
SELECT ?x {STREAM :s [RANGE 3s] {?x :p ?y}} | SELECT ?x {STREAM :s [RANGE 5s] {?x :p ?y}} | yes no
SELECT ?x {STREAM :s [RANGE 6s SLIDE 3s] {?x :p ?y}} | SELECT ?x {STREAM :s [RANGE 8s] {?x :p ?y}} | yes no
SELECT ?x {STREAM :s [RANGE 6s SLIDE 3s] {?x :p ?y}} | SELECT ?x {STREAM :s [RANGE 7s] {?x :p ?y}} | no no
SELECT ?x {STREAM :s [ROWS 2] {?x :p ?y}} | SELECT ?x {STREAM :s [ROWS 3] {?x :p ?y}} | yes no
SELECT ?x {STREAM :s [RANGE 3s] {?x :p ?y}} | SELECT ?x FROM STREAM :s [RANGE 5s STEP 1s] {?x :p ?y} | yes no
ASK {STREAM :s [NOW] {?x :p ?y. ?x :q 1}} | ASK {STREAM :s [NOW] {?x :p 4} STREAM :s [NOW] {?x :q 1}} | no yes
ASK {?x :p ?y} | ASK {?x ?z ?y} | yes no
SELECT ?x {?x :p ?y} | SELECT ?x ?y {?x :p ?y} | no no
SELECT ?x {?x :p* ?y} | SELECT ?x {?x :p ?y} | no open
"""
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


@pytest.mark.parametrize(("one", "other", "expected"), ROWS, ids=range(len(ROWS)))
def test_pairs_with_known_answers(one, other, expected, files):
    pair = files(one, other)
    words = {True: "yes", False: "no", None: "open"}
    ran = [lars("decide", *each, "--contained", "--json") for each in (pair, pair[::-1])]
    assert " ".join(words[each.json["contained"]] for each in ran) == expected
    assert [each.code for each in ran] == [{"yes": 0, "no": 1, "open": 3}[word] for word in expected.split()]
    assert (lars("decide", *pair, "--equivalent").code == 0) == (expected == "yes yes")


def test_kinds_of_the_published_benchmark():
    wrong = [
        (one, sign, other, found)
        for one, sign, other in known_pairs()
        if (found := answered(one, other)[0]) not in (sign, "open")
    ]
    assert wrong == []


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
    assert "their columns differ (--rename A=B)" in lars("decide", *pair, "--contained").out
    assert lars("decide", *pair, "--contained", "--rename", "x=a").code == 0
    wrong = lars("decide", *pair, "--contained", "--rename", "q=a")
    assert (wrong.code, wrong.err) == (2, f"lars: --rename q=a: accepted: A=B, A a column of {pair[0]}: ?x\n")


def test_queries_without_windows_are_read_as_sparql_11(files):
    # There MINUS removes nothing without a shared variable; in the paper's profile it does.
    pair = files("SELECT ?x {?x :p ?y}", "SELECT ?x {?x :p ?y MINUS {?a :q ?b}}")
    assert lars("decide", *pair, "--contained").code == 3
    assert lars("decide", *pair, "--contained", "--profile", "paper2015").code == 1


def test_wrong_calls_are_one_message(files):
    one, other = files("SELECT ?x {?x :p ?y}", "CONSTRUCT {?x :p ?y} {?x :p ?y}")
    for arguments, said in [
        ([one], "1 inputs; accepted with --contained"),
        ([one, other], "found CONSTRUCT, SELECT; accepted: two SELECT"),
        ([one, one.with_name("none.rq")], "no such file"),
    ]:
        ran = lars("decide", *arguments, "--contained")
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
