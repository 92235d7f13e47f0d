"""The commands of `lars`: what answers each, and what it prints and writes of its result, as options."""

import json
import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, ClassVar, Final

from agreement.documents.options import IdleOptions, alone, has, has_not, option
from agreement.documents.table_files import OutOptions
from agreement.results.base.library import Answering, answering

OUTPUT: Final = "Output"
"""The heading of the last options in the help."""


def typed_command() -> tuple[str, ...]:
    """Return the command as it was typed."""
    return "lars", *sys.argv[1:]


@dataclass(frozen=True, slots=True)
class InsteadOutput:
    """What is printed in place of an answer, where its one option says so: what SOURCE returns."""

    HEADING: ClassVar[str] = OUTPUT
    SOURCE: ClassVar[str]

    @property
    def has_target(self) -> bool:
        """Whether something else is to be printed in place of an answer."""
        return any(getattr(self, field.name) for field in fields(self))

    def text(self) -> str:
        """Return what is printed: a text, or else JSON."""
        content = resolve_name(self.SOURCE)()
        return content if isinstance(content, str) else json.dumps(content, indent=2)


@dataclass(frozen=True, slots=True)
class SchemaOutput(InsteadOutput):
    """The schema of an experiment file instead of a verdict."""

    IDLE: ClassVar = (alone("--schema"),)
    SOURCE: ClassVar[str] = "agreement.experiments.schema:schema"

    schema: bool = option(False, "Print the JSON schema of experiment.toml and exit.")


@dataclass(frozen=True, slots=True)
class KeysOutput(InsteadOutput):
    """The keys of an experiment file instead of a run."""

    IDLE: ClassVar = (alone("--schema"),)
    SOURCE: ClassVar[str] = "agreement.experiments.schema:schema_text"

    schema: bool = option(False, "Print all tables and keys of an experiment file and exit.")


@dataclass(frozen=True, slots=True)
class ProtocolOutput(InsteadOutput):
    """The protocol of adapters instead of a recording."""

    SOURCE: ClassVar[str] = "agreement.engines.adapters:schema"

    schema: bool = option(False, "Print the JSON schema of the adapter protocol and exit.")


@dataclass(frozen=True, slots=True)
class FieldsOutput(InsteadOutput):
    """The keys of a specification file instead of a verdict."""

    IDLE: ClassVar = (alone("--fields"),)
    SOURCE: ClassVar[str] = "agreement.engines.specifications.parameters:fields_text"

    fields: bool = option(False, "Print the keys of a specification file (.toml) and exit.")


@dataclass(frozen=True, slots=True)
class JsonOutput:
    """JSON instead of text."""

    HEADING: ClassVar[str] = OUTPUT
    IDLE: ClassVar = (
        IdleOptions(has("--as-stream"), ("--json",), excludes="--as-stream, which prints N-Quads"),
    )

    as_json: bool = option(False, "Print JSON instead of text.", shell_name="--json")


@dataclass(frozen=True, slots=True)
class FullOutput:
    """The query model, both programs and all answers, in addition to the verdicts."""

    HEADING: ClassVar[str] = OUTPUT

    full: bool = option(False, "Also print the query model, both LARS programs and all answers.")


@dataclass(frozen=True, slots=True)
class FileOutput:
    """What is written of a result, if its one option says where; CHECK raises for a wrong place."""

    HEADING: ClassVar[str] = OUTPUT
    CHECK: ClassVar[str]

    @property
    def target(self) -> Path | None:
        """Where it is written: the value of the one option."""
        path: Path | None = getattr(self, fields(self)[0].name)
        return path

    def check(self, target: Path) -> None:
        """Raise LarsError now for what could not be written at the end."""
        resolve_name(self.CHECK)(target)

    # Any: the table of commands says which result comes to which outputs.
    def write(self, result: Any, target: Path) -> str | None:
        """Write the result, as a picture if nothing else is said; return where its rows are, if they are."""
        result.write_figure(target)
        return None


