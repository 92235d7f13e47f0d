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
"""The heading of the last options in the help: how much is printed, and how."""


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
    """What is printed or written."""

    IDLE: ClassVar = (alone("--schema"),)
    SOURCE: ClassVar[str] = "agreement.experiments.schema:schema"

    schema: bool = option(False, "Print the schema of experiment.toml.")


@dataclass(frozen=True, slots=True)
class KeysOutput(InsteadOutput):
    """What is printed or written."""

    IDLE: ClassVar = (alone("--schema"),)
    SOURCE: ClassVar[str] = "agreement.experiments.schema:schema_text"

    schema: bool = option(False, "Print all tables and keys of such an experiment.")


@dataclass(frozen=True, slots=True)
class ProtocolOutput(InsteadOutput):
    """What is printed or written."""

    SOURCE: ClassVar[str] = "agreement.engines.adapters:schema"

    schema: bool = option(False, "Print the protocol of adapters as JSON schema.")


@dataclass(frozen=True, slots=True)
class FieldsOutput(InsteadOutput):
    """What is printed or written."""

    IDLE: ClassVar = (alone("--fields"),)
    SOURCE: ClassVar[str] = "agreement.engines.specifications.parameters:fields_text"

    fields: bool = option(False, "Print what a specification's TOML file can say.")


@dataclass(frozen=True, slots=True)
class JsonOutput:
    """What is printed or written."""

    HEADING: ClassVar[str] = OUTPUT
    IDLE: ClassVar = (
        IdleOptions(has("--as-stream"), ("--json",), "accepted without --as-stream, which prints N-Quads"),
    )

    as_json: bool = option(False, "Print JSON for machines and nothing else.", shell_name="--json")


@dataclass(frozen=True, slots=True)
class FullOutput:
    """What is printed or written."""

    HEADING: ClassVar[str] = OUTPUT

    full: bool = option(False, "Show the model, both LARS programs and all answers too.")


@dataclass(frozen=True, slots=True)
class FileOutput:
    """What is written of a result, if its one option says where; CHECK raises for a wrong place."""

    HEADING: ClassVar[str | None] = OUTPUT
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
    """What is printed or written."""

    CHECK: ClassVar[str] = "agreement.results.renderings.pages.page:check_page"

    report: Path | None = option(
        None, "Write it as a page too: one file that works offline.", metavar="FILE.html"
    )

    def write_from(self, result: Any, target: Path, request: object) -> None:
        """Write the page, with the command and the files that it is made of."""
        from agreement.results.renderings.pages.page import files_of, provenance, query_texts, write_page

        files = files_of(request)
        made = provenance(typed_command(), files)
        write_page(target, replace(result.page(), provenance=made, queries=query_texts(files)))


@dataclass(frozen=True, slots=True)
class FigureOutput(FileOutput):
    """What is printed or written."""

    CHECK: ClassVar[str] = "agreement.results.renderings.pages.figure:check_figure"

    figure: Path | None = option(
        None,
        "Write a picture of the periods over U and of the first difference shown; needs matplotlib.",
        metavar="FILE.svg|pdf|png",
    )


@dataclass(frozen=True, slots=True)
class PictureOutput(FileOutput):
    """What is printed or written."""

    CHECK: ClassVar[str] = "agreement.results.renderings.phase_report:check"

    picture: Path | None = option(None, "A picture of it: *.svg, *.png or *.pdf (needs matplotlib).")


@dataclass(frozen=True, slots=True)
class TableOutput(FileOutput):
    """Where tables go, and how they are written."""

    HEADING: ClassVar[str | None] = None
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
    """Where tables go, and how they are written."""

    IDLE: ClassVar = (
        IdleOptions(has_not("--out"), ("--runs",), "accepted with --out DIR: of its tables"),
        IdleOptions(has("--as"), ("--runs",), "accepted without --as NAME, whose reports are events"),
    )

    runs: bool = option(
        False, "Write a row for each run of times, from first to last, in place of one for each time."
    )

    def write(self, result: Any, target: Path, **how: bool) -> str:
        """Write the tables; return where they are."""
        return super(RunsOutput, self).write(result, target, runs=self.runs, **how)


