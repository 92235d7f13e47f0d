"""Searches end within their time limit; what many patterns match is evaluated without all combinations."""

from functools import reduce
from itertools import count
from time import process_time

import pytest

from agreement.proving.containment import mappings
from lars.errors import TimeLimitError
from lars.language.terms import Iri
from lars.language.windows import Interval
from lars.text.notation import read
from solver import deadlines
from solver.deadlines import Deadline, until
from solver.facts import Fact, Situation
from tests.agreement.command import lars
from tests.solver.in_process import runs
from translate.model import patterns

PATTERNS = " . ".join(f"?x :p ?y{n}" for n in range(8))
FILTERS = " ".join(f"FILTER(?y{n} > 100 || ?y{n + 1} > 100)" for n in range(5))
STAR = f"p(X, {', '.join(f'Y{n}' for n in range(8))}) ← {', '.join(f'⊞^5 ◇ q(X, Y{n})' for n in range(8))}."
"""Of n facts with one X it has n^8 rows."""
GENEROUS = 30
"""Seconds of the process's own time: far less than what all combinations take."""


def cqels(selected, more=""):
    where = f"STREAM :S [RANGE 5s SLIDE 1s] {{ {PATTERNS}{more} }} {FILTERS}"
    return f"PREFIX : <http://e/>\nSELECT {selected} WHERE {{ {where} }}"


def csparql(selected):
    where = f"FROM STREAM :S [RANGE 5s STEP 1s] WHERE {{ {PATTERNS} {FILTERS} }}"
    return f"REGISTER QUERY q AS PREFIX : <http://e/>\nSELECT {selected} {where}"


@pytest.fixture
def files(tmp_path):
    def write(*texts):
        paths = [tmp_path / f"{name}.rq" for name, _ in zip("ab", texts, strict=False)]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text)
        return paths

    return write


def rows(program, many):
    facts = [Fact(1, "q", ("x", str(n))) for n in range(many)]
    width = program.rules[0].head.arguments
    return list(runs(program, Situation(Interval(0, 9), facts, {}), range(1, 5), ("p", len(width))))


def test_a_join_of_very_many_rows_ends_when_the_clock_says_so(monkeypatch):
    ticks = count()
    monkeypatch.setattr(deadlines, "monotonic", lambda: float(next(ticks)))
    with until(Deadline(3, end=10.5)), pytest.raises(TimeLimitError, match="limit of 3 s is up"):
        rows(read(STAR), 6)
    assert next(ticks) == 12


def test_what_is_small_is_evaluated_whatever_the_time():
    with until(Deadline(0, end=float("-inf"))):
        assert len(rows(read(STAR), 2)) == 2**8


def test_an_outer_limit_holds_within_a_later_one():
    with until(Deadline(0, end=0)), until(Deadline.after(1_000)), pytest.raises(TimeLimitError):
        rows(read(STAR), 6)


@pytest.mark.parametrize("selected", ["?x", "*"])
@pytest.mark.parametrize("command", ["decide", "witness"])
def test_eight_patterns_and_five_alternatives_are_decided(files, command, selected):
    began = process_time()
    ran = lars(command, *files(csparql(selected), cqels(selected)), "--period", "2", "--time-limit", "60")
    assert (ran.code, "x p 10" in ran.out, process_time() - began < GENEROUS) == (1, True, True)


@pytest.mark.parametrize(("first", "code"), [("", 1), (" . ?y0 :q ?z", 0)])
def test_eight_patterns_in_the_same_and_one_more(files, first, code):
    second = " . ?y0 :q ?z" if not first else ""
    pair = files(cqels("?x", first), cqels("?x", second))
    began = process_time()
    ran = lars("witness", *pair, "--contained", "--time-limit", "60")
    assert (ran.code, process_time() - began < GENEROUS) == (code, True)


def test_a_limit_of_two_seconds_ends_what_is_not_decided(files):
    pair = files(cqels("?x", " . ?y0 :q ?z"), cqels("?x"))
    began = process_time()
    ran = lars("decide", *pair, "--equivalent", "--time-limit", "2")
    assert process_time() - began < GENEROUS / 2
    assert ran.code in {1, 3}
    assert ran.code == 1 or "the time" in ran.out


def test_a_limit_of_two_seconds_holds_while_streams_of_many_frames_are_counted(files):
    begin = "REGISTER QUERY q AS PREFIX : <http://e/> SELECT ?a ?d "
    begin += "FROM STREAM :T [RANGE 2s STEP 4s] FROM STREAM :S [RANGE 5s STEP 3s] "
    begin += "FROM STREAM :T [RANGE 1s STEP 3s] WHERE"
    texts = (
        f"{begin} {{ {{ ?b :p*/:q ?d . ?a ?a ?d }} UNION {{ ?d :p {some} }} ?d :p ?a }}"
        for some in ("?b", "?b, ?c")
    )
    began = process_time()
    ran = lars("decide", *files(*texts), "--contained", "--time-limit", "2")
    assert (ran.code in {0, 3}, process_time() - began < GENEROUS / 2) == (True, True)


