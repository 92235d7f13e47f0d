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

from agreement.agree import Compared
from agreement.agree.periods import PeriodVerdict
from agreement.compare.parting import Parted
from agreement.containment import Containment, Holds
from agreement.decide import CheckedPremise, Decided, PeriodDecision, StreamWitness
from agreement.library.agreements import Agreement, AgreementDifference, agree
from agreement.library.basis.findings import JsonObject, JsonValue
from agreement.library.basis.sources import ArrowTable, Element, StaticSource, TextSource, TraceSource
from agreement.library.checks import AnswerChecked, check
from agreement.library.comparisons import ProfileComparison, compare
from agreement.library.explanations import Explained, explain
from agreement.library.judgements import Judged, WindowVerdict, judge
from agreement.library.made.exports import ExportAnswers, ExportedFolder, export, read_export
from agreement.library.made.generated import GeneratedTrace, generate
from agreement.library.made.runs import RunFound, run
from agreement.library.possible.decisions import ContainmentFound, Decision, contained, decide
from agreement.library.possible.phases import Phased, phase
from agreement.library.possible.shrunk import ShrunkFound, shrink
from agreement.library.possible.witnesses import Witnessed, witness
from agreement.library.solutions import AnswerAt, Solved, solve
from agreement.library.translations import Translation, translate
from agreement.phase import PhaseDiagram, PhaseRow
from agreement.shrink import Sizes
from agreement.witness import Witness
from agreement.witness.witness_task import PeriodWitnesses
from lars.errors import FailedRunError, LarsError, Place, PlacedError
from solver.facts import Fact

__all__ = [
    "Agreement",
    "AgreementDifference",
    "AnswerAt",
    "AnswerChecked",
    "ArrowTable",
    "CheckedPremise",
    "Compared",
    "Containment",
    "ContainmentFound",
    "Decided",
    "Decision",
    "Element",
    "Explained",
    "ExportAnswers",
    "ExportedFolder",
    "Fact",
    "FailedRunError",
    "GeneratedTrace",
    "Holds",
    "JsonObject",
    "JsonValue",
    "Judged",
    "LarsError",
    "Parted",
    "PeriodDecision",
    "PeriodVerdict",
    "PeriodWitnesses",
    "PhaseDiagram",
    "PhaseRow",
    "Phased",
    "Place",
    "PlacedError",
    "ProfileComparison",
    "RunFound",
    "ShrunkFound",
    "Sizes",
    "Solved",
    "StaticSource",
    "StreamWitness",
    "TextSource",
    "TraceSource",
    "Translation",
    "WindowVerdict",
    "Witness",
    "Witnessed",
    "agree",
    "check",
    "compare",
    "contained",
    "decide",
    "explain",
    "export",
    "generate",
    "judge",
    "phase",
    "read_export",
    "run",
    "shrink",
    "solve",
    "translate",
    "witness",
]
