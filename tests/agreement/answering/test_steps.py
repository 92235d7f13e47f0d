"""The steps of a program are those of the definitions: windows' content, what holds, rules that fire."""

from pathlib import Path

import pytest
from hypothesis import given

from agreement import api
from agreement.answering.explaining import ProgramSituation
from agreement.answering.steps import steps, windows_in_order
from agreement.results.renderings.pages.moving import moving
from lars.language.program import Rule, atoms, formulas, variables
from lars.language.stream import cut, moments, with_moments, write_moments
from lars.language.terms import signature
from lars.semantics import all_background, choices, separate
from lars.semantics.definitions import answer_streams, body_holds, ground, is_model
from tests.lars.strategies import cases
from tests.solver.strategies import covered_programs, is_encoded, situation_of


def situation(case):
    """Return a case as the definitions and as the solver take it."""
    data = separate(case.program, case.stream)
    return ProgramSituation(case.program, data, case.background, situation_of(case), None)


def content(stream, t, window):
    """Return interval and atoms of a window by its definition."""
    shown = cut(stream, window, t)
    evaluation = [*shown.input.items(), *shown.derived.items()]
    return shown.timeline or None, {(u, atom) for u, atoms in evaluation for atom in atoms}


def defined(case, derived):
    """Yield what the definitions show and let fire, for each choice of ties that allows the answer stream."""
    known = all_background(case.program, case.background)
    for one in choices(case.program, separate(case.program, case.stream), case.t):
        rules, _ = ground(case.program, one, case.t, known)
        whole = with_moments(one, derived)
        if is_model(rules, whole, case.t, known):
            fires = {(rule.head, rule.body) for rule in rules if body_holds(rule, whole, case.t, known)}
            yield [content(whole, case.t, window) for window in windows_in_order(case.program)], fires


@given(cases(covered_programs().filter(is_encoded)))
def test_steps_are_those_of_the_definitions(case):
    (step,) = steps(situation(case), [case.t], Path("program.lars"))
    found = answer_streams(case.program, case.stream, case.t, case.background)
    assert step.count == len(found)
    if step.derived is None:
        return
    assert step.derived in set(map(moments, found))
    instances = (rule for own in step.instances.values() for rule in own)
    fires = {(rule.head, tuple(formulas(rule.body))) for rule in instances}
    assert (list(step.contents), fires) in list(defined(case, step.derived))


@given(cases(covered_programs().filter(is_encoded)))
def test_a_rule_that_does_not_fire_has_a_literal_that_fails_by_the_definitions(case):
    (step,) = steps(situation(case), [case.t], Path("program.lars"))
    if step.derived is None:
        return
    bodies = {number for number, rule in enumerate(case.program.rules, 1) if rule.body}
    assert {*step.instances, *step.failures} == bodies
    known = all_background(case.program, case.background)
    worlds = [
        whole
        for one in choices(case.program, separate(case.program, case.stream), case.t)
        if is_model(
            ground(case.program, one, case.t, known)[0],
            whole := with_moments(one, step.derived),
            case.t,
            known,
        )
    ]
    failing = [(number, each) for number, failures in step.failures.items() for each in failures]
    for number, (_, place, literal, *_) in failing:
        assert type(literal) is type(case.program.rules[number - 1].body[place])
        if not variables(literal):
            alone = Rule(None, (literal,))
            assert not all(body_holds(alone, whole, case.t, known) for whole in worlds)


def changed(before, entered, left):
    """Return what is there after a change; nothing enters that is there, and nothing leaves that is not."""
    assert before.isdisjoint(entered)
    assert before.issuperset(left)
    return (before - set(left)) | set(entered)


def added_up(page):
    """Yield for each step of a page the atoms in each window, and those that hold."""
    windows, holds = [set() for _ in page["windows"]], set()
    for step in page["steps"]:
        changes = [(entered, left) for _, _, entered, left in step["windows"]]
        windows = [changed(own, *change) for own, change in zip(windows, changes, strict=True)]
        holds = changed(holds, *step["holds"])
        items = [{(page["items"][n]["t"], page["items"][n]["text"]) for n in own} for own in windows]
        yield step, items, {page["texts"][number] for number in holds}


def read_through(program, window):
    """Return the predicates that formulas read through a window."""
    literals = [literal for rule in program.rules for literal in rule.body]
    return {signature(atom) for one in literals for atom, _, own in atoms(one) if window in own}