@dataclass(frozen=True, slots=True)
class PageOutput(FileOutput):
    """An HTML report."""

    CHECK: ClassVar[str] = "agreement.results.renderings.pages.page:check_page"

    report: Path | None = option(None, "Also write a self-contained HTML report.", metavar="FILE.html")

    def write_from(self, result: Any, target: Path, request: object) -> None:
        """Write the page, with the command and the files that it is made of."""
        from agreement.results.renderings.pages.page import files_of, provenance, query_texts, write_page

        files = files_of(request)
        made = provenance(typed_command(), files)
        write_page(target, replace(result.page(), provenance=made, queries=query_texts(files)))


@dataclass(frozen=True, slots=True)
class FigureOutput(FileOutput):
    """A figure of the periods."""

    CHECK: ClassVar[str] = "agreement.results.renderings.pages.figure:check_figure"

    figure: Path | None = option(
        None,
        "Also draw the periods and the first difference shown. Requires matplotlib.",
        metavar="FILE.svg|pdf|png",
    )


@dataclass(frozen=True, slots=True)
class PictureOutput(FileOutput):
    """A figure of the phase diagram."""

    CHECK: ClassVar[str] = "agreement.results.renderings.phase_report:check"

    picture: Path | None = option(
        None, "Also draw the table as a figure (.svg, .png or .pdf). Requires matplotlib."
    )


@dataclass(frozen=True, slots=True)
class TableOutput(FileOutput):
    """Tables of all results, in a folder."""

    CHECK: ClassVar[str] = "agreement.documents.table_files:check_folder"

    tables: OutOptions

    @property
    def target(self) -> Path | None:
        """The folder."""
        return self.tables.out

    def write(self, result: Any, target: Path, **how: bool) -> str:  # noqa: ARG002 - it is in `tables`
        """Write the tables; return where they are."""
        files = self.tables.write(result.tables(**how), result.dates)
        return f"all rows are in {', '.join(map(str, files))}"


@dataclass(frozen=True, slots=True)
class RunsOutput(TableOutput):
    """Tables of the answers, in a folder, by time or by interval."""

    IDLE: ClassVar = (
        IdleOptions(has_not("--out"), ("--runs",), requires="--out DIR"),
        IdleOptions(has("--as"), ("--runs",), excludes="--as NAME, whose reports are events"),
    )

    runs: bool = option(
        False, "In the tables, write one row per interval of consecutive times instead of one per time."
    )

    def write(self, result: Any, target: Path, **how: bool) -> str:
        """Write the tables; return where they are."""
        return super(RunsOutput, self).write(result, target, runs=self.runs, **how)


@dataclass(frozen=True, slots=True)
class ExperimentOutput(FileOutput):
    """An experiment that shows the stream."""

    out: Path | None = option(
        None,
        "Write the stream found as an experiment for lars agree. With several: DIR/1, DIR/2 and so on.",
        short="-o",
        metavar="DIR",
    )

    def check(self, target: Path) -> None:
        """Accept every folder: what is in it is found out when it is written."""

    def write(self, result: Any, target: Path) -> None:
        """Write the experiment, if something was found."""
        result.write_experiment(target)


@dataclass(frozen=True, slots=True)
class Command:
    """A command: summary and purpose for the help, its function, outputs, and the name of its progress bar.

    `verdicts` are the meanings of exit codes 0 and 1, and of 3 if the command can leave a question open. The
    help of `lars` prints the summaries without loading the functions.
    """

    summary: str
    purpose: str
    function: str
    outputs: tuple[type[object], ...] = ()
    doing: str | None = None
    verdicts: tuple[str | None, ...] = ("done",)

    @property
    def answering(self) -> Answering[Any]:
        """The request and the function of the command; loads their modules."""
        return answering(resolve_name(f"agreement.results.{self.function}"))

    @property
    def exit_codes(self) -> str:
        """The sentence of the help about exit codes."""
        yes, no, undecided = (*self.verdicts, None, None)[:3]
        codes = {"0": yes, "1": no, "2": "an input cannot be used"}
        failed = "the run failed" if undecided is None else f"{undecided}, or the run failed"
        said = [f"{code} {meaning}" for code, meaning in {**codes, "3": failed}.items() if meaning]
        return f"Exit codes: {'; '.join(said)}."


