"""Distances on the earth between points in WKT (GeoSPARQL 1.0, 8.7.3): geof:distance in metres."""

import math
import re
from typing import Final

from lars.language.terms import Constant, Iri, Literal
from solver.rdf.values import literal

DISTANCES: Final = (
    "<http://www.opengis.net/def/function/geosparql/distance>",
    "<http://www.opengis.net/def/geosparql/function/distance>",
)
"""As GeoSPARQL names it, and as queries for streams do."""
_METRE: Final = Iri("http://www.opengis.net/def/uom/OGC/1.0/metre")
_WKT: Final = "http://www.opengis.net/ont/geosparql#wktLiteral"
_CRS84: Final = re.escape("<http://www.opengis.net/def/crs/OGC/1.3/CRS84>")
_NUMBER: Final = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_POINT: Final = re.compile(
    rf"\s*(?:{_CRS84}\s+)?POINT\s*\(\s*({_NUMBER})\s+({_NUMBER})\s*\)\s*", re.IGNORECASE | re.ASCII
)
_RADIUS: Final = 6_371_008.7714
"""The mean radius of the earth in metres (IUGG, GRS 80)."""
_EAST, _NORTH = 180, 90


def distance(one: Constant, other: Constant, unit: Constant) -> Literal | None:
    """Return the length of the great circle between two points, longitude before latitude, in metres.

    Other geometries, reference systems and units are an error.

    >>> graz = Literal("POINT(15.44 47.07)", _WKT)
    >>> vienna = Literal("POINT(16.37 48.21)", _WKT)
    >>> round(float(distance(graz, vienna, _METRE).lexical) / 1000)
    145
    """
    ends = _point(one), _point(other)
    if unit != _METRE or ends[0] is None or ends[1] is None:
        return None
    (east, north), (other_east, other_north) = ends[0], ends[1]
    chord = _half(other_north - north) + math.cos(north) * math.cos(other_north) * _half(other_east - east)
    return literal(2 * _RADIUS * math.asin(math.sqrt(min(1.0, chord))))


def _point(term: Constant) -> tuple[float, float] | None:
    """Return longitude and latitude of a point in radians."""
    if not isinstance(term, Literal) or term.datatype != _WKT:
        return None
    found = _POINT.fullmatch(term.lexical)
    if found is None or abs(float(found[1])) > _EAST or abs(float(found[2])) > _NORTH:
        return None
    return math.radians(float(found[1])), math.radians(float(found[2]))


def _half(angle: float) -> float:
    return math.sin(angle / 2) ** 2
