"""SRBench's weather as a trace: `python convert.py DATA TRACE.nq [--stations 4] [--static STATIONS.nt]`.

DATA is a folder with streams/obs9h.csv.gz and static/station.csv.gz. Each value in a row of the table is one
observation, in the vocabulary of LinkedSensorData: its class, property, sensor, result and time. All triples
of a row are at one time; times are ms since 6:00. The stations are those with the most rows.

The table has no rain, snow and visibility, which five of the queries ask for, and one station needs storm and
frost for two others: these values are drawn by a fixed seed. `--measured-only` leaves them out.
"""

import argparse
import csv
import gzip
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

OM: Final = "http://knoesis.wright.edu/ssw/ont/sensor-observation.owl#"
WEATHER: Final = "http://knoesis.wright.edu/ssw/ont/weather.owl#"
SSW: Final = "http://knoesis.wright.edu/ssw/"
GEO: Final = "http://www.w3.org/2003/01/geo/wgs84_pos#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
TYPE: Final = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
IN_TIME: Final = "<http://www.w3.org/2006/time#inXSDDateTime>"
STREAM: Final = "http://www.cwi.nl/SRBench/observations"
BEGIN: Final = datetime(2004, 8, 8, 6, tzinfo=UTC)
HOUR: Final = 3_600_000
STORMY: Final = (2, 3, 6)
"""The hours of storm and frost."""
OFTEN: Final = 0.3
SELDOM: Final = 0.06
NO_UNIT: Final = 5

PROPERTIES: Final = {
    "WindSpeed": ("WindSpeedObservation", "milesPerHour"),
    "RelativeHumidity": ("RelativeHumidityObservation", "percent"),
    "AirTemperature": ("TemperatureObservation", "fahrenheit"),
    "DewPoint": ("TemperatureObservation", "fahrenheit"),
    "WindDirection": ("WindDirectionObservation", "degrees"),
    "WindGust": ("WindSpeedObservation", "milesPerHour"),
    "Precipitation": ("RainfallObservation", "centimeters"),
    "Visibility": ("VisibilityObservation", "centimeters"),
    "SnowDepth": ("SnowfallObservation", None),
}
"""The class of a property's observations and the unit of their values; snow is true or false."""

COLUMNS: Final = {
    "WindSpeed": 2,
    "RelativeHumidity": 3,
    "AirTemperature": 4,
    "Precipitation": 5,
    "DewPoint": 6,
    "WindDirection": 7,
    "WindGust": 8,
}

Triple = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """What a station measured at a time; `values` by property."""

    date: datetime
    station: str
    values: dict[str, float]

    @property
    def time(self) -> int:
        """The ms since 6:00."""
        return int((self.date - BEGIN).total_seconds()) * 1000


def table(path: Path) -> list[list[str]]:
    """Return the rows of a compressed table."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return list(csv.reader(file))


def measured(cells: list[str]) -> Row:
    """Return a row of the table of observations."""
    found = {name: float(cells[place]) for name, place in COLUMNS.items() if cells[place]}
    return Row(datetime.fromisoformat(f"{cells[0][:19]}+00:00"), cells[1], found)


def drawn(row: Row, stormy_station: str, draw: random.Random) -> dict[str, float]:
    """Return the values that the table lacks: what three draws for each row give."""
    rain, sight, snow = draw.random(), draw.random(), draw.random()
    stormy = row.station == stormy_station
    found: dict[str, float] = {}
    if rain < OFTEN:
        found["Precipitation"] = round(120 * rain, 1)
    if sight < OFTEN:
        found["Visibility"] = round(60 * sight, 1)
    if snow < (OFTEN if stormy else SELDOM):
        found["SnowDepth"] = 1
    if stormy and row.time // HOUR in STORMY:
        found |= {"WindSpeed": 60 + round(40 * rain), "AirTemperature": 20 + round(20 * sight)}
    return found


def observation(row: Row, code: str, name: str, value: float) -> Iterator[Triple]:
    """Yield the triples of one observation."""
    kind, unit = PROPERTIES[name]
    stamp = f"{row.date:%Y_%m_%d_%H_%M_%S}"
    one, result = (f"<{SSW}{thing}_{name}_{code}_{stamp}>" for thing in ("Observation", "MeasureData"))
    system, instant = f"<{SSW}System_{code}>", f"<{SSW}Instant_{stamp}>"
    yield system, f"<{OM}generatedObservation>", one
    yield one, TYPE, f"<{WEATHER}{kind}>"
    yield one, f"<{OM}observedProperty>", f"<{WEATHER}_{name}>"
    yield one, f"<{OM}procedure>", system
    yield one, f"<{OM}result>", result
    yield one, f"<{OM}samplingTime>", instant
    yield instant, IN_TIME, literal(f"{row.date:%Y-%m-%dT%H:%M:%S}", "dateTime")
    if unit is None:
        yield result, TYPE, f"<{OM}TruthData>"
        yield result, f"<{OM}booleanValue>", literal("true", "boolean")
        return
    yield result, TYPE, f"<{OM}MeasureData>"
    yield result, f"<{OM}floatValue>", literal(str(float(value)), "float")
    # Some rain has no unit, for the OPTIONAL of Q2.
    if name != "Precipitation" or row.date.minute % 15 != NO_UNIT:
        yield result, f"<{OM}uom>", f"<{WEATHER}{unit}>"


def literal(value: str, kind: str) -> str:
    """Return a literal of a type of XML Schema."""
    return f'"{value}"^^<{XSD}{kind}>'


def place(code: str, alt: str, lat: str, long: str) -> Iterator[Triple]:
    """Yield the static triples of a station."""
    system, point = f"<{SSW}System_{code}>", f"<{SSW}point_{code}>"
    yield system, TYPE, f"<{OM}System>"
    yield system, f"<{OM}ID>", f'"{code}"'
    yield system, f"<{OM}processLocation>", point
    yield point, TYPE, f"<{GEO}Point>"
    for name, value in (("alt", alt), ("lat", lat), ("long", long)):
        yield point, f"<{GEO}{name}>", literal(value, "float")


def convert(data: Path, trace: Path, stations: int, static: Path | None, *, measured_only: bool) -> None:
    """Write the trace of so many stations, and their static data."""
    known = {cells[4]: cells[:4] for cells in table(data / "static/station.csv.gz")}
    rows = [measured(cells) for cells in table(data / "streams/obs9h.csv.gz")]
    counts = Counter(row.station for row in rows if row.station in known)
    chosen = sorted(sorted(counts, key=lambda one: (-counts[one], one))[:stations])
    draw, lines = random.Random(7), list[tuple[int, str]]()
    for row in rows:
        if row.station in chosen:
            values = row.values | ({} if measured_only else drawn(row, chosen[0], draw))
            for name, value in values.items():
                for s, p, o in observation(row, known[row.station][0], name, value):
                    lines.append((row.time, f'{s} {p} {o} <{STREAM}> "{row.time}" .\n'))
    lines.sort(key=lambda one: one[0])
    trace.write_text("".join(text for _, text in lines), encoding="utf-8")
    if static is not None:
        triples = (triple for station in chosen for triple in place(*known[station]))
        static.write_text("".join(f"{s} {p} {o} .\n" for s, p, o in triples), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("trace", type=Path)
    parser.add_argument("--stations", type=int, default=4, help="how many stations; default: 4")
    parser.add_argument("--static", type=Path, help="write the stations' places to this file")
    parser.add_argument("--measured-only", action="store_true", help="leave out the drawn values")
    given = parser.parse_args()
    convert(given.data, given.trace, given.stations, given.static, measured_only=given.measured_only)
