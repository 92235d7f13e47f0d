"""The options of the command `lars`: names, help and how their texts become values."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from agreement import arguments
from lars.windows import Bounds
from translate.dialects.strict import StrictEngine
from translate.profiles import Profile, Semantics
from translate.query import Language
from translate.triggers import Trigger


class Mode(Enum):
    """The execution modes."""

    PUSH = "push"
    PULL = "pull"


class Format(Enum):
    """What `translate` prints."""

    LARS = "lars"
    ASCII = "ascii"
    ASP = "asp"
    MODEL = "model"
    JSON = "json"
    TICKER = "ticker"


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines and nothing else.")]
StaticOption = Annotated[list[Path] | None, typer.Option("--static", help="An RDF file with static data.")]
StreamOption = Annotated[
    list[str] | None, typer.Option("--stream", metavar="IRI=FILE", help="The stream that a trace file holds.")
]
UnitOption = Annotated[
    str | None, typer.Option("--unit", help="One time point: 1s, 1min, 500ms. [default: 1s]")
]
TraceUnitOption = Annotated[
    str | None, typer.Option("--trace-unit", help="What integers in the trace count. [default: the unit]")
]
OriginOption = Annotated[str | None, typer.Option("--origin", help="The dateTime that is time 0.")]
SortOption = Annotated[bool, typer.Option("--sort", help="Sort a trace that is out of order.")]
OnErrorOption = Annotated[str, typer.Option("--on-error", metavar="stop|skip", help="At a bad line.")]
RejectedOption = Annotated[Path | None, typer.Option("--rejected", help="The file that keeps skipped lines.")]
FromOption = Annotated[
    int | None,
    typer.Option("--from", metavar="TIME", parser=arguments.time_of("--from"), help="The first time point."),
]
StartOption = Annotated[
    int | None,
    typer.Option(
        "--from",
        metavar="TIME",
        parser=arguments.time_of("--from"),
        help="Where the timeline begins; no earlier input is seen.",
    ),
]
EndOption = Annotated[
    int | None,
    typer.Option("--to", metavar="TIME", parser=arguments.time_of("--to"), help="Where the timeline ends."),
]
ToOption = Annotated[
    int | None,
    typer.Option("--to", metavar="TIME", parser=arguments.time_of("--to"), help="The last time point."),
]
MasterOption = Annotated[str, typer.Option("--master", help="The Spark master.")]
InProcessOption = Annotated[bool, typer.Option("--in-process", help="Run in this process, without Spark.")]
AssignOption = Annotated[
    list[str] | None,
    typer.Option("--assign", metavar="STREAM=PREDICATE", help="In which stream a predicate is matched."),
]
PeriodsOption = Annotated[
    str | None, typer.Option("--period", help="Pulling periods: 5 or 5,10 or 1..50. [default: the STEP]")
]
PeriodOption = Annotated[
    int | None,
    typer.Option(
        "--period", metavar="U", parser=arguments.period, help="The pulling period. [default: the STEP]"
    ),
]
ProfileOption = Annotated[Profile | None, typer.Option("--profile", help="How joins and MINUS are read.")]
BoundsOption = Annotated[Bounds | None, typer.Option("--bounds", help="Which ends a window contains.")]
TriggerOption = Annotated[Trigger | None, typer.Option("--trigger", help="What input makes push evaluate.")]
SemanticsOption = Annotated[
    Semantics | None, typer.Option("--semantics", help="Whether answers are a set or a multiset.")
]
RewriteOption = Annotated[
    Language | None, typer.Option("--to", help="Print the query in this language, no program.")
]
StrictOption = Annotated[
    StrictEngine | None,
    typer.Option("--strict", help="Accept only what this engine's own parser accepts."),
]
EngineOption = Annotated[
    Language | None, typer.Option("--engine", help="The language the query is in, or is to be turned into.")
]
ModeOption = Annotated[Mode | None, typer.Option("--mode", help="The execution mode.")]
ModelsOption = Annotated[
    int | None,
    typer.Option(
        "--models",
        metavar="all|N",
        parser=arguments.models,
        help="How many answer streams of a program to show. [default: all]",
    ),
]
BraveOption = Annotated[bool, typer.Option("--brave", help="Show what some answer stream derives.")]
CautiousOption = Annotated[bool, typer.Option("--cautious", help="Show what every answer stream derives.")]
AtOption = Annotated[
    int | None,
    typer.Option("--at", metavar="TIME", parser=arguments.time_of("--at"), help="The reference time."),
]
AsOption = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="NAME",
        help="Print what this profile reports: csparql, cqels, sparqlstream, rspql, a file *.toml, or an "
        "engine version. An empty report is `-`, in JSON no rows; silence is no line. Reports of "
        "engine versions can come between two time points: in JSON `t` is then the one before, and `ms` the "
        "exact time in milliseconds.",
    ),
]
OneStartOption = Annotated[
    int | None,
    typer.Option(
        "--t0",
        metavar="TIME",
        parser=arguments.time_of("--t0"),
        help="Where windows of a specification begin; 0 by default.",
    ),
]
UntilOption = Annotated[
    int | None,
    typer.Option(
        "--until",
        metavar="TIME",
        parser=arguments.time_of("--until"),
        help="The last time point reported at; by default that of the last element.",
    ),
]
AsStreamOption = Annotated[
    str | None,
    typer.Option(
        "--as-stream",
        metavar="IRI",
        help="Print the triples of CONSTRUCT as a trace of this stream, in timed N-Quads.",
    ),
]
