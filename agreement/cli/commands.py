"""The commands of `lars`, with the function that answers each command and the command's output options."""

import json
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, ClassVar, Final, Literal

from agreement.documents.options import IdleOptions, alone, has, has_not, idle_options, options_of
from agreement.documents.outputs import first_few, quantity
from agreement.documents.table_files import FOR_PAPERS, TableFormat, TermForm, write_tables
from agreement.results.base.library import Answering, answering
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.files import exists
from lars.options import option
from solver.settings import Warn

_LISTED: Final = 20
"""The maximum number of new failures that a message lists."""
_NAMED: Final = 5
"""The maximum number of names of known failures that no longer occur in a note."""
OUTPUT: Final = "Output"
"""The heading of the output options, which are the last options in the help."""


def typed_command() -> tuple[str, ...]:
    """Return the command line that the user typed: the command and its arguments."""
    return "lars", *sys.argv[1:]


_INSTEAD: Final = {
    "schema": "agreement.experiments.schema:schema",
    "keys": "agreement.experiments.schema:schema_text",
    "protocol": "agreement.engines.adapters.messages:schema",
    "fields": "agreement.engines.specifications.parameters:fields_text",
}
"""For each option that replaces the answer by other output, the function that returns this output."""
_CHECKS: Final = {
    "out": "agreement.documents.table_files:check_folder",
    "experiment": "agreement.proving.witness:check_experiment_folder",
    "report": "agreement.results.renderings.pages.page:check_page",
    "figure": "agreement.results.renderings.pages.figure:check_figure",
    "picture": "agreement.results.renderings.phase_report:check",
    "junit": "agreement.experiments.junit:check_junit",
    "known_failures": "agreement.experiments.junit:read_known",
}
"""For each output option, the function that raises LarsError if its file or folder cannot be used."""


_IDLE: Final = {
    "out": (
        IdleOptions(has_not("--out"), ("--out-format", "--out-terms"), requires="--out DIR"),
        IdleOptions(
            has("--out-format", *FOR_PAPERS), ("--out-terms",), requires="--out-format parquet, csv or jsonl"
        ),
    ),
    "runs": (
        IdleOptions(has_not("--out"), ("--runs",), requires="--out DIR"),
        IdleOptions(has("--as"), ("--runs",), excludes="--as NAME, which prints reports and not intervals"),
    ),
    "report": (IdleOptions(has("--as"), ("--report",), excludes="--as NAME, which evaluates no program"),),
    "as_json": (IdleOptions(has("--as-stream"), ("--json",), excludes="--as-stream, which prints N-Quads"),),
    "schema": (alone("--schema"),),
    "keys": (alone("--schema"),),
    "fields": (alone("--fields"),),
}
"""For each output option, the options that have no effect together with this option or without it."""


ALWAYS: Final = ("quiet", "memory", "verbose", "color")
"""The names of the output options that every command has."""
Colors = Literal["auto", "always", "never"]


