"""The structure of an experiment file: its grid, its keys and tables, what each means, and the schema of all.

The parameters of a grid fill the placeholders `{window}` in texts and queries; entries are checked once
they are filled. A short experiment says at the top of the file what the entries of [[queries]],
[[traces]] and [[comparisons]] say.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, create_model

from agreement.documents import values
from agreement.documents.generate.plan import StreamOptions
from agreement.documents.model_texts import fields_of, json_schema
from agreement.documents.options import Option, declared
from agreement.documents.placed import KeyPath, PlacedData
from agreement.documents.requests import (
    EXPERIMENT_FILE,
    TOLERANCE,
    AnswersFormat,
    EmptyReports,
    variables,
)
from agreement.documents.values import (
    MOST_NUMBERS,
    PARAMETERS,
    START_TIMES,
    Period,
    Scalar,
    WrongValueError,
    is_scalar,
    milliseconds,
    numbers,
    periods,
    placeholder_text,
    read_part,
    share,
    time_point,
    wrong,
)
from lars.durations import Duration
from lars.errors import PlacedError, place_at
from lars.language.terms import Iri
from lars.language.windows import Bounds, Interval
from solver.settings import BlankNodes, StaticFile, Time
from translate.model.query import Language, Profile
from translate.tau import Trigger

_PARAMETER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
PLACEHOLDER: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
Parameters = Mapping[str, Scalar]
COLUMNS: Final = "columns"
"""The table whose braces name columns of a trace's table."""


def read_grid(value: object) -> dict[str, tuple[Scalar, ...]]:
    """Read the table from parameters to their values."""
    if not isinstance(value, dict):
        raise wrong(value, "a table of parameters with their values, as in stations = [5, 50]")
    return {name: _parameter(name, values) for name, values in value.items()}


def _parameter(name: str, value: object) -> tuple[Scalar, ...]:
    if not _PARAMETER.fullmatch(name):
        problem = f'found the parameter "{name}"; accepted: letters, digits and _, as in {{window}}'
        raise WrongValueError(problem, part=name)
    if isinstance(value, str) and ".." in value:
        return read_part(value, PARAMETERS, name)
    text = "texts, numbers, true or false"
    accepted = f"the values of {name}: a list, not empty, of {text}; or a range, as '1..50'"
    if not isinstance(value, list) or not value or len(value) > MOST_NUMBERS:
        raise wrong(value, accepted, name)
    if not all(map(is_scalar, value)) or len(set(map(type, value))) > 1:
        raise wrong(value, f"{accepted}, all of one kind", name)
    if len(set(value)) < len(value):
        raise wrong(value, f"the values of {name}, each once", name)
    return tuple(value)


