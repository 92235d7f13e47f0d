"""Programs for Ticker: worked examples, refusals by name, and equal answers of what is written."""

import re
from typing import get_args

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from lars.analysis import ExportError
from lars.durations import read_duration
from lars.errors import LarsError
from lars.language.program import head_atom
from lars.language.terms import Atom, Iri, Symbol, signature
from lars.text.notation import read
from lars.ticker import Reasoner
from lars.ticker.ticker_rules import TickerInput
from lars.ticker.ticker_writer import ticker_writer, write_ticker
from tests.lars import strategies
from tests.lars.ticker import ticker_cases
from tests.lars.ticker.ticker_cases import SECOND
from tests.lars.ticker.ticker_model import Ticker
from tests.lars.ticker.ticker_reader import read_ticker
from tests.lars.written import read_data_stream, written_programs


def rules(text, unit="1s", background=()):
    """Return the exported text without comments."""
    written = write_ticker(read(text), read_duration(unit), background)
    return [line for line in written.splitlines() if not line.startswith("%")]


def refusal(case, reasoner):
    """Return what is said when the program is refused; else the answers are equal."""
    case = ticker_cases.whole(case)
    try:
        answer = ticker_cases.found(case, reasoner)
    except LarsError as refused:
        return str(refused)
    assert answer == ticker_cases.expected(case), ticker_cases.written(case, reasoner).text()
    return None


@given(ticker_cases.cases(), st.sampled_from(get_args(Reasoner)))
def test_what_is_expressible_has_the_same_answers(case, reasoner):
    said = refusal(case, reasoner)
    words = ("derived", "facts", "its own absence", "no tuple", "the least", "the number -2")
    assert said is None or any(word in said for word in words), said


@given(strategies.cases(), st.sampled_from(get_args(Reasoner)))
def test_any_program_has_the_same_answers_or_is_refused_by_name(case, reasoner):
    said = refusal(case, reasoner)
    assert said is None or re.match(r"Ticker cannot express .+\n  in the (rule .+\.|input)$", said), said


@given(written_programs())
def test_any_names_and_terms_are_read_back_or_refused(program):
    try:
        writer = ticker_writer(program, SECOND, "clingo")
        text = writer.text()
    except ExportError:
        reject()  # what a refusal says is tested above
    assert text.isascii()
    names = writer.heads("program")
    own = {names[rule.head.name] for rule in read_ticker(text) if rule.head.name in names}
    assert {signature(head_atom(rule)) for rule in program.rules if rule.head is not None} <= own


def test_the_examples_of_the_paper_are_written_as_its_parser_reads_them():
    program = """
    high ← ⊞^3 @_T value(V), V >= 18.
    @_T hot(V) ← ⊞^3 @_T value(V), V >= 18.
    lfu ← ⊞^3 □ high0.  done ← ⊞^3 ◇ rtm50.  random ← not done.  few ← ⊞^#2 ◇ rtm50.
    """
    assert rules(program) == [
        "high :- value(V) at T in [3 sec], V <= 999999999, V >= 18.",
        "hot(V) at T :- value(V) at T in [3 sec], V <= 999999999, V >= 18.",
        "hotMoment(V,T) :- value(V) at T in [3 sec], V <= 999999999, V >= 18.",
        "lfu :- high0 always [3 sec].",
        "done :- rtm50 [3 sec].",
        "random :- not done.",
        # That reasoner shows one tuple more than the window says.
        "few :- rtm50 [1 #].",
    ]


def test_terms_become_numbers_that_the_legend_explains():
    text = write_ticker(
        read("@prefix e: <http://e/> . near(X) ← ⊞^5 ◇ at(X, e:isNear, 'New York', 7)."), SECOND
    )
    assert "% term 1000000000 = <http://e/isNear>\n% term 1000000001 = 'New York'\n" in text
    assert "% predicate atv2/4 = at\n" in text
    assert text.endswith("near(X) :- atv2(X,1000000000,1000000001,7) [5 sec].\n")


def test_names_that_differ_stay_apart():
    found = rules("ans1' ← ans1, ans1(?x), ans1Prime, 'Ans1', ?x = 3, q(?X), r(?NN).")
    assert found[0] == "ans1Primev2 :- ans1, ans1v2(Xv2), ans1Prime, ans1v3, q(X), r(NNv2), Xv2 = 3."


