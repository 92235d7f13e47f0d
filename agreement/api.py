"""The commands of `lars` as Python functions, for notebooks and Python programs.

    from agreement import api

    found = api.agree("samples/coupons", period="4..8")
    found.agree, found.verdicts, found.differences
    found.to_pandas(), found.to_arrow("periods"), found.to_json()

`translate`, `solve`, `agree`, `judge`, `explain`, `check`, `compare`, `decide`, `witness`, `shrink`, `phase`,
`run`, `pack`, `init`, `record`, `hunt`, `suite`, `cite`, `generate` and `export` take the arguments of the
command with the same name. `contained` runs `lars decide --contained`, `decide_late` runs `lars decide
--delay`, `agree_late` runs `lars agree --late`, and `read_export` runs `lars export --read`. `compare_logs`
runs `lars compare` on two files of alerts, and `check_pack` runs `lars run --check`. Each keyword has the
name of the option of the command, with `_` for `-`. If Python reserves the name of an option, the keyword
ends in `_`: `from_`, `as_`. A query or program is a path or a text. A trace is a path, a text, an open file,
a table or a sequence of elements. A table is a table of pyarrow, pandas or polars, with the columns t,
stream, s, p, o or the columns t, atom. An element is a pair (t, graph), (t, (s, p, o)) or (t, atom). The
graph is a graph of rdflib. The terms s, p, o are terms of rdflib, or texts and numbers as in a table. The
atom is a text such as "temp(k, 31)". Static data are a path, a text, an open file or a graph of rdflib. A
string is a text if it contains a line break, { or ←. If no file has its name, a string is also a text if it
contains :-, begins with a time and a colon, or ends with a full stop and contains a space or (. All other
strings are paths. The value of a keyword can also be a number of numpy or, for a duration, a timedelta.

Results are immutable. A result has the attributes `warnings`, `notes` and `text`, the JSON output
(`to_json()`), and the tables of the option --out. An invalid input raises `LarsError`. The subclass
`PlacedError` of `LarsError` also has the `place` of the error. A failed run raises `FailedRunError`, for
example if memory is short. The functions print nothing; the callback `progress(done, total)` receives the
progress of the work. Each call of a function reads its files again.
"""

from importlib import import_module
from typing import Any, Final

_OFFERED: Final = {
    "agreement.comparing.agree": ("PeriodComparison",),
    "agreement.comparing.agree.periods": ("PeriodVerdict",),
    "agreement.comparing.compare": ("DifferenceWithRules",),
    "agreement.proving.decisions": ("Decision", "CheckedPremise", "EveryStream", "Witness"),
    "agreement.results.agreements.agreeing": ("AgreeResult", "AgreementDifference", "agree"),
    "agreement.comparing.agree.lateness": ("LateRow",),
    "agreement.results.agreements.lateness": ("LateResult", "agree_late"),
    "agreement.results.base.library": ("JsonObject", "JsonValue", "PrintedTexts", "WrittenFiles"),
    "agreement.results.base.sources": ("ArrowTable", "Element", "StaticSource", "TextSource", "TraceSource"),
    "agreement.results.suites.citing": ("cite",),
    "agreement.results.comparisons": ("CompareResult", "compare"),
    "agreement.results.logs.compared": ("compare_logs",),
    "agreement.results.logs.report": ("LogsResult",),
    "agreement.results.explanations": ("CheckResult", "ExplainResult", "check", "explain"),
    "agreement.results.judgements": ("JudgeResult", "WindowVerdict", "judge"),
    "agreement.results.files.exports": ("ExportAnswers", "export", "read_export"),
    "agreement.results.files.generated": ("GeneratedTrace", "generate"),
    "agreement.results.files.recorded": ("AdapterVerdict", "RecordResult", "record"),
    "agreement.results.files.initialised": ("init",),
    "agreement.results.files.hunts": ("HuntResult", "hunt"),
    "agreement.results.files.runs": ("RunResult", "run"),
    "agreement.results.files.packed": ("PackCheck", "check_pack", "pack"),
    "agreement.results.suites.suites": ("SuiteClaims", "SuiteMade", "SuiteRun", "suite"),
    "agreement.results.proofs.contained": ("ContainmentResult", "contained"),
    "agreement.results.proofs.traceless": ("DecideResult", "WitnessResult", "decide", "witness"),
    "agreement.proving.lateness": ("LateWitness", "LatenessDecision"),
    "agreement.results.proofs.lateness": ("LatenessResult", "decide_late"),
    "agreement.results.proofs.phases": ("PhaseResult", "phase"),
    "agreement.results.proofs.shrunk": ("ShrinkResult", "shrink"),
    "agreement.results.solutions": ("AnswerAt", "SolveResult", "solve"),
    "agreement.results.translations": ("Translation", "translate"),
    "agreement.proving.phase": ("PhaseDiagram", "PhaseRow"),
    "agreement.proving.shrinking": ("Sizes",),
    "lars.errors": ("FailedRunError", "LarsError", "Place", "PlacedError"),
    "solver.facts": ("Fact",),
}
"""The public names, by the module that defines them.

The first use of a name imports its module.
"""
_MODULES: Final = {name: module for module, names in _OFFERED.items() for name in names}
__all__ = sorted(_MODULES)  # noqa: PLE0605 - the stub has them one by one


def __getattr__(name: str) -> Any:
    """Return a public name of this module, and import the module of the name at its first use (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
