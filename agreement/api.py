"""The commands of `lars` as Python functions, for notebooks and programs of your own.

    from agreement import api

    found = api.agree("samples/coupons", period="4..8")
    found.agree, found.verdicts, found.differences
    found.to_pandas(), found.to_arrow("periods"), found.to_json()

`translate`, `solve`, `agree`, `judge`, `explain`, `check`, `compare`, `decide`, `witness`, `shrink`, `phase`,
`run`, `pack`, `init`, `record`, `generate` and `export` take the commands' arguments. `contained` is
`lars decide --contained`, `compare_logs` is `lars compare` of two files of alerts, `read_export` is
`lars export --read`, `check_pack` is `lars run --check`.
Keywords have the options' names, with `_` for `-`; names that Python reserves end in `_`: `from_`, `as_`. A
query or program is a path or its text. A trace is a path, a text, an open file, a table (of pyarrow, pandas,
polars: columns t, stream, s, p, o, or t, atom) or elements in their order, pairs (t, graph) or (t, triple) of
rdflib; static data are a path, a text, an open file or a graph of rdflib. A string is a text if it has a line
break, { or ←. Numbers of numpy are numbers, and a timedelta is a duration.

Results do not change; they have `warnings` and `notes`, `text`, `to_json()` as --json prints it, and tables
as --out writes them. An invalid input raises `LarsError`, with its `place` if it is a `PlacedError`; a
failure of the machine raises `FailedRunError`. Nothing is printed; `progress(done, total)` receives the
progress of the work. Files are read again at each call.
"""

from importlib import import_module
from typing import Any, Final

_OFFERED: Final = {
    "agreement.comparing.agree": ("PeriodComparison",),
    "agreement.comparing.agree.periods": ("PeriodVerdict",),
    "agreement.comparing.compare": ("DifferenceWithRules",),
    "agreement.proving.decisions": ("Decision", "CheckedPremise", "EveryStream", "Witness"),
    "agreement.results.agreements": ("AgreeResult", "AgreementDifference", "agree"),
    "agreement.results.base.library": ("JsonObject", "JsonValue"),
    "agreement.results.base.sources": ("ArrowTable", "Element", "StaticSource", "TextSource", "TraceSource"),
    "agreement.results.suites.citing": ("Citations", "cite"),
    "agreement.results.comparisons": ("CompareResult", "compare"),
    "agreement.results.logs.compared": ("LogsResult", "compare_logs"),
    "agreement.results.explanations": ("CheckResult", "ExplainResult", "check", "explain"),
    "agreement.results.judgements": ("JudgeResult", "WindowVerdict", "judge"),
    "agreement.results.files.exports": ("ExportAnswers", "ExportedFolder", "export", "read_export"),
    "agreement.results.files.generated": ("GeneratedTrace", "generate"),
    "agreement.results.files.recorded": ("AdapterVerdict", "RecordResult", "record"),
    "agreement.results.files.initialised": ("InitialFolder", "init"),
    "agreement.results.files.hunts": ("HuntResult", "hunt"),
    "agreement.results.files.runs": ("RunResult", "run"),
    "agreement.results.files.packed": ("PackCheck", "PackResult", "check_pack", "pack"),
    "agreement.results.suites.suites": ("SuiteClaims", "SuiteMade", "SuiteRun", "suite"),
    "agreement.results.proofs.traceless": (
        "ContainmentResult",
        "DecideResult",
        "WitnessResult",
        "contained",
        "decide",
        "witness",
    ),
    "agreement.results.proofs.phases": ("PhaseResult", "phase"),
    "agreement.results.proofs.shrunk": ("ShrinkResult", "shrink"),
    "agreement.results.solutions": ("AnswerAt", "SolveResult", "solve"),
    "agreement.results.translations": ("Translation", "translate"),
    "agreement.proving.phase": ("PhaseDiagram", "PhaseRow"),
    "agreement.proving.shrinking": ("Sizes",),
    "lars.errors": ("FailedRunError", "LarsError", "Place", "PlacedError"),
    "solver.facts": ("Fact",),
}
"""The names of the library by the modules that have them: each is loaded once a name of it is used."""
_MODULES: Final = {name: module for module, names in _OFFERED.items() for name in names}
__all__ = sorted(_MODULES)  # noqa: PLE0605 - the stub has them one by one


def __getattr__(name: str) -> Any:
    """Import and return a public name at its first use (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
