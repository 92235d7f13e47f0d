"""Engines whose truth is known: a right one has no fault, each mutant has one, small and named."""

import re
from functools import cache
from itertools import islice

import pytest

from agreement.documents.requests import JudgeOptions
from agreement.engines.adapters.built_in import built_in
from agreement.engines.adapters.messages import EngineReport, ProfileReply, PushReply, open_message
from agreement.engines.specifications import builtin
from agreement.proving.hunting import Hunt, HuntLimits, made_queries, reference, run_hunt
from agreement.proving.hunting.hunted_queries import hunted_query
from agreement.proving.hunting.streams import streams
from lars.errors import TimeLimitError
from tests.agreement.proving.hunting.mutants import STRICT, mutants
from tests.sizes import few, size

MUTANTS = {one.name: one for one in mutants()}
ONE_OF_SEVERAL = "only the first of the windows that close between two arrivals reports"
# Each name has a test of one run in `test_names`; `python -m tests.benchmarks.hunting` hunts all mutants.
SPECIFICATIONS = ("rspql", "csparql", "cqels", "sparqlstream")
CHOSEN = {
    "rspql: t0 = 1": "windows begin at another t0: 1",
    "rspql: another stream's window": "all windows contain stream 1",
    "rspql: bounds = open": "bounds = open: windows are open at both ends, (o, c)",
    "rspql: reports only the first of a push": ONE_OF_SEVERAL,
    "csparql: empty = silent": "empty = silent",
}


@cache
def queries_of(name):
    """Return the queries that are made for an engine of the project; to make them takes a second."""
    return tuple(made_queries(built_in(name), dialect=name if name in SPECIFICATIONS else "rspql").queries)


@pytest.mark.parametrize("name", SPECIFICATIONS)
@pytest.mark.parametrize("options", [JudgeOptions(), STRICT])
def test_the_right_engine_has_no_fault(name, options):
    found = hunted(name, options, runs=size(60, 150))
    assert (found.faults, found.failures) == ([], [])
    assert found.judged_runs > found.runs / 4


def test_windows_contain_the_ends_that_the_language_of_their_query_gives_them():
    text = (
        "REGISTER RSTREAM <urn:out> AS SELECT ?x ?y FROM NAMED WINDOW <urn:w> ON <http://e/S> "
        "[RANGE 10 STEP 2] WHERE { WINDOW <urn:w> { ?x <http://e/p> ?y } }"
    )
    queries = [hunted_query("a query of Kolibrie", open_message(text))]
    found = Hunt(
        built_in("rspql"), queries, reference("rspql", builtin("rspql"), JudgeOptions()), HuntLimits(600, 100)
    )
    run_hunt(found)
    assert (found.faults, found.judged_runs > 30) == ([], True)


def aligned(options):
    """Return the hunt on an engine whose windows close at multiples of their slide."""
    queries = made_queries(built_in("rspql"), {"t0": None}, dialect="rspql").queries
    found = Hunt(
        built_in("rspql"),
        queries,
        reference("rspql", builtin("rspql"), options),
        HuntLimits(600, size(80, 150)),
    )
    run_hunt(found)
    return [fault.sentence for fault in found.faults]


def test_an_engine_with_aligned_windows_has_a_fault_only_if_windows_are_not_said_to_be_aligned():
    assert aligned(JudgeOptions(t0="aligned")) == []
    assert aligned(JudgeOptions()) == ["windows that opened before time 0 also report"]


def test_an_engine_whose_windows_begin_at_0_has_another_t0_if_they_are_said_to_be_aligned():
    """A window of RANGE 3 and STEP 2 that begins at 0 never closes at a multiple of its slide."""
    (fault,) = hunted("rspql", JudgeOptions(t0="aligned"), size(80, 150)).faults
    assert fault.sentence == "windows begin at another t0: 0"


def test_judging_one_run_ends_with_the_time_of_the_hunt():
    (query, *_) = queries_of("rspql")
    hunt = Hunt(
        built_in("rspql"), [query], reference("rspql", builtin("rspql"), JudgeOptions()), HuntLimits(1e-9)
    )
    run = hunt.run(query, next(streams(query, 0)))
    with pytest.raises(TimeLimitError), hunt.in_time():
        hunt.reference.verdict(run)


def hunted(name, options, runs, seed=0):
    """Return the hunt on a specification that is served as it is."""
    engine = built_in(name)
    found = Hunt(
        engine,
        [*queries_of(name)],
        reference(name, builtin(name), options),
        HuntLimits(600, runs, None, seed),
    )
    run_hunt(found)
    return found


@pytest.mark.parametrize("name", few(CHOSEN, 2))
def test_a_mutant_is_found_small_and_named_by_its_rule(name):
    found = MUTANTS[name].hunted(600, 250)
    (fault,) = found.faults
    assert (fault.sentence, fault.repeated) == (CHOSEN[name], True)
    assert len(fault.run.pushes) <= 5


def test_there_are_enough_mutants_of_every_specification():
    assert len(MUTANTS) >= 60
    assert {one.specification for one in MUTANTS.values()} == set(SPECIFICATIONS)


def test_a_smaller_stream_of_a_fault_is_right():
    mutant = MUTANTS["rspql: bounds = closed"]
    found = mutant.hunted(600, 150)
    (fault,) = found.faults[:1]
    for left_out in range(len(fault.run.pushes)):
        stream = fault.run.pushes[:left_out] + fault.run.pushes[left_out + 1 :]
        run = found.run(fault.run.query, stream)
        assert found.reference.verdict(run).correct is not False


