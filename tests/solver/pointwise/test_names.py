"""ASP names of predicates: every name has one, and no two share it."""

import clingo
from hypothesis import given
from hypothesis import strategies as st

from solver.pointwise import predicate_name
from solver.pointwise.callbacks import RESERVED
from tests.lars.written import names

OWN = (
    *("test'", "value'", "ask'", "always'", "held", "shown", "part'"),
    *("collected'", "noted'", "some'", "finished'", "gathered'", "required'"),
)
any_names = names | st.text(max_size=3) | st.sampled_from(sorted(RESERVED)) | st.just("named'x61")


@given(any_names, any_names)
def test_different_predicates_have_different_names(one, other):
    assert (predicate_name(one) == predicate_name(other)) is (one == other)


@given(any_names)
def test_every_name_is_an_identifier_of_clingo(name):
    symbol = clingo.parse_term(f"{predicate_name(name)}(1)")
    assert symbol.name == predicate_name(name)


@given(any_names)
def test_our_own_names_are_nobodys(name):
    assert predicate_name(name) not in RESERVED
    assert not predicate_name(name).startswith(OWN) or (
        "'" not in name.rstrip("'") and predicate_name(name) == name
    )