def test_a_limit_of_two_seconds_holds_where_tuple_windows_compare_all_that_can_arrive(files):
    block = "STREAM <urn:s> [TRIPLES 1]"
    path = f"{block} {{ ?x ^(^<urn:p>) ?y }} MINUS {{ {block} {{ ?x (<urn:p>)? ?x }} }}"
    pair = files(
        f"SELECT ?x WHERE {{ {{ {path} }} UNION {{ {block} {{ ?z <urn:q>+ ?y }} }} FILTER(!(?z > 1)) }}"
    )
    began = process_time()
    ran = lars("decide", *pair, "--period", "1", "--unit", "1s", "--profile", "sparql11", "--time-limit", "2")
    assert (ran.code in {0, 3}, process_time() - began < GENEROUS / 4) == (True, True)


@pytest.mark.parametrize("command", ["decide", "witness"])
def test_a_limit_of_a_second_holds_while_values_between_many_bounds_are_chosen(files, command):
    """Of ten sub-SELECTs that each hide a number, some thousands of numbers are compared with ten bounds."""
    block = "{{ SELECT ?x {{ STREAM :S [RANGE 5s] {{ ?x :p ?y . ?y :q ?z }} FILTER(?z > {0}) }} }}"
    texts = (" ".join(block.format(f"{n}{half}") for n in range(10)) for half in (".5", ""))
    pair = files(*(f"PREFIX : <http://e/> SELECT ?x {{ {text} }}" for text in texts))
    began = process_time()
    ran = lars(command, *pair, "--contained", "--time-limit", "1")
    assert (ran.code, "the time is up: no stream" in ran.out) == (3, True)
    assert process_time() - began < GENEROUS / 3


def test_a_stream_is_found_though_a_thousand_static_triples_could_be_chosen(files):
    """To limit their number to each number below a thousand, clingo would need minutes before it searches."""
    condition = "FILTER(?y != ?y || ?y <= 1)"
    pair = files(
        "ASK FROM NAMED STREAM <http://e/S> [NOW - 3 S TO NOW SLIDE 3 S] "
        f"WHERE {{ ?x <http://e/p> ?y {condition} ?x <http://e/p>* ?x }}",
        f"ASK WHERE {{ STREAM <http://e/S> [RANGE 3s SLIDE 3s] {{ ?x <http://e/p> ?y }} {condition} }}",
    )
    how = "--period", "1", "--bounds", "open", "--trigger", "query-streams", "--time-limit", "60"
    began = process_time()
    ran = lars("witness", *pair, *how)
    assert (ran.code, "0 triples and 1 static" in ran.out, "the time is up" in ran.out) == (1, True, False)
    assert process_time() - began < GENEROUS


def test_what_decide_proves_witness_knows(files):
    text = "SELECT ?x {{STREAM <urn:s> [RANGE 5s] {{?x <urn:p> ?{0}}} MINUS {{?x <urn:q> ?{1}}}}}"
    pair = files(text.format("y", "z"), text.format("v", "w"))
    assert lars("decide", *pair, "--contained").code == 0
    ran = lars("witness", *pair, "--contained")
    assert (ran.code, "no stream" in ran.out) == (0, True)


EITHER = "(<urn:p>|<urn:q>)"
LONG_PATHS = {
    "many sets of states": f"({EITHER}*/<urn:p>{f'/{EITHER}' * 14})+",
    "many silent moves": f"({'/'.join(['(<urn:p>?)?'] * 250)})+",
}


@pytest.mark.parametrize("path", LONG_PATHS.values(), ids=LONG_PATHS)
@pytest.mark.parametrize("turned", [False, True])
def test_a_limit_of_two_seconds_holds_for_paths_of_many_steps(files, path, turned):
    block = "SELECT ?x ?y {{ STREAM <urn:s> [RANGE 3s] {{ ?x {} ?y }} }}"
    texts = [block.format(f"{EITHER}+"), block.format(path)]
    began = process_time()
    ran = lars("decide", *files(*texts[:: -1 if turned else 1]), "--contained", "--time-limit", "2")
    assert (ran.code in {0, 1, 3}, process_time() - began < GENEROUS / 4) == (True, True)


def test_a_condition_of_very_many_cases_ends_without_all_of_them(files):
    either = " && ".join(f"(?x > {n} || ?y > {n})" for n in range(22))
    block = "SELECT ?x ?y {{ STREAM <urn:s> [RANGE 3s] {{ ?x <urn:p> ?y }} FILTER({}) }}"
    pair = files(*(block.format(each) for each in (f"(({either}) || ?x = 1) && ?y != 2", "?y > 999")))
    began = process_time()
    ran = lars("decide", *pair, "--contained", "--time-limit", "2")
    assert (ran.code in {1, 3}, process_time() - began < GENEROUS / 4) == (True, True)


def test_a_path_whose_walk_has_too_many_sets_of_states_accepts_nothing():
    p, q = (patterns.NegatedSet((Iri(f"urn:{name}"),)) for name in "pq")
    either = patterns.Alternative(p, q)
    path = reduce(patterns.PathSequence, [patterns.RepeatedPath(either, "*"), p, *[either] * 14])
    words = mappings.automaton(patterns.RepeatedPath(path, "+"))
    step = mappings.automaton(patterns.RepeatedPath(either, "+"))
    assert words.spelled(words.start, step) == frozenset()
    with pytest.raises(TimeLimitError):
        words.spelled(words.start, step, Deadline(0, end=0))
