"""Atoms with variables and values: `lars solve --where` and `lars explain` take the answers that fit them."""

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import api
from agreement.answering.asked_atoms import fits, is_open, is_variable, read_question, same_number
from lars.errors import LarsError
from lars.language.terms import XSD
from tests.agreement.command import lars
from tests.packs import SAMPLES

COUPONS = SAMPLES / "coupons"
DOOR = SAMPLES / "door/door.lars", SAMPLES / "door/door.atoms"
ONE, POINT, DOUBLE = (f'"{text}"^^<{XSD}{kind}>' for text, kind in
                      (("1", "integer"), ("1.0", "decimal"), ("1.0E0", "double")))  # fmt: skip
TERMS = ("<http://e/a>", "<http://e/b>", '"a"', ONE, POINT, DOUBLE, None)
# The arguments that each term fits, written out by hand.
MEANT = {
    "<http://e/a>": {"<http://e/a>", "a"},
    "<http://e/b>": {"<http://e/b>", "b"},
    '"a"': {'"a"', "a"},
    ONE: {ONE, "1", "1.0", "1e0"},
    POINT: {"1", "1.0", "1e0"},
    DOUBLE: {"1", "1.0", "1e0"},
    None: {"-", "null"},
}
ARGUMENTS = ("_", "?x", "?y", "<http://e/a>", "a", "b", '"a"', ONE, "1", "1.0", "1e0", "-", "null", "2")


@given(st.lists(st.tuples(st.sampled_from(ARGUMENTS), st.sampled_from(TERMS)), max_size=4))
def test_a_row_fits_if_an_assignment_of_its_variables_makes_the_atom_mean_the_row(pairs):
    arguments, row = [argument for argument, _ in pairs], [term for _, term in pairs]
    assigned = [
        all(
            argument == "_" or (values[argument] == term if argument in values else argument in MEANT[term])
            for argument, term in pairs
        )
        for values in (dict(zip(("?x", "?y"), some, strict=True)) for some in product(TERMS, repeat=2))
    ]
    assert fits(arguments, row, is_variable) == any(assigned)


@pytest.mark.parametrize(
    ("argument", "term", "equal"),
    [
        ("21.5", f'"21.50"^^<{XSD}decimal>', True),
        ("21.5", f'"2.15E1"^^<{XSD}double>', True),
        ("1" + "0" * 40, f'"1{"0" * 40}"^^<{XSD}integer>', True),
        ("1" + "0" * 39 + "1", f'"1{"0" * 40}"^^<{XSD}integer>', False),
        ("1", f'"true"^^<{XSD}boolean>', False),
        ("1", '"1"', False),
        ("1", "ann", False),
        ("nan", f'"NaN"^^<{XSD}double>', False),
    ],
)
def test_a_number_is_known_by_its_value(argument, term, equal):
    assert same_number(argument, term) == equal


@pytest.mark.parametrize("form", ["ans(?x,_,b)", "ans(25,rayban,_)", "ans(?x,?y,?z)", "ans1(30.0,_,_)"])
@pytest.mark.parametrize("how", [{}, {"as_": "csparql"}, {"mode": "pull", "period": 4}])
def test_only_the_rows_of_the_form_are_answers(form, how):
    arguments = read_question(form).arguments
    expected = [
        (answer.t, [row for row in answer.rows if fits(arguments, row, is_variable)])
        for answer in api.solve(COUPONS, **how).answers
    ]
    found = [(answer.t, [*answer.rows]) for answer in api.solve(COUPONS, where=form, **how).answers]
    assert found == [one for one in expected if one[1]]


def test_only_the_atoms_of_the_form_are_in_the_answer_streams(tmp_path):
    every = api.solve(*DOOR).answers
    found = api.solve(*DOOR, where="guard(_)")
    expected = [
        (one.t, tuple(tuple(atom for atom in stream if atom.startswith("guard(")) for stream in one.streams))
        for one in every
    ]
    assert [(one.t, one.streams) for one in found.answers] == [one for one in expected if any(one[1])] != []
    lines = lars("solve", *DOOR, "--where", "guard(bob)", "--json").out.splitlines()
    shown = {atom for line in lines for stream in json.loads(line)["answer_streams"] for atom in stream}
    assert shown == {"guard(bob)"}
    assert lars("solve", *DOOR, "--where", "guard('bob')", "--json").out.splitlines() == lines
    assert lars("solve", *DOOR, "--where", "guard(X)", "--out", tmp_path / "out").code == 0