@given(cases(covered_programs().filter(is_encoded)))
def test_a_page_adds_up_to_its_steps(case):
    here = situation(case)
    page = moving(here, here.stream.timeline, case.t, Path("program.lars"))
    assert page["steps"][page["start"]]["t"] == case.t
    every = zip(added_up(page), steps(here, here.stream.timeline, Path("program.lars")), strict=True)
    for (told, windows, holds), step in every:
        assert holds == set(write_moments(step.derived or (), step.t))
        assert [number for number, *_ in told["fires"]] == list(step.instances)
        for window, own, (_, held) in zip(
            windows_in_order(case.program), windows, step.contents, strict=True
        ):
            read = read_through(case.program, window)
            wanted = {(u, a) for u, a in held if a in here.stream.input.get(u, ()) or signature(a) in read}
            assert own == {(u, str(a)) for u, a in wanted}


def moving_page(folder, program, trace):
    files = folder / "p.lars", folder / "s.atoms"
    for file, text in zip(files, (program, trace), strict=True):
        file.write_text(text)
    result = api.solve(*files)
    return result.page().page["moving"], result


def test_an_atom_of_an_earlier_time_is_neither_new_nor_gone(tmp_path):
    program = "@_T bad(M) ← ⊞^2 @_T r(M).\nok ← ⊞^2 ◇ r(M)."
    page, _ = moving_page(tmp_path, program, "3: r(m1).\n4: x.\n6: x.\n")
    signs = {
        step["t"]: [[page["texts"][each] for each in own] for own in step.get("signs", step["holds"])]
        for step in page["steps"]
    }
    assert signs[3] == [["bad(m1)", "ok"], []]
    assert signs[4] == signs[5] == [[], []]
    assert signs[6] == [[], ["ok", "@_3 bad(m1)"]]


def test_an_atom_of_two_times_is_new_at_the_second(tmp_path):
    page, _ = moving_page(tmp_path, "@_T bad(M) ← ⊞^2 @_T r(M).", "3: r(m1).\n4: r(m1).\n")
    new, gone = page["steps"][4].get("signs", page["steps"][4]["holds"])
    assert ([page["texts"][each] for each in new], gone) == (["bad(m1)"], [])


REASONS = {
    "c ← b.\n← c.": "a constraint excludes the only candidate (rule 2: ← c.)",
    "a ← not a, b.\nc ← b.": "a/0 depends on its own absence (rule 1: a ← not a, b.)",
    "@_9 c ← b.": "a head is outside the timeline (rule 1: @_9 c ← b.)",
}


@pytest.mark.parametrize("program", REASONS)
def test_a_warning_and_the_page_state_why_no_answer_stream_exists(tmp_path, program):
    page, result = moving_page(tmp_path, program, "1: b.\n")
    reason = f"no answer stream exists at 1, because {REASONS[program]}"
    assert page["steps"][1]["why"] == reason
    assert result.warnings == (f"no atom is derived: {reason}",)


def test_a_rule_with_a_box_that_does_not_fire_has_the_missing_times(tmp_path):
    files = tmp_path / "p.lars", tmp_path / "s.atoms"
    for file, text in zip(
        files, ("hot ← ⊞^3 □ warm.\n", "4: warm.\n5: warm.\n6: warm.\n7: warm.\n"), strict=True
    ):
        file.write_text(text)
    page = api.explain(*files, atom="hot", at=5).page().page["moving"]
    fails = {step["t"]: step["fails"] for step in page["steps"]}
    ((*_, atom, times, count),) = fails[5]
    assert (page["texts"][atom], times, count) == ("warm", [2, 3], 2)
    assert fails[7] == []


JAMMED = "jammed(G) ← ⊞^3 □ blocked(G), ⊞^10 ◇ scan(G)."
BLOCKED = ("blocked(g1)", range(3, 8)), ("blocked(g2)", range(9, 11)), ("blocked(g3)", range(8, 9))


def test_of_equally_close_instances_a_page_explains_the_one_that_held_before():
    trace = [(u, atom) for atom, times in BLOCKED for u in times]
    trace += [(1, "scan(g3)"), (2, "scan(g1)"), (2, "scan(g2)"), (11, "blocked(g1)")]
    page = api.explain(JAMMED, sorted(trace), atom="jammed(g1)", at=8).page().page["moving"]
    fails = {
        step["t"]: (page["texts"][atom], times, count)
        for step in page["steps"]
        for *_, atom, times, count in step["fails"]
    }
    assert fails[8] == ("blocked(g1)", [8], 1)  # it held at 7
    assert fails[10] == ("blocked(g2)", [7, 8], 2)  # none held before: one of the fewest missing times
    assert fails[11] == ("blocked(g2)", [8, 11], 2)
