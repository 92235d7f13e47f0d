"""`lars explain`: every answer of the samples has a proof that the definitions accept; text, JSON, errors."""

from functools import partial
from pathlib import Path

import pytest

from agreement.answering.explaining import query_of_comparison
from agreement.answering.solve.solving import SolvingTask
from agreement.documents.requests import (
    ComparisonOptions,
    EvaluationOptions,
    InputOptions,
    InterpretationOptions,
)
from agreement.experiments.as_input import on_read
from agreement.experiments.experiment import read_experiment
from lars.explain import provers
from lars.explain.shortfalls import Searcher
from lars.semantics import all_background
from solver.pointwise import models
from solver.rdf import evaluate
from tests.agreement.command import lars
from tests.lars.proof_checker import Checker
from tests.packs import SAMPLES
from translate.model.query import Language

GOLDEN = Path(__file__).parent / "golden" / "explain.txt"
COUPONS = SAMPLES / "coupons"
VALUE = partial(evaluate, binding={})
RUNS = [(sample, engine, mode) for sample in ("coupons", "rooms")
        for engine in (Language.CSPARQL, Language.CQELS) for mode in ("push", "pull")]  # fmt: skip


def situated(sample, engine, mode, period):
    """Return a query of a sample with its trace."""
    given = InputOptions()
    setting = InterpretationOptions().setting(given.trace.time_point)
    wanted = SolvingTask(
        SAMPLES / sample,
        given.trace_input(),
        EvaluationOptions(engine, mode, period if mode == "pull" else None),
        setting,
        (None, None),
    )
    options = ComparisonOptions(period=(period,), input_options=given, reading=InterpretationOptions())
    experiment = read_experiment(SAMPLES / sample)
    return query_of_comparison(on_read(experiment, options, print), wanted, print)


def proved(here, t):
    """Yield each answer stream at t with its prover and checker."""
    known = all_background(here.program, here.background)
    for derived in models(here.program, here.situation, t):
        prover = next(provers(here.program, here.stream, derived, t, here.background, VALUE))
        checker = Checker(here.program, here.stream, prover.world.stream, t, known, VALUE)
        yield derived, prover, checker


@pytest.mark.parametrize(("sample", "engine", "mode"), RUNS)
def test_every_answer_of_a_sample_has_a_proof(sample, engine, mode):
    here, answers = situated(sample, engine, mode, 2), set()
    for t in here.stream.timeline:
        for derived, prover, checker in proved(here, t):
            for moment in derived:
                checker.check(prover.proof(moment), moment)
            answers |= {moment for moment in derived if moment[1].predicate == "ans1"}
    assert answers


@pytest.mark.parametrize(("sample", "engine", "mode"), RUNS)
def test_every_answer_has_a_shortfall_when_it_does_not_hold(sample, engine, mode):
    here = situated(sample, engine, mode, 5)
    every = {t: next(proved(here, t)) for t in here.stream.timeline}
    rows = {a for derived, _, _ in every.values() for _, a in derived if a.predicate == "ans1"}
    for t, (derived, prover, checker) in every.items():
        for atom in rows:
            if (t, atom) not in derived:
                checker.check_shortfalls(Searcher(prover.world).shortfalls((t, atom)), (t, atom))


def explain(*given):
    """Run `lars explain` and return its text, or what it refuses."""
    found = lars("explain", *given)
    assert (found.code == 0) is (found.err == "")
    return found.out or found.err


def test_the_text_is_that_of_the_golden_file(update_golden):
    runs = ((18, ()), (19, ()), (24, ("--engine", "csparql", "--period", 1)))
    shown = [explain(COUPONS, "--at", t, "ans(25,rayban,b)", *options) for t, options in runs]
    shown.append(explain(COUPONS, "--at", 18, "ans(30,mbt,a)"))
    if update_golden:
        GOLDEN.write_text("\n".join(shown))
    assert "\n".join(shown) == GOLDEN.read_text()


def test_the_json_of_a_proof_ends_in_triples_with_their_windows():
    found = lars("explain", COUPONS, "--at", 18, "ans(25,rayban,b)", "--json").json
    assert (found["at"], found["t"], found["holds"], found["of"]) == (18, 18, True, 1)
    near = list(leaves(found["proof"]))[-2]
    assert (near["p"]["value"], near["o"]["value"]) == ("http://example.org/isNear", "http://example.org/b")
    assert (near["t"], near["stream"]) == (18, "http://example.org/locations")
    assert near["windows"] == [{"window": "⊞^5", "from": 13, "to": 18}]


def leaves(node):
    """Yield the leaves of a proof in JSON."""
    for premise in node.get("premises", ()):
        for below in premise["evidence"]:
            yield from leaves(below)
    if node["kind"] != "derived":
        yield node