def test_input_that_stands_in_no_window_gets_a_rule_by_which_it_is_seen():
    assert rules("p(X) ← q(X), ⊞^2 ◇ r, not r, not s(X, a). t ← q(Y).") == [
        "p(X) :- q(X), r [2 sec], not r, not s(X,1000000000).",
        "t :- q(Y).",
        "aux1 :- q(X) [1 sec].",
        "aux1 :- s(X,1000000000) [1 sec].",
        "aux1 :- q(Y) [1 sec].",
    ]


def test_numbers_are_told_from_terms_where_order_counts():
    assert rules("p ← q(X), ⊞^1 @_T r, X < T.")[0] == "p :- q(X), r at T in [1 sec], X <= 999999999, X < T."


def test_a_remainder_is_worked_out_step_by_step():
    assert rules("p ← ⊞^3 @_T q, T mod 5 = 0.") == [
        "p :- q at T in [3 sec], V2 = T / 5, V3 = V2 * 5, V1 = T - V3, V1 = 0.",
    ]


def test_a_constraint_has_a_head_of_its_own_that_says_that_there_is_no_answer_set():
    writer = ticker_writer(read("p ← ⊞^1 ◇ q. ← p, violation."), SECOND, "clingo")
    found = [line for line in writer.text().splitlines() if line[0] != "%"]
    assert found == ["p :- q [1 sec].", "violation2 :- p, violation.", "aux1 :- violation [1 sec]."]
    assert list(writer.heads("violation")) == ["violation2"]
    assert (
        "% constraint violation2: if violation2 holds, no answer stream exists" in writer.text().splitlines()
    )


def test_a_fixed_time_under_not_gets_an_auxiliary_rule():
    assert rules("p ← q, not ⊞^3 @_2 r.")[:2] == [
        "aux1 :- r at V1 in [3 sec], V1 = 2.",
        "p :- q, not aux1.",
    ]


def test_the_time_of_what_holds_now_is_that_without_a_later_one():
    # Ticker has no window of length 0: the shortest shows one time point more.
    assert rules("p(T) ← ⊞^0 @_T q(a), not ⊞^0 @_T r.")[:4] == [
        "aux1(V1) :- q(1000000000), q(1000000000) at V1 in [1 sec].",
        "aux2(V1) :- aux1(V1), aux1(V2), V2 = V1 + 1.",
        "aux3(V1) :- aux1(V1), not aux2(V1).",
        "aux4(V3) :- r, r at V3 in [1 sec].",
    ]
    assert rules("p(T) ← ⊞^0 @_T q(a), not ⊞^0 @_T r.")[6] == "p(T) :- aux3(T), not aux6(T)."


def test_input_that_facts_give_too_is_refused_among_tuples():
    data = TickerInput({1: (Atom("k", (Symbol("b"),)),)}, 1)
    with pytest.raises(ExportError, match="a tuple window: Ticker counts input atoms that are also facts"):
        ticker_writer(read("k(a). p ← ⊞^#2 ◇ e."), SECOND, "clingo", (), data)


def test_negation_moves_outwards():
    assert rules("p ← ⊞^3 ◇ ¬q, ⊞^3 □ ¬r, ¬⊞^3 ◇ ¬s, ⊞^3 ¬u.")[0] == (
        "p :- s always [3 sec], not q always [3 sec], not r [3 sec], not u."
    )


def test_windows_last_seconds_or_milliseconds_whatever_a_time_point_is():
    assert rules("p ← ⊞^30 ◇ q.", "1min") == ["p :- q [1800 sec]."]
    assert rules("p ← ⊞^{4 low-open} ◇ q, ⊞^0 ◇ q.") == ["p :- q [3 sec], q."]
    assert rules("p ← ⊞^2 ◇ q.", "500ms") == ["p :- q [1 sec]."]
    assert rules("p ← ⊞^3 ◇ q.", "500ms") == ["p :- q [1500 msec]."]
    with pytest.raises(
        ExportError,
        match="a window of 1500000ns, because the lengths of Ticker's windows are whole milliseconds",
    ):
        rules("p ← ⊞^3 ◇ q.", "500000ns")


def test_facts_and_background_are_facts():
    known = (Atom("triple", (Iri("http://e/a"), Symbol("default"))), Atom("k", (Symbol("a"),)))
    assert rules("k(a). p ← k(X), true.", background=known) == [
        "p :- k(X).",
        "k(1000000000).",
        "triple(1000000001,1000000002).",
    ]


