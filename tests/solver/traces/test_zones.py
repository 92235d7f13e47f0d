"""The time zone of a trace: dateTimes are shown, and times of day read, in the one that all of them have."""

import json
import re
import warnings
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lars.durations import read_duration
from lars.errors import LarsError
from solver.traces import MalformedPart, cell_time, date_of, point_of, prepare, read_columns, read_time
from solver.traces.trace_times import cell_date_time
from tests.solver.traces.both_readings import read_here
from tests.solver.traces.writing import SECONDS, options, read_on_spark, written

SECOND = read_duration("1s")
NOON = datetime(2026, 6, 15, 12, tzinfo=UTC)
ZONES = st.one_of(st.sampled_from((0, 120, 330, -210, 840, -840)), st.integers(-840, 840))
MOMENTS = st.integers(0, 10**6).map(lambda seconds: NOON + timedelta(seconds=seconds))


def zone(minutes):
    return timezone(timedelta(minutes=minutes))


def text(moment):
    return moment.isoformat().replace("+00:00", "Z")


def lines(moments):
    return "".join(f'<urn:s> <urn:p> <urn:o> "{text(moment)}" .\n' for moment in moments)


def zero_of(read):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read()
    [zero] = [str(one.message) for one in caught if getattr(one.message, "about", "") == "origin"]
    return re.search(r"time 0 is (\S+),", zero)[1]


def zeros(paths, given_options=SECONDS):
    """Return what both readings in this process call time 0."""
    readings = read_columns, read_here
    return {
        zero_of(lambda read=read: read(prepare(paths, given_options), given_options)) for read in readings
    }


@given(st.lists(st.tuples(MOMENTS, ZONES), min_size=1, max_size=4), st.booleans())
def test_time_0_is_in_the_one_zone_of_the_trace_and_of_several_in_utc(spelled, named):
    moments = sorted(moment.astimezone(zone(minutes)) for moment, minutes in spelled)
    zones = {minutes for _, minutes in spelled}
    origin = (NOON if named else moments[0]) - timedelta(seconds=1)
    with TemporaryDirectory() as name:
        paths = written(Path(name), {"a.nt": lines(moments)})
        found = zeros(paths, options(origin=origin) if named else SECONDS)
    assert found == {text(origin.astimezone(zone(zones.pop()) if len(zones) == 1 else UTC))}


def test_integers_since_an_origin_are_in_its_zone(tmp_path):
    origin = datetime(2026, 6, 15, 12, tzinfo=zone(-210))
    paths = written(tmp_path, {"a.nt": f'<urn:s> <urn:p> <urn:o> "{int(NOON.timestamp()) + 10**5}" .\n'})
    assert zeros(paths, options(origin=origin)) == {"2026-06-15T12:00:00-03:30"}


def table(folder, times):
    path = folder / "a.parquet"
    pq.write_table(pa.table({"t": times, "s": ["urn:s"] * 2, "p": ["urn:p"] * 2, "o": ["urn:o"] * 2}), path)
    return [path]


TIMES = ("2026-06-15T07:29:55+05:30", "2026-06-15T24:00:00+05:30")
FILES = {
    "a.nt": "".join(f'<urn:s> <urn:p> <urn:o> "{t}" .\n' for t in TIMES),
    "a.csv": "t,s,p,o\n" + "".join(f"{t.replace('T', ' ')},urn:s,urn:p,urn:o\n" for t in TIMES),
    "a.ndjson": "".join(json.dumps({"t": t, "s": "urn:s", "p": "urn:p", "o": "urn:o"}) + "\n" for t in TIMES),
    "a.trig": "PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>"
    + "".join(
        f'<urn:g{n}> {{ <urn:s> <urn:p> 1 }} <urn:g{n}> prov:generatedAtTime "{t}"^^xsd:dateTime .'
        for n, t in enumerate(TIMES)
    ),
}
KOLKATA = [NOON, NOON + timedelta(hours=8)]


