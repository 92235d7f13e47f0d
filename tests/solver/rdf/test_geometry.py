"""geof:distance, against the angle between two vectors from the middle of the earth."""

import math
from random import Random
from time import process_time

import pytest

from lars.language.formulas import Call
from lars.language.terms import Iri, Literal
from solver.rdf import evaluate
from solver.rdf.functions import DISTANCES

GEO = "http://www.opengis.net/ont/geosparql#"
METRE = Iri("http://www.opengis.net/def/uom/OGC/1.0/metre")
CRS84 = "<http://www.opengis.net/def/crs/OGC/1.3/CRS84>"


def wkt(text):
    return Literal(text, GEO + "wktLiteral")


def distance(one, other, unit=METRE):
    found, same = (evaluate(Call(name, (one, other, unit)), {}) for name in DISTANCES)
    assert found == same
    return None if found is None else float(found.lexical)


def vector(east, north):
    east, north = math.radians(east), math.radians(north)
    return math.cos(north) * math.cos(east), math.cos(north) * math.sin(east), math.sin(north)


def angle(one, other):
    across = math.dist((0, 0, 0), [one[i - 2] * other[i - 1] - one[i - 1] * other[i - 2] for i in range(3)])
    return math.atan2(across, sum(mine * theirs for mine, theirs in zip(one, other, strict=True)))


def test_it_is_the_length_of_the_great_circle():
    rng = Random(1)
    for _ in range(200):
        ends = [(rng.uniform(-180, 180), rng.uniform(-90, 90)) for _ in range(2)]
        texts = [wkt(f"POINT({east!r} {north!r})") for east, north in ends]
        assert distance(*texts) == pytest.approx(6371008.7714 * angle(*(vector(*end) for end in ends)))


@pytest.mark.parametrize(
    "text", ["point( 0 0.0 )", "POINT (-0 +0)", f"{CRS84} POINT(0e0 .0)", " POINT(0 0) "]
)
def test_each_way_to_write_a_point_is_read(text):
    assert distance(wkt(text), wkt("POINT(0 0)")) == 0


def test_the_antipode_is_half_a_turn_away():
    assert distance(wkt("POINT(0 0)"), wkt("POINT(180 0)")) == pytest.approx(math.pi * 6371008.7714)


@pytest.mark.parametrize(
    "text",
    ["POINT(0)", "POINT(0 91)", "POINT(181 0)", "POINT(1 2 3)", "POINT EMPTY", "LINESTRING(0 0, 1 1)", "",
     "POINT(a b)", "<http://www.opengis.net/def/crs/EPSG/0/4326> POINT(0 0)", "POINT(１ 0)"],
)  # fmt: skip
def test_what_is_no_point_in_longitude_and_latitude_is_an_error(text):
    assert distance(wkt(text), wkt("POINT(0 0)")) is None


def test_other_units_and_other_literals_are_an_error():
    point = wkt("POINT(0 0)")
    assert distance(point, point, Iri("http://www.opengis.net/def/uom/OGC/1.0/degree")) is None
    assert distance(point, Literal("POINT(0 0)")) is None
    assert distance(Iri("urn:x"), point) is None


def test_a_malformed_point_of_many_digits_takes_the_time_of_its_length():
    began = process_time()
    assert distance(wkt("POINT(" + "1" * 6_000), wkt("POINT(0 0)")) is None
    assert process_time() - began < 1