def test_what_is_a_fact_and_derived_too_gets_a_rule_for_its_facts():
    assert rules("k(a). k(X) ← ⊞^1 ◇ q(X). p ← ⊞^3 ◇ k(X).") == [
        "k(X) :- q(X) [1 sec].",
        "p :- k(X) [3 sec].",
        "k(V1) :- aux1(V1).",
        "aux1(1000000000).",
    ]


def test_a_window_over_facts_alone_says_nothing():
    assert rules("k(a). p ← ⊞^3 ◇ k(X).") == ["p :- k(X).", "k(1000000000)."]


def test_what_always_holds_is_no_fact_since_a_fact_has_no_time():
    assert rules("p ← true. r ← ⊞^2 ◇ p.") == ["p :- aux1.", "r :- p [2 sec].", "aux1."]


def test_a_head_at_a_time_gets_a_second_one_that_ticker_shows_with_its_time():
    # Ticker shows no p_at(3), which is p at 3, unless it is 3.
    assert rules("@_T p ← ⊞^3 @_T q. r ← p, pMoment(X).")[:3] == [
        "p at T :- q at T in [3 sec].",
        "pMoment2(T) :- q at T in [3 sec].",
        "r :- p, pMoment(X).",
    ]
    assert "% predicate pMoment/1 = p at its last argument" in write_ticker(
        read("@_T p ← ⊞^3 @_T q."), SECOND
    )


def test_no_window_is_longer_than_the_input():
    assert incremental("p ← ⊞^1060000000 ◇ e, ⊞^{#4000000000} ◇ e.", "1: e\n7: e")[0] == (
        "p :- e [7 sec], e [4 #]."
    )


def test_windows_that_ticker_cannot_count_are_refused_where_no_input_is_known():
    assert rules("p ← ⊞^999999999 ◇ q.") == ["p :- q [999999999 sec]."]
    for window, most in (
        ("⊞^1000000000", "windows are below 1000000000"),
        ("⊞^{#2147483648}", "because the greatest length in Ticker is 2147483647"),
    ):
        with pytest.raises(ExportError, match=most):
            rules(f"p ← {window} ◇ q.")


def incremental(program, stream):
    """Return what is written for the reasoner incremental, without comments."""
    data = read_data_stream(stream)
    met = TickerInput({t: tuple(atoms) for t, atoms in data.input.items()}, data.timeline.last)
    text = ticker_writer(read(program), SECOND, "incremental", (), met).text()
    return [line for line in text.splitlines() if not line.startswith("%")]


def test_the_reasoner_incremental_gets_a_fact_for_each_value_of_a_variable():
    assert incremental("p(X, U) ← ⊞^3 ◇ f(X), ⊞^2 @_T f(X), U = T + 1.", "1: f(a) f(b)\n2: f(a)") == [
        "p(X,U) :- f(X) [2 sec], f(X) at T in [2 sec], U = T + 1, aux2(T), aux3(U), aux4(X).",
        *("aux2(1).", "aux2(2).", "aux3(2).", "aux3(3).", "aux4(1000000000).", "aux4(1000000001)."),
    ]


def test_a_time_that_stands_in_at_alone_needs_no_values_unless_there_are_two():
    found = incremental("p ← ⊞^3 @_T f(a), not ⊞^3 @_T e.", "1: f(a) e\n5: e")
    assert found[0] == "p :- f(1000000000) at T in [3 sec], not e at T in [3 sec]."
    found = incremental("p ← ⊞^3 @_T e, ⊞^3 @_S e.", "1: e\n5: e")
    assert found[0] == "p :- e at T in [3 sec], e at S in [3 sec], aux2(S), aux2(T)."


@pytest.mark.parametrize(
    ("relation", "values"), [("<", "13"), ("<=", "135"), (">", "57"), (">=", "357"), ("=", "35")]
)
def test_a_variable_that_is_compared_keeps_the_values_that_stand_so_to_some_value(relation, values):
    found = incremental(f"p(X) ← f(X), g(Y), X {relation} Y.", "1: f(1) f(3) f(5) f(7) g(3) g(5)")
    name = re.search(r"(aux\d+)\(X\)", found[0])[1]
    assert [line for line in found if line.startswith(f"{name}(")] == [f"{name}({one})." for one in values]


