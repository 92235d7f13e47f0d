"""LARS rules and the ASP they become, beside each other in golden/*.lp; `--update-golden` rewrites them."""

from pathlib import Path
from types import SimpleNamespace

import clingo
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lars.errors import FailedRunError
from lars.language.program import Program, Rule
from lars.language.stream import stream_of
from lars.language.terms import Atom, Number, Symbol
from lars.language.windows import FixedWindow, Interval
from lars.text.notation import read
from solver.facts import Situation
from solver.pointwise import models, predicate_name
from solver.pointwise.asp_terms import RESERVED
from solver.pointwise.encoding import Encoding, window_rules
from solver.pointwise.point_evaluation import ground
from tests.lars.strategies import cases
from tests.lars.written import names
from tests.solver.pointwise.test_definition import rows_at
from tests.solver.strategies import covered_programs, is_encoded, part_of, situation, situation_of

GOLDEN = Path(__file__).parent / "golden"
RULES = {
    "diamond": "ans(S, Y) ← ⊞^3 ◇ striple(S, wet, Y, sensors), not dry(Y).",
    "box": "alarm(X) ← ⊞^{5,0,5} □ high(X), sensor(X), not ⊞^#2 □ ok(X).",
    "at": "@_T seen(X) ← ⊞^{4 high-open} @_T hit(X), T mod 2 = 0.",
    "constraint": "← ⊞^∞ ◇ ¬p, not ¬q. q ← e.",
    "unconditional": "← .",
    "condition": "p(?y) ← k(?x), [?x > 2], ?y := [?x + 1].",
    "gathering": "q(?x, ?n) ← ?n := SUM(?y) of p(?x, ?y) by ?x. r(?x) ← q(?x, ?n) among 2..3 by desc ?n.",
    "background": "q(X) ← ⊞^{0,2,1} k(X), ⊞^2 ◇ k(X). k(a).",
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_becomes_this_asp(name, update_golden):
    text, golden = Encoding(read(RULES[name])).text(), GOLDEN / f"{name}.lp"
    if update_golden:
        GOLDEN.mkdir(exist_ok=True)
        golden.write_text(text)
    assert golden.read_text() == text


Code = clingo.MessageCode
HARMLESS = (Code.AtomUndefined, Code.GlobalVariable, Code.OperationUndefined)


def loaded(text):
    """Return clingo's warnings about a text that it must be able to ground by itself."""
    said = []
    control = clingo.Control(logger=lambda code, message: said.append((code, message)))
    control.add("base", [], "now(3). timeline(0,9). " + text)
    control.ground([("base", [])])
    return [message for code, message in said if code not in HARMLESS]


@pytest.mark.parametrize("name", RULES)
def test_every_golden_text_loads_in_plain_clingo(name):
    assert loaded((GOLDEN / f"{name}.lp").read_text()) == []


@part_of(0.25)
@given(cases(covered_programs()))
def test_every_text_loads_in_plain_clingo_with_its_rules_as_comments(case):
    assume(is_encoded(case.program))
    text = Encoding(case.program, frozenset(situation_of(case).background)).text()
    assert loaded(text) == []
    proper = [str(rule) for rule in case.program.rules if rule.body]
    assert [line[2:] for line in text.splitlines() if line[2:] in proper] == proper


def test_names_that_the_encoding_uses_itself_are_moved_away():
    rules = "".join(f"{name} ← ⊞^2 ◇ e. " for name in sorted(RESERVED))
    assert rows_at(f"{rules} q ← {', '.join(sorted(RESERVED))}.", [1], [(0, Atom("e"))]) == {1: {()}}


def test_a_predicate_and_the_timed_one_of_the_arity_below_stay_apart():
    program = read("@_T p ← ⊞^3 @_T e. p(X) ← k(X). q ← ⊞^9 ◇ p, not p(2).")
    assert "p'at(VT) :- " in Encoding(program).text()
    given_to_it = situation(stream_of(Interval(0, 9), [(2, Atom("e"))]), ())
    assert list(models(program, given_to_it, 3)) == [frozenset({(2, Atom("p")), (3, Atom("q"))})]


@pytest.mark.parametrize("name", ["Foo", "a b", "◇", "not", "#script", "'"])
def test_a_predicate_can_have_any_name(name):
    program = Program((Rule(Atom(name), (Atom("e"),)), Rule(Atom("q"), (Atom(name),))))
    given_to_it = situation(stream_of(Interval(0, 9), [(2, Atom("e"))]), ())
    assert list(models(program, given_to_it, 2)) == [frozenset({(2, Atom(name)), (2, Atom("q"))})]


# Every name of a predicate has one in ASP, and no two share it.
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


def test_an_atom_of_the_background_is_not_taken_for_one_at_a_time():
    stream = stream_of(Interval(0, 9), [(2, Atom("f", (Symbol("b"),)))])
    met = situation(stream, [Atom("f", (Symbol("a"), Number(2)))])
    (found,) = models(read("q(?x) ← ⊞^3 ◇ f(?x)."), met, 2)
    assert found == {(2, Atom("q", (Symbol("b"),)))}


@pytest.mark.parametrize("causal", [False, True])
def test_the_rules_of_a_window_between_two_times_show_what_its_bounds_say(causal):
    window = FixedWindow(3, 7, causal)
    for t in range(10):
        control = clingo.Control()
        control.add("base", [], f"now({t}). timeline(0,9). {' '.join(window_rules(window, 1))}")
        control.ground([("base", [])])
        found = [atom.symbol.arguments[1:] for atom in control.symbolic_atoms.by_signature("window", 3)]
        shown = window.bounds(t, Interval(0, 9))
        assert [(first.number, last.number) for first, last in found] == [(shown.first, shown.last)]


def test_a_condition_of_no_rule_of_the_text_is_an_error_without_a_rule():
    def failed(*_, **__):
        raise FailedRunError("too long")

    control, host = (
        SimpleNamespace(ground=failed),
        SimpleNamespace(asked=read("p ← [1 < 2].").rules[0].body[0]),
    )
    with pytest.raises(FailedRunError, match=r"^too long$"):
        ground(control, host, read("p ← q."), Situation(Interval(0, 0), [], {}))
