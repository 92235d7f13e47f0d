"""Comparisons of numbers many at once have the truth of one at a time, whatever the terms are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars import formulas as logic
from lars.terms import XSD, Iri, Literal, Variable
from solver import rdf
from solver.columns import TermCodes
from solver.relational.rule_bodies import Bindings, RuleBody
from solver.relational.run_tables import steady
from tests.solver.strategies import part_of

X, Y = Variable("x"), Variable("y")
TERMS = [
    *(Literal(text, XSD + "double") for text in ("1", "1.0E0", "-0", "0", "NaN", "INF", "-INF", "no")),
    *(Literal(text, XSD + "integer") for text in ("1", "01", "9007199254740992", "9007199254740993", "x")),
    *(Literal(text, XSD + "decimal") for text in ("1.0", "0.1")),
    *(Literal(text, XSD + "float") for text in ("0.1", "1")),
    *(Literal("0.1", XSD + "double"), Literal("1", XSD + "byte"), Literal("true", XSD + "boolean")),
    *(Literal("1"), Iri("x:a"), None),
]
OPERATORS = ("<", "<=", ">", ">=", "=", "!=")


@pytest.mark.parametrize("operator", OPERATORS)
@part_of(0.2)
@given(
    st.lists(st.tuples(st.sampled_from(TERMS), st.sampled_from(TERMS)), max_size=30),
    st.booleans(),
    st.booleans(),
)
def test_many_at_once_are_as_each_alone(operator, pairs, wanted, fixed):
    codes = TermCodes()
    columns = [np.array([codes.of_constant(pair[side]) for pair in pairs], np.int64) for side in (0, 1)]
    right = Literal("1.0", XSD + "double") if fixed else Y
    condition = logic.Test(logic.Call(operator, (X, right)), value=wanted)
    found = RuleBody(codes, 1)._tested(Bindings((X, Y), steady(columns, len(pairs), 1)), condition)
    rows = ({variable: term for variable, term in zip((X, Y), pair, strict=True) if term} for pair in pairs)
    assert found.tolist() == [rdf.test(condition.expression, wanted, row) for row in rows]
