"""Which terms tell witnesses apart: those that a program names anywhere."""

import pytest

from agreement.proving.witness.searching import Witness
from agreement.proving.witness.witness_task import named_terms, shape_of
from lars.text.notation import read
from solver.facts import Fact

A, B = "<http://e/a>", "<http://e/b>"


@pytest.mark.parametrize(
    "program",
    [
        f"p(X) ← e(X, {A}).",
        f"p(?x) ← e(?x, ?y), [?y = {A}].",
        f"p(?z) ← e(?x, ?y), ?z := [IF(?y, {A}, ?x)].",
        f"p({A}) ← e(X, Y).",
    ],
)
def test_a_term_is_named_wherever_it_stands(program):
    named = named_terms([read(program)])
    assert named & {A, B} == {A}


def test_witnesses_that_differ_in_a_term_of_a_condition_are_two():
    named = named_terms([read(f"p(?x) ← e(?x), [?x = {A} || ?x = {B}].")])
    shapes = {shape_of(_witness(term), named) for term in (A, B)}
    assert len(shapes) == 2
    assert len({shape_of(_witness(term), named) for term in ("<http://e/c>", "<http://e/d>")}) == 1


def _witness(term):
    return Witness((Fact(1, "e", (term,)),), {}, 0, 1, frozenset({(term,)}), frozenset())
