"""The structure of an experiment file: its keys, what each means, and the JSON schema of both."""

from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema

from agreement import experiment_values as values
from lars.durations import Duration
from lars.terms import Iri
from lars.windows import Bounds, Interval
from translate.profiles import Profile
from translate.triggers import Trigger

FILE_NAME: Final = "experiment.toml"

_IRI_SCHEMA: Final = {"type": "string", "format": "iri"}
_FILE_SCHEMA: Final = {"type": "string", "minLength": 1}
_DURATION_SCHEMA: Final = {"type": "string", "pattern": r"^\s*(\d+\s*(ns|ms|s|min|m|h|d)\s*)+$"}


def _list_of(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": 1}


def _table_of(values_schema: dict[str, Any]) -> dict[str, Any]:
    names = {"format": "iri"}
    return {
        "type": "object",
        "propertyNames": names,
        "additionalProperties": values_schema,
        "minProperties": 1,
    }


_POSITIVE = {"type": "integer", "minimum": 1}
_Text = Annotated[str, PlainValidator(values.text), WithJsonSchema({"type": "string"})]
_Unit = Annotated[Duration, PlainValidator(values.unit), WithJsonSchema(_DURATION_SCHEMA)]
_TraceUnit = Annotated[Duration | None, PlainValidator(values.unit), WithJsonSchema(_DURATION_SCHEMA)]
_Timeline = Annotated[
    Interval,
    PlainValidator(values.timeline),
    WithJsonSchema({**_list_of({"type": "integer", "minimum": 0}), "minItems": 2, "maxItems": 2}),
]
_File = Annotated[str | None, PlainValidator(values.file_name), WithJsonSchema(_FILE_SCHEMA)]
_Files = Annotated[
    tuple[str, ...],
    PlainValidator(values.file_names),
    WithJsonSchema({"anyOf": [_FILE_SCHEMA, {"type": "array", "items": _FILE_SCHEMA}]}),
]
_Streams = Annotated[dict[Iri, str], PlainValidator(values.streams), WithJsonSchema(_table_of(_FILE_SCHEMA))]
_Periods = Annotated[
    tuple[int, ...],
    PlainValidator(values.periods),
    WithJsonSchema({"anyOf": [_POSITIVE, _list_of(_POSITIVE), {"type": "string"}]}),
]
_Assign = Annotated[
    dict[Iri, tuple[Iri, ...]],
    PlainValidator(values.assign),
    WithJsonSchema(_table_of(_list_of(_IRI_SCHEMA))),
]
_Origin = Annotated[
    datetime | None, PlainValidator(values.origin), WithJsonSchema({"type": "string", "format": "date-time"})
]


def _names(choices: type[Enum]) -> WithJsonSchema:
    return WithJsonSchema({"enum": [choice.value for choice in choices]})


class ExperimentFile(BaseModel):
    """The keys of experiment.toml, their values read but no file looked for."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"anyOf": [{"required": ["csparql"]}, {"required": ["cqels"]}]},
    )

    title: _Text = Field("", description="what the experiment shows")
    unit: _Unit = Field(description="the length of one time point, as 1min or 500ms")
    timeline: _Timeline = Field(description="the first and the last time point, both included")
    csparql: _File = Field(None, description="the file of the C-SPARQL query")
    cqels: _File = Field(None, description="the file of the CQELS query; derived when absent")
    streams: _Streams = Field(description="the trace of each stream: a file, or a folder of files")
    static: _Files = Field((), description="the file or files of the static data")
    period: _Periods = Field((), description="the pulling period or periods: 5, [5, 10] or '1..50'")
    profile: Annotated[Profile, PlainValidator(values.one_of(Profile)), _names(Profile)] = Field(
        Profile.PAPER2015, description="how queries join over unbound variables and read MINUS"
    )
    bounds: Annotated[Bounds, PlainValidator(values.one_of(Bounds)), _names(Bounds)] = Field(
        Bounds.CLOSED, description="which ends a window contains"
    )
    trigger: Annotated[Trigger, PlainValidator(values.one_of(Trigger)), _names(Trigger)] = Field(
        Trigger.ANY, description="which input makes a push engine evaluate"
    )
    assign: _Assign = Field({}, description="which predicates of the C-SPARQL pattern belong to a stream")
    origin: _Origin = Field(None, description="the instant of time point 0, for traces with dates")
    trace_unit: _TraceUnit = Field(None, description="what integers in the traces count")


def schema() -> dict[str, Any]:
    """Return the JSON schema of experiment.toml, for `lars agree --schema`."""
    found = ExperimentFile.model_json_schema()
    for key in found["properties"].values():
        # pydantic repeats the key as a title, and writes null or nothing for "may be left out".
        del key["title"]
        if not key.get("default"):
            key.pop("default", None)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **found,
        "title": FILE_NAME,
        "description": "An experiment: does the push of one query agree with the pull of another?",
    }
