"""Comparisons of numbers many at once have the truth of one at a time, whatever the terms are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lars.language import formulas as logic
from lars.language.terms import XSD, Atom, Iri, Literal, Variable
from solver import rdf
from solver.columns import TermCodes
from solver.relational.evaluation import Bindings, RuleBody, evaluate_set_literal
from solver.relational.run_tables import RunTable, steady
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
RUN = st.integers(0, 3), st.integers(0, 3)
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


@pytest.mark.parametrize("function", ["MIN", "MAX", "SAMPLE"])
@part_of(0.2)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(TERMS)), max_size=12))
def test_the_best_of_each_group_is_that_of_the_group_alone(function, rows):
    codes, group, best = TermCodes(), Variable("g"), Variable("best")
    aggregation = logic.Aggregation(function, (X,))
    literal = logic.Gather(best, aggregation, Atom("p", (group, X)), (group,))
    named = [(Iri(f"x:{name}"), term) for name, term in rows]
    columns = [np.array([codes.of_constant(row[side]) for row in named], np.int64) for side in (0, 1)]
    found = evaluate_set_literal(literal, Bindings((group, X), steady(columns, len(rows), 1)), codes, 1).table
    values = {
        codes.constant(g): codes.texts([code])[0] for g, code in zip(*map(list, found.columns), strict=True)
    }
    expected = {
        name: rdf.aggregate(aggregation, [(term,) for other, term in named if other == name])
        for name, _ in named
    }
    assert values == {name: None if one is None else str(one) for name, one in expected.items()}


AGGREGATIONS = [
    *(logic.Aggregation(name, (X,)) for name in ("COUNT", "MIN", "MAX", "SAMPLE", "SUM")),
    *(
        logic.Aggregation("COUNT", arguments, distinct)
        for arguments in ((), (X, Y))
        for distinct in (True, False)
    ),
    logic.Aggregation("COUNT", (X,), distinct=True),
]


@pytest.mark.parametrize("aggregation", AGGREGATIONS, ids=str)
@pytest.mark.parametrize("keys", [(), (Variable("g"),)], ids=["whole", "groups"])
@part_of(0.2)
@given(
    st.lists(
        st.tuples(*[st.sampled_from("ab"), st.sampled_from(TERMS), st.sampled_from(TERMS[-4:])], *RUN),
        max_size=9,
    )
)
def test_an_aggregate_at_each_index_is_that_of_the_instances_that_hold_there(aggregation, keys, rows):
    codes, group, result = TermCodes(), Variable("g"), Variable("result")
    rows = [(Iri(f"x:{name}"), x, y, *sorted(ends)) for name, x, y, *ends in rows]
    columns = [np.array([codes.of_constant(row[side]) for row in rows], np.int64) for side in range(3)]
    ends = [np.array([row[end] for row in rows], np.int64) for end in (3, 4)]
    literal = logic.Gather(result, aggregation, Atom("p", (group, X, Y)), keys)
    bindings = Bindings((group, X, Y), RunTable(tuple(columns), *ends))
    table = evaluate_set_literal(literal, bindings, codes, 4).table
    found = {
        (index, *codes.texts([int(column[place]) for column in table.columns]))
        for place, (first, last) in enumerate(zip(table.first, table.last, strict=True))
        for index in range(first, last + 1)
    }
    expected = set()
    for index in range(4):
        held = [row for row in rows if row[3] <= index <= row[4]]
        for name in {row[0] for row in held} if keys else [None]:
            terms = [dict(zip((group, X, Y), row, strict=False)) for row in held if name in (None, row[0])]
            of = rdf.aggregate(
                aggregation, [tuple(row[argument] for argument in aggregation.arguments) for row in terms]
            )
            expected.add((index, *([str(name)] if keys else []), None if of is None else str(of)))
    assert found == expected