_QUERIES, _ENGINES, _EXPERIMENTS = "Queries and programs", "Engines", "Experiments and streams"
_PAGED: Final = (PageOutput, JsonOutput)

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
        (RunsOutput, JsonOutput),
        "solving",
    ),
    "explain": Command(
        "Print the proof of an answer, or the reason why there is no such answer.",
        _QUERIES,
        "explanations:explain",
        _PAGED,
        verdicts=("done, whether the atom holds or not",),
    ),
    "check": Command(
        "Check whether a stream is an answer stream of a query or program.",
        _QUERIES,
        "explanations:check",
        (JsonOutput,),
        verdicts=("the stream is an answer stream", "it is not"),
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
        "agreements:agree",
        (TableOutput, PageOutput, FigureOutput, JsonOutput, FullOutput, SchemaOutput),
        "comparing push and pull",
        ("they agree", "they disagree", "with --fail-on-empty: there is no row to agree on"),
    ),
    "judge": Command(
        "Check whether an engine's recorded answers are correct, and explain wrong ones.",
        _ENGINES,
        "judgements:judge",
        (TableOutput, *_PAGED, FieldsOutput),
        "judging",
        ("the answers are correct", "an answer is wrong", "undecided"),
    ),
    "record": Command(
        "Record the answers of a real engine through an adapter, as a case for lars judge.",
        _ENGINES,
        "files.recorded:record",
        (JsonOutput, ProtocolOutput),
        "running the adapter",
        ("done", "with --check: the adapter is wrong"),
    ),
    "hunt": Command(
        "Search for wrong answers of an engine, and show each fault on a smallest stream.",
        _ENGINES,
        "files.hunts:hunt",
        _PAGED,
        "hunting",
        ("no fault was found", "a fault was found"),
    ),
    "suite": Command(
        "Write the RSP-QL conformance suite, or run an engine on it.",
        _ENGINES,
        "suites.suites:suite",
        (JsonOutput,),
        "testing",
        ("done, and no test failed", "a test failed"),
    ),
    "serve-engine": Command(
        "Serve a specification or an engine version as an adapter, on standard input and output.",
        _ENGINES,
        "serving:serve_engine",
    ),
    "compare": Command(
        "Show at which times two engines report different rows, and why.",
        _ENGINES,
        "comparisons:compare",
        _PAGED,
        "comparing",
        ("they report the same", "they differ", "with --fail-on-empty: neither reports a row"),
    ),
    "decide": Command(
        "Decide without a trace whether push and pull agree on every stream.",
        _ENGINES,
        "proofs.traceless:decide_either",
        _PAGED,
        "deciding",
        ("they agree on every stream", "they differ on some stream", "open"),
    ),
    "witness": Command(
        "Find a smallest stream on which push and pull, or two queries, differ.",
        _ENGINES,
        "proofs.traceless:witness",
        (ExperimentOutput, *_PAGED),
        "choosing streams",
        ("no stream exists on which they differ", "a stream was found", "no stream was found"),
    ),
    "shrink": Command(
        "Reduce a disagreement to a minimal one with the same cause.",
        _ENGINES,
        "proofs.shrunk:shrink",
        (ExperimentOutput, *_PAGED),
        "shrinking",
        ("push and pull agree", "they disagree"),
    ),
    "phase": Command(
        "Show the share of periods on which push and pull agree, by period and window length.",
        _ENGINES,
        "proofs.phases:phase",
        (PictureOutput, *_PAGED),
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
        "files.runs:run",
        (PageOutput, KeysOutput),
        "running cells",
        ("done", None, "with --fail-on-empty: two sides agree without a row"),
    ),
    "generate": Command(
        "Write a synthetic stream of weather observations, modeled on YABench.",
        _EXPERIMENTS,
        "files.generated:generate",
        (),
        "generating",
    ),
}
"""The commands by name, grouped by purpose, in the order of the help."""
