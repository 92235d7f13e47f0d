"""Calls that have no value in any row: refused by name when an expression is compiled."""

import re

import pyoxigraph as ox
import pytest

from lars.errors import LarsError
from lars.language.formulas import Assign, Call
from lars.language.terms import XSD, Literal
from solver.pointwise import Host
from solver.rdf import compile_condition, evaluate
from solver.rdf.conditions import (
    ARITIES,
    DEPENDENT,
    UNSUPPORTED_FUNCTIONS,
)
from tests.solver.rdf.expressions import X, Y

COUNTS = range(6)
# those that a text has not, or with another number of arguments
OURS = ("NEG", "EBV", "IN", "IRI", "URI", "MILLISECONDS", "PRECEDES", *DEPENDENT)
NAMES = [function for function in ARITIES if function.isalnum() and function not in OURS]


def is_compiled(function, count):
    try:
        compile_condition(Call(function, (X,) * count))
    except LarsError:
        return False
    return True


def is_parsed(function, count):
    listed = ", ".join(["?x"] * count)
    try:
        ox.Store().query(f"SELECT * {{ FILTER({function}({listed})) }}")
    except SyntaxError:
        return False
    return True


@pytest.mark.parametrize("function", NAMES)
def test_a_function_accepts_as_many_arguments_as_the_grammar_of_sparql(function):
    for count in COUNTS:
        assert is_compiled(function, count) == is_parsed(function, count)


@pytest.mark.parametrize("function", ARITIES)
def test_what_is_accepted_is_computed(function):
    accepted = [count for count in COUNTS if is_compiled(function, count)]
    assert accepted
    for count in accepted:
        evaluate(Call(function, (X,) * count), {X: Literal("1")})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (Call("STRLEN", (X, X)), "function STRLEN: found 2 arguments; expected 1"),
        (Call("REGEX", (X,)), "function REGEX: found 1 argument; expected 2 or 3"),
        (Call("IRI", (X, X, X)), "function IRI: found 3 arguments; expected 1 or 2"),
        (Call("NOW", (X, X, X, X)), "function NOW: found 4 arguments; expected 3"),
        (Call("BOUND", ()), "function BOUND: found 0 arguments; expected 1"),
        (Call("IN", ()), "function IN: found 0 arguments; expected 1 or more"),
        (Call("!", (Call("IF", (X, X)),)), "function IF: found 2 arguments; expected 3"),
        (Call(f"<{XSD}date>", (X, X)), f"function <{XSD}date>: found 2 arguments; expected 1"),
    ],
    ids=str,
)
def test_a_wrong_number_of_arguments_is_refused(call, message):
    with pytest.raises(LarsError) as caught:
        compile_condition(call)
    assert str(caught.value) == message


@pytest.mark.parametrize("function", [*UNSUPPORTED_FUNCTIONS, "<x:f>", "EXISTS", "REPLACED"])
def test_a_function_without_a_value_on_terms_is_refused(function):
    with pytest.raises(LarsError, match=re.escape(function)):
        compile_condition(Call(function, ()))


def test_a_wrong_call_is_refused_before_any_row():
    with pytest.raises(LarsError, match="STRLEN"):
        Host({1: Assign(Y, Call("STRLEN", (X, X)))}, {}, {})


@pytest.mark.parametrize("function", DEPENDENT)
def test_a_function_that_lacks_what_it_depends_on_is_refused_with_the_reason(function):
    least, _ = DEPENDENT[function]
    with pytest.raises(LarsError, match=UNSUPPORTED_FUNCTIONS[function]):
        compile_condition(Call(function, (X,) * (least - 1)))


def test_a_call_that_only_we_make_has_a_name_that_no_text_has():
    inner = {function for function in ARITIES if not re.fullmatch(r"\w+|\W{1,2}|<\S+>", function)}
    seven = ("AVG", "COUNT", "GROUP_CONCAT", "MAX", "MIN", "SAMPLE", "SUM")
    assert inner == {f"AGGREGATE {function}" for function in seven}