def texts(content: object, path: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """Yield the texts inside a content, with the path of each; keys are texts too."""
    match content:
        case str():
            yield path, content
        case list():
            for number, part in enumerate(content):
                yield from texts(part, (*path, number))
        case dict():
            for key, part in content.items():
                yield (*path, key), key
                if key != COLUMNS:
                    yield from texts(part, (*path, key))
        case _:
            return


def parameters_in(toml: PlacedData, path: KeyPath, content: object, known: Collection[str]) -> set[str]:
    """Return the parameters that a content names; raises PlacedError at a placeholder without one.

    Where the grid knows no parameter, nothing is a placeholder: braces are text.
    """
    names: set[str] = set()
    for place, text in texts(content, path) if known else ():
        for match in PLACEHOLDER.finditer(text):
            if match[1] not in known:
                raise toml.error(place, WrongValueError(_unknown(match[0], known), part=match[0]))
            names.add(match[1])
    return names


def parameters_in_text(source: str, text: str, known: Collection[str]) -> set[str]:
    """Return the parameters that a file's text names; raises PlacedError as `parameters_in` does."""
    matches = list(PLACEHOLDER.finditer(text)) if known else []
    for match in matches:
        if match[1] not in known:
            problem = f"{_unknown(match[0], known)}; where braces are the query's own, write {{ {match[1]} }}"
            raise PlacedError(place_at(source, text, match.start()), problem)
    return {match[1] for match in matches}


def _unknown(placeholder: str, known: Collection[str]) -> str:
    accepted = ", ".join(f"{{{name}}}" for name in known)
    return f"found the placeholder {placeholder}; accepted: {accepted}"


def fill(content: Any, parameters: Parameters) -> Any:  # TOML, of the same shape
    """Return a content with its placeholders filled; a text that is one becomes its value as it is."""
    match content:
        case str() if match := PLACEHOLDER.fullmatch(content):
            return parameters.get(match[1], content)
        case str():
            return filled_text(content, parameters)
        case list():
            return [fill(part, parameters) for part in content]
        case dict():
            return {
                filled_text(key, parameters): value if key == COLUMNS else fill(value, parameters)
                for key, value in content.items()
            }
        case _:
            return content


def filled_text(text: str, parameters: Parameters) -> str:
    """Return a text with its placeholders filled."""
    return PLACEHOLDER.sub(lambda match: placeholder_text(parameters.get(match[1], match[0])), text)


# What the JSON schema says of a value as it is written; the readers are exact.
_DurationText = Annotated[str, Field(pattern=r"^\s*(\d+\s*(ns|ms|s|min|m|h|d)\s*)+$")]
_FileText = Annotated[str, Field(min_length=1)]
_IriText = Annotated[str, Field(json_schema_extra={"format": "iri"})]
_TimeText = Annotated[int, Field(ge=0)]
_PeriodText = Annotated[int, Field(ge=1)] | str
_Numbers = _TimeText | Annotated[list[_TimeText], Field(min_length=1)] | str
_PeriodsText = _PeriodText | Annotated[list[_PeriodText], Field(min_length=1)]
_StreamsText = Annotated[dict[_IriText, _FileText], Field(min_length=1)]
_AssignText = Annotated[dict[_IriText, Annotated[list[_IriText], Field(min_length=1)]], Field(min_length=1)]
_ScalarText = str | int | float


def _read(reader: Callable[[Any], object], written: Any) -> PlainValidator:
    """Return how the value of a key is read, and how it is written."""
    return PlainValidator(reader, json_schema_input_type=written)


def _one_of(choices: type[Enum]) -> PlainValidator:
    return _read(values.one_of(choices), choices)


def _key(default: Any, says: str) -> Any:
    """Return a key that may be left out, with what it says."""
    return Field(default, description=says)


Text = Annotated[str, _read(values.scalar_text, _ScalarText)]
Name = Annotated[str, _read(values.name, _ScalarText)]
NameList = Annotated[tuple[str, ...], _read(values.names, str | list[str])]
File = Annotated[str | None, _read(values.file_name, _FileText)]
Files = Annotated[tuple[str, ...], _read(values.file_names, _FileText | list[_FileText])]
StaticFiles = Annotated[
    tuple[StaticFile, ...],
    _read(lambda value: values.static_files(values.file_names(value)), _FileText | list[_FileText]),
]
Unit = Annotated[Duration, _read(values.unit, _DurationText)]
TimePoint = Annotated[int, _read(time_point, _TimeText)]
QueryFile = Annotated[str | dict[str, str] | None, _read(values.query, _FileText | dict[str, str])]

NAME: Final = "what tables of results call it"
CHOSEN_CASES: Final = "the names of those that it applies to; left out: all"


class Table(BaseModel):
    """What all tables share: nothing is accepted beside their keys."""

    # Most experiments have few of the tables.
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, defer_build=True)


class FileKeys(Table):
    """What holds for the whole experiment."""

    title: Annotated[str, _read(values.text, str)] = _key("", "what the experiment shows")
    unit: Unit | None = _key(
        None, "one time point, as 1min; left out: the longest that fits every duration, at most 1s"
    )
    static: StaticFiles = _key((), "static data: FILE, IRI=FILE, cqels:FILE, or a list of these")


class QueryKeys(Table):
    """One query, in one or several languages: files, or {text = '''..'''}."""

    csparql: QueryFile = _key(None, "the query in C-SPARQL")
    cqels: QueryFile = _key(None, "the query in CQELS; a comparison derives what is left out")
    sparqlstream: QueryFile = _key(None, "the query in SPARQLstream, compared without csparql")
    rspql: QueryFile = _key(None, "the query in RSP-QL, compared without cqels")


class QueryTable(QueryKeys):
    """One query, in the languages of the engines that are to run it: files, or {text = '''..'''}."""

    name: Name = Field(description=NAME)


def _keys_of(name: str, group: type[object], says: str) -> Any:
    """Return the table whose keys are the options of a group: names, defaults and help are theirs."""
    keys: dict[str, Any] = {}
    for option in declared(group):
        kind: Any = Annotated[option.kind, _one_of(option.kind)] if option.choices else Text
        default = option.default if option.choices or option.optional else str(option.default)
        keys[option.name] = (kind | None if option.optional else kind, _key(default, _says(option)))
    return create_model(name, __base__=Table, __doc__=says, __module__=__name__, **keys)


def _says(option: Option) -> str:
    """Return an option's help as keys are described: a part of a sentence, with what is left out."""
    plain, _, default = option.help.partition(" [default: ")
    text = plain.rstrip(".")
    sentence = text[0].lower() + text[1:] if text[1].islower() else text
    return f"{sentence}; left out: {default.rstrip(']')}" if default else sentence


