"""The schema of an experiment file: grid, keys, tables, and the meaning of each key.

The values of a grid's parameters replace placeholders such as `{window}` in texts and queries. An entry is
checked after its placeholders are filled. A short experiment contains the keys of [[queries]], [[traces]] and
[[comparisons]] at the top of the file.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final, TypeVar, get_args, get_origin

from agreement.documents import requests, values
from agreement.documents.generate import Plan
from agreement.documents.options import build, declared
from agreement.documents.placed import KeyFault, KeyPath, PlacedData, missing_key, unknown_key
from agreement.documents.requests.readers import in_toml
from agreement.documents.values import MOST_NUMBERS, Scalar, is_scalar, placeholder_text
from lars.dataclass import dataclass
from lars.errors import LarsError, PlacedError, WrongValueError, place_at, wrong
from lars.language.terms import Iri
from lars.language.windows import Bounds, Interval
from lars.options import Option
from solver.settings import BlankNodes, StaticFile
from translate.model.query import Language, Profile, Trigger

_PARAMETER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
PLACEHOLDER: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
Parameters = Mapping[str, Scalar]
COLUMNS: Final = "columns"
"""The name of the table in which braces contain names of columns, and not parameters."""


def read_grid(value: object) -> dict[str, tuple[Scalar, ...]]:
    """Read the grid: a table that assigns a list of values to each parameter."""
    if not isinstance(value, dict):
        raise wrong(value, "a table of parameters with their values, as in stations = [5, 50]")
    return {name: _parameter(name, values) for name, values in value.items()}


def _parameter(name: str, value: object) -> tuple[Scalar, ...]:
    if not _PARAMETER.fullmatch(name):
        problem = f'found the parameter "{name}"; expected letters, digits and _, such as in {{window}}'
        raise WrongValueError(problem, part=name)
    if isinstance(value, str) and ".." in value:
        try:
            return values.read_numbers(value, "value")
        except LarsError as error:
            raise WrongValueError(str(error), part=name) from None
    text = "texts, numbers, true or false"
    accepted = f"the values of {name}: a list, not empty, of {text}; or a range, as '1..50'"
    if not isinstance(value, list) or not value or len(value) > MOST_NUMBERS:
        raise wrong(value, accepted, name)
    if not all(map(is_scalar, value)) or len(set(map(type, value))) > 1:
        raise wrong(value, f"{accepted}, all of one kind", name)
    if any(isinstance(one, int) and abs(one) > values.LARGEST for one in value):
        raise wrong(value, f"the values of {name}: numbers up to {values.LARGEST}", name)
    if len(set(value)) < len(value):
        raise wrong(value, f"the values of {name}, each once", name)
    return tuple(value)


def texts(content: object, path: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """Yield all texts in a part of the file, including the keys of tables, with their paths."""
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
    """Return the parameters whose placeholders occur in a part of the file; raises PlacedError if unknown.

    If the grid has no parameters, braces are part of the text.
    """
    names: set[str] = set()
    for place, text in texts(content, path) if known else ():
        for match in PLACEHOLDER.finditer(text):
            if match[1] not in known:
                raise toml.error(place, WrongValueError(_unknown(match[0], known), part=match[0]))
            names.add(match[1])
    return names


def parameters_in_text(source: str, text: str, known: Collection[str]) -> set[str]:
    """Return the parameters in the placeholders of a file's text; raises the errors of `parameters_in`."""
    matches = list(PLACEHOLDER.finditer(text)) if known else []
    for match in matches:
        if match[1] not in known:
            problem = (
                f"{_unknown(match[0], known)}; if the braces belong to the query, write {{ {match[1]} }}"
            )
            raise PlacedError(place_at(source, text, match.start()), problem)
    return {match[1] for match in matches}


def _unknown(placeholder: str, known: Collection[str]) -> str:
    accepted = ", ".join(f"{{{name}}}" for name in known)
    return f"found the placeholder {placeholder}; expected {accepted}"