def test_an_engine_version_is_right_by_its_own_rules_and_wrong_by_the_specification():
    engine = built_in("rsp-js-1.3.5")
    queries = [one for one in queries_of(engine.name) if one.name in ("tumbling", "sliding", "total")]
    own = Hunt(engine, queries, reference(engine.name, None, JudgeOptions()), HuntLimits(600, size(20, 40)))
    run_hunt(own)
    other = Hunt(
        engine,
        queries,
        reference("rspql", builtin("rspql"), JudgeOptions()),
        HuntLimits(600, size(20, 40), 2),
    )
    run_hunt(other)
    assert own.faults == []
    assert len(other.faults) >= 2
    assert all(len(one.run.pushes) <= 5 for one in other.faults)


def test_the_same_seed_hunts_the_same():
    one, other = (hunted_streams(seed=3) for _ in range(2))
    assert one == other
    assert one != hunted_streams(seed=4)


def hunted_streams(seed):
    """Return the first streams of a query, random ones among them."""
    query = queries_of("rspql")[0]
    return list(islice(streams(query, seed), 1000))


def test_what_is_wrong_of_an_engine_version_is_told_rule_by_rule_and_by_which_definition():
    engine = built_in("rsp-rs-0.3.5")
    queries = [*queries_of(engine.name)]
    found = Hunt(
        engine,
        queries,
        reference("rspql", builtin("rspql"), JudgeOptions()),
        HuntLimits(600, size(40, 80), 7),
    )
    run_hunt(found)
    assert {"D1", "D4", "D5", "D6"} <= {one.sentence.rpartition("(")[2].split()[0] for one in found.faults}
    assert all("Definition" in one.rule.right for one in found.faults)
    assert all(one.repeated and len(one.run.pushes) <= 5 for one in found.faults)


def test_a_triple_that_leaks_from_one_window_into_another_is_found():
    engine = built_in("kolibrie-846becb")
    alike = [one for one in queries_of(engine.name) if one.name == "two-alike"]
    found = Hunt(
        engine, alike, reference("rspql", builtin("rspql"), JudgeOptions()), HuntLimits(600, size(16, 40), 1)
    )
    run_hunt(found)
    (leak,) = found.faults
    assert leak.sentence.endswith("(E1 of kolibrie-846becb)")
    assert len(leak.run.pushes) <= 5


@pytest.mark.parametrize("taken_in", [True, False])
def test_a_late_triple_need_not_be_shown_by_what_has_been_reported(taken_in):
    """An engine that takes late triples into the open windows is as right as one that leaves them."""
    engine = OpenWindows(taken_in)
    chosen = [one for one in queries_of("rspql") if one.name in ("tumbling", "sliding")]
    found = Hunt(engine, chosen, reference("rspql", builtin("rspql"), STRICT), HuntLimits(600, 300))
    run_hunt(found)
    assert found.faults == []
    assert sum(late > now for late, now in engine.seen) > 10


def test_terms_that_a_variable_makes_equal_are_tried_unequal():
    text = (
        "PREFIX : <http://e/> REGISTER RStream <http://e/out> AS SELECT ?x FROM NAMED WINDOW :w ON STREAM :S "
        "[RANGE 4 STEP 4] WHERE { WINDOW :w { ?x :p ?x } }"
    )
    triples = [triple for _, triple in hunted_query("loop", open_message(text)).letters]
    assert any(subject != object_ and "/p>" in predicate for subject, predicate, object_ in triples)


def test_no_stream_has_terms_whose_order_nothing_defines():
    (limit,) = (one for one in queries_of("rspql") if one.name == "limit")
    assert not any("@" in term for _, triple in limit.letters for term in triple)


class OpenWindows:
    """`SELECT ?s ?a` of one window from 0 on, (o, c], whose reports nothing changes that comes late."""

    name = "open windows"

    def __init__(self, taken_in):
        self.taken_in, self.seen = taken_in, []

    def open(self, registration):
        self.width, self.step = map(int, re.search(r"RANGE (\d+) STEP (\d+)", registration.query).groups())
        self.now, self.next, self.arrived = 0, self.width, []
        return self

    profile = ProfileReply(ok=True, engine="open windows", time_unit="1ms", dialect="rspql")

    def push(self, pushes):
        return [PushReply(reports=tuple(self.reports(push.as_element()))) for push in pushes]

    def reports(self, push):
        self.seen.append((self.now, push.t))
        while self.next < push.t:
            shown = {triple for t, triple in self.arrived if self.next - self.width < t <= self.next}
            rows = [{"s": s, "a": a} for s, p, a in sorted(shown) if p == "<http://e/p>"]
            if rows:
                yield EngineReport(t=self.next, rows=rows)
            self.next += self.step
        if (push.t >= self.now or self.taken_in) and not self.keeps(push):
            self.arrived.append((push.t, push.triple))
        self.now = max(self.now, push.t)

    def keeps(self, push):
        """Whether a triple that arrives does not count, since it has been kept."""
        del push
        return False

    def close(self):
        return ()

    def end(self):
        pass


class FirstTimes(OpenWindows):
    """Keeps the first time of a triple that arrives again before it is forgotten."""

    def keeps(self, push):
        return any(triple == push.triple and push.t - t <= 6 for t, triple in self.arrived)


def test_an_engine_that_keeps_first_times_is_named():
    engine = FirstTimes(taken_in=False)
    chosen = [one for one in queries_of("rspql") if one.name in ("tumbling", "sliding")]
    found = Hunt(engine, chosen, reference("rspql", builtin("rspql"), STRICT), HuntLimits(600, 300))
    run_hunt(found)
    again = "a triple that arrives again while it is kept counts only at its first time"
    assert [one.sentence for one in found.faults] == [again]