if TYPE_CHECKING:

    class GenerateTable(Table):
        """A made-up stream: the keys are the options of `lars generate`, with _ for -."""
else:
    GenerateTable = _keys_of(
        "GenerateTable", StreamOptions, "A made-up stream: the options of `lars generate`, with _ for -."
    )


class TraceKeys(Table):
    """One trace: read from files, or made up."""

    streams: Annotated[dict[Iri, str] | None, _read(values.streams, _StreamsText)] = _key(
        None, "the trace of each stream: a file, or a folder of files"
    )
    files: Files = _key((), "traces that name their streams themselves")
    generate: GenerateTable | None = _key(None, "a made-up stream, as of `lars generate`")
    origin: Annotated[datetime | None, _read(values.origin, datetime)] = _key(
        None, "the instant of time point 0, for traces with dates"
    )
    trace_unit: Unit | None = _key(None, "what integers in the traces count")
    sort: Annotated[bool, _read(values.yes_or_no, bool)] = _key(
        False, "sort each file by time that is out of order"
    )
    blank_nodes: Annotated[BlankNodes | None, _one_of(BlankNodes)] = _key(
        None, "the scope of blank node labels in trace files; document where it is left out"
    )
    prefixes: Annotated[dict[str, str], _read(values.prefixes, dict[str, _IriText])] = _key(
        {}, "what prefixes of IRIs in tables stand for"
    )
    columns: Annotated[
        tuple[tuple[str | None, tuple[tuple[str, str], ...]], ...],
        _read(values.columns, dict[str, str | dict[str, str]]),
    ] = _key((), "what the columns of tables become: t, s, and predicates with their objects, by stream")


class TraceTable(TraceKeys):
    """One trace: read from files, or made up."""

    name: Name = Field(description=NAME)


class EngineTable(Table):
    """What is judged (`engine`, `adapter` or recorded `answers`), by which specification, and how."""

    name: Name | None = _key(None, NAME)
    engine: Name | None = _key(None, "an engine version, or a specification by name or file")
    off: NameList = _key((), "the names of the version's rules that are switched off")
    adapter: Name | None = _key(None, "or a real engine: the command that starts its adapter, in this folder")
    options: dict[str, Any] = _key({}, "what the adapter is told when the query is registered")
    answers: File = _key(None, "recorded answers: a file")
    answers_format: Annotated[AnswersFormat | None, _one_of(AnswersFormat)] = _key(
        None, "the format of the answers; left out: recognised"
    )
    answers_unit: Unit | None = _key(None, "what times in the answers count")
    specification: Name | None = _key(
        None, "what it is judged by: a name or a file; left out: what the engine claims to follow"
    )
    language: Annotated[Language | None, _one_of(Language)] = _key(
        None, "which of a query's languages; left out: by the engine's name"
    )
    queries: NameList | None = _key(None, CHOSEN_CASES)
    traces: NameList | None = _key(None, CHOSEN_CASES)
    t0: Annotated[tuple[int, ...] | None, _read(numbers(START_TIMES), _Numbers)] = _key(
        None, "start times of windows: 0, [0, 5], '0..9'; left out: all that differ"
    )
    registered: TimePoint = _key(0, "the time point at which the query is registered: the first t0")
    until: Annotated[Time | None, _read(values.time, _TimeText | datetime)] = _key(
        None, "the last time that is compared; left out: that of the last element"
    )
    bounds: Annotated[tuple[Bounds, ...] | None, _read(values.one_or_more(Bounds), Bounds | list[Bounds])] = (
        _key(None, "which ends windows contain, instead of what the specification says")
    )
    gracious: Annotated[bool, _read(values.yes_or_no, bool)] = _key(
        False, "find the borders of wrong windows that fit best, and show the shift"
    )
    tolerance: Annotated[float, _read(share, float)] = _key(
        TOLERANCE, "how far apart numbers count as equal, relative to the larger one"
    )
    empty: Annotated[EmptyReports, _one_of(EmptyReports)] = _key(
        EmptyReports.COMPARED, "whether reports without rows are compared"
    )
    early: Annotated[float, _read(milliseconds, _DurationText)] = _key(
        0, "how long before its time a report may come"
    )


