"""The structure of an experiment with a grid: its tables, their keys, and what each means.

The tables of queries, traces, engines and comparisons are checked once their placeholders are filled.
"""

from datetime import datetime
from enum import Enum
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, PlainValidator

from agreement import experiment_values as values
from agreement.generate.plan import HALF_A_MINUTE, SECOND, STREAM, ArrivalProcess
from agreement.judging.likeness import TOLERANCE
from agreement.judging.verdict import EmptyReports
from agreement.recordings.reading import AnswersFormat
from agreement.running import values as own
from agreement.running.values import Scalar
from agreement.toml_fields import fields_of
from lars.durations import Duration
from lars.terms import Iri
from lars.windows import Bounds, Interval
from translate.profiles import Profile
from translate.query import Language
from translate.triggers import Trigger


def _one_of(choices: type[Enum]) -> PlainValidator:
    return PlainValidator(values.one_of(choices))


Text = Annotated[str, PlainValidator(own.scalar_text)]
Name = Annotated[str, PlainValidator(own.name)]
Names = Annotated[tuple[str, ...], PlainValidator(own.names)]
File = Annotated[str | None, PlainValidator(values.file_name)]
Files = Annotated[tuple[str, ...], PlainValidator(values.file_names)]
Unit = Annotated[Duration, PlainValidator(values.unit)]
Query = Annotated[str | dict[str, str] | None, PlainValidator(own.query)]
Tables = Annotated[list[dict[str, Any]], Field(min_length=1)]

NAME: Final = "what tables of results call it"
CHOSEN: Final = "the names of those that it applies to; left out: all"