def test_what_never_has_values_is_left_out():
    found = incremental("p ← ⊞^3 ◇ f(X). q ← e, not f(b), not p. r(X) ← f(X), X > 3.", "1: e f(1)\n2: f(2)")
    assert found == [
        "p :- f(X) [2 sec], aux2(X).",
        "q :- e, not p.",
        "aux1 :- e [1 sec].",
        *("aux2(1).", "aux2(2)."),
    ]


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (
            "@_T p(T) ← ⊞^3 @_T e.",
            "the head @_T p(T), because its reasoner incremental keeps p(T) beyond the time T",
        ),
        (
            "@_T p ← ⊞^3 @_T e, T > 1.",
            "the head @_T p, because its reasoner incremental keeps p beyond the time T",
        ),
        ("@_T p ← ⊞^3 @_T e, T mod 2 = 0.", "keeps p beyond the time T"),
        ("@_T p ← ⊞^3 @_T e, f(T).", "keeps p beyond the time T"),
        ("@_T p ← ⊞^3 @_T e, not f(T).", "keeps p beyond the time T"),
        ("@_T p ← ⊞^3 @_T e, ⊞^3 @_S e.", "keeps p beyond the time T"),
        ("@_T p ← ⊞^0 @_T e.", "keeps p beyond the time T"),
        ("p ← f(X), X - 5 < 0.", "the number -4 as a result of arithmetic"),
        (
            "a ← e. p(X) ← f(X). p(Y) ← p(X), Y = X + 1.",
            "arithmetic that computes new values without end\n  in the rule p(Y) ← p(X)",
        ),
    ],
)
def test_what_the_reasoner_incremental_gets_wrong_is_refused_by_name(program, said):
    with pytest.raises(ExportError) as refused:
        incremental(program, "1: f(1) e\n2: e")
    assert said in str(refused.value)


def test_a_long_chain_of_rules_in_any_order_has_its_values():
    chain = " ".join(f"p{n}(X) ← p{n + 1}(X)." for n in range(320))
    assert "p0(X) :- p1(X), " in " ".join(incremental(f"{chain} p320(X) ← f(X).", "1: f(1)"))


def test_a_counter_with_an_end_has_its_values():
    written = " ".join(incremental("p(X) ← f(X). p(Y) ← p(X), Y = X + 1, X < 320.", "1: f(1)"))
    assert "(320)." in written
    assert "(321)." not in written


def test_a_fact_that_gives_the_time_of_a_head_its_value_changes_nothing():
    with pytest.raises(ExportError, match="keeps p beyond the time T"):
        incremental("k(1). @_T p ← ⊞^3 @_T e, k(T).", "1: e\n2: e")
    kept = "p at T :- e at T in [4 sec], T > 1, k(T).\nk(2).\n"
    with pytest.raises(AssertionError, match="is kept beyond it"):
        Ticker(kept, "incremental")


def test_a_time_of_a_head_in_one_at_alone_is_written_for_both_reasoners():
    assert incremental("@_T p(X) ← ⊞^3 @_T f(X).", "1: f(a)\n2: e")[0] == (
        "p(X) at T :- f(X) at T in [2 sec], aux2(X)."
    )


