"""Worked examples of RSP-QL (2014) and of the functional tests of 2013, each through both evaluations.

The rows are those that the papers print, with their slips mended: in Example 10 alice owns shop a.
"""

import pytest

from agreement.documents.recordings import Push
from agreement.engines.specifications import builtin, elements_of, evaluated_windows, evaluations
from lars.durations import Duration
from lars.errors import LarsError
from tests.agreement.engines.specifications.operational import Machine, Run, Version, Window, run
from tests.agreement.engines.specifications.operational_moments import Policy
from tests.agreement.engines.specifications.specification_examples import (
    arrivals,
    block,
    case,
    select,
    short,
    told,
    triple,
)
from tests.sparql.syntax import E, Filter, Group, InGraph, Iri, Op, Query, Select, Step, Var

NEAR = "diana isNearby a @2, eve isNearby b @2, carl isNearby a @5, eve isNearby a @7, diana isNearby b @12"
OFFERS = "alice offers 'ten' @8, bob offers 'coffee' @15"
ROOMS = "m1 in r1 @1, m2 in r1 @3, m1 in r2 @12, m2 in r2 @15"
APART = "m1 in r1 @0, m2 in r2 @5, m3 in r1 @10, m4 in r2 @15"
CLOSE, FILLED, CHANGE = (
    frozenset(names.split()) for names in ("window-close", "window-close non-empty", "content-change")
)
EVERY = frozenset({"periodic"})


def nearby(parameters, strategies, until, trace=NEAR):
    window = Window(E + "nearby", "time", *parameters, strategies, Iri(E + "w0"))
    query = select("who shop", InGraph(Iri(E + "w0"), Group((block("?who isNearby ?shop"),))))
    return case("rspql", Run(query, (window,), arrivals(nearby=trace), Policy(), until))


def coupons():
    """Return Example 10: (5,2,1) on one stream, (2,2,0) on the other, which alone reports."""
    one, other = Iri(E + "w0"), Iri(E + "w1")
    parts = (
        InGraph(one, Group((block("?shopper isNearby ?shop"),))),
        InGraph(other, Group((block("?owner offers ?coupon"),))),
        block("?owner owns ?shop"),
    )
    windows = (
        Window(E + "nearby", "time", 5, 2, 1, frozenset(), one),
        Window(E + "coupon", "time", 2, 2, 0, FILLED, other),
    )
    both = frozenset({triple("alice owns a"), triple("bob owns b")})
    versions = (Version(both, 2, 13), Version(frozenset({triple("bob owns b")}), 14))
    query, trace = select("shopper shop owner coupon", *parts), arrivals(nearby=NEAR, coupon=OFFERS)
    return case("rspql", Run(query, windows, trace, Policy(), 20, versions=versions))


def test_example_10_evaluates_at_8_and_16_and_reports_three_rows():
    assert list(map(short, told(coupons()))) == [
        (8, ["ten alice a carl", "ten alice a eve"]),
        (16, ["coffee bob b diana"]),
    ]


class LatestOpened(Machine):
    """Definition 13 as printed: the present window is the one that opened most recently."""

    def opened(self, window, moment):
        return window.start + max(0, moment.t - 1 - window.start) // window.slide * window.slide


def test_the_window_that_opened_last_would_show_nothing_in_example_10():
    found = run(coupons().run, LatestOpened)
    assert [(one.t, one.rows.total(), one.sizes[0]) for one in found] == [(8, 0, 0), (16, 0, 0)]


def test_example_6_is_what_carl_and_eve_do_in_four_to_eight():
    assert list(map(short, told(nearby((4, 4, 4), CLOSE, 8)))) == [(8, ["a carl", "a eve"])]


def test_example_7_shows_at_9_the_window_that_opened_at_5():
    assert short(told(nearby((5, 2, 1), EVERY, 9))[-1]) == (9, ["a eve"])


def test_many_windows_that_close_are_all_reported():
    assert [line.t for line in told(nearby((2, 1, 0), CLOSE, 150))] == list(range(2, 151))


def test_theorem_1_fails_in_the_transient_only():
    each = ", ".join(f"p{t} isNearby a @{t}" for t in range(1, 15))
    first, second = (dict(map(short, told(nearby((5, 2, t0), EVERY, 14, each)))) for t0 in (1, 3))
    assert [t for t in second if first[t] != second[t]] == [4, 5, 6]
    assert list(second) == list(range(4, 15))


def together(language, t0):
    """Return Stream 1 and the question whether both are in the same room, as an engine is asked it."""
    name = Iri(E + "w0") if language == "cqels" else None
    pattern = block("m1 in ?room . m2 in ?room")
    query = select("room", InGraph(name, Group((pattern,))) if name else pattern)
    strategies = {"csparql": FILLED, "sparqlstream": CLOSE, "cqels": CHANGE}[language]
    window = Window(E + "rooms", "time", 10, 10, t0, strategies, name)
    return case(language, Run(query, (window,), arrivals(rooms=ROOMS), POLICIES[language], 29))


POLICIES = {
    "csparql": Policy("high-open"),
    "sparqlstream": Policy("high-open", empty="silent"),
    "cqels": Policy("closed", operator="ISTREAM", empty="silent"),
}
BLOCKS = {
    0: {10: ["r1"], 20: ["r2"]},
    1: {11: ["r1"], 21: ["r2"]},
    2: {12: [], 22: ["r2"]},
    **{t0: {t0 + 10: [], t0 + 20: []} for t0 in (3, 4, 5)},
    **{t0: {t0 + 10: ["r2"]} for t0 in (6, 7, 8, 9)},
}


