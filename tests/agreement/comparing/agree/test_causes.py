"""Why one side alone has a row: each cause in its smallest example, and what holds of all of them."""

from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from rdflib import URIRef

from agreement.comparing.agree.sides import CAUSES
from lars.language.windows import Bounds
from solver.facts import Fact
from tests.agreement import reference
from tests.agreement.command import lars
from tests.agreement.comparisons import (
    LAST,
    SPECS,
    arrivals_of,
    expand,
    explained,
    facts_of,
    names,
    report,
    scenarios,
    text_rows,
    variant_of,
    where_from,
)
from tests.sizes import size

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib.*")


class Example(NamedTuple):
    """Windows of both queries, input as "t s p o", and (end, side, row, cause) of each difference."""

    pattern: str
    windows: dict
    input: tuple
    period: int
    last: int
    found: tuple
    static: tuple = ()
    bounds: Bounds = "closed"


PLAIN = "{r:?x :p ?y}"
OPEN = "{r:?x :p ?y} MINUS { {c:?x :q ?z} }"
UNBLOCKED = "{r:?x :p ?y} MINUS { {c:?x :q ?z} MINUS { ?x :k ?w } }"
HIGH = "high-open"


def one(window):
    return {"r": window}


def two(window, blocker):
    return {"r": window, "c": blocker}


