"""`lars judge`: is what an engine answered correct, and if not, why."""

import json
from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import DISAGREE, command, fail, note, print_lines, print_parts, warn, working
from agreement.inputs import AnswersOptions, JudgeOptions, check_said, options
from agreement.table_files import OutOptions
from lars.errors import LarsError


@command
def judge(
    *,
    context: typer.Context,
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="CASE.json.. | QUERY TRACE..",
            help="Recorded runs; or a query and traces, with --answers what an engine answered.",
        ),
    ] = None,
    answers: Annotated[Path | None, typer.Option(help="The recorded answers of QUERY to TRACE.")] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What judges: csparql, cqels, sparqlstream, rspql, a file *.toml, or an engine version; for "
            "cases also `specification`, that of the case's engine. [cases: the case's own engine]",
        ),
    ] = None,
    how: JudgeOptions,
    recorded: AnswersOptions,
    given: options.InputOptions,
    static_at: Annotated[
        list[str] | None,
        typer.Option(metavar="FROM..TO=FILE", help="Static data that are there at these times only."),
    ] = None,
    bad_lines: options.BadLineOptions,
    fields: Annotated[
        bool, typer.Option("--fields", help="Print what a specification's TOML file can say.")
    ] = False,
    tables: OutOptions,
    as_json: options.JsonOption = False,
) -> None:
    """Judge recorded answers: correct for which start times, how far off, and why; exit 1 if incorrect.

    Example, in samples/judged/met:
    lars judge query.csparql.rq doors.nq --answers answers.csparql.ndjson --answers-unit 1ms
    """
    from agreement.judge import case_files, cases, judging, verdict_json
    from agreement.judge.judge_inputs import read_versions
    from agreement.specifications.parameters import fields_text

    if fields:
        print_lines([fields_text()])
        return
    tables.check()
    options = judging.options_of(how)
    check_said(context, cases=answers is None, version=judging.is_version(engine, answers))
    if answers is None:
        judging.check_case_judge(engine)
        paths = case_files(inputs or ())
        with working("judging") as progress:
            verdicts = list(cases.judged_cases(paths, engine, options, progress))
        if tables.out is not None:
            tables.write(verdict_json.tables(verdict_json.by_case(verdicts)))
        print_parts(
            [json.dumps(verdict_json.by_case(verdicts))] if as_json else cases.text_of_cases(verdicts)
        )
        said = cases.undecided_cases(verdicts)
        if said is None and (left_out := cases.cases_without_reports(verdicts)):
            raise LarsError(left_out)
        _end(cases.overall([one.correct for one in verdicts]), said)
        return
    query, traces = judging.paths_of(inputs or ())
    given = given.fitted([query], note)
    read = judging.reading_of(recorded, given, how.match)
    asked = judging.JudgedAnswers(
        query=query,
        trace=given.trace(traces, bad_lines),
        answers=answers,
        reading=read,
        engine=judging.language_of(query, read.unit) if engine is None else engine,
        options=options,
        gracious=how.gracious,
        diagnosis=how.diagnosis,
        versions=read_versions(static_at or ()),
    )
    with working("judging") as progress:
        found = judging.judge_answers(asked, warn, progress)
    if tables.out is not None:
        tables.write(verdict_json.tables(found.as_json()))
    print_parts([json.dumps(found.as_json())] if as_json else found.as_text())
    _end(found.correct, found.undecided)


def _end(correct: bool | None, undecided: str | None) -> None:
    """End with the exit code of a verdict; of none with a line that says why there is none."""
    if correct is None:
        raise typer.Exit(fail(str(undecided)))
    if not correct:
        raise typer.Exit(DISAGREE)