class Table(BaseModel):
    """What all tables share: nothing is accepted beside their keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class GridFile(Table):
    """The whole file."""

    title: Text = Field("", description="what the experiment shows")
    unit: Unit = Field(SECOND, description="the length of one time point")
    static: Files = Field((), description="the file or files of the static data")
    grid: Annotated[dict[str, tuple[Scalar, ...]], PlainValidator(own.grid)] = Field(
        {}, description="parameters with their values: a list, or a range as '1..50'"
    )
    queries: Tables = Field(description="[[queries]]: what is asked, in one or several languages")
    traces: Tables = Field(description="[[traces]]: the streams")
    engines: list[dict[str, Any]] = Field([], description="[[engines]]: what is judged, by what")
    comparisons: list[dict[str, Any]] = Field([], description="[[comparisons]]: pull against push")


class QueryTable(Table):
    """One query, in the languages of the engines that are to run it: files, or {text = '''..'''}."""

    name: Name = Field(description=NAME)
    csparql: Query = Field(None, description="in C-SPARQL")
    cqels: Query = Field(None, description="in CQELS")
    sparqlstream: Query = Field(None, description="in SPARQLstream")
    rspql: Query = Field(None, description="in RSP-QL")

    def of(self, language: Language) -> str | dict[str, str] | None:
        """Return what the table says of a language."""
        found: str | dict[str, str] | None = getattr(self, language.value)
        return found


class GenerateTable(Table):
    """A made-up stream: the options of `lars generate`, with _ for -."""

    stations: Text = Field("1", description="how many stations observe")
    interval: Text = Field(str(SECOND), description="how often each does")
    duration: Text = Field(str(HALF_A_MINUTE), description="how long the stream is")
    seed: Text = Field("0", description="the same seed gives the same stream")
    values: Text = Field("40.0..100.0", description="temperatures, LOW..HIGH")
    walk: Text | None = Field(None, description="the step by which a station's temperature moves")
    arrivals: Annotated[ArrivalProcess, _one_of(ArrivalProcess)] = Field(
        ArrivalProcess.REGULAR, description="when it observes"
    )
    bursts: Text | None = Field(None, description="SIZExGAP: each observation is several")
    contemporaneous: Text = Field("1", description="how many stations observe at the same instants")
    duplicates: Text = Field("0", description="the share of elements that is sent again")
    out_of_order: Text = Field("0", description="the share of elements that arrives late")
    delay: Text | None = Field(None, description="the most that an element is late")
    streams: Text = Field("1", description="over how many streams the stations are dealt out")
    stream_iri: Text = Field(STREAM, description="the stream")
    start: Text = Field("0s", description="when the stream starts")


class TraceTable(Table):
    """One trace: made up, or read from files."""

    name: Name = Field(description=NAME)
    generate: GenerateTable | None = Field(None, description="a made-up stream, as of `lars generate`")
    streams: Annotated[dict[Iri, str] | None, PlainValidator(values.streams)] = Field(
        None, description="the trace of each stream: a file, or a folder of files"
    )
    files: Files = Field((), description="traces that name their streams themselves")
    origin: Annotated[datetime | None, PlainValidator(values.origin)] = Field(
        None, description="the instant of time point 0, for traces with dates"
    )
    trace_unit: Unit | None = Field(None, description="what integers in the traces count")


class EngineTable(Table):
    """What is judged (`engine`, or recorded `answers`), by which specification, and how."""

    name: Name | None = Field(None, description=NAME)
    engine: Name | None = Field(None, description="an engine version, or a specification by name or file")
    off: Names = Field((), description="the names of the version's rules that are switched off")
    answers: File = Field(None, description="recorded answers: a file")
    format: Annotated[AnswersFormat | None, _one_of(AnswersFormat)] = Field(
        None, description="the format of the answers; left out: recognised"
    )
    time_unit: Unit | None = Field(None, description="what times in the answers count")
    specification: Name | None = Field(
        None, description="what it is judged by: a name or a file; left out: what the engine claims to follow"
    )
    language: Annotated[Language | None, _one_of(Language)] = Field(
        None, description="which of a query's languages; left out: by the engine's name"
    )
    queries: Names | None = Field(None, description=CHOSEN)
    traces: Names | None = Field(None, description=CHOSEN)
    t0: Annotated[tuple[int, ...] | None, PlainValidator(own.times)] = Field(
        None, description="start times of windows: 0, [0, 5], '0..9'; left out: all that differ"
    )
    registered: Annotated[int, PlainValidator(own.count)] = Field(
        0, description="the time point at which the query is registered: the first t0"
    )
    until: Annotated[int | None, PlainValidator(own.count)] = Field(
        None, description="the last time point that is compared; left out: that of the last element"
    )
    bounds: Annotated[tuple[Bounds, ...] | None, PlainValidator(values.one_or_more(Bounds))] = Field(
        None, description="which ends windows contain, instead of what the specification says"
    )
    gracious: Annotated[bool, PlainValidator(own.yes_or_no)] = Field(
        False, description="find the borders of wrong windows that fit best, and show the shift"
    )
    tolerance: Annotated[float, PlainValidator(own.share)] = Field(
        TOLERANCE, description="how far apart numbers count as equal, relative to the larger one"
    )
    empty: Annotated[EmptyReports, _one_of(EmptyReports)] = Field(
        EmptyReports.COMPARED, description="whether reports without rows are compared"
    )
    early: Annotated[float, PlainValidator(own.milliseconds)] = Field(
        0, description="how long before its time a report may come"
    )


class ComparisonTable(Table):
    """Whether pull of the C-SPARQL query agrees with push of the CQELS query, as `lars agree` asks."""

    name: Name = Field("agree", description=NAME)
    period: Annotated[tuple[int, ...], PlainValidator(values.periods)] = Field(
        (), description="the pulling period or periods U; left out: the STEP of the C-SPARQL query"
    )
    timeline: Annotated[Interval | None, PlainValidator(values.timeline)] = Field(
        None, description="the first and the last time point; left out: from 0 to the last element"
    )
    queries: Names | None = Field(None, description=CHOSEN)
    traces: Names | None = Field(None, description=CHOSEN)
    profile: Annotated[Profile, _one_of(Profile)] = Field(
        Profile.PAPER2015, description="how queries join over unbound variables and read MINUS"
    )
    bounds: Annotated[Bounds, _one_of(Bounds)] = Field(
        Bounds.CLOSED, description="which ends a window contains"
    )
    trigger: Annotated[Trigger, _one_of(Trigger)] = Field(
        Trigger.ANY, description="which input makes a push engine evaluate"
    )
    assign: Annotated[dict[Iri, tuple[Iri, ...]], PlainValidator(values.assign)] = Field(
        {}, description="which predicates of the C-SPARQL pattern belong to a stream"
    )


_SHOWN: Final[tuple[tuple[str, type[Table]], ...]] = (
    ("[[queries]]", QueryTable),
    ("[[traces]]", TraceTable),
    ("generate = {..}", GenerateTable),
    ("[[engines]]", EngineTable),
    ("[[comparisons]]", ComparisonTable),
)


def schema_text() -> str:
    """Return all tables and keys of an experiment with a grid, for readers."""
    intro = "{NAME} in a text, or in a query, stands for each value that [grid] gives to NAME."
    parts = [f"{title}: {model.__doc__}\n\n{fields_of(model)}" for title, model in _SHOWN]
    return "\n\n".join([intro, fields_of(GridFile), *parts])