EXAMPLES = {
    "static only": Example(
        "{ {r:?x :p ?y} } UNION { ?x :p ?y }", one("RANGE 1s"), (), 2, 2, ((2, "pull", "a", "static only"),),
        static=("a p b",),
    ),
    "static only, in a push": Example(
        "?x :p ?y MINUS { {r:?x :q ?z} }", one("RANGE 9s"), ("1 c q d",), 2, 2,
        ((2, "push", "a", "static only"),), static=("a p b", "a q c"),
    ),
    "static, until a stream blocks it": Example(
        "?x :p ?y MINUS { {r:?x :q ?z} }", one("RANGE 9s"), ("1 c q d", "2 a q d"), 2, 2,
        ((2, "push", "a", "blocked later"),), static=("a p b",),
    ),
    "static, no longer blocked by a stream": Example(
        "?x :p ?y MINUS { {r:?x :q ?z} }", one("RANGE 1s"), ("1 a q d",), 3, 3,
        ((3, "pull", "a", "blocker expired"),), static=("a p b",),
    ),
    "static, and nothing made push evaluate": Example(
        "?x :p ?y MINUS { {r:?x :q ?z} }", one("RANGE 1s"), ("1 a q d",), 3, 6,
        ((3, "pull", "a", "blocker expired"), (6, "pull", "a", "static only")), static=("a p b",),
    ),
    "merged sources": Example(
        "{r:?x :p ?y . ?y :q ?z}", one("RANGE 3s"), ("1 a p b",), 2, 2, ((2, "pull", "a", "merged sources"),),
        static=("b q c",),
    ),
    "merged sources, in a push": Example(
        "{r:?x :p ?y} MINUS { {r:?x :q ?z} }", one("RANGE 3s"), ("1 a p b",), 2, 2,
        ((2, "push", "a", "merged sources"),), static=("a q c",),
    ),
    "hidden by the pivot": Example(
        PLAIN, one("RANGE 3s SLIDE 3s"), ("1 a p b",), 3, 3, ((3, "pull", "a", "hidden by the pivot"),)
    ),
    "hidden by the pivot, in a push": Example(
        PLAIN, one("RANGE 1s SLIDE 2s"), ("2 a p b", "5 a p c"), 5, 5,
        ((5, "push", "a", "hidden by the pivot"),),
    ),
    "hidden by the pivot, the blocker": Example(
        OPEN, two("RANGE 10s", "RANGE 10s SLIDE 3s"), ("1 a p b", "1 a q c"), 3, 3,
        ((3, "push", "a", "hidden by the pivot"),),
    ),
    "hidden by the pivot, the blocker of static data": Example(
        "?x :p ?y MINUS { {c:?x :q ?z} }", {"c": "RANGE 9s SLIDE 3s"}, ("1 a q c",), 3, 3,
        ((3, "push", "a", "hidden by the pivot"),), static=("a p b",),
    ),
    "hidden by the pivot of the pull, the blocker": Example(
        OPEN, two("RANGE 9s", "RANGE 9s SLIDE 6s"), ("1 a p b", "2 a q c"), 1, 3,
        ((3, "pull", "a", "hidden by the pivot"),),
    ),
    "silent period": Example(
        PLAIN, one("RANGE 4s"), ("1 a p b",), 2, 4, ((4, "pull", "a", "silent period"),)
    ),
    "expired before the pull": Example(
        PLAIN, one("RANGE 1s"), ("1 a p b",), 3, 3, ((3, "push", "a", "expired before the pull"),)
    ),
    "blocked later": Example(
        OPEN, two("RANGE 9s", "RANGE 9s"), ("1 a p b", "2 a q c"), 2, 2, ((2, "push", "a", "blocked later"),)
    ),
    "blocker expired": Example(
        OPEN, two("RANGE 9s", "RANGE 1s"), ("1 a p b", "1 a q c"), 3, 3,
        ((3, "pull", "a", "blocker expired"),),
    ),
    "expired though a blocker came": Example(
        OPEN, two("RANGE 1s", "RANGE 9s"), ("1 a p b", "3 a q c"), 3, 3,
        ((3, "push", "a", "expired before the pull"),),
    ),
    "open above: hidden": Example(
        PLAIN, one("RANGE 3s"), ("1 a p b",), 2, 2, ((2, "pull", "a", "hidden by the pivot"),), bounds=HIGH
    ),
    "open above: silent": Example(
        PLAIN, one("RANGE 9s"), ("1 a p b", "2 z z z"), 2, 4, ((4, "pull", "a", "silent period"),),
        bounds=HIGH,
    ),
    "open above: expired": Example(
        PLAIN, one("RANGE 2s"), ("1 a p b", "2 z z z"), 4, 4, ((4, "push", "a", "expired before the pull"),),
        bounds=HIGH,
    ),
    "open above: the blocker is hidden": Example(
        OPEN, two("RANGE 9s", "RANGE 9s"), ("1 a p b", "2 a q c"), 4, 4,
        ((4, "push", "a", "hidden by the pivot"),), bounds=HIGH,
    ),
    "open above: blocker expired": Example(
        OPEN, two("RANGE 9s", "RANGE 2s"), ("1 a p b", "1 a q c", "2 z z z"), 4, 4,
        ((4, "pull", "a", "blocker expired"),), bounds=HIGH,
    ),
    "open below, with a slide: what a push still sees is not hidden from it": Example(
        PLAIN, one("RANGE 3s SLIDE 2s"), ("2 a p b", "5 z z z"), 6, 6,
        ((6, "push", "a", "expired before the pull"),), bounds="low-open",
    ),
    "blocked later, in two periods far apart": Example(
        OPEN, two("RANGE 1s", "RANGE 1s"), ("1 a p b", "2 a q c", "11 a p b", "12 a q c"), 2, 12,
        ((2, "push", "a", "blocked later"), (12, "push", "a", "blocked later")),
    ),
    "hidden from a push that sees what is as old as can be": Example(
        OPEN, two("RANGE 3s SLIDE 2s", "RANGE 3s SLIDE 2s"), ("1 a p b", "2 z z z", "3 z z z", "5 a q c"),
        2, 6, ((6, "push", "a", "hidden by the pivot"),),
    ),
    "hidden by the later of two pivots": Example(
        OPEN, two("RANGE 9s SLIDE 3s", "RANGE 9s SLIDE 6s"), ("1 a p b", "2 a q c", "3 z z z"), 6, 6,
        ((6, "push", "a", "hidden by the pivot"),),
    ),
    "what has not come yet is not hidden": Example(
        OPEN, two("RANGE 3s", "RANGE 9s SLIDE 3s"), ("1 a p b", "4 z z z", "5 a q c"), 6, 6,
        ((6, "push", "a", "expired before the pull"),),
    ),
    "open below, with a slide: what is gone is not hidden": Example(
        PLAIN, one("RANGE 3s SLIDE 2s"), ("1 a p b", "3 z z z", "5 z z z"), 5, 5,
        ((5, "push", "a", "expired before the pull"),), bounds="low-open",
    ),
    "open above, with a slide: what a push still sees is not hidden from it": Example(
        PLAIN, one("RANGE 3s SLIDE 2s"), ("1 a p b", "4 z z z"), 6, 6,
        ((6, "push", "a", "expired before the pull"),), bounds=HIGH,
    ),
    "hidden from a push that is not the last": Example(
        OPEN, two("RANGE 9s SLIDE 3s", "RANGE 1s"), ("1 a p b", "2 a q c"), 4, 4,
        ((4, "pull", "a", "hidden by the pivot"),),
    ),
    "hidden from the push alone: merged, the blocker is blocked": Example(
        UNBLOCKED, two("RANGE 1s", "RANGE 9s SLIDE 3s"), ("1 a p b", "1 a k v", "2 a q c"), 3, 3,
        ((3, "push", "a", "hidden by the pivot"),),
    ),
    "hidden from the pull's time, with sources apart": Example(
        f"{UNBLOCKED} MINUS {{ {{d:?x :s ?v}} }}",
        {**two("RANGE 9s", "RANGE 9s SLIDE 6s"), "d": "RANGE 1s"},
        ("1 a p b", "1 a k v", "1 a s v", "2 a q c"), 4, 4, ((4, "pull", "a", "hidden by the pivot"),),
    ),
    "hidden by the pivot and blocked when it comes into view": Example(
        OPEN, two("RANGE 9s SLIDE 3s", "RANGE 9s SLIDE 3s"), ("1 a p b", "4 a q c"), 6, 6,
        ((6, "push", "a", "hidden by the pivot"),),
    ),
    "expired, and back after the pull": Example(
        PLAIN, one("RANGE 10s SLIDE 5s"), ("2 a p b", "12 z z z", "17 a p b"), 5, 15,
        ((15, "push", "a", "expired before the pull"),),
    ),
    "tuples: silent": Example(PLAIN, one("ROWS 1"), ("1 a p b",), 2, 4, ((4, "pull", "a", "silent period"),)),
    "tuples: expired": Example(
        PLAIN, one("ROWS 1"), ("1 a p b", "2 c p d"), 2, 2, ((2, "push", "a", "expired before the pull"),)
    ),
    "tuples: blocked": Example(
        OPEN, two("ROWS 1", "ROWS 1"), ("1 a p b", "2 a q c"), 2, 2, ((2, "push", "a", "blocked later"),)
    ),
    "tuples: blocked, by what came long after": Example(
        OPEN, two("ROWS 1", "ROWS 1"), ("1 a p b", "3 c q d", "4 a q c"), 2, 4,
        ((4, "push", "a", "blocked later"),),
    ),
    "tuples: blocker expired": Example(
        OPEN, two("ROWS 1", "RANGE 1s"), ("1 a p b", "1 a q c"), 3, 3, ((3, "pull", "a", "blocker expired"),)
    ),
    "tuples: merged": Example(
        "{r:?x :p ?y . ?y :q ?z}", one("ROWS 1"), ("1 a p b",), 2, 2, ((2, "pull", "a", "merged sources"),),
        static=("b q c",),
    ),
}  # fmt: skip


