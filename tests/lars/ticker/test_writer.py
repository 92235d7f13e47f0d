"""Programs for Ticker: worked examples, refusals by name, and equal answers of what is written."""

import re

import pytest
from hypothesis import given, reject

from lars.durations import read_duration
from lars.program import head_atom
from lars.terms import Atom, Iri, Symbol, signature
from lars.text.notation import read
from lars.ticker import ExportError
from lars.ticker.ticker_writer import write_ticker
from tests.lars import strategies
from tests.lars.ticker import ticker_cases
from tests.lars.ticker.ticker_cases import Legend, countable
from tests.lars.ticker.ticker_reader import read_ticker
from tests.lars.written import written_programs

SECOND = read_duration("1s")


def rules(text, unit="1s", background=()):
    """Return the exported text without comments."""
    written = write_ticker(read(text), read_duration(unit), background)
    return [line for line in written.splitlines() if not line.startswith("%")]


def refusal(case):
    """Return what is said when the program is refused; else the answers are equal."""
    try:
        text = write_ticker(case.program, SECOND, tuple(sorted(case.background)))
    except ExportError as refused:
        return str(refused)
    if not countable(case):
        return None  # its answer streams are too many to be enumerated
    legend = Legend(text)
    assert ticker_cases.found(case, read_ticker(text), legend) == ticker_cases.expected(case, legend), text
    return None


@given(ticker_cases.cases())
def test_what_is_expressible_has_the_same_answers(case):
    said = refusal(case)
    words = ("derived", "facts hold", "true here", "no tuple")
    assert said is None or any(word in said for word in words), said


@given(strategies.cases())
def test_any_program_has_the_same_answers_or_is_refused_by_name(case):
    said = refusal(case)
    assert said is None or re.match(r"Ticker cannot express .+\n  in the rule .+\.$", said), said


@given(written_programs())
def test_any_names_and_terms_are_read_back_or_refused(program):
    try:
        text = write_ticker(program, SECOND)
    except ExportError:
        reject()  # what a refusal says is tested above
    assert text.isascii()
    legend, again = Legend(text), read_ticker(text)
    assert len(set(legend.numbers.values())) == len(legend.numbers)
    heads = {signature(legend.atom(head_atom(rule))) for rule in program.rules if rule.head is not None}
    own = {signature(head_atom(rule)) for rule in again.rules}
    assert heads <= own


def test_the_examples_of_the_paper_are_written_as_the_paper_writes_them():
    program = """
    high ← ⊞^3 @_T value(V), V >= 18.
    @_T hot ← ⊞^3 @_T value(V), V >= 18.
    lfu ← ⊞^3 □ high0.  done ← ⊞^3 ◇ rtm50.  random ← not done.  few ← ⊞^#2 ◇ rtm50.
    """
    assert rules(program) == [
        "high :- value(V) at T [3 sec], V <= 999999999, V >= 18.",
        "hot at T :- value(V) at T [3 sec], V <= 999999999, V >= 18.",
        "lfu :- high0 always [3 sec].",
        "done :- rtm50 [3 sec].",
        "random :- not done.",
        "few :- rtm50 [2 #].",
    ]


def test_terms_become_numbers_that_the_legend_explains():
    text = write_ticker(
        read("@prefix e: <http://e/> . near(X) ← ⊞^5 ◇ at(X, e:isNear, 'New York', 7)."), SECOND
    )
    assert "% term 1000000000 = <http://e/isNear>\n% term 1000000001 = 'New York'\n" in text
    assert "% predicate atv2/4 = at\n" in text
    assert text.endswith("near(X) :- atv2(X, 1000000000, 1000000001, 7) [5 sec].\n")


def test_names_that_differ_stay_apart():
    text = write_ticker(read("ans1' ← ans1, ans1(?x), ans1Prime, 'Ans1', ?x = 3, q(?X)."), SECOND)
    last = text.splitlines()[-1]
    assert last == "ans1Primev2 :- ans1, ans1v2(Xv2), ans1Prime, ans1v3, q(X), Xv2 = 3."


def test_numbers_are_told_from_terms_where_order_counts():
    assert rules("p ← q(X), ⊞^1 @_T r, X < T.") == [
        "p :- q(X), r at T [1 sec], X <= 999999999, X < T.",
    ]


def test_a_remainder_is_worked_out_step_by_step():
    assert rules("p ← ⊞^3 @_T q, T mod 5 = 0.") == [
        "p :- q at T [3 sec], V2 = T / 5, V3 = V2 * 5, V1 = T - V3, V1 = 0.",
    ]


def test_a_constraint_contradicts_itself():
    assert rules("p ← q. ← p, absurd1.") == ["p :- q.", "absurd2 :- p, absurd1, not absurd2."]


def test_a_fixed_time_under_not_gets_an_auxiliary_rule():
    assert rules("p ← q, not ⊞^3 @_2 r.") == ["aux1 :- r at V1 [3 sec], V1 = 2.", "p :- q, not aux1."]


