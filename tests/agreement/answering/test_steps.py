"""The steps of a program are those of the definitions: windows' content, what holds, rules that fire."""

from pathlib import Path

from hypothesis import given

from agreement.answering.explaining import ProgramSituation
from agreement.answering.steps import steps, windows_in_order
from agreement.results.renderings.pages.moving import moving
from lars.language.program import formulas
from lars.language.stream import cut, moments, with_moments, write_moments
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


def added_up(page, place):
    """Return for each window of a page's step, and for what holds, what has entered and not left."""
    windows, holds = [set() for _ in page["windows"]], set()
    for step in page["steps"][: place + 1]:
        for own, (_, _, entered, left) in zip(windows, step["windows"], strict=True):
            own.difference_update(left)
            own.update(entered)
        entered, left = step["holds"]
        holds = (holds - set(left)) | set(entered)
    shown = [{(page["items"][n]["t"], page["items"][n]["text"]) for n in own} for own in windows]
    return shown, {page["texts"][number] for number in holds}


@given(cases(covered_programs().filter(is_encoded)))
def test_a_page_adds_up_to_its_steps(case):
    here = situation(case)
    page = moving(here, here.stream.timeline, case.t, Path("program.lars"))
    assert page["steps"][page["start"]]["t"] == case.t
    for place, step in enumerate(steps(here, here.stream.timeline, Path("program.lars"))):
        windows, holds = added_up(page, place)
        assert holds == set(write_moments(step.derived or (), step.t))
        assert [one for one, *_ in page["steps"][place]["fires"]] == list(step.instances)
        for window, (_, held) in zip(windows, step.contents, strict=True):
            arrived = {(u, str(a)) for u, a in held if a in here.stream.input.get(u, ())}
            assert arrived <= window <= {(u, str(a)) for u, a in held}
