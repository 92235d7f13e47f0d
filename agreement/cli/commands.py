"""The commands of `lars`: what each is asked, what it may print and write, and what answers it."""

from dataclasses import dataclass
from importlib import import_module
from typing import Final

from agreement.cli.outputs import (
    ExperimentOutput,
    FieldsOutput,
    FigureOutput,
    FullOutput,
    JsonOutput,
    KeysOutput,
    PageOutput,
    PictureOutput,
    ProtocolOutput,
    RunsOutput,
    SchemaOutput,
    TableOutput,
)
from agreement.results.base.boundary import Answering


@dataclass(frozen=True, slots=True)
class Command:
    """A command: the module and name of what answers it, its outputs, and what progress says it does."""

    purpose: str
    module: str
    function: str
    outputs: tuple[type[object], ...] = ()
    doing: str | None = None

    @property
    def answering(self) -> Answering:
        """What it is asked, and what answers; loads what that needs."""
        answering: Answering = vars(getattr(import_module(self.module), self.function))["answering"]
        return answering


_QUERIES, _ENGINES, _EXPERIMENTS = "Queries and programs", "Engines", "Experiments and streams"
_PAGED: Final = (PageOutput, JsonOutput)

COMMANDS: Final = {
    "translate": Command(_QUERIES, "agreement.results.translations", "translate"),
    "solve": Command(_QUERIES, "agreement.results.solutions", "solve", (RunsOutput, JsonOutput), "solving"),
    "explain": Command(_QUERIES, "agreement.results.explanations", "explain", _PAGED),
    "check": Command(_QUERIES, "agreement.results.checks", "check", (JsonOutput,)),
    "fmt": Command(_QUERIES, "agreement.results.files.formatting", "fmt"),
    "export": Command(_QUERIES, "agreement.results.files.exports", "export_or_read"),
    "agree": Command(
        _ENGINES,
        "agreement.results.agreements",
        "agree",
        (TableOutput, PageOutput, FigureOutput, JsonOutput, FullOutput, SchemaOutput),
        "comparing push and pull",
    ),
    "judge": Command(
        _ENGINES, "agreement.results.judgements", "judge", (TableOutput, *_PAGED, FieldsOutput), "judging"
    ),
    "record": Command(
        _ENGINES,
        "agreement.results.files.recorded",
        "record",
        (JsonOutput, ProtocolOutput),
        "running the adapter",
    ),
    "hunt": Command(_ENGINES, "agreement.results.files.hunts", "hunt", _PAGED, "hunting"),
    "suite": Command(_ENGINES, "agreement.results.suites.suites", "suite", (JsonOutput,), "testing"),
    "serve-engine": Command(_ENGINES, "agreement.results.serving", "serve_engine"),
    "compare": Command(_ENGINES, "agreement.results.comparisons", "compare", _PAGED, "comparing"),
    "decide": Command(_ENGINES, "agreement.results.proofs.decisions", "decide_either", _PAGED, "deciding"),
    "witness": Command(
        _ENGINES,
        "agreement.results.proofs.witnesses",
        "witness",
        (ExperimentOutput, *_PAGED),
        "choosing streams",
    ),
    "shrink": Command(
        _ENGINES, "agreement.results.proofs.shrunk", "shrink", (ExperimentOutput, *_PAGED), "shrinking"
    ),
    "phase": Command(
        _ENGINES,
        "agreement.results.proofs.phases",
        "phase",
        (PictureOutput, *_PAGED),
        "comparing push and pull",
    ),
    "cite": Command(_EXPERIMENTS, "agreement.results.suites.citing", "cite"),
    "init": Command(_EXPERIMENTS, "agreement.results.files.initialised", "init"),
    "run": Command(
        _EXPERIMENTS, "agreement.results.files.runs", "run", (PageOutput, KeysOutput), "running cells"
    ),
    "generate": Command(_EXPERIMENTS, "agreement.results.files.generated", "generate", (), "generating"),
}
"""Each command under what it is for, in the order of the help."""
