"""`lars decide`: do the two engines agree on every stream."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import DISAGREE, command, print_lines, print_parts, warn, working
from agreement.inputs import arguments, options

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
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="EXPERIMENT_DIR | QUERY [QUERY]",
            help="A folder with experiment.toml; or queries in C-SPARQL and CQELS, one or both.",
        ),
    ] = None,
    period: Annotated[
        str | None,
        typer.Option(help="Pulling periods: 5, 5,10, 1..50, 1s..60s. [default: the STEP, or 1..10]"),
    ] = None,
    static: Annotated[
        list[Path] | None, typer.Option(help="An RDF file with the static data. [default: any data]")
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH", help="One time point: 1min, 500ms. [default: the longest that fits, at most 1s]"
        ),
    ] = None,
    reading: options.InterpretationOptions,
    assign: options.AssignOption = None,
    two: TwoQueryOptions,
    as_json: options.JsonOption = False,
) -> None:
    """Decide without a trace whether pull of C-SPARQL and push of CQELS agree on every stream.

    Exit code 0: always; 1: on some stream they differ; 3: it is open.

    Example:
    lars decide samples/coupons --period 1..50
    """
    if two.contained or two.equivalent:
        _compare(tuple(inputs or ()), unit, reading, two, as_json=as_json)
        return
    from agreement.agree import Overrides
    from agreement.decide import Decided, Decider, VariantClasses, decision_task, report
    from translate.tau import columns

    given = options.InputOptions(static=static, unit=unit)
    asked = Overrides(period, unit, reading, arguments.assignments(assign))
    task = decision_task(tuple(inputs or ()), given, asked, warn)
    question = task.questions[0]
    decider = Decider(question)
    found = []
    with working("deciding") as progress:
        for done, one in enumerate(task.periods):
            progress(done, len(task.periods))
            found.append(decider.decide(one))
    variants = VariantClasses(question)
    unit_used = question.setting.unit
    if as_json:
        document = report.as_json(found, variants, unit_used, columns(question.pair.csparql))
        print_lines([json.dumps(document, ensure_ascii=False)])
    else:
        print_parts((*report.as_text(found, unit_used), *report.variants_text(variants)))
    verdicts = {one.verdict for one in found}
    if verdicts & {Decided.NEVER, Decided.STATIC} or any(one.witness for one in found):
        raise typer.Exit(DISAGREE)
    if Decided.OPEN in verdicts:
        raise typer.Exit(OPEN)


def _compare(
    inputs: tuple[Path, ...],
    unit: str | None,
    reading: options.InterpretationOptions,
    two: TwoQueryOptions,
    *,
    as_json: bool,
) -> None:
    from agreement.containment import Holds, contained, report, two_queries

    one, other = two_queries(inputs, unit, reading, two.rename)
    with working("deciding"):
        directions = [(one, other, contained(one, other))]
        if two.equivalent:
            directions.append((other, one, contained(other, one)))
    files = tuple(map(str, inputs))
    if as_json:
        print_lines([json.dumps(report.as_json(directions, files), ensure_ascii=False)])
    else:
        print_lines(report.as_text(directions, files))
    verdicts = {found.holds for *_, found in directions}
    if Holds.NO in verdicts:
        raise typer.Exit(DISAGREE)
    if Holds.OPEN in verdicts:
        raise typer.Exit(OPEN)
