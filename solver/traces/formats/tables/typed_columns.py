"""Columns with types as RDF: numbers, booleans and texts as typed literals, timestamps as dateTimes."""

from fractions import Fraction
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lars.language.terms import XSD, Literal
from solver.columns import numbers_of, validity_of
from solver.rdf import later
from solver.traces import trace_times
from solver.traces.formats import cell_columns

NANOSECONDS: Final = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""The number of nanoseconds in each unit of Arrow's timestamps."""
_EPOCHS: Final = {
    trace_times.TimeKind.ZONED: Literal("1970-01-01T00:00:00Z", XSD + "dateTime"),
    trace_times.TimeKind.LOCAL: Literal("1970-01-01T00:00:00", XSD + "dateTime"),
}
_NUMBER: Final = {"halffloat": "float", "float": "float", "double": "double"}


_TEXTS: Final = frozenset(
    (*(pa.string(), pa.large_string(), pa.string_view()), *(pa.binary(), pa.large_binary(), pa.binary_view()))
)


def is_text(kind: pa.DataType) -> bool:
    """Return whether an Arrow type is a type of texts; bytes count as UTF-8 texts."""
    return (kind.value_type if pa.types.is_dictionary(kind) else kind) in _TEXTS


def is_dated(kind: pa.DataType) -> bool:
    """Return whether an Arrow type is a type of dates or timestamps."""
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))


def datatype_of(kind: pa.DataType) -> str | None:
    """Return the XSD type of the literals for values of an Arrow type; None if no XSD type fits."""
    types = pa.types
    if types.is_integer(kind):
        return "integer"
    if types.is_boolean(kind):
        return "boolean"
    if types.is_decimal(kind):
        return "decimal"
    if is_dated(kind):
        return "date" if types.is_date(kind) else "dateTime"
    return _NUMBER.get(str(kind))


def moments(column: pa.Array) -> pa.Array:
    """Return a column of dates as timestamps at midnight; any other column is unchanged."""
    return column.cast(pa.timestamp("ms")) if pa.types.is_date(column.type) else column


def zones_of(column: pa.Array) -> cell_columns.Zones:
    """Return the zone of each timestamp in minutes ahead of UTC; 0 if its offset is not in whole minutes."""
    nothing = np.zeros(len(column), np.int16)
    if column.type.tz is None:
        return nothing
    try:
        here = numbers_of(pc.local_timestamp(column).view(pa.int64()))
    except pa.ArrowInvalid:  # a zone that this machine does not know, or a local time beyond 64 bits
        return nothing
    per_minute = 60 * 10**9 // NANOSECONDS[column.type.unit]
    minutes, rest = np.divmod(here - numbers_of(column.view(pa.int64())), per_minute)
    return np.where(validity_of(column) & (rest == 0), minutes, 0).astype(np.int16)


def moment_texts(column: pa.Array, zones: cell_columns.Zones | None = None) -> pa.Array:
    """Return timestamps as lexical forms of xsd:dateTime.

    The forms of timestamps with a time zone are in UTC, or in the given `zones`.
    """
    kind = trace_times.TimeKind.LOCAL if column.type.tz is None else trace_times.TimeKind.ZONED
    values = column.view(pa.int64()).to_pylist()
    minutes = [0] * len(values) if zones is None else zones.tolist()
    texts = [
        None if value is None else _moment(value, column.type.unit, kind, zone)
        for value, zone in zip(values, minutes, strict=True)
    ]
    return pa.array(texts, pa.string())


def _moment(value: int, unit: str, kind: trace_times.TimeKind, zone: int = 0) -> str:
    size = NANOSECONDS[unit]
    if abs(value) * size <= trace_times.LARGEST:
        return trace_times.show(trace_times.Instant(kind, value * size, zone))
    moment = later(_EPOCHS[kind], Fraction(value * size, 10**9))
    assert moment is not None
    return moment.lexical


def literals(column: pa.Array) -> pa.Array:
    """Return the values of a typed column as literals of N-Triples, encoded as a dictionary.

    Numbers and booleans have the notation of Arrow. Each decimal has as many fraction digits as the type of
    the column.
    """
    encoded, name = column.dictionary_encode(), datatype_of(column.type)
    opened, closed, nothing = '"', f'"^^<{XSD}{name}>', ""
    whole = pc.binary_join_element_wise(opened, _lexical(encoded.dictionary, name), closed, nothing)
    return pa.DictionaryArray.from_arrays(encoded.indices, whole.cast(pa.string()))


def _lexical(values: pa.Array, name: str | None) -> pa.Array:
    """Return the lexical forms of values as texts, for an XSD type with the given name."""
    match name:
        case "date":
            days = values.cast(pa.date32()).view(pa.int32()).to_pylist()
            moments = (
                None if day is None else _moment(day * 86400, "s", trace_times.TimeKind.LOCAL) for day in days
            )
            return pa.array(
                [None if each is None else each.partition("T")[0] for each in moments], pa.string()
            )
        case "dateTime":
            return moment_texts(values)
        case "decimal":
            texts = [None if value is None else format(value, "f") for value in values.to_pylist()]
            return pa.array(texts, pa.string())
        case "float" | "double":
            texts = (values.cast(pa.float32()) if name == "float" else values).cast(pa.string())
            return pc.replace_substring(pc.replace_substring(texts, "inf", "INF"), "nan", "NaN")
        case _:
            return values.cast(pa.string())
