"""NOW, RAND, UUID, STRUUID, BNODE and times as functions of terms, so that all evaluations give the same.

Whoever writes their calls adds what the value depends on: the time, or the `site` (which call of
the query it is) and the solution's row, null for unbound. Nothing here is random: equal arguments
give equal values. The arguments of each are listed in `calls`. None is an error.
"""

import uuid
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from typing import Final

from lars.terms import NULL, Blank, Constant, Iri, Literal, Number
from solver.values import later, literal, value

_NANOSECONDS: Final = 10**9
_MANTISSA: Final = 53  # bits of a double


def now(time: Constant | None, origin: Constant | None, unit: Constant | None) -> Literal | None:
    """Return the dateTime `time` units after the origin, in the zone of the origin.

    >>> from lars.terms import XSD
    >>> origin = Literal("2020-01-01T00:00:00+01:00", XSD + "dateTime")
    >>> now(Number(3), origin, literal(500_000_000)).lexical
    '2020-01-01T00:00:01.5+01:00'
    """
    seconds = _seconds(time, unit)
    return later(origin, seconds) if isinstance(origin, Literal) and seconds is not None else None


def milliseconds(time: Constant | None, unit: Constant | None) -> Literal | None:
    """Return the milliseconds that so many units are: an integer, or a decimal if they are not whole."""
    seconds = _seconds(time, unit)
    if seconds is None:
        return None
    found = seconds * 1000
    return literal(
        found.numerator if found.denominator == 1 else Decimal(found.numerator) / found.denominator
    )


def _seconds(time: Constant | None, unit: Constant | None) -> Fraction | None:
    nanoseconds = value(unit)
    if not isinstance(time, Number) or type(nanoseconds) is not int:
        return None
    return Fraction(time.value * nanoseconds, _NANOSECONDS)


def _hashed(function: str, *arguments: Constant | None) -> bytes:
    """Return a hash of the function and its arguments; no two of their texts run together."""
    texts = [str(NULL if argument is None else argument) for argument in arguments]
    return sha256("\n".join((function, *texts)).encode(errors="surrogatepass")).digest()


def rand(*arguments: Constant | None) -> Literal | None:
    """Return RAND: an xsd:double from 0 to below 1."""
    bits = int.from_bytes(_hashed("RAND", *arguments)) >> (256 - _MANTISSA)
    return literal(bits / 2**_MANTISSA)


def _uuid(function: str, *arguments: Constant | None) -> str:
    return str(uuid.UUID(bytes=_hashed(function, *arguments)[:16], version=5))


def uuid_iri(*arguments: Constant | None) -> Iri:
    """Return UUID: an IRI urn:uuid: of version 5, the version of hashes."""
    return Iri(f"urn:uuid:{_uuid('UUID', *arguments)}")


def uuid_text(*arguments: Constant | None) -> Literal:
    """Return STRUUID: the text of a UUID."""
    return Literal(_uuid("STRUUID", *arguments))


def blank_node(label: Constant | None, site: Constant | None, *row: Constant | None) -> Blank | None:
    """Return BNODE: one node for each label and row; without label, one for each site and row."""
    if label is None:
        return Blank(f"bnode{_hashed('BNODE', NULL, site, *row).hex()[:32]}")
    if not isinstance(value(label), str):
        return None
    return Blank(f"bnode{_hashed('BNODE', label, *row).hex()[:32]}")