def test_the_json_of_a_shortfall_names_what_fails():
    found = lars("explain", COUPONS, "--at", 18, "ans(30,mbt,a)", "--json").json
    (closest,) = found["closest"]
    assert (found["holds"], found["derivable"], closest["rule"]) == (False, True, 6)
    assert closest["failed"]["literal"].endswith("!= 1]")
    assert closest["failed_too"] == closest["undecided"] == []


PROGRAM = """
near(X) ← ⊞^5 ◇ seen(X).
@_T first(X) ← ⊞^5 @_T seen(X), not ⊞^5 ◇ early(X).
gone(X) ← ⊞^30 ◇ seen(X), not near(X).
a ← not b, ⊞^5 ◇ seen(x).
b ← not a, ⊞^5 ◇ seen(x).
c ← near(X), lost(X).
"""


@pytest.fixture
def program(tmp_path):
    """A program and a trace of atoms."""
    path, trace = tmp_path / "p.lars", tmp_path / "trace.txt"
    path.write_text(PROGRAM)
    trace.write_text("3: seen(x) seen('New York, NY').\n10: seen(y).\n")
    return path, trace


SAID = {
    (5, "near(x)"): "near(x) at 5\n│ by rule 1: near(X) ← ⊞^5 ◇ seen(X).\n"
    "└─ ⊞^5 ◇ seen(x): at 3, the window is [0, 5]\n",
    (5, "@_3 first('New York, NY')"): "first('New York, NY') at 3\n│ by rule 2",
    (9, "gone(x)"): "└─ not near(x): not at 9\n",
    (10, "near(x)"): "no match in [5, 10]; nearest earlier match: seen(x) at 3, which left the window at 9\n",
    (4, "gone(x)"): "✗ not near(x): at 4\n      └─ near(x) at 4\n         │ by rule 1: near(X)",
    (5, "b"): "in answer stream 2 of 2\nb at 5\n",
    (5, "lost(x)"): "lost(x) does not hold at 5\n└─ it is an input atom, which never arrives in the trace\n",
    (5, "@_4 near(x)"): "cannot be derived by rule 1",
    (10, "seen(y)"): "seen(y) at 10: input\n",
}


@pytest.mark.parametrize(("t", "atom"), SAID)
def test_a_program_is_explained(program, t, atom):
    assert SAID[t, atom] in explain(*program, "--at", t, atom)


def test_a_window_that_ends_before_the_timeline_shows_nothing(tmp_path):
    (tmp_path / "p.lars").write_text("near(X) ← ⊞^{5,0,5 high-open} ◇ seen(X).")
    (tmp_path / "t.txt").write_text("3: seen(x).\n")
    said = "the window is empty; match outside the window: seen(x) at 3\n"
    assert said in explain(tmp_path / "p.lars", tmp_path / "t.txt", "--at", 3, "near(x)")


@pytest.mark.parametrize(
    ("rule", "at", "why"),
    [
        ("h ← ⊞^{sliding 1,2,1} ◇ seen(x).", 0, "the window is empty; nearest later match: seen(x) at 2"),
        ("h ← ⊞^2 @_1 seen(x).", 0,
         "1 is outside the window [0, 0]; nearest later match: seen(x) at 2"),
        ("h ← ⊞^{0,0,2} @_1 seen(x).", 3,
         "1 is outside the window [2, 2]; nearest later match: seen(x) at 2"),
        ("h ← ⊞^{1,0,2} seen(y).", 3, "3 is outside the window [1, 2]"),
        ("h ← ⊞^{from 3 to 3} @_2 seen(x).", 3,
         "2 is outside the window [3, 3]; match outside the window: seen(x) at 2"),
        ("h ← ⊞^{sliding 1,2,1} @_4 seen(x).", 1, "the window is empty; nearest later match: seen(x) at 2"),
        ("h ← ⊞^#2 @_4 seen(x).", 1,
         "the window is empty: no input atom has arrived; nearest later match: seen(x) at 2"),
        ("h ← @_9 seen(x).", 3, "9 is outside the timeline; nearest earlier match: seen(x) at 2"),
        ("h ← not not ⊞^{1,0,2} seen(x).", 3, "3 is outside [1, 2], the window is [1, 2]"),
    ],
)  # fmt: skip
def test_a_time_outside_the_window_is_not_said_to_be_an_empty_window(tmp_path, rule, at, why):
    (tmp_path / "p.lars").write_text(rule)
    (tmp_path / "t.txt").write_text("2: seen(x).\n4:\n")
    found = lars("explain", tmp_path / "p.lars", tmp_path / "t.txt", "--at", at, "h")
    assert (found.code, f": {why}\n" in found.out) == (0, True)