def fill(content: Any, parameters: Parameters) -> Any:  # TOML, of the same shape
    """Fill the placeholders in a part of the file; a text that is only a placeholder becomes the value.

    Raises WrongValueError if two keys of a table are equal after their placeholders are filled.
    """
    match content:
        case str() if match := PLACEHOLDER.fullmatch(content):
            return parameters.get(match[1], content)
        case str():
            return filled_text(content, parameters)
        case list():
            return [fill(part, parameters) for part in content]
        case dict():
            filled = {
                filled_text(key, parameters): value if key == COLUMNS else fill(value, parameters)
                for key, value in content.items()
            }
            if len(filled) < len(content):
                keys = ", ".join(key for key in content if PLACEHOLDER.search(key))
                raise WrongValueError(
                    f"with filled placeholders, two keys become equal: {keys}; "
                    "use keys that differ for each value"
                )
            return filled
        case _:
            return content


def filled_text(text: str, parameters: Parameters) -> str:
    """Return a text with filled placeholders."""
    return PLACEHOLDER.sub(lambda match: placeholder_text(parameters.get(match[1], match[0])), text)


def _limited(**limits: object) -> Callable[..., dict[str, object]]:
    """Return the annotation of a type whose JSON schema has further keys."""

    def limited(core: Any, schema_of: Callable[[Any], dict[str, object]]) -> dict[str, object]:
        return schema_of(core) | limits

    vars(limited)["__get_pydantic_json_schema__"] = limited
    return limited


# The JSON schema describes a value as written; the readers are exact.
_DurationText = Annotated[str, _limited(pattern=r"^\s*(\d+\s*(ns|ms|s|min|m|h|d)\s*)+$")]
_FileText = Annotated[str, _limited(minLength=1)]
_IriText = Annotated[str, _limited(format="iri")]
_TimeText = Annotated[int, _limited(minimum=0)]
_PeriodText = Annotated[int, _limited(minimum=1)] | str
_Numbers = _TimeText | Annotated[list[_TimeText], _limited(minItems=1)] | str
_PeriodsText = _PeriodText | Annotated[list[_PeriodText], _limited(minItems=1)]
_StreamsText = Annotated[dict[_IriText, _FileText], _limited(minProperties=1)]
_AssignText = Annotated[
    dict[_IriText, Annotated[list[_IriText], _limited(minItems=1)]], _limited(minProperties=1)
]
_ScalarText = str | int | float

KeyReading = tuple[Callable[[Any], Any], Any]
"""The reader of the value of a key, and the type that describes the written value in the JSON schema."""
_READ: Final = "read"
_SAYS: Final = "says"
_KEYS: Final = "keys"
_OPTIONS: Final = {"prefixes": "prefix", "columns": "column"}
"""The keys whose options have other names, with the names of the options."""


def _read(reader: Callable[[Any], object], written: Any) -> KeyReading:
    """Return the reader of a key's value, and the type for the JSON schema."""
    return reader, written


def _one_of(choices: Any) -> KeyReading:
    return _read(values.one_of(choices), choices)