@dataclass(frozen=True, slots=True)
class Outputs:
    """The output options of a command: print a text in place of the answer, or write the answer to files.

    Each command has the output options in `ALWAYS`, and some of the other output options.
    """

    HEADING: ClassVar[str] = OUTPUT
    out: Path | None = option(None, "Also write all results as tables to the folder DIR.", metavar="DIR")
    out_format: TableFormat = option("parquet", "File format of the tables.")
    out_terms: TermForm = option(
        "n-triples", "RDF terms in the tables: exact N-Triples, typed values, or short names."
    )
    runs: bool = option(
        False, "In the tables, write one line for consecutive times with the same row, not one per time."
    )
    experiment: Path | None = option(
        None,
        "Write the stream as an experiment for lars agree. With --enumerate: DIR/1, DIR/2 and so on.",
        shell_name="--out",
        short="-o",
        metavar="DIR",
    )
    picture: Path | None = option(
        None, "Also draw the table as a figure (.svg, .png or .pdf). Requires matplotlib."
    )
    report: Path | None = option(None, "Also write a self-contained HTML report.", metavar="FILE.html")
    figure: Path | None = option(
        None,
        "Also draw a figure of the periods and of the first difference. Requires matplotlib.",
        metavar="FILE.svg|pdf|png",
    )
    junit: Path | None = option(
        None, "Also write the verdicts as test cases in JUnit XML.", metavar="FILE.xml"
    )
    known_failures: Path | None = option(
        None,
        "File with one known failure per line: the name of a test case, or refused: NAME for a test "
        "whose query the engine rejects. Only other failures and refusals give exit code 1.",
        metavar="FILE",
        shell_name="--known",
    )
    as_json: bool = option(False, "Print JSON instead of text.", shell_name="--json")
    full: bool = option(False, "Also print the parsed queries, both LARS programs and all answers.")
    schema: bool = option(False, "Print the JSON schema of experiment.toml and exit.")
    keys: bool = option(
        False, "Print all tables and keys of an experiment file and exit.", shell_name="--schema"
    )
    protocol: bool = option(
        False, "Print the JSON schema of the adapter protocol and exit.", shell_name="--schema"
    )
    fields: bool = option(False, "Print the keys of a specification file (.toml) and exit.")
    quiet: bool = option(False, "Print errors only: no warnings, notes or progress.", short="-q")
    memory: str | None = option(
        None,
        "Maximum memory per process, such as 4G. [default: half of the machine's memory]",
        metavar="SIZE",
    )
    verbose: bool = option(False, "Print the Python traceback if the run fails.")
    color: Colors = option("auto", "Color the verdicts. auto: color on a terminal, unless NO_COLOR is set.")

    @property
    def instead(self) -> str | None:
        """The text or JSON that is printed in place of an answer; None if the answer is printed."""
        source = next((source for name, source in _INSTEAD.items() if getattr(self, name)), None)
        content = None if source is None else resolve_name(source)()
        return content if content is None or isinstance(content, str) else json.dumps(content, indent=2)

    def check(self) -> bool:
        """Return whether an output option names a file to write.

        Raises:
            LarsError: An output file or folder cannot be written.
        """
        values = {declared_option.name: value for declared_option, value in options_of(self)}
        for name, check in _CHECKS.items():
            if values[name] is not None:
                resolve_name(check)(values[name])
        return any(values[name] is not None for name in _CHECKS)

    @property
    def are_read_once(self) -> bool:
        """Whether the tables of --out are the only output, so that results need not be in memory."""
        read = self.runs, self.as_json, self.full, self.report, self.picture, self.figure, self.junit
        return self.out is not None and self.experiment is None and not any(read)

    def check_apart(self, request: object) -> None:
        """Raise LarsError if a file to write is also an input or another file to write."""
        names = ("picture", "figure", "report", "junit", "known_failures")
        files = [(one.flag, value) for one, value in options_of(self) if one.name in names and value]
        if not files:
            return
        # Loads what few runs need.
        from agreement.results.renderings.pages.page import files_of

        others = (value for _, value in options_of(request) if isinstance(value, Path))
        used = {path.resolve() for path in (*files_of(request), *others)}
        for flag, path in files:
            # A device, such as /dev/null or a terminal, can be used several times.
            if exists(path) and not (exists(path, folder=False) or exists(path, folder=True)):
                continue
            if path.resolve() in used:
                raise LarsError(f"{flag} {path}: the command uses this file already; use another file")
            used.add(path.resolve())

    # Any: the table of commands says which result comes to which outputs.
    def write(self, result: Any) -> tuple[str, ...]:
        """Write the requested files except the HTML report; return a message with the paths of tables."""
        for figure in filter(None, (self.picture, self.figure)):
            result.write_figure(figure)
        if self.experiment is not None:
            result.write_experiment(self.experiment)
        if self.junit is not None:
            # Loads what few runs need.
            from agreement.experiments.junit import read_known, write_junit

            known = None if self.known_failures is None else read_known(self.known_failures)
            write_junit(self.junit, " ".join(typed_command()[:2]), tuple(result.cases()), known)
        if self.out is None:
            return ()
        of_runs = {"runs": True} if self.runs else {}
        tables = result.tables(**of_runs)
        files = write_tables(self.out, tables, result.dates, self.out_format, self.out_terms)
        return (f"all rows are in {', '.join(map(str, files))}",)

    def write_failure(self, problem: str) -> None:
        """Write a JUnit file with the error of a run without a result, if a JUnit file is requested."""
        if self.junit is not None:
            # Loads what few runs need.
            from agreement.experiments.junit import VerdictCase, write_junit

            name = typed_command()[:2]
            with suppress(LarsError):  # the error of the run is the one to print
                write_junit(self.junit, " ".join(name), [VerdictCase(name[-1], "run", error=problem)])

    # Any: the table of commands says which results are test cases.
    def ending(self, result: Any, note: Warn) -> tuple[int, str | None]:
        """Return the exit code and its message.

        With --known, only failures outside the list of known failures give exit code 1.
        """
        code, why = result.ending
        if self.known_failures is None or code > 1:
            return code, why
        from agreement.experiments.junit import (
            names_parameters,
            read_known,
            unlisted_parameters,
            without_known,
        )

        cases, known = tuple(result.cases()), read_known(self.known_failures)
        new, gone = without_known(cases, known)
        for line in unlisted_parameters(cases, known):
            note(
                f"the known failures do not name the parameters of the engine, which this run has found. To "
                f'notice other parameters, add the line "{line}" to {self.known_failures}, or declare the '
                "parameters with --engine, --t0 and --bounds"
            )
        if len(gone) == 1:
            note(
                f"this known failure no longer occurs: {gone[0]}. Remove its line from {self.known_failures}"
            )
        elif gone:
            few = first_few(gone, _NAMED)
            note(
                f"{len(gone)} known failures no longer occur: {few}. Remove their lines from "
                f"{self.known_failures}"
            )
        if not new:
            for kind, named in (("failed", "failure"), ("refused", "refusal")):
                why_not = (case.failure if kind == "failed" else case.refused for case in cases)
                if count := sum(one is not None for one in why_not):
                    note(f"{count} {kind}, all of them known: {self.known_failures} lists each {named}")
            # A verdict without a failed case stays.
            failures = [name for name in known if not names_parameters(name)]
            return (0, None) if len(gone) < len(failures) else (code, why)
        listed = "".join(f"\n  {name}" for name in new[:_LISTED])
        more = f"\n  and {len(new) - _LISTED} more" if len(new) > _LISTED else ""
        # Without a failed test, the parameters are what is new.
        return (
            code or 1,
            f"{self.known_failures}: does not list {quantity(len(new), 'failure')}:{listed}{more}",
        )

    def write_page(self, result: Any, target: Path, request: object) -> None:
        """Write the HTML report of a result, with the command and the input files of the result."""
        from agreement.results.renderings.pages.page import files_of, provenance, query_texts, write_page

        files = files_of(request)
        made = provenance(typed_command(), files)
        write_page(target, replace(result.page(), provenance=made, queries=query_texts(files)))


