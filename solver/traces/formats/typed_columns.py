"""Typed columns of tables as the texts that rows have: typed literals, dateTimes."""

from datetime import datetime, timedelta
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from lars.language.terms import XSD
from solver.traces.trace_times import LARGEST, Instant, TimeKind, show

NANOSECONDS: Final = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""How many nanoseconds each unit of Arrow's timestamps has."""
_INFINITE: Final = (("inf", "INF"), ("nan", "NaN"))
_NUMBER: Final = {"halffloat": "float", "float": "float", "double": "double"}


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds texts: bytes are UTF-8."""
    value, types = kind.value_type if pa.types.is_dictionary(kind) else kind, pa.types
    plain = types.is_string(value) or types.is_large_string(value) or types.is_string_view(value)
    return bool(
        plain or types.is_binary(value) or types.is_large_binary(value) or types.is_binary_view(value)
    )


def is_dated(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds dates, or dateTimes."""
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))


def is_typed(kind: pa.DataType) -> bool:
    """Return whether the values of a column of this type are typed literals."""
    types = pa.types
    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
        or is_dated(kind)
    )


def moments(column: pa.Array) -> pa.Array:
    """Return a column of dates as dateTimes, their midnights; any other as it is."""
    return column.cast(pa.timestamp("ms")) if pa.types.is_date(column.type) else column


def moment_texts(column: pa.Array) -> pa.Array:
    """Return timestamps as xsd:dateTime, those with a time zone in UTC; what is far off as a number."""
    kind = TimeKind.LOCAL if column.type.tz is None else TimeKind.ZONED
    values = column.view(pa.int64()).to_pylist()
    texts = [None if value is None else _moment(value, column.type.unit, kind) for value in values]
    return pa.array(texts, pa.string())


def _moment(value: int, unit: str, kind: TimeKind) -> str:
    size = NANOSECONDS[unit]
    if abs(value) * size <= LARGEST:
        return show(Instant(kind, value * size))
    try:
        moment = datetime(1970, 1, 1) + timedelta(microseconds=value * size // 1000)  # noqa: DTZ001
    except OverflowError:
        return f"{value} {unit} since 1970"
    return moment.isoformat() + ("Z" if kind is TimeKind.ZONED else "")


def literals(column: pa.Array) -> pa.Array:
    """Return the values of a typed column as literals of N-Triples, each distinct text once.

    Numbers and booleans are written as Arrow writes them, decimals with all digits of their column.
    """
    encoded = column.dictionary_encode()
    texts, name = _lexical(encoded.dictionary)
    opened, closed, nothing = '"', f'"^^<{XSD}{name}>', ""
    whole = pc.binary_join_element_wise(opened, texts, closed, nothing)
    return pa.DictionaryArray.from_arrays(encoded.indices, whole.cast(pa.string()))


def _lexical(values: pa.Array) -> tuple[pa.Array, str]:
    """Return how values are written, and the name of their datatype."""
    kind, types = values.type, pa.types
    if types.is_integer(kind):
        return values.cast(pa.string()), "integer"
    if types.is_boolean(kind):
        return values.cast(pa.string()), "boolean"
    if types.is_date(kind):
        return values.cast(pa.date32()).cast(pa.string()), "date"
    if types.is_timestamp(kind):
        return moment_texts(values), "dateTime"
    if types.is_decimal(kind):
        written = [None if value is None else format(value, "f") for value in values.to_pylist()]
        return pa.array(written, pa.string()), "decimal"
    texts = (values.cast(pa.float32()) if str(kind) == "halffloat" else values).cast(pa.string())
    for ours, theirs in _INFINITE:
        texts = pc.replace_substring(texts, ours, theirs)
    return texts, _NUMBER[str(kind)]