@dataclass(frozen=True, slots=True)
class ExperimentOutput(FileOutput):
    """Where an experiment goes."""

    HEADING: ClassVar[str | None] = None

    out: Path | None = option(
        None, "Write an experiment for lars agree; N: DIR/1, DIR/2 ..", short="-o", metavar="DIR"
    )

    def check(self, target: Path) -> None:
        """Accept every folder: what is in it is found out when it is written."""

    def write(self, result: Any, target: Path) -> None:
        """Write the experiment, if something was found."""
        result.write_experiment(target)


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it does, where what answers it is, its outputs, and what progress says it does.

    The help of all commands prints the summaries: it loads none of what answers.
    """

    summary: str
    purpose: str
    function: str
    outputs: tuple[type[object], ...] = ()
    doing: str | None = None

    @property
    def answering(self) -> Answering[Any]:
        """What it is asked, and what answers; loads what that needs."""
        return answering(resolve_name(f"agreement.results.{self.function}"))


_QUERIES, _ENGINES, _EXPERIMENTS = "Queries and programs", "Engines", "Experiments and streams"
_PAGED: Final = (PageOutput, JsonOutput)

COMMANDS: Final = {
    "translate": Command(
        "Print the LARS program of a query, or of the other engine's query that says the same.",
        _QUERIES,
        "translations:translate",
    ),
    "solve": Command(
        "Print the answers of a query or program per time point, or what --as NAME reports of a query.",
        _QUERIES,
        "solutions:solve",
        (RunsOutput, JsonOutput),
        "solving",
    ),
    "explain": Command(
        "Print why an atom is in the answer stream at a time, or what it lacks to be there.",
        _QUERIES,
        "explanations:explain",
        _PAGED,
    ),
    "check": Command(
        "Tell whether a stream is an answer stream at a time, and if not, which rule or atom says no.",
        _QUERIES,
        "explanations:check",
        (JsonOutput,),
    ),
    "fmt": Command(
        "Print LARS programs formatted; comments and prefixes are kept.", _QUERIES, "files.formatting:fmt"
    ),
    "export": Command(
        "Write a program and its trace as files that Ticker or clingo runs, or read what these answered.",
        _QUERIES,
        "files.exports:export_or_read",
    ),
    "agree": Command(
        "Decide per pulling period whether pull of C-SPARQL and push of CQELS agree; exit 1 if not.",
        _ENGINES,
        "agreements:agree",
        (TableOutput, PageOutput, FigureOutput, JsonOutput, FullOutput, SchemaOutput),
        "comparing push and pull",
    ),
    "judge": Command(
        "Judge recorded answers: correct for which start times, how far off, and why; exit 1 if incorrect.",
        _ENGINES,
        "judgements:judge",
        (TableOutput, *_PAGED, FieldsOutput),
        "judging",
    ),
    "record": Command(
        "Record what an engine behind an adapter answers, twice, as a case for `lars judge`.",
        _ENGINES,
        "files.recorded:record",
        (JsonOutput, ProtocolOutput),
        "running the adapter",
    ),
    "hunt": Command(
        "Search for wrong answers of an engine, and show each fault on a smallest stream; exit 1 if found.",
        _ENGINES,
        "files.hunts:hunt",
        _PAGED,
        "hunting",
    ),
    "suite": Command(
        "Make a conformance suite of RSP-QL, or run an engine on it; exit 1 if a test fails.",
        _ENGINES,
        "suites.suites:suite",
        (JsonOutput,),
        "testing",
    ),
    "serve-engine": Command(
        "Serve a specification or engine version as an adapter, on standard input and output.",
        _ENGINES,
        "serving:serve_engine",
    ),
    "compare": Command(
        "Show where two profiles, specifications, versions, real engines, part, and why; exit 1 if they do.",
        _ENGINES,
        "comparisons:compare",
        _PAGED,
        "comparing",
    ),
    "decide": Command(
        "Decide without a trace whether pull of C-SPARQL and push of CQELS agree on every stream.",
        _ENGINES,
        "proofs.traceless:decide_either",
        _PAGED,
        "deciding",
    ),
    "witness": Command(
        "Find the smallest stream on which push and pull, or two queries, differ; exit 1 if there is one.",
        _ENGINES,
        "proofs.traceless:witness",
        (ExperimentOutput, *_PAGED),
        "choosing streams",
    ),
    "shrink": Command(
        "Reduce a disagreement to a minimal one for the same cause; exit 1 if there is one, 0 if they agree.",
        _ENGINES,
        "proofs.shrunk:shrink",
        (ExperimentOutput, *_PAGED),
        "shrinking",
    ),
    "phase": Command(
        "Show the share of periods on which push and pull agree, by period U and window length L.",
        _ENGINES,
        "proofs.phases:phase",
        (PictureOutput, *_PAGED),
        "comparing push and pull",
    ),
    "cite": Command(
        "Print BibTeX of this program, and of the papers that its verdicts rest on.",
        _EXPERIMENTS,
        "suites.citing:cite",
    ),
    "init": Command(
        "Write experiment.toml for queries and traces into a folder, which all commands then accept.",
        _EXPERIMENTS,
        "files.initialised:init",
    ),
    "run": Command(
        "Run an experiment cell by cell, from where an earlier run stopped; write and print tables.",
        _EXPERIMENTS,
        "files.runs:run",
        (PageOutput, KeysOutput),
        "running cells",
    ),
    "generate": Command(
        "Write a made-up stream of weather observations, after YABench; the same options, the same bytes.",
        _EXPERIMENTS,
        "files.generated:generate",
        (),
        "generating",
    ),
}
"""Each command under what it is for, in the order of the help."""