@pytest.mark.parametrize("text", ["ans(?x,b)", "p(?x,?y,?z)", "@_3 ans(?x,?y,?z)"])
def test_a_form_that_no_row_can_have_is_refused(text):
    found = lars("solve", COUPONS, "--where", text)
    assert (found.code, found.out) == (2, "")
    assert f"{text}: no row has this form; use 'ans(?percent,?product,?shop)', or terms" in found.err


@pytest.mark.parametrize("form", ["a'(y)", "a'(x')", "b(x', x')", "b(y,x' )", "b('x\\'', y)"])
def test_names_with_primes_are_asked_for_as_they_are_printed(tmp_path, form):
    (tmp_path / "p.lars").write_text("a'(X) ← in(X). b(X, Y) ← a'(X), a'(Y).")
    (tmp_path / "t.atoms").write_text("1: in(x') in(y).\n")
    found = lars("explain", tmp_path / "p.lars", tmp_path / "t.atoms", "--at", 1, form)
    assert (found.code, found.out.split("\n")[0][-4:]) == (0, "at 1")


def test_a_form_that_no_answer_has_is_warned_of():
    assert (
        "ans(?x,?x,b): no answer has this form (--where)"
        in lars("solve", COUPONS, "--where", "ans(?x,?x,b)").err
    )
    assert "no answer has this form" not in lars("solve", COUPONS, "--where", "ans(?x,_,b)").err


def test_the_first_of_several_atoms_that_fit_is_explained_and_the_others_are_named():
    found = lars("explain", *DOOR, "--at", 3, "guard(X)")
    assert found.out.splitlines()[1].startswith("guard(ann) at 3")
    assert "guard(X): 2 atoms fit; this is the first; the others: guard(bob)" in found.err
    alone = lars("explain", COUPONS, "--at", 18, "ans(?x,_,b)")
    assert alone.out == lars("explain", COUPONS, "--at", 18, "ans(25,rayban,b)").out
    assert "atoms fit" not in alone.err
    assert "a premise" not in lars("explain", COUPONS, "--at", 18, "triple(_,g_classify,X,default)").err


def test_a_form_that_no_atom_has_is_refused_with_the_atoms_that_hold():
    found = lars("explain", COUPONS, "--at", 18, "ans(?x,?x,b)")
    assert (found.code, found.out) == (2, "")
    assert (
        "ans(?x,?x,b): no atom of this form holds at this time; found ans1(25, rayban, b); use an"
        in found.err
    )


def test_a_computed_value_is_found_by_its_value():
    query = "SELECT ?k (AVG(?v) AS ?a) { STREAM <e:S> [RANGE 9s] { ?k <e:v> ?v } } GROUP BY ?k"
    trace = [(1, ("http://e/A6", "e:v", 20)), (2, ("http://e/A6", "e:v", 23)), (3, ("http://e/B", "e:v", 20))]
    for atom in ("ans(?avg,A6)", "ans(21.5,A6)", "ans(21.50,A6)", "ans(2.15e1,A6)", "ans(_,<http://e/A6>)"):
        assert api.explain(query, trace, atom=atom, at=2).holds, atom
    assert not api.explain(query, trace, atom="ans(21.6,A6)", at=2).holds
    with pytest.raises(LarsError, match="no atom of this form holds at this time"):
        api.explain(query, trace, atom="ans(21.6,?k)", at=2)


def test_a_term_may_be_written_in_each_notation_of_n_triples():
    """Language tags have no case, and an escape is its character."""
    terms = ('"a"@en-us', "<http://e/b>")
    assert fits(('"a"@en-US', r"<http://e/\u0062>"), terms, is_open)
    assert fits((r'"\u0061"@EN-us', "b"), terms, is_open)
    assert not fits(('"A"@en-us', "b"), terms, is_open)
    assert not fits(('"a"@e n', "b"), terms, is_open)
