"""NOW, RAND, UUID, STRUUID and BNODE: new values that depend on the arguments alone."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.language.formulas import Call
from lars.language.terms import NULL, XSD, Blank, Iri, Literal, Number
from solver.rdf import evaluate, value
from tests.solver.rdf.expressions import term


@pytest.mark.parametrize(
    ("time", "origin", "nanoseconds", "expected"),
    [
        (0, "2020-02-28T23:59:59", 1, "2020-02-28T23:59:59"),
        (1, "2020-02-28T23:59:59Z", 10**9, "2020-02-29T00:00:00Z"),
        (3, "2020-01-01T00:00:00+01:00", 5 * 10**8, "2020-01-01T00:00:01.5+01:00"),
        (-1, "2000-01-01T00:00:00-05:30", 1, "1999-12-31T23:59:59.999999999-05:30"),
        (1, "9999-12-31T23:59:00Z", 60 * 10**9, "10000-01-01T00:00:00Z"),
        (-1, "0000-01-01T00:00:00Z", 86400 * 10**9, "-0001-12-31T00:00:00Z"),
        (1, "2020-01-01", 1, None),
        (1, "2020-13-01T00:00:00Z", 1, None),
    ],
)
def test_now_is_the_origin_and_the_time_in_units(time, origin, nanoseconds, expected):
    unit = Literal(str(nanoseconds), XSD + "integer")
    found = evaluate(Call("NOW", (Number(time), Literal(origin, XSD + "dateTime"), unit)), {})
    assert found == (None if expected is None else Literal(expected, XSD + "dateTime"))


@pytest.mark.parametrize(
    ("time", "nanoseconds", "expected"),
    [
        (3, 10**9, '"3000"^^xsd:integer'),
        (-2, 10**6, '"-2"^^xsd:integer'),
        (3, 1, '"0.000003"^^xsd:decimal'),
        (0, 1, '"0"^^xsd:integer'),
    ],
)
def test_milliseconds_are_what_a_time_is_in_them(time, nanoseconds, expected):
    unit = Literal(str(nanoseconds), XSD + "integer")
    assert called("MILLISECONDS", Number(time), unit) == term(expected)


def called(function, *arguments):
    return evaluate(Call(function, arguments), {})


@pytest.mark.parametrize("function", ["RAND", "UUID", "STRUUID"])
def test_what_seems_random_depends_on_the_site_and_the_row_alone(function):
    a, b = Literal("a"), Literal("b")
    rows = [(a,), (b,), (a, a), (a, b), (b, a), (a, NULL), (a, NULL, NULL), (Literal("a\nb"),), (Iri("x:a"),)]
    found = [called(function, *row) for row in rows]
    assert None not in found
    assert len(set(found)) == len(rows)
    assert found == [called(function, *row) for row in rows]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])).map(Literal), min_size=1))
def test_random_values_have_the_form_that_sparql_says(arguments):
    number, iri, text = (called(function, *arguments) for function in ("RAND", "UUID", "STRUUID"))
    assert 0 <= value(number) < 1
    assert number.datatype == XSD + "double"
    assert iri.value.startswith("urn:uuid:")
    for written in (iri.value.removeprefix("urn:uuid:"), text.lexical):
        assert str(uuid.UUID(written)) == written
        assert (uuid.UUID(written).version, uuid.UUID(written).variant) == (5, uuid.RFC_4122)


def test_a_blank_node_is_that_of_its_label_in_the_row_or_of_its_site():
    a, b, site, other = map(Literal, ("a", "b", "1", "2"))
    assert called("BNODE", a, site, b) == called("BNODE", a, other, b)
    nodes = [
        (a, site, b),
        (b, site, b),
        (a, site, NULL),
        (NULL, site, b),
        (NULL, other, b),
        (NULL, site, NULL),
    ]
    found = [called("BNODE", *arguments) for arguments in nodes]
    assert all(isinstance(node, Blank) for node in found)
    assert len(set(found)) == len(nodes)
    assert called("BNODE", term('"a"@en'), site, b) is None
    assert called("BNODE", Iri("x:a"), site, b) is None
