"""The second implementation against every figure that was derived by hand."""

import pytest
from rdflib import Graph, Literal, URIRef

from tests.agreement.reference import (
    Arrival,
    Rows,
    Scenario,
    Timeline,
    Window,
    agree,
    answers,
    compare,
    contents,
    evaluate,
    pull,
    pull_times,
    push,
    push_times,
    short,
)

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib.*")

NS = "http://example.org/"
PREFIX = f"PREFIX : <{NS}>\n"
B = {("25", "rayban", "b")}
MINUTES = Timeline(0, 50)


def node(text: str) -> URIRef | Literal:
    return Literal(int(text)) if text.lstrip("-").isdigit() else URIRef(NS + text)


def arrival(t: int, stream: str, triple: str) -> Arrival:
    s, p, o = map(node, triple.split())
    return Arrival(t, stream, s, p, o)


def graph(*triples: str) -> Graph:
    found = Graph()
    for triple in triples:
        s, p, o = map(node, triple.split())
        found.add((s, p, o))
    return found


COUPONS = "?shop :offers ?coupon . ?coupon :on ?product . ?coupon :reduce ?percent"
NEAR = "?user :isNear ?shop"
REST = "?product :g_classify ?gender . FILTER (?percent >= 20 && ?gender != 1)"
COUPON_ARRIVALS = (
    arrival(10, "coupons", "a offers c1"),
    arrival(10, "coupons", "c1 on mbt"),
    arrival(10, "coupons", "c1 reduce 30"),
    arrival(15, "coupons", "b offers c2"),
    arrival(15, "coupons", "c2 on rayban"),
    arrival(15, "coupons", "c2 reduce 25"),
    arrival(18, "locations", "claire isNear a"),
    arrival(18, "locations", "claire isNear b"),
)
PRODUCTS = ("mbt g_classify 1", "rayban g_classify 0")
STRATEGIES = [(c, n) for c in ("brave", "cautious") for n in ("brave", "cautious")]
BOUNDS = ("closed", "low-open", "high-open")


def stream_part(window: str, pattern: str, strategy: str) -> str:
    block = f"{{ GRAPH :{window} {{ {pattern} }} }}"
    return block if strategy == "brave" else f"{{ {block} UNION {{ {pattern} }} }}"


def coupon_text(strategy: tuple[str, str] | None) -> str:
    if strategy is None:
        where = f"{COUPONS} . {NEAR} . {REST}"
    else:
        coupons, near = strategy
        where = f"{stream_part('w1', COUPONS, coupons)} {stream_part('w2', NEAR, near)} {REST}"
    return f"{PREFIX} SELECT ?shop ?product ?percent WHERE {{ {where} }}"


def coupons(bounds: str, strategy: tuple[str, str] | None, *more: str) -> Scenario:
    windows = {
        NS + "w1": Window("coupons", 30, bounds=bounds),
        NS + "w2": Window("locations", 5, bounds=bounds),
    }
    text, static = coupon_text(strategy), graph(*PRODUCTS, *more)
    return Scenario(text, windows, COUPON_ARRIVALS, MINUTES, merged=strategy is None, static=static)


def times_of(outputs: dict[int, Rows]) -> set[int]:
    assert all(short(rows) in (set(), B) for rows in outputs.values())
    return {t for t, rows in outputs.items() if rows}


@pytest.mark.parametrize(
    ("bounds", "first", "last"), [("closed", 18, 23), ("low-open", 18, 22), ("high-open", 19, 23)]
)
def test_the_coupon_row_holds_at_these_time_points(bounds, first, last):
    assert times_of(pull(coupons(bounds, None), 1)) == set(range(first, last + 1))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("bounds", "times"), [("closed", {18}), ("low-open", {18}), ("high-open", set())])
def test_each_cqels_query_pushes_the_coupon_row_at_the_last_arrival(strategy, bounds, times):
    pushed = push(coupons(bounds, strategy))
    assert set(pushed) == {10, 15, 18}
    assert times_of(pushed) == times


@pytest.mark.parametrize(
    ("period", "times"),
    [
        (1, {18, 19, 20, 21, 22, 23}),
        (2, {18, 20, 22}),
        (3, {18, 21}),
        (5, {20}),
        (6, {18}),
        (7, {21}),
        (9, {18}),
        (10, {20}),
    ],
)
def test_a_pull_has_the_coupon_row_at_multiples_of_its_period(period, times):
    assert times_of(pull(coupons("closed", None), period)) == times


