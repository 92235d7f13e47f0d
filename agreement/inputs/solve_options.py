"""The options of `lars solve` in groups: which answer streams are shown, what reports leave open."""

from dataclasses import dataclass
from typing import Annotated

from typer import Option

from agreement.inputs import arguments
from agreement.inputs.options import time_option


@dataclass(frozen=True, slots=True)
class AnswerStreamOptions:
    """Which answer streams of a program are shown, or what follows from all of them together."""

    models: Annotated[
        int | None,
        Option(
            metavar="all|N",
            parser=arguments.models,
            help="How many answer streams of a program to show. [default: all]",
        ),
    ] = None
    brave: Annotated[bool, Option("--brave", help="Show what some answer stream derives.")] = False
    cautious: Annotated[bool, Option("--cautious", help="Show what every answer stream derives.")] = False
    show: Annotated[
        str | None,
        Option(metavar="NAME/N", help="Show only these predicates of a program: alarm/1,other/2."),
    ] = None


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What reports, as --as names it, leaves open."""

    t0: Annotated[
        int | None, time_option("--t0", "Where windows of a specification begin; 0 by default.")
    ] = None
    until: Annotated[
        int | None,
        time_option("--until", "The last time point reported at; by default that of the last element."),
    ] = None
    as_stream: Annotated[
        str | None,
        Option(
            metavar="IRI", help="Print the triples of CONSTRUCT as a trace of this stream, in timed N-Quads."
        ),
    ] = None
