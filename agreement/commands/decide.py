"""`lars decide`: do the two engines agree on every stream."""

from dataclasses import dataclass
from typing import Annotated

import typer

from agreement.commands.app import (
    DISAGREE,
    check_report,
    command,
    note,
    print_lines,
    print_parts,
    warn,
    working,
    write_report,
)
from agreement.inputs import options
from agreement.inputs.question_options import QueriesArgument, QuestionOptions
from agreement.outputs import json_text

OPEN = 3
"""It is open: neither proven nor refuted."""


@dataclass(frozen=True, slots=True)
class TwoQueryOptions:
    """Two queries in one mode. Whether one's answers are the other's, at every time on every stream."""

    contained: Annotated[
        bool,
        typer.Option("--contained", help="Decide whether each answer of the first is one of the second."),
    ] = False
    equivalent: Annotated[
        bool, typer.Option("--equivalent", help="Decide whether the two always have the same answers.")
    ] = False
    rename: Annotated[
        list[str] | None,
        typer.Option(metavar="A=B", help="The column A of the first is the column B of the second."),
    ] = None


@command
def decide(
    *,
    inputs: QueriesArgument = None,
    given: QuestionOptions,
    reading: options.InterpretationOptions,
    assign: options.AssignOption = None,
    two: TwoQueryOptions,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="Then it is open. [default: 60 for two queries in one mode, 20 of search for push and pull]",
        ),
    ] = None,
    report: options.ReportOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Decide without a trace whether pull of C-SPARQL and push of CQELS agree on every stream.

    Exit code 0: always; 1: on some stream they differ; 3: it is open.

    Example:
    lars decide samples/coupons --period 1..50
    """
    from agreement.library.basis.boundary import Told
    from agreement.library.possible.decisions import (
        ContainmentFound,
        ContainmentRequest,
        Decision,
        DecisionRequest,
        containment,
        decision,
    )

    check_report(report)
    paths = tuple(inputs or ())
    with working("deciding") as progress:
        if two.contained or two.equivalent:
            asked = ContainmentRequest(
                paths, given.unit, reading, two.rename or (), two.equivalent, time_limit
            )
            found: ContainmentFound | Decision = containment(asked)
        else:
            request = DecisionRequest(paths, given, reading, assign or (), time_limit)
            found = decision(request, Told(warn, note, progress))
    write_report(report, found)
    if as_json:
        print_lines([json_text(found.document())])
    else:
        print_parts(found.parts())
    if found.holds is False:
        raise typer.Exit(DISAGREE)
    if found.holds is None:
        raise typer.Exit(OPEN)