def test_negation_moves_outwards():
    assert rules("p ← ⊞^3 ◇ ¬q, ⊞^3 □ ¬r, ¬⊞^3 ◇ ¬s, ⊞^3 ¬u.") == [
        "p :- s always [3 sec], not q always [3 sec], not r [3 sec], not u.",
    ]


def test_windows_are_in_seconds_whatever_a_time_point_is():
    assert rules("p ← ⊞^30 ◇ q.", "1min") == ["p :- q [1800 sec]."]
    assert rules("p ← ⊞^{4 low-open} ◇ q, ⊞^0 ◇ q.") == ["p :- q [3 sec], q [0 sec]."]
    assert rules("p ← ⊞^2 ◇ q.", "500ms") == ["p :- q [1 sec]."]
    with pytest.raises(ExportError, match="a window of 1500ms"):
        rules("p ← ⊞^3 ◇ q.", "500ms")


def test_facts_and_background_are_facts():
    known = (Atom("triple", (Iri("http://e/a"), Symbol("default"))), Atom("k", (Symbol("a"),)))
    assert rules("k(a). p ← k(X), true.", background=known) == [
        "p :- k(X).",
        "k(1000000000).",
        "triple(1000000001, 1000000002).",
    ]


REFUSED = {
    "p ← q(X), [X > 3].": r"the SPARQL condition \[\?X > 3\]",
    "p(Y) ← q(X), Y := [X + 3].": r"the SPARQL condition Y := \[\?X \+ 3\]",
    "p(N) ← q, N := COUNT(*) of r(X).": r"N := COUNT\(\*\) of r\(X\): no literal there",
    "r(N) ← q, N := SUM(X) of r(X).": r"N := SUM\(X\) of r\(X\): no literal there",
    "p(X) ← q, r(X) among 1..2 by X.": r"r\(X\) among 1..2 by X: no literal there",
    "p ← ⊞^{3,-2,1} ◇ q.": "the window ⊞",
    "p ← ⊞^∞ ◇ q.": "the window ⊞^∞",
    "p ← ⊞^{3,2,1} ◇ q.": "the window ⊞^{3,2,1}",
    "p ← ⊞^{3,0,3} ◇ q.": "the window ⊞^{3,0,3}",
    "p ← ⊞^{3 high-open} ◇ q.": "the window ⊞^{3 high-open}",
    "p ← ⊞^{#3 's'} ◇ q(s).": "the window ⊞^{#3 's'}",
    "p ← ⊞^{#3 by 1} ◇ q.": "the window ⊞^{#3 by 1}",
    "p ← ⊞^{#3 all} ◇ q.": "the window ⊞^{#3 all}",
    "p ← ⊞^#3 □ q.": "□ in ⊞^#3",
    "p ← ⊞^#3 q.": "⊞^#3 without ◇ or @",
    "p ← ◇ q.": "◇ without a window",
    "p ← □ q.": "□ without a window",
    "p ← @_T q.": "@ without a window",
    "p ← ⊞^3 ⊞^2 ◇ q.": "a window inside a window",
    "p ← ⊞^3 ◇ □ q.": "◇ around □",
    "p ← ◇ ⊞^3 q.": "◇ around a window",
    "p ← ⊞^3 ◇ q(T), ⊞^3 @_T ¬q(T).": "¬ between @ and its atom",
    "p ← ⊞^0 @_T true, T mod 5 = 0.": "the constant true here: ⊞^0 @_T true",
    "p ← q, not true.": "the constant true here",
    "@_3 p ← q.": "the head @_3 p",
    "@_U p ← ⊞^3 @_T q, U = T + 1.": "the head @_U p",
    "p ← q(X), X < a.": "arithmetic or order on a",
    "p ← q(X), X mod 2 = 1.": r"\(X mod 2\)",
    "p ← q(X), X = -3.": "the number -3",
    "p(1000000000) ← q.": "the number 1000000000",
    "k(a). p ← ⊞^3 □ k(X).": "□ over k/1: its facts",
    "p ← q. r ← ⊞^#3 ◇ p.": "⊞^#3 over p/0",
    "p ← q, ⊞^3 □ p.": "□ over the derived p/0",
}


@pytest.mark.parametrize(("program", "construct"), REFUSED.items())
def test_what_ticker_does_not_have_is_refused_by_name_and_rule(program, construct):
    with pytest.raises(ExportError) as refused:
        rules(program)
    problem, place = str(refused.value).split("\n")
    assert re.match(f"Ticker cannot express {construct.replace('^', chr(92) + '^')}", problem), problem
    assert place.removeprefix("  in the rule ") in map(str, read(program).rules)


def test_telling_programs_have_the_same_answers_at_each_time():
    said = [refusal(case) for case in ticker_cases.telling_cases()]
    assert said == [None] * len(said)
