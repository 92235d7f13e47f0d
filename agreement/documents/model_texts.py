"""Texts that describe pydantic models: a paragraph for each key, and the JSON schema."""

from collections.abc import Iterator
from enum import Enum
from textwrap import wrap
from typing import Any, Final

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from lars.durations import Duration

_INDENT: Final = "    "
_WIDTH: Final = 96


def fields_of(model: type[BaseModel]) -> str:
    """Return a paragraph for each key of a pydantic model."""
    return "\n".join(line for name, field in model.model_fields.items() for line in _field(name, field))


def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a pydantic model, without empty default values and without titles."""
    schema = model.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        for key in part.get("properties", {}).values():
            # pydantic repeats the key as a title, and writes null or nothing for "optional".
            key.pop("title", None)
            if not key.get("default"):
                key.pop("default", None)
    return schema


def _field(name: str, field: FieldInfo) -> Iterator[str]:
    usual = None if field.is_required() else field.get_default(call_default_factory=True)
    left_out = "optional" if usual in (None, {}, "", [], ()) else f"default: {_written(usual)}"
    yield f"{name} ({'required' if field.is_required() else left_out})"
    yield from wrap(field.description or "", _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)


def _written(value: object) -> str:
    """Return a value in the syntax of the file."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case Enum():
            return f'"{value.value}"'
        case Duration():
            return f'"{value}"'
        case tuple() | frozenset():
            return f"[{', '.join(map(_written, value))}]"
        case _:
            return str(value)
