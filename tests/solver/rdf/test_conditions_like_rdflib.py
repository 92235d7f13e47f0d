"""Random SPARQL conditions: rdflib's evaluator, which shares no code, finds the same truth."""

import warnings
from decimal import Decimal

import rdflib
from hypothesis import assume, given
from hypothesis import strategies as st

from lars.language.formulas import Call, write_expression
from lars.language.terms import XSD, Iri, Literal
from solver.rdf import compile_condition, conditions, evaluate, value
from tests.solver.rdf.expressions import X, Y

INTEGERS = st.integers(-3, 12).map(lambda n: Literal(str(n), XSD + "integer"))
TERMS = st.one_of(
    INTEGERS,
    st.sampled_from(["1.5", "2.0", "-1.0"]).map(lambda text: Literal(text, XSD + "decimal")),
    st.sampled_from(["1.5E0", "2.0E0", "INF"]).map(lambda text: Literal(text, XSD + "double")),
    st.sampled_from(["", "a", "b", "ab", "1"]).map(Literal),
    st.sampled_from(["true", "false"]).map(lambda text: Literal(text, XSD + "boolean")),
    st.sampled_from(["x:a", "x:b"]).map(Iri),
)
RELATIONS = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
VALUES = st.one_of(st.sampled_from([X, Y]), TERMS)
SUMS = st.one_of(VALUES, st.builds(Call, st.sampled_from(["+", "-", "*"]), st.tuples(VALUES, VALUES)))
ATOMIC = st.one_of(
    st.builds(Call, RELATIONS, st.tuples(SUMS, SUMS)),
    st.builds(Call, st.sampled_from(["ISIRI", "ISLITERAL", "ISNUMERIC"]), st.tuples(VALUES)),
    st.builds(lambda variable: Call("BOUND", (variable,)), st.sampled_from([X, Y])),
)
EXPRESSIONS = st.recursive(
    ATOMIC,
    lambda inner: st.one_of(
        st.builds(Call, st.sampled_from(["&&", "||"]), st.tuples(inner, inner)),
        st.builds(Call, st.just("!"), st.tuples(inner)),
    ),
    max_leaves=4,
)


def rdflib_says(text, binding):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = rdflib.Graph().query(
            f"SELECT * {{ FILTER({text}) }}",
            initBindings={name.name: foreign(term) for name, term in binding.items() if term is not None},
        )
    return len(found) == 1


def foreign(term):
    if isinstance(term, Iri):
        return rdflib.URIRef(term.value)
    return rdflib.Literal(term.lexical, datatype=rdflib.URIRef(term.datatype), normalize=False)


def calls(tree):
    if isinstance(tree, Call):
        yield tree
        for argument in tree.arguments:
            yield from calls(argument)


def rdflib_differs(call, binding):
    """Return whether rdflib is known to leave SPARQL 1.1 at this call.

    17.3: a pair of types without an operator is a type error; rdflib orders literals across types.
    17.2, truth table: error && false is false; for rdflib it is an error.
    17.2: a function other than BOUND and COALESCE errs on an unbound argument; rdflib's isNumeric is false.
    """
    if call.function == "ISNUMERIC":
        return evaluate(call.arguments[0], binding) is None
    if call.function == "&&":
        truths = {
            compile_condition(part).truth(tuple(map(binding.get, compile_condition(part).variables)))
            for part in call.arguments
        }
        return truths == {None, False}
    kinds = {type(value(evaluate(argument, binding))) for argument in call.arguments}
    numbers = kinds <= {int, Decimal, float}
    return (
        call.function in {"<", "<=", ">", ">="}
        and len(kinds) == 2
        and type(None) not in kinds
        and not numbers
    )


@given(EXPRESSIONS, st.one_of(st.none(), TERMS), st.one_of(st.none(), TERMS))
def test_rdflib_finds_the_same_truth(tree, x, y):
    binding = {X: x, Y: y}
    assume(not any(rdflib_differs(call, binding) for call in calls(tree)))
    for wanted in (True, False):
        text = write_expression(tree if wanted else Call("!", (tree,)))
        assert conditions.test(tree, wanted, binding) is rdflib_says(text, binding)