def texts(pattern, windows):
    """Return the C-SPARQL and the CQELS query; `{r:g}` is a part g that stream r's window shows."""
    froms = " ".join(f"FROM STREAM :{s} [{w.replace('SLIDE', 'STEP')}]" for s, w in windows.items())
    merged, named = pattern, pattern
    for stream, window in windows.items():
        merged = merged.replace(f"{{{stream}:", "{")
        named = named.replace(f"{{{stream}:", f"STREAM :{stream} [{window}] {{")
    return f"SELECT ?x {froms.replace('[ROWS', '[RANGE TRIPLES')} WHERE {{ {merged} }}", (
        f"SELECT ?x WHERE {{ {named} }}"
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_cause_has_its_smallest_example(name):
    example = EXAMPLES[name]
    own = {"q": "c", "s": "d"}.items() if "c" in example.windows else ()
    facts = facts_of((line.split() for line in example.input), lambda p: dict(own).get(p, "r"))
    queries = texts(example.pattern, example.windows)
    shared = {name: getattr(example, name) for name in ("period", "last", "static", "bounds")}
    variant = report(queries, facts, **shared)
    found = [(one.end, one.side, *one.row, one.cause) for one in explained(variant)]
    expected = [(end, side, *names(row), cause) for end, side, row, cause in example.found]
    assert [one for one in found if one[1:3] == expected[0][1:3]] == expected


def test_the_examples_cover_all_causes_and_both_sides_where_both_can_be():
    seen = {(row[3], row[1]) for example in EXAMPLES.values() for row in example.found}
    both = {"static only", "merged sources", "hidden by the pivot"}
    assert seen >= {(cause, side) for cause in both for side in ("push", "pull")}
    # These need two queries that are not two forms of one query, or aggregates.
    elsewhere = {
        "different queries",
        "different windows",
        "different static data",
        "aggregate of nothing",
        "aggregate of other input",
    }
    assert {cause for cause, _ in seen} == set(CAUSES) - elsewhere


COUNTED = (
    "SELECT (COUNT(?y) AS ?n) FROM STREAM :r [RANGE 2s] WHERE { ?x :p ?y }",
    "SELECT (COUNT(?y) AS ?n) WHERE { STREAM :r [RANGE 2s] { ?x :p ?y } }",
)


@pytest.mark.parametrize("function", ["COUNT", "SUM", "AVG", "MIN"])
def test_a_row_for_no_solution_is_no_static_data(function):
    queries = tuple(text.replace("COUNT", function) for text in COUNTED)
    facts = facts_of([("1", *"apb"), ("4", *"zzz")], lambda _: "r")
    found = explained(report(queries, facts, period=2, last=6, static=(), bounds="closed"))
    empty = None if function == "MIN" else '"0"^^<http://www.w3.org/2001/XMLSchema#integer>'
    assert [(one.end, *one[1:4]) for one in found if one.row == (empty,)] == [
        (end, "pull", (empty,), "aggregate of nothing") for end in (4, 6)
    ]


def test_what_no_input_supports_says_so(tmp_path):
    for name, text in zip(("cs.rq", "cq.rq"), COUNTED, strict=True):
        (tmp_path / name).write_text(expand(text))
    (tmp_path / "t.nq").write_text(f'{" ".join(names("a p b r"))} "1" .\n')
    files = (tmp_path / name for name in ("cs.rq", "cq.rq", "t.nq"))
    ran = lars("agree", *files, "--period", 4, "--to", 4, "--in-process")
    assert ("no input" in ran.out, "static data" in ran.out) == (True, False)


AVERAGES = {
    "push": ("(AVG(?y) AS ?n)", "", "GROUP BY ?x"),
    "key unused": ("(COUNT(?y) AS ?n)", "", "GROUP BY ?x"),
    "having": ("?x", "", "GROUP BY ?x HAVING (COUNT(?y) < 2)"),
    "subquery": ("?x", "{ SELECT ?x (SUM(?y) AS ?s) WHERE { {0} } GROUP BY ?x } FILTER (?s < 7)", ""),
}


def grouped(name, length, *lines):
    """Return the causes on lines of numbers, with U = 3."""
    shown, inner, tail = AVERAGES[name]
    block = f"STREAM :r [RANGE {length}s] {{ ?x :p ?y }}"
    parts = [(inner or "{0}").replace("{0}", part) for part in ("?x :p ?y", block)]
    queries = (
        f"SELECT {shown} FROM STREAM :r [RANGE {length}s] WHERE {{ {parts[0]} }} {tail}",
        f"SELECT {shown} WHERE {{ {parts[1]} }} {tail}",
    )
    number = '"%s"^^<http://www.w3.org/2001/XMLSchema#integer>'
    facts = [
        Fact(int(t), "striple", (*names("a p"), number % value, *names("r")))
        for t, value in map(str.split, lines)
    ]
    return [
        (one.end, one.side, one.cause)
        for one in explained(report(queries, facts, period=3, last=3, static=()))
    ]


@pytest.mark.parametrize("name", AVERAGES)
def test_an_aggregate_that_later_input_changes_is_over_other_input_and_nothing_blocks_it(name):
    found = grouped(name, 9, "1 1", "2 7")
    assert found[0] == (3, "push", "aggregate of other input")


@pytest.mark.parametrize("name", AVERAGES)
def test_an_aggregate_from_which_input_left_is_over_other_input_and_nothing_blocked_it(name):
    found = grouped(name, 1, "1 7", "1 8", "2 1")
    assert found[-1] == (3, "pull", "aggregate of other input")


def test_a_group_of_which_nothing_is_left_is_blocked():
    shape = "SELECT ?x (COUNT(?y) AS ?n) %s WHERE { %s MINUS { %s } } GROUP BY ?x"
    froms = "FROM STREAM :r [RANGE 9s] FROM STREAM :c [RANGE 9s]"
    blocks = "STREAM :r [RANGE 9s] { ?x :p ?y }", "STREAM :c [RANGE 9s] { ?x :q ?z }"
    queries = shape % (froms, "?x :p ?y", "?x :q ?z"), shape % ("", *blocks)
    facts = facts_of([("1", *"apb"), ("2", *"aqb")], lambda p: {"p": "r", "q": "c"}[p])
    found = explained(report(queries, facts, period=2, last=2, static=()))
    assert [(one.side, one.cause) for one in found] == [("push", "blocked later")]


def test_a_row_behind_others_has_the_same_aggregate_and_is_blocked():
    shape = "SELECT ?x (COUNT(?y) AS ?n) %s WHERE { %s } GROUP BY ?x ORDER BY DESC(?n) LIMIT 1"
    queries = (
        shape % ("FROM STREAM :r [RANGE 9s]", "?x :p ?y"),
        shape % ("", "STREAM :r [RANGE 9s] { ?x :p ?y }"),
    )
    facts = facts_of([("1", *"apb"), ("2", *"cpa"), ("2", *"cpb")], lambda _: "r")
    found = explained(report(queries, facts, period=2, last=2, static=()))
    assert [(one.side, one.row[1], one.cause) for one in found] == [("push", *names("a"), "blocked later")]


def test_a_row_that_an_aggregate_of_nothing_removes_is_no_blocked_one():
    shape = "%s OPTIONAL { SELECT (COUNT(?v) AS ?n) WHERE { %s } } FILTER (!BOUND(?n))"
    froms = "FROM STREAM :r [RANGE 2s] FROM STREAM :c [RANGE 2s]"
    blocks = (
        f"STREAM :{name} [RANGE 2s] {{ {part} }}" for name, part in (("r", "?x :p ?y"), ("c", "?u :z ?v"))
    )
    merged, apart = shape % ("?x :p ?y", "?u :z ?v"), shape % tuple(blocks)
    queries = f"SELECT ?x {froms} WHERE {{ {merged} }}", f"SELECT ?x WHERE {{ {apart} }}"
    facts = facts_of([("1", *"apb")], lambda _: "r")
    (found,) = explained(report(queries, facts, period=2, last=2, static=(), bounds="closed"))
    assert (found.side, names("a"), found.cause) == ("push", found.row, "aggregate of nothing")


def test_a_graph_in_which_nothing_is_counted_has_a_row_for_that():
    count = "GRAPH ?g { SELECT (COUNT(?v) AS ?n) WHERE { ?u :z ?v } }"
    queries = (
        f"SELECT ?g ?n FROM STREAM :r [RANGE 2s] WHERE {{ ?x :p ?y {count} }}",
        f"SELECT ?g ?n WHERE {{ STREAM :r [RANGE 2s] {{ ?x :p ?y }} {count} }}",
    )
    facts = facts_of([("1", *"apb")], lambda _: "r")
    found = explained(report(queries, facts, period=2, last=2, static=(), graphs=[("g", ["a q b"])]))
    assert [(one.side, one.row[0], one.cause) for one in found] == [
        ("pull", *names("g"), "aggregate of nothing")
    ]


EXAMPLES_PER_PROPERTY = settings(max_examples=size(25, 60), deadline=None, derandomize=True)


@EXAMPLES_PER_PROPERTY
@given(SPECS)
def test_both_sides_answer_as_the_second_implementation_does(spec):
    (verdict,) = variant_of(spec).verdicts
    expected = reference.compare(*scenarios(spec), spec.period)
    assert [(i.start, i.end, i.push, i.pull) for i in verdict.intervals] == [
        (one.after, one.until, text_rows(one.push), text_rows(one.pull)) for one in expected
    ]


@EXAMPLES_PER_PROPERTY
@given(SPECS)
def test_every_difference_has_exactly_one_cause(spec):
    variant = variant_of(spec)
    for interval in variant.verdicts[0].intervals:
        found = [(one.side, one.row) for one in variant.differences(interval)]
        assert len(found) == len(set(found))
        assert {row for side, row in found if side == "push"} == interval.push - interval.pull
        assert {row for side, row in found if side == "pull"} == interval.pull - interval.push


@EXAMPLES_PER_PROPERTY
@given(SPECS)
def test_static_only_holds_without_any_input(spec):
    pushed, pulled = (replace(scenario, arrivals=()) for scenario in scenarios(spec))
    alone = {"push": text_rows(reference.answers(pushed, LAST))}
    alone["pull"] = text_rows(reference.answers(pulled, LAST))
    for found in explained(variant_of(spec)):
        assert found.cause != "static only" or found.row in alone[found.side]


@EXAMPLES_PER_PROPERTY
@given(SPECS)
def test_the_side_and_the_period_fit_the_cause(spec):
    times = reference.push_times(arrivals_of(spec), reference.Timeline(0, LAST))
    sides = {"expired before the pull": "push", "blocked later": "push"}
    sides |= {"silent period": "pull", "blocker expired": "pull"}
    for found in explained(variant_of(spec)):
        evaluated = [t for t in times if found.end - spec.period < t <= found.end]
        assert sides.get(found.cause, found.side) == found.side
        if found.cause in ("silent period", "blocker expired"):
            assert bool(evaluated) is (found.cause == "blocker expired")
        if found.cause in ("blocked later", "blocker expired"):
            assert spec.operator in ("OPTIONAL", "MINUS")


@EXAMPLES_PER_PROPERTY
@given(SPECS)
def test_merged_sources_is_what_the_other_query_would_not_see_either(spec):
    variant = variant_of(spec)
    pushed, pulled = scenarios(spec)
    for found in explained(variant):
        if found.cause == "merged sources" and found.side == "pull":
            assert found.row not in text_rows(reference.answers(pushed, found.end))
        elif found.cause == "merged sources":
            at = where_from(found, spec, variant)
            assert found.row not in text_rows(reference.answers(pulled, at))


def visible(spec, at):
    _, scenario = scenarios(spec)
    return {
        (window.stream, *triple)
        for window in scenario.windows.values()
        for triple in reference.contents(window, scenario.arrivals, at, scenario.timeline)
    }


@EXAMPLES_PER_PROPERTY
@given(SPECS)
def test_the_support_is_input_that_the_windows_show_at_that_time(spec):
    variant = variant_of(spec)
    given_input = {(one.t, *one[2:], one.stream) for one in arrivals_of(spec)}
    for found in explained(variant):
        shown = visible(spec, where_from(found, spec, variant))
        for fact in found.support:
            *triple, stream = (URIRef(text[1:-1]) for text in fact.arguments)
            assert (fact.t, *triple, str(stream)) in given_input
            assert (str(stream), *triple) in shown


@EXAMPLES_PER_PROPERTY
@given(SPECS.filter(lambda spec: spec.operator in ("none", ".")))
def test_the_support_of_a_monotone_query_gives_the_row_alone(spec):
    variant = variant_of(spec)
    for found in explained(variant):
        triples = [tuple(URIRef(text[1:-1]) for text in fact.arguments) for fact in found.support]
        alone = [
            reference.Arrival(fact.t, str(stream), s, p, o)
            for fact, (s, p, o, stream) in zip(found.support, triples, strict=True)
        ]
        side = scenarios(spec, alone)[0 if found.side == "push" else 1]
        assert found.row in text_rows(reference.answers(side, where_from(found, spec, variant)))


@EXAMPLES_PER_PROPERTY
@given(SPECS.filter(lambda spec: not any("ROWS" in window[0] for window in spec.windows)))
def test_blocked_later_is_what_would_hold_had_nothing_more_come(spec):
    variant = variant_of(spec)
    for found in explained(variant):
        if found.cause in ("blocked later", "expired before the pull"):
            last = where_from(found, spec, variant)
            _, pulled = scenarios(spec, [one for one in arrivals_of(spec) if one.t <= last])
            held = found.row in text_rows(reference.answers(pulled, found.end))
            assert (found.cause == "blocked later") is held
