"""`lars judge`: is what an engine answered correct, and if not, why."""

import json
from pathlib import Path
from typing import Annotated

import typer

from agreement import arguments
from agreement.app import DISAGREE, app, print_lines, print_parts, reported, warn, working
from agreement.options import (
    BoundsOption,
    JsonOption,
    OnErrorOption,
    OriginOption,
    RejectedOption,
    SemanticsOption,
    SortOption,
    StaticOption,
    StreamOption,
    TraceUnitOption,
    UnitOption,
)


@app.command()
@reported
def judge(
    context: typer.Context,
    inputs: Annotated[list[Path] | None, typer.Argument(metavar="CASE.json.. | QUERY TRACE..")] = None,
    answers: Annotated[
        Path | None, typer.Option("--answers", help="The recorded answers of QUERY to TRACE.")
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="What judges: csparql, cqels, sparqlstream, rspql, a file *.toml, or an engine version; for "
            "cases also `specification`, that of the case's engine. [cases: the case's own engine]",
        ),
    ] = None,
    t0: Annotated[
        str | None, typer.Option("--t0", help="Start times of windows to try: 0..9 or 0,5. [default: all]")
    ] = None,
    registered: Annotated[
        int, typer.Option("--registered", min=0, help="The time point at which the query was registered.")
    ] = 0,
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="The last time to compare.")
    ] = None,
    gracious: Annotated[
        bool, typer.Option("--gracious", help="Find the window borders that fit wrong windows best.")
    ] = False,
    diagnosis: Annotated[
        bool, typer.Option("--diagnosis/--no-diagnosis", help="Look for the fault that explains it.")
    ] = True,
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance", min=0, max=1, help="By which share numbers may differ that are no integers."
        ),
    ] = 1e-9,
    empty: Annotated[
        str, typer.Option("--empty", metavar="compared|ignored", help="Reports without rows.")
    ] = "compared",
    early: Annotated[
        float, typer.Option("--early", metavar="MS", min=0, help="How early reports may come.")
    ] = 0,
    late: Annotated[
        float | None,
        typer.Option("--late", metavar="MS", min=0, help="How late at most. [default: less than the slide]"),
    ] = None,
    answers_format: Annotated[
        str | None,
        typer.Option("--answers-format", help="case, csrbench, yabench, sparql-json, csv, tsv or solve."),
    ] = None,
    answers_unit: Annotated[
        str | None,
        typer.Option(
            "--answers-unit",
            help="What a time in the answers counts. [default: 1ms in the formats csrbench and yabench, "
            "else the unit]",
        ),
    ] = None,
    time_variable: Annotated[
        str | None, typer.Option("--time-variable", help="The column of times in SPARQL results.")
    ] = None,
    static: StaticOption = None,
    static_at: Annotated[
        list[str] | None,
        typer.Option(
            "--static-at", metavar="FROM..TO=FILE", help="Static data that are there at these times only."
        ),
    ] = None,
    stream: StreamOption = None,
    unit: UnitOption = None,
    trace_unit: TraceUnitOption = None,
    origin: OriginOption = None,
    sort: SortOption = False,
    on_error: OnErrorOption = "stop",
    rejected: RejectedOption = None,
    bounds: BoundsOption = None,
    semantics: SemanticsOption = None,
    fields: Annotated[
        bool, typer.Option("--fields", help="Print what a specification's TOML file can say.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Judge recorded answers: correct for which start times, how far off, and why; exit 1 if incorrect."""
    from agreement.judging import command, judging_json, judging_text
    from agreement.judging.cases import case_files, judged_cases
    from agreement.judging.wishes import Wishes, check_options, given_options, options_of, reading_of
    from agreement.specifications.reading import fields_text
    from agreement.specifications.versions import read_versions

    if fields:
        print_lines([fields_text()])
        return
    wishes = Wishes(t0, registered, until, bounds, semantics, tolerance, empty, early, late)
    options = options_of(wishes)
    check_options(given_options(context), cases=answers is None, version=command.is_version(engine, answers))
    if answers is None:
        command.check_case_judge(engine)
        paths = case_files(inputs or ())
        with working("judging") as progress:
            verdicts = list(judged_cases(paths, engine, options, progress))
        print_parts(
            [json.dumps(judging_json.by_case(verdicts))] if as_json else judging_text.by_case(verdicts)
        )
        if not all(one.correct for one in verdicts):
            raise typer.Exit(DISAGREE)
        return
    query, trace = command.paths_of(inputs or ())
    read = reading_of(answers_format, unit, answers_unit, time_variable, origin)
    given = arguments.trace_input(
        trace, static, stream, read.unit, trace_unit, origin, sort, on_error, rejected
    )
    if engine is None:
        engine = command.language_of(query, read.unit)
    versions = read_versions(static_at or ())
    asked = command.Asked(query, given, answers, read, engine, options, gracious, diagnosis, versions)
    with working("judging") as progress:
        found = command.judge_answers(asked, warn, progress)
    print_parts([json.dumps(found.as_json())] if as_json else found.as_text())
    if not found.correct:
        raise typer.Exit(DISAGREE)