def test_the_json_of_a_shortfall_has_the_nearest_atoms(program):
    found = lars("explain", *program, "--at", 10, "near(x)", "--json").json
    assert found["closest"][0]["failed"]["nearest"] == [{"side": "before", "t": 3, "atom": "seen(x)"}]


def test_the_answer_stream_can_be_chosen(program):
    assert "b does not hold at 5" in explain(*program, "--at", 5, "b", "--model", 1)
    assert explain(*program, "--at", 5, "b", "--model", 3).startswith("lars: --model 3: expected 1..2")


def test_a_name_that_occurs_nowhere_does_not_hold_with_a_warning(program):
    found = lars("explain", *program, "--at", 10, "near(z)")
    assert (found.code, found.out.splitlines()[0]) == (0, "near(z) does not hold at 10")
    said = "warning: z does not occur in the program, the trace or the static data. If the spelling is wrong"
    assert said in found.err
    assert "null" not in found.err
    assert "occur" not in lars("explain", *program, "--at", 10, "near(x)").err


REFUSED = {
    "ans(25,,b)": "'ans(25,,b)' is not an atom; expected an atom",
    "ans(25": "'ans(25' is not an atom",
    "": "'' is not an atom",
    "ans(25,b)": "the atom has 2 terms, but a row of the query has 3; write _ for any term",
    "ans9(25)": "unknown predicate ans9/1; expected one of ans1/3, ans2/6",
    "ans(25,raybann,b)": "raybann is not a term of the program, the trace or the static data; "
    "expected one of rayban",
    "ans(twenty,rayban,b)": "twenty is not a term",
    "@_51 ans(25,rayban,b)": "the time point 51 is outside the timeline [0, 50]",
}


@pytest.mark.parametrize("atom", REFUSED)
def test_an_atom_that_cannot_be_told_is_one_message(atom):
    found = lars("explain", COUPONS, "--at", 18, atom)
    assert (found.code, found.out) == (2, "")
    assert REFUSED[atom] in found.err
    assert found.err.count("\n") == 1


CALLS = {
    (): "nothing to explain",
    ("ans(1)", "--at", 3): "ans(1): no such file, and no atom follows",
    (COUPONS, "ans(25,rayban,b)"): "--at TIME is missing",
    (COUPONS, "--at", 18): f"missing the atom to explain after {COUPONS}",
    (COUPONS, "--at", "x", "a"): "--at x: expected a time point",
    (COUPONS, "--at", 60, "ans(25,rayban,b)"): "the time point 60 is outside the timeline [0, 50]",
    ("nowhere.rq", "t.nq", "--at", 3, "a"): "nowhere.rq: no such file or folder",
    (COUPONS, "--at", 18, "a", "--model", 0): "--model 0: expected a number from 1",
    (
        COUPONS,
        "--at",
        18,
        "ans(X,Y,?z)",
    ): "ans(X,Y,?z): X is not a term of the program, the trace or the static",
    (
        COUPONS,
        "--at",
        17,
        "ans(?x,?y,?z)",
    ): "ans(?x,?y,?z): the query is not evaluated at 17: no input arrives",
    (SAMPLES / "door", "--at", 3, "guard(ann)"): "without experiment.toml; expected lars explain QUERY|",
}


@pytest.mark.parametrize("call", CALLS)
def test_a_wrong_call_is_one_message(call):
    found = lars("explain", *call)
    assert (found.code, found.out) == (2, "")
    assert CALLS[call] in found.err


def test_a_short_name_of_two_terms_is_ambiguous(tmp_path):
    program, trace = tmp_path / "p.lars", tmp_path / "t.nq"
    program.write_text("p(S) ← ⊞^5 ◇ striple(S, P, O, G).")
    trace.write_text("".join(f'<http://{host}/b> <x:p> <x:o> <x:s> "3" .\n' for host in "ef"))
    found = lars("explain", program, trace, "--at", 4, "p(b)")
    assert found.code == 2
    assert "p(b) is ambiguous; candidates: p(<http://e/b>), p(<http://f/b>)" in found.err
    assert lars("explain", program, trace, "--at", 4, "p(<http://f/b>)").code == 0


def test_a_name_of_a_program_is_no_short_name(tmp_path):
    program, trace = tmp_path / "p.lars", tmp_path / "t.atoms"
    program.write_text("p(<http://e/x>) ← b. q(X) ← ⊞^5 ◇ a(X). p(x) ← c.")
    trace.write_text("1: a(x).\n2: c.\n")
    found = lars("explain", program, trace, "--at", 1, "p(x)")
    assert (found.code, found.out.splitlines()[0]) == (0, "p(x) does not hold at 1")


