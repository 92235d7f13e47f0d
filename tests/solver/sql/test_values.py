"""SPARQL's comparisons in SQL have the truth values of the evaluation, or the script ends."""

import sqlite3
from random import Random

import pytest

from lars.analysis import ExportError
from lars.language import formulas as logic
from lars.language.formulas import Call
from lars.language.program import Program, Rule
from lars.language.terms import NULL, XSD, Atom, Blank, Iri, Literal, Number, Symbol, Variable
from lars.language.windows import Interval
from solver.facts import Fact, Situation
from solver.rdf import test as holds
from tests.solver.sql.sql_cases import sql_rows

X, Y = Variable("x"), Variable("y")
KINDS = (
    "integer",
    "decimal",
    "double",
    "float",
    "boolean",
    "string",
    "int",
    "long",
    "byte",
    "date",
    "anyURI",
)
TEXTS = (
    *(
        "1",
        "01",
        "+1",
        "-1",
        "1.0",
        "1.",
        "0.1",
        ".1",
        ".",
        "",
        "a",
        "1e0",
        "1E1",
        "-1.5e-3",
        "1e",
        "1e400",
        "NaN",
    ),
    *(
        "true",
        "false",
        "0",
        "-0",
        "2021-01-01",
        "12345678901234567",
        "0.1000000000000000001",
        "--1",
        "1..0",
        "200",
    ),
)
TERMS = (
    *(Literal(text, XSD + kind) for kind in KINDS for text in TEXTS),
    *(Literal('a"b'), Literal("a\\b"), Literal("a", language="en"), Literal("1", "http://x/integer")),
    *(Literal(text, language=tag) for text in ('a"^^<b', 'a\\"^^<') for tag in (None, "en")),
    *(Literal('1"^^<', XSD + kind) for kind in ("integer", "string")),
    Literal("1\\", XSD + "integer"),
    *(Iri("http://a/1"), Blank("b"), Symbol("x"), Number(3), NULL),
)
RELATIONS = ("=", "!=", "<", "<=", ">", ">=")


def decided(expression, rows):
    """Check both truth values of a condition on rows of x and y; return whether SQL can tell."""
    for value in (True, False):
        rule = Rule(Atom("ans", (X, Y)), (Atom("f", (X, Y)), logic.Test(expression, value)))
        facts = [Fact(0, "f", tuple(map(str, row))) for row in rows]
        try:
            found = sql_rows(Program((rule,)), Situation(Interval(0, 0), facts, {}), [0], ("ans", 2))[0]
        except (ExportError, sqlite3.IntegrityError):
            return False
        expected = {
            row for row in rows if holds(expression, value, dict(zip((X, Y), map(bound, row), strict=True)))
        }
        assert found == {tuple(None if term == NULL else str(term) for term in row) for row in expected}
    return True


def bound(term):
    return None if term == NULL else term


def conditions(rng):
    relation, constant = rng.choice(RELATIONS), rng.choice(TERMS)
    yield Call(relation, (X, Y))
    yield Call(relation, (X, constant))
    yield rng.choice(
        (
            Call("&&", (Call("<", (X, constant)), Call("=", (Y, X)))),
            Call("||", (Call(">=", (X, constant)), Call("!", (Call("=", (Y, constant)),)))),
            Call("IN", (X, Y, constant)),
            Call("SAMETERM", (X, Y)),
            *(Call(name, (X,)) for name in ("BOUND", "ISIRI", "ISLITERAL", "ISBLANK", "ISNUMERIC")),
        )
    )


@pytest.mark.parametrize("part", range(2))
def test_comparisons_have_the_truth_values_of_sparql(part):
    rng, told = Random(part), []
    for _ in range(40):
        rows = [(rng.choice(TERMS), rng.choice(TERMS))]
        told += [decided(expression, rows) for expression in conditions(rng)]
    assert sum(told) > len(told) / 2


def test_a_name_that_begins_with_a_line_is_no_blank_node():
    rows = [(Symbol("_x"), Iri("http://a/1")), (Blank("x"), Iri("http://a/1"))]
    assert decided(Call("ISBLANK", (X,)), rows)
    for parts in ((X, Y, Y), (Y, Y, X)):
        assert decided(Call("ISTRIPLE", (Call("TRIPLE", parts),)), rows)


def test_everyday_values_can_be_told():
    terms = [
        Literal(text, XSD + kind)
        for kind, text in (("integer", "20"), ("decimal", "20.5"), ("double", "2.05E1"))
    ]
    terms += [
        Literal("a"),
        Literal("b"),
        Literal("true", XSD + "boolean"),
        Iri("http://a/1"),
        NULL,
        Literal("a", language="en"),
    ]
    rows = [(one, other) for one in terms for other in terms]
    for relation in RELATIONS:
        assert decided(Call(relation, (X, Y)), rows)
        assert decided(Call(relation, (X, Literal("20", XSD + "integer"))), rows)


def test_a_long_number_is_compared_where_its_rounding_leaves_no_doubt():
    near, far = (Literal(text, XSD + "double") for text in ("20.000000000000000001", "21.123456789012345678"))
    asked = Call(">", (X, Literal("20", XSD + "integer")))
    assert decided(asked, [(far, far)])
    assert not decided(asked, [(near, near)])


@pytest.mark.parametrize(
    "texts", [("4e38", "5e38"), ("1e-46", "0"), ("1.5e-45", "2e-45"), ("-4e38", "-5e38")]
)
def test_floats_that_32_bits_do_not_hold_are_told_as_in_sparql_or_end_the_script(texts):
    row = tuple(Literal(text, XSD + "float") for text in texts)
    for relation in ("=", "<"):
        decided(Call(relation, (X, Y)), [row])


def test_floats_that_32_bits_hold_can_be_told():
    rows = [
        tuple(Literal(text, XSD + "float") for text in texts) for texts in (("0", "1.5"), ("3e38", "1e-37"))
    ]
    assert decided(Call("<", (X, Y)), rows)
