"""Programs for Laser: worked examples, refusals by name, and equal answers of what is written."""

import re

import pytest
from hypothesis import given, reject

from lars.durations import read_duration
from lars.exporting import ExportError
from lars.laser import write_laser
from lars.notation import read
from lars.program import head_atom
from lars.terms import signature
from tests.lars import exported, strategies
from tests.lars.exported import Legend, countable
from tests.lars.laser_reader import read_laser
from tests.lars.written import written_programs

SECOND = read_duration("1s")


def rules(text):
    """Return the exported text without comments."""
    written = write_laser(read(text), SECOND)
    return [line for line in written.splitlines() if not line.startswith("#")]


def refusal(case):
    """Return what is said when the program is refused; else the answers are equal."""
    try:
        text = write_laser(case.program, SECOND, tuple(sorted(case.background)))
    except ExportError as refused:
        return str(refused)
    if not countable(case):
        return None  # its answer streams are too many to be enumerated
    legend = Legend(text)
    assert exported.found(case, read_laser(text), legend) == exported.expected(case, legend), text
    return None


@given(exported.cases(exported.programs(strategies.extensional_patterns)))
def test_what_is_expressible_has_the_same_answers(case):
    said = refusal(case)
    words = ("over ", "division", "true here", "its own absence")
    assert said is None or any(word in said for word in words), said


@given(strategies.cases())
def test_any_program_has_the_same_answers_or_is_refused_by_name(case):
    said = refusal(case)
    assert said is None or re.match(r"Laser cannot express .+\n  in the rule .+\.$", said), said


@given(written_programs())
def test_any_names_and_terms_are_read_back_or_refused(program):
    try:
        text = write_laser(program, SECOND)
    except ExportError:
        reject()  # what a refusal says is tested above
    assert text.isascii()
    legend, again = Legend(text), read_laser(text)
    heads = {signature(legend.atom(head_atom(rule))) for rule in program.rules}
    assert heads <= {signature(head_atom(rule)) for rule in again.rules}


def test_windows_are_written_as_laser_writes_them():
    program = """
    z(X, Y) ← ⊞^3 ◇ q(X, Y), not p(X).
    @_T a(X) ← ⊞^5 @_T b(X).
    c(X) ← ⊞^#3 ◇ b(X), ⊞^{4 low-open} □ d, X != 5.
    """
    assert rules(program) == [
        "z(X, Y) :- time_win(3, 0, 1, diamond(q(X, Y))) and not(p(X))",
        "@(T, a(X)) :- time_win(5, 0, 1, @(T, b(X)))",
        "c(X) :- tuple_win(3, diamond(b(X))) and time_win(3, 0, 1, box(d())) and COMP(!=, X, 5)",
    ]


def test_constants_and_repeated_variables_of_bodies_become_comparisons():
    assert rules("p(X, 7) ← q(X, a, X).") == [
        "p(X, 7) :- q(X, V1, V2) and COMP(=, V1, 1000000000) and COMP(=, V2, X)",
    ]


def test_under_not_they_get_an_auxiliary_rule():
    text = write_laser(read("p(X) ← q(X), not ⊞^3 □ r(X, 5)."), SECOND)
    assert "# auxiliary aux1\n" in text
    assert [line for line in text.splitlines() if line[0] != "#"] == [
        "aux1(X) :- time_win(3, 0, 1, box(r(X, V1))) and COMP(=, V1, 5)",
        "p(X) :- q(X) and not(aux1(X))",
    ]


def test_a_time_that_is_an_argument_too_is_a_repeated_variable():
    assert rules("p ← ⊞^2 @_T r(T).") == ["p() :- time_win(2, 0, 1, @(T, r(V1))) and COMP(=, V1, T)"]


def test_numbers_are_told_from_terms_where_order_counts():
    assert rules("p ← q(X), X > 5.") == ["p() :- q(X) and COMP(<=, X, 999999999) and COMP(>, X, 5)"]


def test_arithmetic_binds_its_result():
    assert rules("p(Y) ← ⊞^3 @_T q, Y = T + 1, Y * 2 < 9.") == [
        "p(Y) :- time_win(3, 0, 1, @(T, q())) and MATH(+, Y, T, 1) and MATH(*, V1, Y, 2) and COMP(<, V1, 9)",
    ]


def test_facts_are_lines_without_body():
    assert rules("k(a). p(X) ← k(X).") == ["p(X) :- k(X)", "k(1000000000)"]


REFUSED = {
    "p ← q(X), [X > 3].": r"the SPARQL condition \[\?X > 3\]",
    "p(N) ← q, N := COUNT(*) of r(X).": r"N := COUNT\(\*\) of r\(X\): no literal there",
    "r(N) ← q, N := SUM(X) of r(X).": r"N := SUM\(X\) of r\(X\): no literal there",
    "p(X) ← q, r(X) among 1..2 by X.": r"r\(X\) among 1..2 by X: no literal there",
    "p ← ⊞^{3,-2,1} ◇ q.": "the window ⊞",
    "p ← ⊞^∞ ◇ q.": r"the window ⊞\^∞",
    "p ← ⊞^{3,0,3} ◇ q.": r"the window ⊞\^{3,0,3}",
    "← p.": "a constraint",
    "p ← not q. q ← not p.": "a predicate that hangs on its own absence",
    "q ← r. p ← ⊞^3 ◇ q.": r"⊞\^3 over q/0, which is derived",
    "p ← ⊞^3 @_T q, T mod 5 = 0.": r"division in whole numbers: \(T mod 5\)",
    "p ← ⊞^0 @_T true.": "the constant true here",
    "p ← q(X), X > 'a'.": "arithmetic or order on a",
    "p ← ◇ q.": "◇ without a window",
}


@pytest.mark.parametrize(("program", "construct"), REFUSED.items())
def test_what_laser_does_not_have_is_refused_by_name_and_rule(program, construct):
    with pytest.raises(ExportError) as refused:
        rules(program)
    problem, place = str(refused.value).split("\n")
    assert re.match(f"Laser cannot express {construct}", problem), problem
    assert place.removeprefix("  in the rule ") in map(str, read(program).rules)


def test_telling_programs_have_the_same_answers_at_each_time():
    said = [refusal(case) for case in exported.telling_cases()]
    assert {line for line in said if line is not None and "division" not in line} == set()
    assert said.count(None) > len(said) / 2
