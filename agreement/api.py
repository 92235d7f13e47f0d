"""What the commands of `lars` do, for notebooks and programs of your own.

    from agreement import api

    found = api.agree("samples/coupons", period="4..8")
    found.agree, found.verdicts, found.differences
    found.to_pandas(), found.to_arrow("periods"), found.to_json()

`translate`, `solve`, `agree`, `judge`, `explain`, `check`, `compare`, `decide`, `witness`, `shrink`, `phase`,
`run`, `generate` and `export` take what the commands take; `contained` is `lars decide --contained`,
`read_export` is `lars export --read`. Keywords are named as the options, `-` as `_`; those that Python keeps
for itself have `_` behind: `from_`, `as_`. A query or program is a path or its text. A trace is a path, a
text, a table (of pyarrow, pandas, polars: columns t, stream, s, p, o, or t, atom) or elements in their order,
pairs (t, graph) or (t, triple) of rdflib; static data are a path, a text or a graph of rdflib. A string is a
text if it has a line break, { or ←.

Results do not change; they have `warnings` and `notes`, `text`, `to_json()` as --json prints it, and
tables as --out writes them. What is wrong with an input is a `LarsError`, with its `place` if it is a
`PlacedError`; `FailedRunError` says that the machine failed. Nothing is printed; `progress(done, total)`
is told how far the work is. Files are read anew at each call.
"""

from importlib import import_module
from typing import Any, Final

_OFFERED: Final = {
    "agreement.agree": ("Compared",),
    "agreement.agree.periods": ("PeriodVerdict",),
    "agreement.compare.parting": ("Parted",),
    "agreement.containment": ("Containment", "Holds"),
    "agreement.decide": ("CheckedPremise", "Decided", "PeriodDecision", "StreamWitness"),
    "agreement.library.agreements": ("Agreement", "AgreementDifference", "agree"),
    "agreement.library.basis.findings": ("JsonObject", "JsonValue"),
    "agreement.library.basis.sources": ("ArrowTable", "Element", "StaticSource", "TextSource", "TraceSource"),
    "agreement.library.checks": ("AnswerChecked", "check"),
    "agreement.library.comparisons": ("ProfileComparison", "compare"),
    "agreement.library.explanations": ("Explained", "explain"),
    "agreement.library.judgements": ("Judged", "WindowVerdict", "judge"),
    "agreement.library.made.exports": ("ExportAnswers", "ExportedFolder", "export", "read_export"),
    "agreement.library.made.generated": ("GeneratedTrace", "generate"),
    "agreement.library.made.runs": ("RunFound", "run"),
    "agreement.library.possible.decisions": ("ContainmentFound", "Decision", "contained", "decide"),
    "agreement.library.possible.phases": ("Phased", "phase"),
    "agreement.library.possible.shrunk": ("ShrunkFound", "shrink"),
    "agreement.library.possible.witnesses": ("Witnessed", "witness"),
    "agreement.library.solutions": ("AnswerAt", "Solved", "solve"),
    "agreement.library.translations": ("Translation", "translate"),
    "agreement.phase": ("PhaseDiagram", "PhaseRow"),
    "agreement.shrink": ("Sizes",),
    "agreement.witness": ("Witness",),
    "agreement.witness.witness_task": ("PeriodWitnesses",),
    "lars.errors": ("FailedRunError", "LarsError", "Place", "PlacedError"),
    "solver.facts": ("Fact",),
}
"""The names of the library by the modules that have them: each is loaded once a name of it is used."""
_MODULES: Final = {name: module for module, names in _OFFERED.items() for name in names}
__all__ = sorted(_MODULES)  # noqa: PLE0605 - the stub has them one by one


def __getattr__(name: str) -> Any:
    """Return what is offered under a name (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return found


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