CLOSED_AGREES = {4, 5, 6, 7, 9, 10, 11, *range(18, 24)}


@pytest.mark.parametrize(
    ("bounds", "agreeing"),
    [
        ("closed", CLOSED_AGREES),
        ("low-open", CLOSED_AGREES - {23}),
        ("high-open", {6, 8, 9, *range(12, 19), *range(24, 51)}),
    ],
)
def test_exactly_these_periods_agree_on_the_coupons(bounds, agreeing):
    pushed, pulled = coupons(bounds, ("brave", "brave")), coupons(bounds, None)
    assert {u for u in range(1, 51) if agree(compare(pushed, pulled, u))} == agreeing
    assert agree(compare(pushed, pulled, 51)) is None


@pytest.mark.parametrize(
    ("period", "violations"),
    [
        (1, {(t, t + 1): (set(), B) for t in range(18, 23)}),
        (2, {(18, 20): (set(), B), (20, 22): (set(), B)}),
        (3, {(18, 21): (set(), B)}),
        (8, {(16, 24): (B, set())}),
        (12, {(12, 24): (B, set())}),
        (24, {(0, 24): (B, set())}),
    ],
)
def test_a_disagreeing_period_names_its_intervals(period, violations):
    periods = compare(coupons("closed", ("brave", "brave")), coupons("closed", None), period)
    found = {(p.after, p.until): (short(p.push), short(p.pull)) for p in periods if not p.agree}
    assert found == violations


@pytest.mark.parametrize(("bounds", "last"), [("closed", 45), ("low-open", 44)])
def test_a_static_location_completes_the_pulled_row(bounds, last):
    assert times_of(pull(coupons(bounds, None, "claire isNear b"), 1)) == set(range(15, last + 1))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_only_a_cautious_location_sees_the_static_one(strategy):
    at_15 = answers(coupons("closed", strategy, "claire isNear b"), 15)
    assert short(at_15) == (B if strategy[1] == "cautious" else set())


@pytest.mark.parametrize(("strategy", "rows"), [(None, {("m", "a")}), ("brave", set()), ("cautious", set())])
def test_the_merge_is_per_triple_and_the_union_per_pattern(strategy, rows):
    pattern = "?s :offers ?c . ?c :on ?p"
    where = pattern if strategy is None else stream_part("w", pattern, strategy)
    text = f"{PREFIX} SELECT ?s ?p {{ {where} }}"
    arrivals = [arrival(3, "s", "a offers c1")]
    windows = {NS + "w": Window("s", 5)}
    side = Scenario(text, windows, arrivals, Timeline(0, 10), strategy is None, graph("c1 on m"))
    assert short(answers(side, 3)) == rows


def both(pattern: str) -> tuple[str, str]:
    return f"SELECT * {{ {pattern} }}", f"SELECT * {{ GRAPH :w {{ {pattern} }} }}"


def one_window(
    window: Window, arrivals: list[Arrival], timeline: Timeline, queries: tuple[str, str]
) -> list[Scenario]:
    windows = {NS + "w": window}
    return [
        Scenario(PREFIX + query, windows, arrivals, timeline, merged=merged)
        for query, merged in zip(queries, (True, False), strict=True)
    ]


def test_equal_total_input_is_not_enough_under_minus():
    pulled, pushed = one_window(
        Window("s", 5),
        [arrival(1, "s", "x p y"), arrival(2, "s", "x q z")],
        Timeline(0, 2),
        (
            "SELECT ?x { ?x :p ?y MINUS { ?x :q ?z } }",
            "SELECT ?x { GRAPH :w { ?x :p ?y } MINUS { GRAPH :w { ?x :q ?z } } }",
        ),
    )
    assert {t: short(rows) for t, rows in push(pushed).items()} == {1: {("x",)}, 2: set()}
    assert [(p.after, p.until, p.agree) for p in compare(pushed, pulled, 2)] == [(0, 2, False)]
    assert answers(pulled, 2) == frozenset()