def _key(default: Any, says: str, read: KeyReading | type | None = None) -> Any:
    """Return the field of a key of experiment.toml, with a description.

    The value of the key is a table if `read` is the type of a table. If `read` is None, the type of the field
    contains the reader.
    """
    metadata = {_SAYS: says, _READ: read}
    if isinstance(default, dict | list):
        return field(default_factory=type(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def _says(option: Option, *, default: bool) -> str:
    """Return the help text of an option, rewritten as the description of a key of an experiment."""
    text = option.help.replace(" Repeatable.", "").replace("--", "")
    return text if default else text.partition(" [default: ")[0]


def _group(group: type[object], **keys: tuple[Any, Any]) -> Any:
    """Return the field of a table that holds a group of options; the options are keys of the table.

    Each key has its default and the type of the written value in the JSON schema. It has the reader of the
    option, and its help text.
    """
    known = {option.name: option for option in declared(group)}
    options = {
        key: _key(default, _says(option, default=default is None), _read(partial(in_toml, option), written))
        for key, (default, written) in keys.items()
        for option in (known[_OPTIONS.get(key, key)],)
    }
    return field(metadata={_KEYS: options, _READ: group})


Name = Annotated[str, _read(values.read_name, _ScalarText)]
NameList = Annotated[tuple[str, ...], _read(values.names, str | list[str])]
File = Annotated[str | None, _read(values.file_name, _FileText)]
Files = Annotated[tuple[str, ...], _read(values.file_names, _FileText | list[_FileText])]
StaticFiles = Annotated[
    tuple[StaticFile, ...],
    _read(lambda value: values.static_files(values.file_names(value)), _FileText | list[_FileText]),
]
QueryFile = Annotated[str | dict[str, str] | None, _read(values.read_query, _FileText | dict[str, str])]

NAME: Final = "Name in the tables of results."
CHOSEN_CASES: Final = "Names of the entries to which this entry applies. [default: all]"


@dataclass(frozen=True, eq=False)
class Table:
    """The base class of all tables, which rejects unknown keys."""


AnyTable = TypeVar("AnyTable", bound=Table)


def _query_key(language: Language) -> tuple[Any, Any]:
    """Return the field of the key for the query in a language."""
    says = (
        f"The query in {language.manner.title}: a file, or {{text = '''..'''}}. A comparison reads one query "
        "for pull and one for push, and derives a missing query."
    )
    return QueryFile, _key(None, says)


def _table(name: str, text: str, keys: Mapping[str, tuple[Any, Any]]) -> type[Table]:
    body: dict[str, Any] = {"__doc__": text, "__module__": __name__}
    body |= {key: default for key, (_, default) in keys.items()}
    body["__annotations__"] = {key: kind for key, (kind, _) in keys.items()}
    return dataclass(frozen=True, eq=False, kw_only=True)(type(name, (Table,), body))


QueryTable: Final = _table(
    "QueryTable",
    "One query, in the query languages of the engines that run it.",
    {language.value: _query_key(language) for language in Language} | {"name": (Name, _key(MISSING, NAME))},
)


@dataclass(frozen=True, eq=False, kw_only=True)
class GenerateTable(Table):
    """A synthetic stream: the options of lars generate, with _ for -."""

    plan: Plan = _group(
        Plan,
        **{
            one.name: (one.plain_default, one.kind if one.choices or one.kind is int else _ScalarText)
            for one in declared(Plan)
        },
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class TraceTable(Table):
    """One trace: files, or a synthetic stream."""

    streams: Annotated[dict[Iri, str] | None, _read(values.streams, _StreamsText)] = _key(
        None, "Table from each stream IRI to its trace: a file or a folder."
    )
    files: Files = _key(
        (), "Traces that contain the IRIs of their streams: a file, a folder, or a list of these."
    )
    generate: GenerateTable | None = _key(
        None, "A synthetic stream, with the options of lars generate.", GenerateTable
    )
    input_options: requests.InputOptions = _group(
        requests.InputOptions,
        origin=(None, datetime),
        trace_unit=(None, _DurationText),
        sort=(False, bool),
        blank_nodes=(None, BlankNodes),
        time=(None, _IriText),
        prefixes=({}, dict[str, _IriText]),
        arrival=(None, str),
        null=((), str | list[str]),
        columns=({}, dict[str, str | dict[str, str]]),
    )
    name: Name = _key(MISSING, NAME)


@dataclass(frozen=True, eq=False, kw_only=True)
class EngineTable(Table):
    """Answers to judge: of an engine version, an adapter or a file; the specification and the comparison."""

    name: Name | None = _key(None, NAME)
    engine: Name | None = _key(None, "Engine version, or a specification by name or file.")
    off: NameList = _key((), "Rules of the engine version that the run leaves out.")
    adapter: Name | None = _key(
        None, "Command that starts the adapter of a real engine. It runs in the folder of the experiment."
    )
    options: Annotated[dict[str, Any], _read(values.json_table, dict[str, Any])] = _key(
        {}, "Options that the adapter receives together with the query."
    )
    answers: File = _key(None, "File with recorded answers.")
    recorded: requests.AnswersOptions = _group(
        requests.AnswersOptions,
        answers_format=(None, requests.AnswersFormat),
        answers_unit=(None, _DurationText),
    )
    specification: Name | None = _key(
        None,
        "Specification that defines the correct answers: a name or a file. [default: the "
        "specification of the engine]",
    )
    language: Annotated[Language | None, _one_of(Language)] = _key(
        None, "Query language to use. [default: the query language of the engine]"
    )
    queries: NameList | None = _key(None, CHOSEN_CASES)
    traces: NameList | None = _key(None, CHOSEN_CASES)
    judging: requests.JudgeOptions = _group(
        requests.JudgeOptions,
        t0=(None, _Numbers),
        registered=(0, _TimeText | datetime),
        until=(None, _TimeText | datetime),
        gracious=(False, bool),
        tolerance=(requests.TOLERANCE, float),
        empty=("compared", requests.EmptyReports),
    )
    bounds: Annotated[tuple[Bounds, ...] | None, _read(values.one_or_more(Bounds), Bounds | list[Bounds])] = (
        _key(None, "Time points in a window, or a list of possibilities, as lars judge --bounds describes.")
    )
    early: Annotated[float, _read(values.milliseconds, _DurationText)] = _key(
        0, "Longest time by which a report may come before its evaluation."
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparisonTable(Table):
    """A comparison of push and pull, as by lars agree."""

    timeline: Annotated[
        Interval | tuple[datetime, datetime] | None,
        _read(values.timeline, tuple[_TimeText, _TimeText] | tuple[datetime, datetime]),
    ] = _key(None, "First and last time. [default: from 0 to the last element]")
    options: requests.ComparisonOptions = _group(
        requests.ComparisonOptions,
        period=(None, _PeriodsText),
        profile=("paper2015", Profile),
        bounds=(None, Bounds),
        trigger=("any", Trigger),
        on=(None, str | list[str]),
        assign=({}, _AssignText),
    )
    name: Name = _key("agree", NAME)
    queries: NameList | None = _key(None, CHOSEN_CASES)
    traces: NameList | None = _key(None, CHOSEN_CASES)


def _tables(table: type[Table]) -> KeyReading:
    return _read(values.tables, table)


_Entries = list[dict[str, Any]]
_GridText = dict[str, str | list[_ScalarText]]


def keys_of(table: type[Table]) -> Mapping[str, Field[Any]]:
    """Return the declarations of the keys of a table."""
    keys: dict[str, Field[Any]] = {}
    for part in fields(table):
        keys |= part.metadata.get(_KEYS, {part.name: part})
    return keys


def _short(table: type[Table]) -> Any:
    """Return the field for an entry whose keys are at the top of the file; its name is that of the field."""
    keys = {name: key for name, key in keys_of(table).items() if name not in ("name", "queries", "traces")}
    return field(metadata={_KEYS: keys, _READ: table})


@dataclass(frozen=True, eq=False, kw_only=True)
class ExperimentFile(Table):
    """The whole file."""

    title: Annotated[str, _read(values.read_text, str)] = _key("", "Title of the experiment.")
    input_options: requests.InputOptions = _group(
        requests.InputOptions,
        unit=(None, _DurationText),
        base=(None, _IriText),
        rdf=(None, requests.Rdf),
        readings=({}, dict[str, str]),
    )
    static: StaticFiles = _key(
        (),
        "Static RDF data: FILE, IRI=FILE for a named graph, cqels:FILE for CQELS only, or a list of these.",
    )
    query: Table = _short(QueryTable)
    trace: TraceTable = _short(TraceTable)
    agree: ComparisonTable = _short(ComparisonTable)
    grid: Annotated[dict[str, tuple[Scalar, ...]], _read(read_grid, _GridText)] = _key(
        {}, "Parameters with their values: a list, or a range such as '1..50'."
    )
    queries: Annotated[_Entries, _tables(QueryTable)] = _key([], "[[queries]]: the queries.")
    traces: Annotated[_Entries, _tables(TraceTable)] = _key([], "[[traces]]: the traces.")
    engines: Annotated[_Entries, _tables(EngineTable)] = _key([], "[[engines]]: engines to judge.")
    comparisons: Annotated[_Entries, _tables(ComparisonTable)] = _key(
        [], "[[comparisons]]: comparisons of push with pull."
    )


_SHORT: Final = {"query": "queries", "trace": "traces", "agree": "comparisons"}
SHORT: Final[dict[str, tuple[str, Mapping[str, Field[Any]]]]] = {
    _SHORT[part.name]: (part.name, part.metadata[_KEYS])
    for part in fields(ExperimentFile)
    if part.name in _SHORT
}
"""The keys that can be at the top of the file in place of an entry, and the name of this entry in results."""
NEEDED: Final = {
    "queries": (*(language.value for language in Language), "queries"),
    "traces": ("streams", "files", "generate", "traces"),
}
"""The keys of which at least one is required: a query, and a trace."""
_SHOWN: Final[tuple[tuple[str, type[Table]], ...]] = (
    ("[[queries]]", QueryTable),
    ("[[traces]]", TraceTable),
    ("generate = {..}", GenerateTable),
    ("[[engines]]", EngineTable),
    ("[[comparisons]]", ComparisonTable),
)


def reading_of(key: Field[Any]) -> tuple[KeyReading | type[Table], bool]:
    """Return the reader of a key's value, or the table that is the value, and whether None is allowed."""
    if reading := key.metadata[_READ]:
        return reading, isinstance(reading, type)
    kind: Any = key.type
    optional = get_origin(kind) is not Annotated
    if optional:  # X | None
        kind = get_args(kind)[0]
    return (kind if get_origin(kind) is not Annotated else kind.__metadata__[0]), optional


def read_table(table: type[AnyTable], toml: PlacedData, path: KeyPath, content: object) -> AnyTable:
    """Return the table at a path of the file, read by the readers of its keys.

    If several errors exist, the first error in the text is raised; errors for missing keys come last.
    """
    faults: list[KeyFault] = []
    read = _read_keys(table, path, content, faults)
    if read is None or faults:
        raise toml.first_error(faults)
    return read


def _read_keys(
    table: type[AnyTable], path: KeyPath, content: object, faults: list[KeyFault]
) -> AnyTable | None:
    """Return a table, or None if it has faults, which the function adds to `faults`."""
    if not isinstance(content, dict):
        faults.append((path, wrong(content, "a table"), False))
        return None
    keys, read, before = keys_of(table), dict[str, Any](), len(faults)
    for name in (name for name in keys if name in content):
        reading, _ = reading_of(keys[name])
        if isinstance(reading, type):
            read[name] = _read_keys(reading, (*path, name), content[name], faults)
            continue
        try:
            read[name] = reading[0](content[name])
        except WrongValueError as error:
            faults.append(((*path, name), error, False))
    required = [name for name, key in keys.items() if key.default is key.default_factory is MISSING]
    faults += ((path, missing_key(name, required), False) for name in required if name not in content)
    unknown = (name for name in content if name not in keys)
    faults += (((*path, name), _unknown_key(name, list(keys)), True) for name in unknown)
    return _made(table, read) if len(faults) == before else None


def _unknown_key(name: str, accepted: Sequence[str]) -> WrongValueError:
    """Return the error for an unknown key, which may be an option of a command or a key of another table."""
    option = name.replace("_", "-")
    command = next((command for command, options in COMMAND_OPTIONS.items() if option in options), None)
    tables = [title for title, table in _SHOWN if name in keys_of(table)]
    if name in keys_of(ExperimentFile):
        tables.append("the table at the top of the file")
    if command is not None:
        return WrongValueError(f"an experiment cannot contain this option; use lars {command} --{option}")
    if tables:
        return WrongValueError(f"this table does not have the key; use the key in {' or '.join(tables)}")
    return unknown_key({"from": "timeline", "to": "timeline"}.get(name, name), accepted)


COMMAND_OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "agree": (
        *("as", "cause", "certify", "color", "evaluator", "fail-on-empty", "figure", "full", "in-process"),
        *("json", "junit", "known", "late", "lateness", "master", "memory", "on-error", "only-period", "out"),
        *("out-format", "out-terms", "quiet", "rejected", "report", "resume", "side", "verbose", "wait"),
    ),
    "run": ("check", "fresh", "jobs"),
    "decide": ("contained", "equivalent", "rename", "time-limit"),
    "witness": ("any-source", "enumerate", "same-input", "sides", "triples"),
    "judge": ("diagnosis", "match", "mode", "semantics", "static-at", "time-variable"),
}
"""For each command, options that are not keys of an experiment."""


def _made(kind: type[Any], read: Mapping[str, Any]) -> Any:
    """Return a table or a group of options from the values of its keys."""
    if not issubclass(kind, Table):
        by_option = {_OPTIONS.get(key, key): value for key, value in read.items()}
        return build(kind, by_option, lambda _, value: value)
    parts = {key: value for key, value in read.items() if key in kind.__dataclass_fields__}
    for part in fields(kind):
        if keys := part.metadata.get(_KEYS):
            own = {key: value for key, value in read.items() if key in keys}
            parts[part.name] = _made(part.metadata[_READ], {"name": part.name, **own})
    return kind(**parts)


def _as_model(table: type[Table], models: dict[type[Table], Any]) -> Any:
    """Return a table as a model of pydantic, which writes the JSON schema and the texts of keys.

    The dictionary `models` contains the models that exist already.
    """
    from pydantic import ConfigDict, PlainValidator, create_model
    from pydantic import Field as ModelField

    if table in models:
        return models[table]
    keys: dict[str, Any] = {}
    for name, key in keys_of(table).items():
        reading, optional = reading_of(key)
        kind: Any
        if isinstance(reading, type):
            kind = _as_model(reading, models)
        else:
            reader, written = reading
            if isinstance(written, type) and issubclass(written, Table):
                written = list[_as_model(written, models)]  # type: ignore[misc]
            kind = Annotated[Any, PlainValidator(reader, json_schema_input_type=written)]
        default = ... if key.default is key.default_factory is MISSING else key.default
        default = default if key.default_factory is MISSING else key.default_factory()
        keys[name] = (kind | None if optional else kind, ModelField(default, description=key.metadata[_SAYS]))
    config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    models[table] = create_model(table.__name__, __doc__=table.__doc__, __config__=config, **keys)
    return models[table]


def schema() -> dict[str, object]:
    """Return the JSON schema of an experiment file, for `lars agree --schema`."""
    from agreement.documents.model_texts import json_schema

    document = json_schema(_as_model(ExperimentFile, {}))
    short = {key: document["properties"][key] for _, keys in SHORT.values() for key in keys}
    for properties in (short, *(part.get("properties", {}) for part in document["$defs"].values())):
        for key in properties.values():
            _let_fill(key)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **document,
        "allOf": [{"anyOf": [{"required": [key]} for key in keys]} for keys in NEEDED.values()],
        "title": requests.EXPERIMENT_FILE,
        "description": "An experiment: do engines agree, and are answers correct? One cell or a grid "
        "of cells.",
    }


def _let_fill(key: dict[str, Any]) -> None:
    """Allow a text with a placeholder as the value of a key in the JSON schema."""
    annotations: dict[str, Any] = {name: key.pop(name) for name in ("description", "default") if name in key}
    value = dict(key)
    key.clear()
    key.update(annotations, anyOf=[value, {"type": "string", "pattern": PLACEHOLDER.pattern}])


def schema_text() -> str:
    """Return a text that describes all tables and keys of an experiment."""
    from agreement.documents.model_texts import fields_of

    intro = "{NAME} in a text or a query is replaced by each value of the parameter NAME in [grid]."
    parts = [f"{title}: {table.__doc__}\n\n{fields_of(_as_model(table, {}))}" for title, table in _SHOWN]
    return "\n\n".join([intro, fields_of(_as_model(ExperimentFile, {})), *parts])