class ComparisonKeys(Table):
    """Whether the pull of one query agrees with the push of another."""

    timeline: Annotated[
        Interval | tuple[datetime, datetime] | None,
        _read(values.timeline, tuple[_TimeText, _TimeText] | tuple[datetime, datetime]),
    ] = _key(None, "the first and the last time; left out: from 0 to the last element")
    period: Annotated[tuple[Period, ...], _read(periods, _PeriodsText)] = _key(
        (), "pulling periods: 5, '5s', [5, 10], '1..50', '1m..2h..10m'; left out: the STEP"
    )
    profile: Annotated[Profile, _one_of(Profile)] = _key(
        Profile.PAPER2015, "how queries join over unbound variables and read MINUS"
    )
    bounds: Annotated[Bounds, _one_of(Bounds)] = _key(Bounds.CLOSED, "which ends a window contains")
    trigger: Annotated[Trigger, _one_of(Trigger)] = _key(
        Trigger.ANY, "which input makes a push engine evaluate"
    )
    on: Annotated[tuple[str, ...] | None, _read(variables, str | list[str])] = _key(
        None, "the variables that rows are compared on, '?a,?b', or none; left out: shared ones"
    )
    assign: Annotated[dict[Iri, tuple[Iri, ...]], _read(values.assign, _AssignText)] = _key(
        {}, "which predicates of the C-SPARQL pattern belong to a stream"
    )


class ComparisonTable(ComparisonKeys):
    """Whether pull of the C-SPARQL query agrees with push of the CQELS query, as `lars agree` asks."""

    name: Name = _key("agree", NAME)
    queries: NameList | None = _key(None, CHOSEN_CASES)
    traces: NameList | None = _key(None, CHOSEN_CASES)


def _tables(model: type[Table]) -> PlainValidator:
    return _read(values.tables, list[model])  # type: ignore[valid-type]


_Entries = list[dict[str, Any]]
_GridText = dict[str, str | list[_ScalarText]]


class ExperimentFile(ComparisonKeys, TraceKeys, QueryKeys, FileKeys):
    """The whole file."""

    grid: Annotated[dict[str, tuple[Scalar, ...]], _read(read_grid, _GridText)] = _key(
        {}, "parameters with their values: a list, or a range as '1..50'"
    )
    queries: Annotated[_Entries, _tables(QueryTable)] = _key([], "[[queries]]: what is asked")
    traces: Annotated[_Entries, _tables(TraceTable)] = _key([], "[[traces]]: the streams")
    engines: Annotated[_Entries, _tables(EngineTable)] = _key([], "[[engines]]: what is judged, by what")
    comparisons: Annotated[_Entries, _tables(ComparisonTable)] = _key(
        [], "[[comparisons]]: pull against push"
    )


SHORT: Final[dict[str, type[Table]]] = {
    "queries": QueryKeys,
    "traces": TraceKeys,
    "comparisons": ComparisonKeys,
}
"""The keys at the top of the file that stand for an entry."""
NEEDED: Final = {
    "queries": ("csparql", "cqels", "sparqlstream", "rspql", "queries"),
    "traces": ("streams", "files", "generate", "traces"),
}
"""The keys of which one at least has to be there: to ask something, and of a stream."""
_SHOWN: Final[tuple[tuple[str, type[Table]], ...]] = (
    ("[[queries]]", QueryTable),
    ("[[traces]]", TraceTable),
    ("generate = {..}", GenerateTable),
    ("[[engines]]", EngineTable),
    ("[[comparisons]]", ComparisonTable),
)


def schema() -> dict[str, object]:
    """Return the JSON schema of an experiment file, for `lars agree --schema`."""
    document = json_schema(ExperimentFile)
    short = {key: document["properties"][key] for model in SHORT.values() for key in model.model_fields}
    for properties in (short, *(part.get("properties", {}) for part in document["$defs"].values())):
        for key in properties.values():
            _let_fill(key)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **document,
        "allOf": [{"anyOf": [{"required": [key]} for key in keys]} for keys in NEEDED.values()],
        "title": EXPERIMENT_FILE,
        "description": "An experiment: do engines agree, are answers correct? One cell or a grid of them.",
    }


def _let_fill(key: dict[str, Any]) -> None:
    """Let a placeholder stand for the value of a key."""
    annotations: dict[str, Any] = {name: key.pop(name) for name in ("description", "default") if name in key}
    value = dict(key)
    key.clear()
    key.update(annotations, anyOf=[value, {"type": "string", "pattern": PLACEHOLDER.pattern}])


def schema_text() -> str:
    """Return all tables and keys of an experiment, for readers."""
    intro = "{NAME} in a text, or in a query, stands for each value that [grid] gives to NAME."
    parts = [f"{title}: {model.__doc__}\n\n{fields_of(model)}" for title, model in _SHOWN]
    return "\n\n".join([intro, fields_of(ExperimentFile), *parts])
