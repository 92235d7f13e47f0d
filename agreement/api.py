"""What the commands of `lars` do, for notebooks and programs of your own.

    from agreement import api

    found = api.agree("samples/coupons", period="4..8")
    found.agree, found.verdicts, found.differences
    found.to_pandas(), found.to_arrow("periods"), found.to_json()

`translate`, `solve`, `agree`, `judge`, `explain` and `compare` take what the commands take. Keywords are
named as the options, `-` as `_`; those that Python keeps for itself have `_` behind: `from_`, `as_`. A query
or program is a path or its text. A trace is a path, a text, a table (of pyarrow, pandas, polars: columns
t, stream, s, p, o, or t, atom) or elements in their order, pairs (t, graph) or (t, triple) of rdflib; static
data are a path, a text or a graph of rdflib. A string is a text if it has a line break, { or ←.

Results do not change; they have `warnings` and `notes`, `text`, `to_json()` as --json prints it, and
tables as --out writes them. What is wrong with an input is a `LarsError`, with its `place` if it is a
`PlacedError`; `FailedRunError` says that the machine failed. Nothing is printed; `progress(done, total)`
is told how far the work is. Files are read anew at each call.
"""

from agreement.agree import Compared
from agreement.agree.periods import PeriodVerdict
from agreement.compare.parting import Parted
from agreement.library.agreements import Agreement, AgreementDifference, agree
from agreement.library.comparisons import ProfileComparison, compare
from agreement.library.explanations import Explained, explain
from agreement.library.findings import JsonObject, JsonValue
from agreement.library.judgements import Judged, WindowVerdict, judge
from agreement.library.solutions import AnswerAt, Solved, solve
from agreement.library.sources import ArrowTable, Element, StaticSource, TextSource, TraceSource
from agreement.library.translations import Translation, translate
from lars.errors import FailedRunError, LarsError, Place, PlacedError
from solver.facts import Fact

__all__ = [
    "Agreement",
    "AgreementDifference",
    "AnswerAt",
    "ArrowTable",
    "Compared",
    "Element",
    "Explained",
    "Fact",
    "FailedRunError",
    "JsonObject",
    "JsonValue",
    "Judged",
    "LarsError",
    "Parted",
    "PeriodVerdict",
    "Place",
    "PlacedError",
    "ProfileComparison",
    "Solved",
    "StaticSource",
    "TextSource",
    "TraceSource",
    "Translation",
    "WindowVerdict",
    "agree",
    "compare",
    "explain",
    "judge",
    "solve",
    "translate",
]
