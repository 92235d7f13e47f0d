"""A trace of CityBench's sensors: `convert.py DATA TRACE.nq [--rows N] [--streams NAME ..] [--delay S]`.

DATA is a folder with streams/*.csv (perhaps .gz) and static/SensorRepository.n3. Each row of a sensor is
one observation for each property that the repository says it observes and the row has a value of: a type,
a sensor, a property and a value. Rows come one a second; so that no two streams are at the same time, the
k-th one is late by 37 k ms. Times are ms. The place of the user, of which nothing was published, walks
through the city by a fixed seed. With --delay each row comes 0 to S seconds late, drawn by a fixed seed: the
rows of the trace are in the order in which they come.
"""

import argparse
import csv
import gzip
import heapq
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TextIO

import pyoxigraph

EVENTS = "http://www.insight-centre.org/dataset/SampleEventService#"
CITY = "http://www.insight-centre.org/citytraffic#"
SSN, SAO = "http://purl.oclc.org/NET/ssnx/ssn#", "http://purl.oclc.org/NET/sao/"
TYPE = pyoxigraph.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
OBSERVES = pyoxigraph.NamedNode(f"{SSN}observes")
USER = "UserLocationService"
COLUMNS = {
    "AvgSpeed": "avgSpeed",
    "CongestionLevel": "vehicleCount",
    "VehicleCount": "vehicleCount",
    "EstimatedTime": "avgMeasuredTime",
    "MeasureTime": "medianMeasuredTime",
    "ParkingVacancy": "vehiclecount",
    "Temperature": "tempm",
    "Humidity": "hum",
    "WindSpeed": "wspdm",
    "API": "ozone",
}
"""The column of a sensor's table in which the value of a kind of property stands."""

Terms = tuple[str, str, str]


def opened(path: Path) -> TextIO:
    """Open a file of text that may be compressed."""
    packed = path.with_name(f"{path.name}.gz")
    return gzip.open(packed, "rt", encoding="utf-8") if packed.exists() else path.open(encoding="utf-8")


def kinds(data: Path) -> dict[str, list[tuple[str, str]]]:
    """Return the properties that each sensor observes, each with its kind."""
    store = pyoxigraph.Store()
    with opened(data / "static/SensorRepository.n3") as file:
        store.load(file.read().encode(), format=pyoxigraph.RdfFormat.TURTLE)
    found: dict[str, list[tuple[str, str]]] = {}
    for one in store.quads_for_pattern(None, OBSERVES, None):
        for kind in store.quads_for_pattern(one.object, TYPE, None):
            name = kind.object.value.rpartition("#")[2]
            found.setdefault(one.subject.value.removeprefix(EVENTS), []).append((one.object.value, name))
    return {sensor: sorted(own) for sensor, own in found.items()}


def observed(data: Path, sensor: str, properties: list[tuple[str, str]]) -> Iterator[list[Terms]]:
    """Yield the triples of each row of a sensor."""
    with opened(data / f"streams/{sensor}.csv") as file:
        for number, row in enumerate(csv.DictReader(file)):
            found: list[Terms] = []
            for iri, kind in properties:
                if value := row.get(COLUMNS.get(kind, kind)):
                    found += observation(sensor, f"{number}-{kind}", iri, double(float(value)))
            yield found


def walk() -> Iterator[list[Terms]]:
    """Yield the triples of each place of the user."""
    draw, lat, lon, number = random.Random(1), 56.16, 10.2, 0
    while True:
        place = f"<{EVENTS}place-{number}>"
        yield [
            *observation(USER, str(number), f"{EVENTS}locationProperty", place),
            (place, f"<{CITY}hasLatitude>", double(round(lat, 6))),
            (place, f"<{CITY}hasLongitude>", double(round(lon, 6))),
        ]
        lat, lon, number = lat + draw.uniform(-1e-3, 1e-3), lon + draw.uniform(-1e-3, 1e-3), number + 1


def observation(sensor: str, name: str, observed_property: str, value: str) -> list[Terms]:
    """Return the triples of one observation."""
    subject = f"<{EVENTS}{sensor}-{name}>"
    return [
        (subject, f"<{TYPE.value}>", f"<{SSN}Observation>"),
        (subject, f"<{SSN}observedBy>", f"<{EVENTS}{sensor}>"),
        (subject, f"<{SSN}observedProperty>", f"<{observed_property}>"),
        (subject, f"<{SAO}hasValue>", value),
    ]


def double(number: float) -> str:
    """Return a number as a literal."""
    return f'"{number}"^^<http://www.w3.org/2001/XMLSchema#double>'


def timed(stream: str, late: int, rows: Iterator[list[Terms]]) -> Iterator[tuple[int, str]]:
    """Yield a stream's lines, each with its time."""
    for number, triples in enumerate(rows, 1):
        t = 1000 * number + late
        yield t, "".join(f'{s} {p} {o} <{EVENTS}{stream}> "{t}" .\n' for s, p, o in triples)


def convert(
    data: Path, trace: Path, rows: int | None = None, streams: tuple[str, ...] = (), delay: int = 0
) -> None:
    """Write the trace; of each stream so many rows, of the user 20 at least where all are wanted."""
    properties = kinds(data)
    names = {path.name.split(".")[0] for path in (data / "streams").glob("*.csv*")}
    chosen = []
    for number, name in enumerate(sorted({*names, USER})):
        if name in streams or not streams:
            found = walk() if name == USER else observed(data, name, properties[name])
            most = 20 if rows is None and name == USER else rows
            chosen.append(timed(name, 37 * number % 1000, islice(found, most)))
    with trace.open("w", encoding="utf-8") as file:
        elements = list(heapq.merge(*chosen))
        draw = random.Random(2)
        come = [t + draw.randint(0, 1000 * delay) for t, _ in elements]
        file.writelines(elements[number][1] for number in sorted(range(len(come)), key=come.__getitem__))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("trace", type=Path)
    parser.add_argument("--rows", type=int, help="of each stream so many rows; left out: all")
    parser.add_argument("--streams", nargs="*", default=[], help="these streams alone")
    parser.add_argument("--delay", type=int, default=0, help="the longest delay of a row, in seconds")
    given = parser.parse_args()
    convert(given.data, given.trace, given.rows, tuple(given.streams), given.delay)