REFUSED = {
    "p ← q(X), [X > 3].": r"the SPARQL condition \[\?X > 3\]",
    "p(Y) ← q(X), Y := [X + 3].": r"the SPARQL condition Y := \[\?X \+ 3\]",
    "p(N) ← q, N := COUNT(*) of r(X).": r"N := COUNT\(\*\) of r\(X\): Ticker has no aggregates",
    "r(N) ← q, N := SUM(X) of r(X).": r"N := SUM\(X\) of r\(X\): Ticker has no aggregates",
    "p(X) ← q, r(X) among 1..2 by X.": r"r\(X\) among 1..2 by X: Ticker has no aggregates",
    "p ← ⊞^{3,-2,1} ◇ q.": "the window ⊞",
    "p ← ⊞^∞ ◇ q.": "the window ⊞^∞",
    "p ← ⊞^{3,2,1} ◇ q.": "the window ⊞^{3,2,1}",
    "p ← ⊞^{3,0,3} ◇ q.": "the window ⊞^{3,0,3}",
    "p ← ⊞^{3 high-open} ◇ q.": "the window ⊞^{3 high-open}",
    "p ← ⊞^{#3 's'} ◇ q(s).": "the window ⊞^{#3 's'}",
    "p ← ⊞^{#3 by 1} ◇ q.": "the window ⊞^{#3 by 1}",
    "p ← ⊞^{#3 all} ◇ q.": "the window ⊞^{#3 all}",
    "p ← ⊞^#3 □ q.": "□ in ⊞^#3",
    "p ← ⊞^#3 q.": "the window ⊞^#3 without ◇ or @",
    "p ← ◇ q.": "the operator ◇ without a window",
    "p ← □ q.": "the operator □ without a window",
    "p ← @_T q.": "the operator @ without a window",
    "p ← ⊞^3 ⊞^2 ◇ q.": "a window inside a window",
    "p ← ⊞^3 ◇ □ q.": "the operator ◇ around the operator □",
    "p ← ◇ ⊞^3 q.": "the operator ◇ around a window",
    "p ← ⊞^3 ◇ q(T), ⊞^3 @_T ¬q(T).": "the operator ¬ between @ and its atom",
    "p ← ⊞^0 @_T true, T mod 5 = 0.": "the constant true in ⊞^0 @_T true",
    "p ← q, not true.": "the constant true in",
    "@_3 p ← q.": "the head @_3 p",
    "@_U p ← ⊞^3 @_T q, U = T + 1.": "the head @_U p",
    "p ← q(X), X < a.": "arithmetic or order on a",
    "p ← q(X), X mod 2 = 1.": r"\(X mod 2\)",
    "p ← q(X), X = -3, X < 2.": "the number -3",
    "p(1000000000) ← q(X), X < 3.": "the number 1000000000",
    "p ← ⊞^#1 ◇ q.": "the window ⊞^#1, because the least size of a tuple window in Ticker is 2",
    "p ← not q. q ← not p.": "a program in which an atom depends on its own absence .* `lars export` accepts",
    "k(a). p ← ⊞^3 □ k(X).": "□ over k/1: its facts",
    "p ← q. r ← ⊞^#3 ◇ p.": "a tuple window over p/0",
    "p ← q, ⊞^3 □ p.": "a program in which .* through □ on itself",
}


@pytest.mark.parametrize(("program", "construct"), REFUSED.items())
def test_what_ticker_does_not_have_is_refused_by_name_and_rule(program, construct):
    with pytest.raises(ExportError) as refused:
        rules(program)
    problem, place = str(refused.value).split("\n")
    assert re.match(f"Ticker cannot express {construct.replace('^', chr(92) + '^')}", problem), problem
    assert place.removeprefix("  in the rule ") in map(str, read(program).rules)


def test_a_rule_of_the_cycle_is_named_and_not_the_first_rule():
    with pytest.raises(ExportError, match=r"in the rule g\(X\) ← d\(X\), not o\(X\)"):
        rules("d(X) ← q(X). g(X) ← d(X), not o(X). o(X) ← d(X), not g(X).")


def test_telling_programs_have_the_same_answers_at_each_time():
    cases = [(case, reasoner) for case in ticker_cases.telling_cases() for reasoner in get_args(Reasoner)]
    said = [refusal(case, reasoner) for case, reasoner in cases]
    assert said == [None] * len(said)


# Of tuples its reasoner clingo shows one more than it is told.
@pytest.mark.parametrize(("window", "least"), [("[+]^N", 10**9), ("[+]^#N", 10**9 + 1)])
def test_windows_whose_lengths_would_be_numbers_of_terms_are_refused(window, least):
    text = f"p(X) ← {window} ◇ q(X)."
    with pytest.raises(ExportError, match="are below 1000000000"):
        rules(text.replace("N", str(least)))
    assert rules(text.replace("N", str(least - 1)))


def test_every_term_has_a_number_of_its_own_however_many_there_are():
    found = rules(f"p ← {', '.join(f'q(t{n})' for n in range(150))}.")[0]
    assert found == f"p :- {', '.join(f'q(1000000{n:03})' for n in range(150))}."


def test_the_text_for_ticker_says_that_ticker_is_silent_at_time_0():
    assert (
        "prints nothing at time 0 unless input" in write_ticker(read("p ← ⊞^1 ◇ q."), SECOND).split("\n")[1]
    )
