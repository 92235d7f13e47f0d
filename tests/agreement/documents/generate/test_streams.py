"""What a plan says of its stream holds of it."""

import hashlib
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.documents.generate import Plan
from agreement.documents.generate.elements import Thermometer, elements, plan_parts, pushes_of
from agreement.documents.generate.writing import text
from lars.durations import Duration, read_duration
from lars.language.windows import Interval
from tests.agreement.documents.generate.plans import output, plans, whole
from tests.packs import ROOT

HOUR = read_duration("1h")
EVERYTHING = Plan(
    stations=9,
    duration=read_duration("10s"),
    seed=7,
    values=(Decimal("-5.0"), Decimal("35.0")),
    walk=Decimal("1.5"),
    streams=2,
    bursts=(2, read_duration("30ms")),
    arrivals="poisson",
    contemporaneous=2,
    duplicates=Fraction("0.1"),
    out_of_order=Fraction("0.2"),
    delay=read_duration("2s"),
)
DIGEST = "b0e8ec771403db1f2777586d12f552b8cd851dc9cf13707399f6df67280a3ed1"


def by_station(found):
    ordered = sorted(found, key=lambda one: (one.station, one.t, one.cell, one.nth))
    return {station: list(ours) for station, ours in groupby(ordered, key=lambda one: one.station)}


def near(found, expected):
    """Whether a count of independent events is within five standard deviations of its mean."""
    return abs(found - expected) < 5 * expected**0.5


@given(plans(), st.data())
def test_however_a_stream_is_cut_its_parts_are_the_whole(plan, data):
    found = whole(plan)
    last = max((one.arrival for one in found), default=0)
    cuts = sorted(data.draw(st.sets(st.integers(0, last), max_size=5)))
    pieces = [Interval(a, b - 1) for a, b in pairwise([0, *cuts, last + 1])]
    assert [one for piece in pieces for one in elements(plan, piece)] == found
    assert [one for part in plan_parts(plan) for one in elements(plan, part)] == found


@given(plans())
def test_elements_lie_in_the_duration_and_arrive_in_order(plan):
    found = whole(plan)
    first = plan.points(plan.start)
    assert all(one.t in Interval(first, first + plan.points(plan.duration) - 1) for one in found)
    assert all(0 <= one.late <= plan.points(plan.lateness) for one in found)
    assert all(before.arrival <= after.arrival for before, after in pairwise(found))


@given(plans())
def test_values_keep_to_their_bounds_and_decimals(plan):
    for one in whole(plan):
        found = Decimal(one.value)
        assert -found.as_tuple().exponent == plan.scaled[-1]
        assert plan.values[0] <= found <= plan.values[1]


@given(plans())
def test_two_observations_have_different_names(plan):
    names = Counter(one.triples[0][0] for one in whole(plan) if not one.copy)
    assert set(names.values()) <= {1}


def test_a_station_observes_regularly_from_a_random_offset():
    plan = Plan(stations=200, interval=read_duration("700ms"), duration=read_duration("10s"))
    offsets = set()
    for ours in by_station(whole(plan)).values():
        first = ours[0].t
        assert [one.t for one in ours] == list(range(first, 10_000, 700))
        assert first < 700
        offsets.add(first)
    assert len(offsets) > 150


def test_stations_of_a_group_share_their_instants():
    plan = Plan(stations=7, contemporaneous=3, arrivals="poisson")
    times = [[one.t for one in ours] for ours in by_station(whole(plan)).values()]
    assert times[0] == times[1] == times[2] != times[3]
    assert times[3] == times[4] == times[5] != times[6]


def test_a_burst_is_an_observation_several_times():
    plan = Plan(stations=3, bursts=(4, read_duration("20ms")), duration=read_duration("5s"))
    for ours in by_station(whole(plan)).values():
        first = ours[0].t
        assert [one.t for one in ours] == [first + 1000 * k + 20 * n for k in range(5) for n in range(4)]