def test_a_slide_hides_input_from_push_and_not_from_pull():
    arrivals = [arrival(1, "s", "x p y")]
    pulled, pushed = one_window(Window("s", 3, step=3), arrivals, Timeline(0, 3), both("?x :p ?y"))
    assert [(short(p.push), short(p.pull)) for p in compare(pushed, pulled, 3)] == [(set(), {("x", "y")})]


DETECTED = [
    arrival(t, "s", f"{p} at {r}")
    for t, p, r in [(1, "m1", "r1"), (3, "m2", "r1"), (12, "m1", "r2"), (15, "m2", "r2")]
]
SELF = [
    arrival(t, "s", f"{p} at {r}")
    for t, p, r in [(0, "m1", "r1"), (5, "m2", "r2"), (10, "m3", "r1"), (15, "m4", "r2")]
]


@pytest.mark.parametrize(
    ("registered", "reports"),
    [(0, {3: {("r1",)}, 15: {("r2",)}}), (1, {3: {("r1",)}, 15: {("r2",)}})]
    + [(t0, {15: {("r2",)}}) for t0 in range(2, 10)],
)
def test_cqels_reports_both_in_the_same_room_since_its_registration(registered, reports):
    seen = [one for one in DETECTED if one.t >= registered]
    same = ":m1 :at ?room . :m2 :at ?room"
    _, pushed = one_window(Window("s", 10), seen, Timeline(0, 30), both(same))
    assert {t: short(rows) for t, rows in push(pushed).items() if rows} == reports


def test_cqels_pairs_each_person_with_itself():
    pair = "?p1 :at ?room . ?p2 :at ?room"
    _, pushed = one_window(Window("s", 3), SELF, Timeline(0, 18), both(pair))
    assert {t: short(rows) for t, rows in push(pushed).items()} == {
        0: {("m1", "m1", "r1")},
        5: {("m2", "m2", "r2")},
        10: {("m3", "m3", "r1")},
        15: {("m4", "m4", "r2")},
    }


def test_high_open_tumbling_windows_report_at_their_ends():
    pair = "?p1 :at ?room . ?p2 :at ?room"
    pulled, _ = one_window(Window("s", 3, 3, "high-open"), SELF, Timeline(0, 18), both(pair))
    found = {t: short(rows) for t, rows in pull(pulled, 3).items() if rows}
    assert {t: {row[0] for row in rows} for t, rows in found.items()} == {
        3: {"m1"},
        6: {"m2"},
        12: {"m3"},
        18: {"m4"},
    }


N_DATA = ("s1 p o1", "t1 l x")


@pytest.mark.parametrize(
    ("data", "select", "where", "rows"),
    [
        (N_DATA, "?s ?n ?t", "{?s :p ?o OPTIONAL {?s :n ?n}} {?t :l ?n}", {("x", "s1", "t1")}),
        (
            N_DATA,
            "?s ?n ?t",
            "{?s :p ?o OPTIONAL {?s :n ?n}} {?t :l ?x OPTIONAL {?t :n ?n}}",
            {(None, "s1", "t1")},
        ),
        (("s1 p o1", "x q y"), "?s", "?s :p ?o MINUS {?x :q ?y}", {("s1",)}),
        (("s1 p o1", "x q y"), "?s ?x", "?s :p ?o OPTIONAL {?x :q ?y}", {("s1", "x")}),
        (N_DATA, "?s ?n ?t", "{?s :p ?o OPTIONAL {?s :n ?n}} OPTIONAL {?t :l ?n}", {("x", "s1", "t1")}),
        (N_DATA, "?s ?n", "{?s :p ?o OPTIONAL {?s :n ?n}} MINUS {?t :l ?n}", {(None, "s1")}),
        (("s p 5", "s q 3", "s q 7"), "?s ?b", "?s :p ?a OPTIONAL {?s :q ?b FILTER(?b < ?a)}", {("3", "s")}),
        (("s p 5", "s q 7"), "?s ?b", "?s :p ?a OPTIONAL {?s :q ?b FILTER(?b < ?a)}", {(None, "s")}),
        (("s p o",), "?s", "?s :p ?o OPTIONAL {?s :n ?n} FILTER(?n != :x)", set()),
        (("s p o",), "?s", "?s :p ?o OPTIONAL {?s :n ?n} FILTER(!(?n = :x))", set()),
        (("s p o",), "?s", "?s :p ?o OPTIONAL {?s :n ?n} FILTER(?n = :x || true)", {("s",)}),
        (("a p x", "a p y"), "?s", "?s :p ?o", {("a",)}),
    ],
    ids=["N1", "N2", "N3", "N4", "N5", "N6", "F1", "F4", "F2a", "F2b", "F3", "B1"],
)
def test_rdflib_evaluates_as_sparql_says(data, select, where, rows):
    assert short(evaluate(f"{PREFIX} SELECT {select} {{ {where} }}", graph(*data))) == rows


