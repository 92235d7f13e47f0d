"""Which terms tell witnesses apart: those that a program names anywhere."""

import pytest

from agreement.proving.decisions import Witness
from agreement.proving.witness.witness_task import are_alike, named_terms
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
    assert not are_alike(_witness((1, A)), _witness((1, B)), named)
    assert are_alike(_witness((1, "<http://e/c>")), _witness((1, "<http://e/d>")), named)


def test_names_are_exchanged_one_for_one_and_instants_keep_their_order():
    assert are_alike(_witness((1, "a"), (2, "b")), _witness((1, "b"), (5, "a")), frozenset())
    assert not are_alike(_witness((1, "a"), (2, "b")), _witness((1, "a"), (2, "a")), frozenset())
    assert not are_alike(_witness((1, "a"), (1, "b")), _witness((1, "a"), (2, "b")), frozenset())


def test_twelve_triples_of_one_instant_are_compared_without_a_list_of_their_orders():
    ring = [(1, f"{n}", f"{(n + 1) % 12}") for n in range(12)]
    turned = [(1, f"{(n + 5) % 12}", f"{(n + 6) % 12}") for n in range(12)]
    assert are_alike(_witness(*ring), _witness(*turned[::-1]), frozenset())


def _witness(*facts):
    return Witness(
        tuple(Fact(t, "e", tuple(terms)) for t, *terms in facts), {}, 0, 1, frozenset({("a",)}), frozenset()
    )