def test_a_number_of_a_program_is_not_a_count_that_looks_like_it(tmp_path):
    program, trace = tmp_path / "p.lars", tmp_path / "t.atoms"
    program.write_text("p(X) ← ⊞^1 ◇ e(X). n(?n) ← ?n := COUNT(*) of d(?x).")
    trace.write_text("1: e(2).\n4: d(a) d(b).\n")
    found = lars("explain", program, trace, "--at", 4, "p(2)")
    assert (found.code, found.out.splitlines()[0]) == (0, "p(2) does not hold at 4")
    assert "nearest earlier match: e(2) at 1, which left the window at 3" in found.out


def test_a_row_of_a_multiset_is_asked_for_as_it_is_shown():
    slide = (SAMPLES / "slide" / "query.csparql.rq", SAMPLES / "slide" / "door.trig", "--semantics", "bag")
    there = lars("explain", *slide, "--at", "3", "ans1(<http://example.org/ann>)")
    assert (there.code, there.out.splitlines()[0]) == (0, "ans1(ann, hall) at 3")
    gone = lars("explain", *slide, "--at", "6", "ans(ann)")
    assert (gone.code, gone.err.count("\n")) == (2, 1)
    assert "ans1 with 2 arguments, of which the last arguments distinguish equal rows" in gone.err


def test_no_answer_stream_is_said(tmp_path):
    program, trace = tmp_path / "p.lars", tmp_path / "t.txt"
    program.write_text("a ← not a.")
    trace.write_text("3: e.\n")
    found = explain(program, trace, "--at", 3, "a")
    assert found.startswith("no answer stream exists at 3\nwithout constraints, and without heads")
    assert found.endswith(
        "no answer stream either; these predicates depend on their own absence:\na/0\n└─ rule 1: a ← not a.\n"
    )


def test_recursion_over_two_hundred_edges_is_told(tmp_path):
    program, trace = tmp_path / "p.lars", tmp_path / "t.txt"
    program.write_text("path(X,Y) ← ⊞^30 ◇ edge(X,Y). path(X,Y) ← ⊞^30 ◇ edge(X,Z), path(Z,Y).")
    trace.write_text("".join(f"{i // 10}: edge({i},{(i + 1) % 200}).\n" for i in range(200)))
    found = lars("explain", program, trace, "--at", 20, "path(5,4)", "--json").json
    assert found["holds"]
    assert len(found["lemmas"]) > 5


def test_with_ties_to_choose_the_proof_is_of_the_choice(tmp_path):
    program, trace = tmp_path / "p.lars", tmp_path / "t.txt"
    program.write_text("p(X) ← ⊞^{#1 choose} ◇ e(X).")
    trace.write_text("3: e(a) e(b) e(c).\n")
    found = explain(program, trace, "--at", 4, "p(b)")
    assert " of 3\np(b) at 4\n" in found
    assert "⊞^{#1 choose} ◇ e(b): at 3, the window is [3, 4]" in found


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        (("--trigger", "matching"), "no input arrives that triggers the query"),
        (("--mode", "pull", "--period", "3"), "the time is not a multiple of the period"),
    ],
)
def test_why_a_query_is_not_evaluated_is_said_by_its_trigger(tmp_path, mode, reason):
    (tmp_path / "q.rq").write_text(
        'SELECT ?s WHERE { STREAM <http://e/S> [RANGE 3s] { ?s <http://e/p> "a mod b" } }'
    )
    (tmp_path / "t.nq").write_text('<http://e/a> <http://e/p> "a mod b" <http://e/S> "3" .\n')
    found = lars("explain", tmp_path / "q.rq", tmp_path / "t.nq", "ans1(<http://e/a>)", "--at", 4, *mode)
    assert f"the query is not evaluated at 4: {reason}" in found.out


@pytest.mark.parametrize(
    ("period", "reason"),
    [((), "no window closes at this time"), (("--period", 3), "the time is not a multiple of the period")],
)
def test_why_a_query_of_sparq_is_not_evaluated_is_that_no_window_closes(period, reason, tmp_path):
    # The first window closes at 7, and 10 is a multiple of the slide.
    (tmp_path / "q.rq").write_text(
        "SELECT ?s { WINDOW <w> { ?s ?p ?o } } FROM NAMED WINDOW <w> ON <urn:S> RANGE 4 STEP 5 T0 3"
    )
    (tmp_path / "s.csv").write_text("t,s,p,o\n1,urn:a,urn:p,urn:x\n")
    given = tmp_path / "q.rq", "--stream", f"urn:S={tmp_path / 's.csv'}", "ans1(<urn:a>)", "--at", 10
    assert f"the query is not evaluated at 10: {reason}" in lars("explain", *given, *period).out