def test_graph_with_a_variable_ranges_over_the_named_graphs():
    named = {NS + "g1": graph("s1 p o1"), NS + "g2": graph("s2 q o2")}
    text = f"{PREFIX} SELECT ?g ?s {{ GRAPH ?g {{ {{?s :p ?o}} UNION {{?s :q ?o}} }} }}"
    assert short(evaluate(text, graph("s0 p o0"), named)) == {("g1", "s1"), ("g2", "s2")}


def subjects(window: Window, at: int, *times: int) -> list[str]:
    arrivals = [arrival(t, "s", f"x{t} p y") for t in times]
    return [str(s).rsplit("/", 1)[-1] for s, _, _ in contents(window, arrivals, at, Timeline(0, 20))]


@pytest.mark.parametrize(
    ("window", "at", "shown"),
    [
        (Window("s", 3), 6, ["x3", "x5", "x6"]),
        (Window("s", 3, bounds="low-open"), 6, ["x5", "x6"]),
        (Window("s", 3, bounds="high-open"), 6, ["x3", "x5"]),
        (Window("s", 3, step=4), 7, ["x1", "x3"]),
        (Window("s", 0), 5, ["x5"]),
        (Window("s", 0, bounds="low-open"), 5, ["x5"]),
        (Window("s", 0, bounds="high-open"), 5, ["x5"]),
        (Window("s"), 5, ["x1", "x3", "x5"]),
        (Window("s", rows=2), 5, ["x3", "x5"]),
        (Window("s", rows=2), 2, ["x1"]),
        (Window("s", rows=9), 20, ["x1", "x3", "x5", "x6"]),
        (Window("other", 9), 6, []),
    ],
)
def test_a_window_shows_these_arrivals(window, at, shown):
    assert subjects(window, at, 1, 3, 5, 6) == shown


def test_a_tuple_window_counts_equal_arrivals_of_one_instant_once():
    arrivals = [arrival(2, "s", text) for text in ("a p y", "b p y", "a p y", "c p y")]
    shown = contents(Window("s", rows=3), arrivals, 2, Timeline(0, 5))
    assert [str(s)[-1] for s, _, _ in shown] == ["a", "b", "c"]


def test_a_tuple_window_counts_a_triple_again_when_it_arrives_again():
    arrivals = [arrival(1, "s", "a p y"), arrival(2, "s", "b p y"), arrival(3, "s", "b p y")]
    shown = contents(Window("s", rows=2), arrivals, 3, Timeline(0, 5))
    assert [str(s)[-1] for s, _, _ in shown] == ["b", "b"]


def test_push_evaluates_at_input_and_pull_at_multiples():
    arrivals = [arrival(4, "s", "a p y"), arrival(7, "t", "a p y"), arrival(30, "s", "a p y")]
    assert push_times(arrivals, Timeline(0, 10)) == [4, 7]
    assert push_times(arrivals, Timeline(0, 10), {"t"}) == [7]
    assert pull_times(5, Timeline(3, 10)) == [5, 10]


@pytest.mark.parametrize(("first", "period", "ends"), [(0, 4, [4, 8]), (1, 4, [4, 8]), (2, 4, [8])])
def test_only_whole_periods_inside_the_timeline_are_compared(first, period, ends):
    pulled, pushed = one_window(Window("s", 3), [], Timeline(first, 10), both("?x :p ?y"))
    assert [one.until for one in compare(pushed, pulled, period)] == ends


def test_input_at_time_zero_lies_in_no_period():
    start = [arrival(0, "s", "x p y")]
    pulled, pushed = one_window(Window("s", 0), start, Timeline(0, 4), both("?x :p ?y"))
    assert short(push(pushed)[0]) == {("x", "y")}
    assert agree(compare(pushed, pulled, 2)) is True