def test_poisson_arrivals_have_the_mean_and_the_variance_of_their_rate():
    plan = Plan(arrivals="poisson", duration=HOUR, unit=read_duration("1ms"))
    counts = Counter(one.t // 1000 for one in whole(plan))
    cells = [counts[second] for second in range(3600)]
    variance = sum((count - 1) ** 2 for count in cells) / 3600
    assert near(sum(cells), 3600)
    assert 0.8 < variance < 1.2
    assert near(sum(one.t % 1000 < 250 for one in whole(plan)), 900)


@pytest.mark.parametrize("share", [Fraction(1, 10), Fraction(1)])
def test_the_share_of_duplicates_is_sent_again(share):
    sent = Counter((push.t, push.triple) for push in pushes_of(Plan(duration=HOUR, duplicates=share)))
    assert set(sent.values()) <= {1, 2}
    again = sum(count == 2 for count in sent.values()) / 7
    assert again == 3600 if share == 1 else near(again, 360)


def test_the_share_of_late_elements_arrives_late():
    plan = Plan(duration=HOUR, out_of_order=Fraction(1, 10), delay=read_duration("3s"))
    delays = [one.late for one in whole(plan) if one.late]
    assert near(len(delays), 360)
    assert max(delays) <= 3000 < 2 * sum(delays) / len(delays) * 1.2
    times = [one.t for one in whole(plan)]
    assert times != sorted(times)


def test_a_late_element_is_at_least_one_unit_late():
    plan = Plan(out_of_order=Fraction(1), delay=read_duration("1ms"))
    assert {one.late for one in whole(plan)} == {1}
    two = Plan(out_of_order=Fraction(1), delay=read_duration("2ms"))
    assert {one.late for one in whole(two)} == {1, 2}


def test_uniform_values_are_equally_likely():
    counts = Counter(one.value for one in whole(Plan(duration=HOUR, values=(Decimal(-3), Decimal(2)))))
    assert set(counts) == {"-3", "-2", "-1", "0", "1", "2"}
    assert all(near(count, 600) for count in counts.values())


def test_a_walk_goes_a_step_each_interval_whichever_cell_is_asked_first():
    plan = Plan(values=(Decimal(0), Decimal(10_000)), walk=Decimal(3), seed=4)
    walk = Thermometer(plan, 0)
    values = [int(walk.at(cell, 0)) for cell in range(2000)]
    assert {abs(after - before) for before, after in pairwise(values)} == {3}
    assert [int(Thermometer(plan, 0).at(cell, 0)) for cell in (511, 512, 1999)] == [
        values[cell] for cell in (511, 512, 1999)
    ]


def test_stations_are_dealt_out_over_the_streams():
    plan = Plan(stations=7, streams=3, stream_iri="urn:s")
    streams = {push.stream for push in pushes_of(plan)}
    assert streams == {"<urn:s1>", "<urn:s2>", "<urn:s3>"}
    assert [plan.stream_of(station)[-2] for station in range(7)] == list("1231231")


def digest():
    lines = text("nquads", output(EVERYTHING, "nquads").elements(Interval(0, 20_000)))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def test_the_stream_of_a_plan_never_changes():
    assert digest() == DIGEST


def test_another_process_makes_the_same_stream():
    code = f"from {__name__} import digest; print(digest())"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == digest()


def test_pushes_count_milliseconds_and_number_their_elements():
    plan = Plan(unit=read_duration("1s"), duration=read_duration("3s"), start=read_duration("5s"))
    assert sorted({(push.t, push.graph) for push in pushes_of(plan)}) == [(5000, 0), (6000, 1), (7000, 2)]
    half = Duration(500_000)
    assert {push.t for push in pushes_of(Plan(unit=half, interval=half, duration=Duration(10**6)))} == {
        0,
        0.5,
    }


def test_the_generator_needs_no_spark():
    code = (
        "import sys, agreement.documents.generate; print('pyspark' in sys.modules, 'pandas' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False False"


def test_a_burst_beyond_the_end_costs_nothing():
    """The elements are those of a burst that lasts as long as the stream."""
    long, whole_stream = (
        Plan(bursts=(size, read_duration("1ms")), duration=read_duration("3s"))
        for size in (999_999_999, 3_000)
    )
    assert long.expected_triples <= 1.01 * whole_stream.expected_triples
    assert [one.t for one in whole(long)] == [one.t for one in whole(whole_stream)]