@pytest.mark.parametrize("t0", range(10))
def test_c_sparql_reports_each_block_that_is_not_empty(t0):
    found = told(together("csparql", t0), builtin("csparql"))
    assert dict(map(short, found)) == BLOCKS[t0]


@pytest.mark.parametrize("t0", range(10))
def test_sparqlstream_evaluates_the_empty_block_too_and_is_silent_without_rows(t0):
    found = told(together("sparqlstream", t0), builtin("sparqlstream"))
    assert [one.t for one in found] == [t for t in (t0 + 10, t0 + 20) if t <= 29]
    reported = {t: rows for t, rows in map(short, found) if rows is not None}
    assert reported == {t: rows for t, rows in BLOCKS[t0].items() if rows}
    assert [one.t for one in found if one.sizes == (0,)] == [t0 + 20] * (t0 >= 6)


@pytest.mark.parametrize("t0", range(14))
def test_cqels_reports_r2_whenever_it_is_registered_before_the_third_element(t0):
    found = [short(one) for one in told(together("cqels", t0), builtin("cqels")) if one.reported]
    assert found == [(3, ["r1"])] * (t0 <= 1) + [(15, ["r2"])] * (t0 <= 12)


def rooms(language, *, filtered):
    """Return Stream 2 and who are in one room within 3 s, other ones if `filtered`."""
    name = Iri(E + "w0") if language == "cqels" else None
    pattern = block("?p1 in ?room . ?p2 in ?room")
    parts = [InGraph(name, Group((pattern,))) if name else pattern]
    if filtered:
        parts.append(Filter(Op("!=", (Var("p1"), Var("p2")))))
    strategies = {"csparql": FILLED, "sparqlstream": CLOSE, "cqels": CHANGE}[language]
    window = Window(E + "rooms", "time", 3, 3, 0, strategies, name)
    query = select("p1 p2 room", *parts)
    return case(language, Run(query, (window,), arrivals(rooms=APART), POLICIES[language], 18))


SAME = {n: f"m{n} m{n} r{(n + 1) % 2 + 1}" for n in (1, 2, 3, 4)}
TABLE_3 = {
    "csparql": [(3, [SAME[1]]), (6, [SAME[2]]), (12, [SAME[3]]), (18, [SAME[4]])],
    "sparqlstream": [(3, [SAME[1]]), (6, [SAME[2]]), (9, None), (12, [SAME[3]]), (15, None), (18, [SAME[4]])],
    "cqels": [(0, [SAME[1]]), (5, [SAME[2]]), (10, [SAME[3]]), (15, [SAME[4]])],
}


@pytest.mark.parametrize("language", TABLE_3)
def test_table_3_joins_each_detection_with_itself_alone(language):
    found = told(rooms(language, filtered=False), builtin(language))
    assert list(map(short, found)) == TABLE_3[language]


@pytest.mark.parametrize("language", TABLE_3)
def test_table_2_has_no_row_since_no_window_holds_two_detections(language):
    found = told(rooms(language, filtered=True), builtin(language))
    assert [one.t for one in found] == [t for t, _ in TABLE_3[language]]
    assert not any(one.rows for one in found)
    assert any(one.reported for one in found) is (language == "csparql")


def test_the_rows_of_a_construct_are_triples_of_the_stream_that_it_makes():
    template = (Step(Var("room"), Iri(E + "holds"), Var("who")),)
    query = Query("CONSTRUCT", Select(Group((block("?who in ?room"),))), template)
    window = Window(E + "rooms", "time", 10, 10, 0, CLOSE)
    one = case("csparql", Run(query, (window,), arrivals(rooms=ROOMS), Policy(operator="DSTREAM"), 30))
    assert [rows for _, rows in map(short, told(one))] == [
        [], ["r1 holds m1", "r1 holds m2"], ["r2 holds m1", "r2 holds m2"],
    ]  # fmt: skip
    task = one.task()
    places = one.places(task)
    (*_, last) = evaluations(evaluated_windows(task, one.specification(places), one.choice(places)))
    assert last.rows[0] == (f"<{E}r2>", f"<{E}holds>", f"<{E}m1>")


def test_a_time_between_two_time_points_is_refused_however_late():
    for t in (1500.0, 1_700_000_000_400.0, 2.0**48 + 0.5):
        unit = Duration(10**9 if t < 2**48 else 10**6)
        with pytest.raises(LarsError, match="which is not a multiple of the unit"):
            elements_of([Push(t, "S", ("<urn:s>", "<urn:p>", "<urn:o>"))], unit)
    (found,) = elements_of([Push(1_700_000_000_000.0, "S", ("s", "p", "o"))], Duration(10**9))
    assert found.t == 1_700_000_000


def test_a_late_time_is_the_time_point_that_its_floating_point_number_is_nearest_to():
    unit, times = Duration(100), range(10**12, 10**12 + 100)
    pushes = [Push(t * unit.milliseconds, "S", ("s", "p", "o")) for t in times]
    assert [found.t for found in elements_of(pushes, unit)] == list(times)
    with pytest.raises(LarsError, match="not a multiple of the unit 100ns"):
        elements_of([Push((10**12 + 0.5) * unit.milliseconds, "S", ("s", "p", "o"))], unit)