@dataclass(frozen=True, slots=True)
class Command:
    """A command of `lars`: its summary, purpose, function, output options, and progress text.

    The field `outputs` contains the names of the output options that the command has (fields of `Outputs`).
    The field `doing` is the text next to the progress bar, such as "hunting". The field `verdicts` contains
    the meanings of the exit codes 0, 1 and 3; an exit code without a meaning does not occur. The help of
    `lars` prints the summaries of commands without loading the functions of commands.
    """

    summary: str
    purpose: str
    function: str
    outputs: tuple[str, ...] = ()
    doing: str | None = None
    verdicts: tuple[str | None, ...] = ("done",)

    @property
    def answering(self) -> Answering[Any]:
        """The request class and the function of the command; this property imports their modules."""
        return answering(resolve_name(f"agreement.results.{self.function}"))

    @property
    def idle(self) -> tuple[IdleOptions, ...]:
        """The options without effect, each with the situation in which the option has no effect."""
        of_outputs = (options for name in self.outputs for options in _IDLE.get(name, ()))
        return (*idle_options(self.answering.request), *of_outputs)

    @property
    def exit_codes(self) -> str:
        """The sentence about exit codes in the command's help."""
        yes, no, undecided = (*self.verdicts, None, None)[:3]
        codes = {"0": yes, "1": no, "2": "an input cannot be used"}
        failed = "the run failed" if undecided is None else f"{undecided}, or the run failed"
        said = [f"{code} {meaning}" for code, meaning in {**codes, "3": failed}.items() if meaning]
        return f"Exit codes: {'; '.join(said)}."


_QUERIES, _ENGINES, _EXPERIMENTS = "Queries and programs", "Engines", "Experiments and streams"
_PAGED: Final = ("report", "as_json")
_CASES: Final = ("junit", "known_failures")
_TABLES: Final = ("out", "out_format", "out_terms")