@pytest.mark.parametrize("name", FILES)
def test_each_format_keeps_the_zone(spark, tmp_path, name):
    paths = written(tmp_path, {name: FILES[name]})
    assert zeros(paths) == {zero_of(lambda: read_on_spark(spark, paths))} == {"2026-06-15T07:29:54+05:30"}


@pytest.mark.parametrize("zone_name", ["Asia/Kolkata", "+05:30"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_typed_timestamps_keep_their_zone(spark, tmp_path, zone_name, unit):
    paths = table(tmp_path, pa.array(KOLKATA, pa.timestamp(unit, zone_name)))
    assert zeros(paths) == {zero_of(lambda: read_on_spark(spark, paths))} == {"2026-06-15T17:29:59+05:30"}


def test_where_the_clocks_change_there_are_two_zones(tmp_path):
    change = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    times = [change.astimezone(ZoneInfo("Europe/Vienna")), change + timedelta(hours=1)]
    assert zeros(table(tmp_path, pa.array(times, pa.timestamp("ms", "Europe/Vienna")))) == {
        "2026-10-25T00:29:59Z"
    }


@given(MOMENTS, ZONES, st.integers(1, 86_399), st.integers(0, 86_399))
def test_a_time_of_day_is_that_of_the_clock_of_the_trace(moment, minutes, last, chosen):
    zero = moment.astimezone(zone(minutes))
    asked = zero + timedelta(seconds=min(chosen, last))
    assert point_of(asked.time(), text(zero), SECOND, last) == min(chosen, last)
    assert date_of(min(chosen, last), text(zero), SECOND) == text(asked)


@given(MOMENTS, ZONES, st.integers(1, 80_000), st.integers(1, 80_000))
def test_a_time_of_day_after_the_trace_is_on_its_last_day_or_refused(moment, minutes, last, later):
    zero = moment.astimezone(zone(minutes))
    end = zero + timedelta(seconds=last)
    asked = end + timedelta(seconds=later)
    assume(asked - zero < timedelta(days=1))
    try:
        found = point_of(asked.time(), text(zero), SECOND, last)
    except LarsError as error:
        found = str(error).partition(",")[0]
    refused = f"found the time of day {asked.time()}"
    assert found == (last + later if asked.date() == end.date() else refused)


@given(MOMENTS, ZONES, st.integers(1, 80_000), ZONES, st.integers(1, 10**6))
def test_what_is_before_the_trace_is_refused_in_its_zone(moment, minutes, last, other, early):
    zero = moment.astimezone(zone(minutes))
    asked = (zero - timedelta(seconds=early)).astimezone(zone(other))
    with pytest.raises(LarsError) as caught:
        point_of(asked, text(zero), SECOND, last)
    there = text(asked.astimezone(zone(minutes)))
    span = f"[{text(zero)}, {text(zero + timedelta(seconds=last))}]"
    assert str(caught.value).startswith(
        f"found the dateTime {there}, which is before the trace's times, {span};"
    )


DAYS = st.sampled_from(("1899-12-31", "1900-02-29", "1969-07-20", "2024-02-29", "2026-02-30", "2200-01-01"))
CLOCKS = st.tuples(st.integers(0, 24), st.integers(0, 60), st.integers(0, 60))
FRACTIONS = st.sampled_from(("", ".", ".5", ".123456789", ".0000000001"))
OFFSETS = st.sampled_from(("", "Z", " UTC", "+02:00", "-00:30", "-03:30", "+0530", "+14:00", "+14:01"))


@given(DAYS, st.sampled_from("T "), CLOCKS, FRACTIONS, OFFSETS)
def test_a_usual_datetime_is_read_as_each_other_one_is(day, between, clock, fraction, offset):
    text = f"{day}{between}{':'.join(f'{part:02}' for part in clock)}{fraction}{offset}"

    def outcome(read):
        try:
            return read()
        except MalformedPart as error:
            return str(error)

    assert outcome(lambda: cell_time(text)) == outcome(lambda: read_time(cell_date_time(text) or text))
