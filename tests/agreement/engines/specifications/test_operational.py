"""RSP-QL's reference semantics: the program and the machine agree, and both have the laws of the model.

`tests.benchmarks.specification_differential` compares many more cases and makes what differs small.
"""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some

from tests.agreement.engines.specifications.operational import Machine, Run, Version, Window
from tests.agreement.engines.specifications.operational_comparing import (
    changed,
    fault,
    lines_of_logic,
    lines_of_machine,
)
from tests.agreement.engines.specifications.operational_moments import Arrival, Policy
from tests.agreement.engines.specifications.operational_queries import MERGING
from tests.agreement.engines.specifications.operational_strategies import OPERATORS, case
from tests.agreement.engines.specifications.specification_examples import (
    arrivals,
    block,
    select,
    short,
    told,
    triple,
)
from tests.agreement.engines.specifications.specification_examples import case as written
from tests.benchmarks.specification_differential import covered
from tests.sparql.comparison import difference
from tests.sparql.judges import oxigraph
from tests.sparql.reference import answer
from tests.sparql.syntax import E, Group, InGraph, Iri, Optional
from tests.sparql.values import UndeterminedError

SOME = settings(max_examples=max(20, settings.default.max_examples // 4))
CASES = some.integers(0, 10**9).map(lambda seed: case(Random(seed)))


def decided(one):
    """Return what the machine says, and drop cases that SPARQL leaves open."""
    try:
        return lines_of_machine(one)
    except UndeterminedError:
        return assume(condition=False)


@given(CASES)
def test_the_program_and_the_machine_evaluate_alike(one):
    decided(one)
    assert not fault(one), f"{one}\n{fault(one)}"


@SOME
@given(CASES)
def test_what_arrives_later_changes_no_evaluation_before(one):
    decided(one)
    for t in {each.t for each in one.run.arrivals}:
        seen = tuple(each for each in one.run.arrivals if each.t <= t)
        earlier = lines_of_logic(changed(one, arrivals=seen, until=min(t, one.run.until)))
        assert earlier == [line for line in lines_of_logic(one) if line.t <= t]


@SOME
@given(CASES)
def test_istream_and_dstream_say_how_rstream_changes(one):
    decided(one)
    said = [lines_of_logic(operated(one, operator)) for operator in OPERATORS]
    before = Counter()
    for whole, new, gone in zip(*said, strict=True):
        assert whole.rows == before + new.rows - gone.rows
        assert not new.rows & gone.rows
        before = whole.rows


def operated(one, operator):
    policy = one.run.policy._replace(operator=operator)
    return replace(changed(one, policy=policy), stated=None, operator=operator)


@SOME
@given(CASES, some.integers(1, 7))
def test_a_shift_of_all_times_shifts_the_evaluations(one, by):
    decided(one)
    run, step = one.run, by * one.run.policy.period
    moved = changed(
        one,
        arrivals=tuple(each._replace(t=each.t + step) for each in run.arrivals),
        windows=tuple(window._replace(start=window.start + step) for window in run.windows),
        versions=tuple(shifted(each, step) for each in run.versions),
        until=run.until + step,
    )
    assert lines_of_logic(moved) == [line._replace(t=line.t + step) for line in lines_of_logic(one)]


def shifted(version, step):
    ends = (None if end is None else end + step for end in (version.first, version.last))
    return version._replace(**dict(zip(("first", "last"), ends, strict=True)))


@SOME
@given(CASES)
def test_another_processor_of_sparql_answers_alike_over_the_contents(one):
    machine, query = Machine(one.run), one.run.query
    assume(one.asked.language not in MERGING)  # whose queries hold all that it is known to get wrong
    decided(one)
    for moment, _ in machine.evaluated():
        dataset = machine.dataset(moment)
        assert not difference(query, answer(query, dataset), oxigraph(query, dataset))


def test_many_random_cases_have_answers_and_hold_what_is_hard():
    held = Counter()
    for seed in range(400):
        one = case(Random(seed))
        held.update(covered(one, lines_of_machine(one)))
    hard = (
        "an answer of ISTREAM", "an answer of DSTREAM", "an empty answer reported", "an empty answer silent",
        "several windows and an answer", "high-open and an answer", "ticks by triple and an answer",
        "ticks by graph and an answer", "versions of static data and an answer", "t0 beyond the slide",
        "a gap between windows", "all of several reporting windows", "several evaluations at one time",
    )  # fmt: skip
    assert held["an answer"] > 100
    assert min(held[name] for name in hard) > 5, held


S, R = E + "s", E + "r"
WHO = Run(select("x", block("?x p ?y")), (), (), Policy(), 9)


def reported(language="csparql", **parts):
    """Return the evaluations of a run that asks for subjects until 9, with the given other parts."""
    return told(written(language, replace(WHO, **parts)))


def window(strategies, **parts):
    return Window(S, "time", 2, 2, 0, frozenset(strategies.split()))._replace(**parts)


def test_nothing_is_evaluated_after_the_last_time_point():
    windows = (window("content-change"),)
    found = reported(windows=windows, arrivals=arrivals(s="a p b @1, c p b @3"), until=2)
    assert list(map(short, found)) == [(1, ["a"])]


@pytest.mark.parametrize("strategies", ["content-change", "window-close", "periodic"])
def test_static_triples_that_come_and_go_are_in_the_default_graph(strategies):
    found = reported(
        query=select("x", block("?x k ?y")),
        windows=(window(strategies),),
        arrivals=arrivals(s="a p b @2, a p b @4, a p b @6"),
        policy=Policy(period=2),
        until=6,
        versions=(Version(frozenset({triple("c k c")}), 3, 5),),
    )
    assert list(map(short, found)) == [(2, []), (4, ["c"]), (6, [])]


def test_static_triples_of_an_instant_are_not_there_before_it():
    one, other = (Iri(E + name) for name in ("w0", "w1"))
    blocks = [InGraph(name, Group((block("?y p ?z"),))) for name in (one, other)]
    found = reported(
        "rspql",
        query=select("x", blocks[0], block("?x k ?v"), Optional(Group((blocks[1],)))),
        windows=(window("content-change", width=4, name=one), window("window-close", stream=R, name=other)),
        arrivals=arrivals(s="a p b @3"),
        policy=Policy("high-open"),
        until=4,
        versions=(Version(frozenset({triple("c k c")}), 4),),
    )
    assert list(map(short, found)) == [(2, []), (3, []), (4, ["c"])]


@pytest.mark.parametrize("later", ["", ", a p b @3, b p b @3, c p b @3"])
@pytest.mark.parametrize("combination", ["any", "all"])
def test_the_clock_strikes_with_the_last_tick_of_an_instant_whatever_comes_later(later, combination):
    found = reported(
        windows=(window("content-change", stream=R), window("window-close")),
        arrivals=arrivals(r="a p b @2, b p b @2", s=f"a p a @1{later}"),
        policy=Policy(combination=combination),
    )
    both = [(one.t, one.trigger) for one in found if one.t <= 2]
    assert both == ([(2, 1), (2, 2)] if combination == "any" else [(2, 2)])


@pytest.mark.parametrize("unheard", ["a p b @1", "a p b @1, b p b @1, c p b @1"])
def test_streams_that_a_query_does_not_read_change_nothing(unheard):
    windows = (window("content-change", slide=1), window("periodic", width=3))
    found = reported(windows=windows, arrivals=arrivals(s="a p b @2", r=unheard), until=2)
    assert [(one.t, one.trigger) for one in found] == [(1, None), (2, 1 + unheard.count(","))]


def test_an_evaluation_after_all_of_an_instant_is_triggered_by_its_last_arrival():
    windows = (window("content-change", stream=R), window("content-change"))
    trace = arrivals(r="a p b @2", s="b p b @2, c p b @2")
    found = reported(windows=windows, arrivals=trace, policy=Policy(tick="instant"))
    assert [one.trigger for one in found] == [2]


@pytest.mark.parametrize("order", [1, -1])
def test_what_triggers_does_not_depend_on_the_order_of_windows(order):
    windows = (window("window-close"), window("content-change", stream=R))[::order]
    found = reported(windows=windows, arrivals=arrivals(r="a p b @2"), until=3)
    assert [one.trigger for one in found] == [0]


@pytest.mark.parametrize("tick", ["triple", "instant", "graph"])
def test_an_equal_triple_at_one_time_is_no_newer_element(tick):
    trace = arrivals(s="a p b @1, b p b @1, a p b @1, a p b @1")
    windows = (window("periodic", kind="rows", slide=1),)
    found = reported(windows=windows, arrivals=trace, policy=Policy(tick=tick), until=2)
    assert list(map(short, found)) == [(1, ["a", "b"]), (2, ["a", "b"])]


def test_the_triples_of_one_graph_arrive_as_one():
    trace = tuple(
        Arrival(1, S, triple(f"{name} p b"), number, number // 2) for number, name in enumerate("abc")
    )
    windows, policy = (window("content-change"),), Policy(tick="graph")
    found = reported(windows=windows, arrivals=trace, policy=policy, until=2)
    assert [(one.trigger, short(one)) for one in found] == [(1, (1, ["a", "b"])), (2, (1, ["a", "b", "c"]))]


def test_a_high_open_window_closes_before_its_last_instant_arrives():
    windows, policy = (window("window-close content-change"),), Policy("high-open")
    trace = arrivals(s="a p b @1, b p b @2, c p b @5")
    found = reported(windows=windows, arrivals=trace, policy=policy, until=7)
    assert list(map(short, found)) == [(2, ["a"]), (6, ["c"])]


def test_each_block_reads_its_own_window():
    names = [Iri(E + "w0"), Iri(E + "w1")]
    found = reported(
        "rspql",
        query=select("x", *(InGraph(name, Group((block("?x p ?y"),))) for name in names)),
        windows=(window("window-close", name=names[0]), window("", stream=R, name=names[1])),
        arrivals=arrivals(s="a p b @1, b p b @1", r="b p b @2, c p b @2"),
        until=3,
    )
    assert list(map(short, found)) == [(2, ["b"])]