COMMANDS: Final = {
    "translate": Command(
        "Print the LARS program of a query, or the query in another query language.",
        _QUERIES,
        "translations:translate",
    ),
    "solve": Command(
        "Print the answers of a query or program at each time point.",
        _QUERIES,
        "solutions:solve",
        (*_TABLES, "runs", *_PAGED),
        "solving",
    ),
    "explain": Command(
        "Print the proof of an answer, or the reason why the query has no such answer.",
        _QUERIES,
        "explanations:explain",
        _PAGED,
        "explaining",
        ("done, whether the atom holds or not",),
    ),
    "play": Command(
        "Show an experiment or program in the browser, where you can edit its queries and data.",
        _QUERIES,
        "playground.playing:play",
    ),
    "check": Command(
        "Check whether a stream is an answer stream of a query or program.",
        _QUERIES,
        "explanations:check",
        ("as_json",),
        "checking",
        ("the stream is an answer stream", "the stream is not an answer stream"),
    ),
    "fmt": Command(
        "Format LARS programs. Comments and prefixes are kept.",
        _QUERIES,
        "files.formatting:fmt",
        verdicts=("done", "with --check: a file is not formatted"),
    ),
    "export": Command(
        "Write a program and its trace as files for Ticker or clingo, or read their answers.",
        _QUERIES,
        "files.exports:export_or_read",
    ),
    "agree": Command(
        "Compare push (CQELS) with pull (C-SPARQL) on a recorded stream.",
        _ENGINES,
        "agreements.either:agree_either",
        (*_TABLES, *_PAGED, *_CASES, "figure", "full", "schema"),
        "comparing push and pull",
        (
            "push and pull agree (with --late: late data change no row)",
            "push and pull disagree (with --late: late data change a row)",
            "neither push nor pull reports a row (with --fail-on-empty)",
        ),
    ),
    "watch": Command(
        "Compare push with pull on a stream that does not end, period by period.",
        _ENGINES,
        "files.watched:watch",
        verdicts=(
            "all judged periods agree, and the answers of running systems are correct",
            "a judged period disagrees, or answers of a running system are wrong",
            "no judged period has a row (with --fail-on-empty)",
        ),
    ),
    "judge": Command(
        "Check whether recorded answers of an engine are correct, and explain wrong answers.",
        _ENGINES,
        "judgements:judge",
        (*_TABLES, *_PAGED, *_CASES, "fields"),
        "judging",
        ("the answers are correct", "an answer is wrong", "the verdict is undecided"),
    ),
    "record": Command(
        "Run a real engine through an adapter, and record its answers for lars judge.",
        _ENGINES,
        "files.recorded:record",
        ("as_json", "protocol"),
        "running the adapter",
        ("done", "with --check: the adapter is wrong"),
    ),
    "hunt": Command(
        "Search for wrong answers of an engine, and show each fault on a smallest stream.",
        _ENGINES,
        "files.hunts:hunt",
        (*_PAGED, *_CASES),
        "hunting",
        ("no fault was found", "a fault was found"),
    ),
    "suite": Command(
        "Write the RSP-QL conformance suite, or run an engine on the suite.",
        _ENGINES,
        "suites.suites:suite",
        ("as_json", *_CASES),
        "testing",
        ("done, and no test failed", "a test failed"),
    ),
    "serve-engine": Command(
        "Serve a specification or a simulated engine version as an adapter, on standard input and output.",
        _ENGINES,
        "serving:serve_engine",
    ),
    "compare": Command(
        "Show at which times two engines report different rows, and why.",
        _ENGINES,
        "comparisons:compare_either",
        (*_TABLES, *_PAGED),
        "comparing",
        (
            "both engines report the same",
            "the engines differ",
            "neither engine reports a row (with --fail-on-empty)",
        ),
    ),
    "decide": Command(
        "Decide without a trace whether push and pull agree on every stream.",
        _ENGINES,
        "proofs.deciding:decide_either",
        _PAGED,
        "deciding",
        (
            "push and pull agree on every stream, or the statement about two queries holds",
            "a stream contradicts this",
            "the verdict is open",
        ),
    ),
    "witness": Command(
        "Find a smallest stream on which push and pull differ, or two queries differ.",
        _ENGINES,
        "proofs.traceless:witness",
        ("experiment", *_PAGED),
        "choosing streams",
        ("no stream exists with a difference", "a stream was found", "no stream was found"),
    ),
    "shrink": Command(
        "Reduce a disagreement of push and pull to a minimal disagreement with the same cause.",
        _ENGINES,
        "proofs.shrunk:shrink",
        ("experiment", *_PAGED),
        "shrinking",
        ("push and pull agree", "push and pull disagree"),
    ),
    "phase": Command(
        "Show the share of periods on which push and pull agree, by period and window length.",
        _ENGINES,
        "proofs.phases:phase",
        ("picture", *_PAGED),
        "comparing push and pull",
    ),
    "cite": Command(
        "Print BibTeX entries for this program and for the papers behind its verdicts.",
        _EXPERIMENTS,
        "suites.citing:cite",
    ),
    "init": Command(
        "Write an experiment.toml for queries and traces into a folder.",
        _EXPERIMENTS,
        "files.initialised:init",
    ),
    "run": Command(
        "Run an experiment cell by cell, continue an interrupted run, and write tables.",
        _EXPERIMENTS,
        "files.packed:run_or_check",
        ("report", "as_json", "keys"),
        "running cells",
        (
            "done, or with --check: no difference",
            "with --check: a file or a result differs",
            "two sides agree without a row (with --fail-on-empty)",
        ),
    ),
    "pack": Command(
        "Copy an experiment with all its files and results to a folder or ZIP archive, to publish it.",
        _EXPERIMENTS,
        "files.packed:pack",
        doing="running cells",
    ),
    "generate": Command(
        "Write a synthetic stream of weather observations, modeled on YABench.",
        _EXPERIMENTS,
        "files.generated:generate",
        (),
        "generating",
    ),
}
"""The commands by name, in the order of the help, in which they are grouped by purpose."""
