"""Small recordings of our own output in every format, for tests that perturb and judge them."""

import csv
import io
import json
from dataclasses import dataclass, field, replace
from pathlib import Path

from agreement.documents.outputs import json_term
from agreement.documents.recordings import Push
from agreement.engines.engine import columns
from agreement.engines.specifications import (
    EngineRun,
    OpenChoice,
    Task,
    builtin,
    elements_of,
    evaluated_windows,
    evaluations,
)
from lars.durations import read_duration
from lars.language.terms import XSD
from solver.facts import Row, Static, constant_of
from tests.agreement.command import Ran, lars
from translate.dialects import read_query

STREAM = "http://e/S"
SECOND = read_duration("1s")
PATTERN = "{ ?s <http://e/p> ?o }"
SPARQLSTREAM = "FROM NAMED STREAM <http://e/S> [NOW - 4 S TO NOW SLIDE 4 S] WHERE"
QUERIES = {
    "csparql": f"REGISTER QUERY q AS SELECT ?s ?o FROM STREAM <{STREAM}> [RANGE 4s STEP 4s] WHERE {PATTERN}",
    "cqels": f"SELECT ?s ?o WHERE {{ STREAM <{STREAM}> [RANGE 4s] {PATTERN} }}",
    "sparqlstream": f"SELECT RSTREAM ?s ?o {SPARQLSTREAM} {PATTERN}",
    "rspql": f"REGISTER RSTREAM <http://e/q> AS SELECT ?s ?o FROM NAMED WINDOW <http://e/w> ON <{STREAM}> "
    f"[RANGE PT4S STEP PT4S] WHERE {{ WINDOW <http://e/w> {PATTERN} }}",
}
BOUNDS = {
    "csparql": "low-open",
    "cqels": "closed",
    "sparqlstream": "high-open",
    "rspql": "low-open",
}
CLOCKED = ("csparql", "sparqlstream", "rspql")
LAST = 29


def integer(number: object, kind: str = "integer") -> str:
    return f'"{number}"^^<{XSD}{kind}>'


def pushed(*lines: str, last: int = LAST) -> tuple[Push, ...]:
    """Return a triple for each second from 1, or those of lines such as `3 a p 5`, a number as object."""
    texts = lines or tuple(f"{t} s{t % 3} p {t}" for t in range(1, last + 1))
    return tuple(_push(*text.split()) for text in texts)


def _push(t: str, s: str, p: str, o: str, stream: str = STREAM) -> Push:
    return Push(float(t) * 1000, f"<{stream}>", (_node(s), f"<http://e/{p}>", _node(o)))


def _node(word: str) -> str:
    if word.isdigit():
        return integer(word)
    return word if word.startswith("_:") else f"<http://e/{word}>"


@dataclass(frozen=True)
class Recorded:
    """A query, its trace, and reports: times in ms with rows in the order of `names`."""

    query: str
    pushes: tuple[Push, ...]
    names: tuple[str, ...]
    reports: tuple[tuple[float, tuple[Row, ...]], ...]
    engine: str
    options: tuple[str, ...] = field(default=())

    def at(self, number: int) -> tuple[float, tuple[Row, ...]]:
        return self.reports[number]

    def with_report(self, number: int, *rows: Row, t: float | None = None) -> "Recorded":
        """Return this with other rows, or at another time, in one report."""
        found = list(self.reports)
        found[number] = (found[number][0] if t is None else t, rows)
        return replace(self, reports=tuple(sorted(found, key=lambda one: one[0])))

    def without(self, number: int) -> "Recorded":
        return replace(self, reports=(*self.reports[:number], *self.reports[number + 1 :]))

    def late(self, milliseconds: float) -> "Recorded":
        return replace(self, reports=tuple((t + milliseconds, rows) for t, rows in self.reports))

    def judged(self, folder: Path, kind: str, *options: object) -> Ran:
        """Return what `lars judge --json` says of this as a file of that format."""
        (folder / "query.rq").write_text(self.query)
        (folder / "trace.nq").write_text("".join(map(_line, self.pushes)))
        (folder / "answers").write_text(WRITERS[kind](self.names, self.reports))
        files = (folder / "query.rq", folder / "trace.nq", "--answers", folder / "answers")
        how = ("--answers-format", kind, "--answers-unit", "1ms", "--engine", self.engine)
        return lars("judge", *files, *how, *self.options, "--json", *options)


def own(language: str, start: int = 0, query: str | None = None, pushes=None, bounds=None) -> Recorded:
    """Return what a specification reports, with windows from a start time on."""
    text = QUERIES[language] if query is None else query
    given = pushed() if pushes is None else pushes
    elements = elements_of(given, SECOND)
    read = read_query(text, "query")
    task = Task(EngineRun(read, Static(frozenset(), {}), ()), elements, elements[-1].t)
    choice = OpenChoice((start,) * text.count("RANGE") or (start,), bounds or BOUNDS[language])
    choice = choice if language != "sparqlstream" else replace(choice, starts=(start,) * text.count("NOW -"))
    profile = evaluated_windows(task, builtin(language), choice)
    found = [(one.time * 1000.0, one.rows) for one in evaluations(profile) if one.reported]
    return Recorded(text, given, columns(read), tuple(found), language)


def _line(push: Push) -> str:
    return f'{" ".join(push.triple)} {push.stream} "{push.t / 1000:g}" .\n'


def _solution(names, row) -> dict:
    return {
        name: json_term(constant_of(text)) for name, text in zip(names, row, strict=True) if text is not None
    }


def solve(names, reports) -> str:
    rows = ({"t": int(t), "rows": [_solution(names, row) for row in rows]} for t, rows in reports)
    return "".join(f"{json.dumps(one)}\n" for one in rows)


def csrbench(names, reports) -> str:
    relations = [
        {
            "head": {"vars": list(names)},
            "timestamp": t,
            "results": {"bindings": [{"timestamp": t, "binding": _solution(names, row)} for row in rows]},
        }
        for t, rows in reports
    ]
    return json.dumps({"relations": relations})


def sparql_json(names, reports) -> str:
    documents = (
        {"t": t, "head": {"vars": list(names)}, "results": {"bindings": [_solution(names, r) for r in rows]}}
        for t, rows in reports
    )
    return "\n".join(map(json.dumps, documents)) + "\n"


def table(names, reports) -> str:
    """Return SPARQL 1.1 CSV, which knows neither empty reports nor the kinds of terms."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("t", *names))
    writer.writerows((f"{t:g}", *map(_lexical, row)) for t, rows in reports for row in rows)
    return out.getvalue()


def _lexical(text: str | None) -> str:
    term = None if text is None else constant_of(text)
    return "" if term is None else getattr(term, "lexical", getattr(term, "value", text))


def tsv(names, reports) -> str:
    head = "\t".join(("?t", *(f"?{name}" for name in names)))
    lines = ("\t".join((f"{t:g}", *(text or "" for text in row))) for t, rows in reports for row in rows)
    return "\n".join((head, *lines)) + "\n"


def yabench(names, reports) -> str:
    lines = [line for t, rows in reports for line in (f"{t:.0f}", *map(_tabbed, rows))]
    return "\n".join(("0", "\t".join(f"?{name}" for name in names), *lines)) + "\n"


def _tabbed(row: Row) -> str:
    return "\t".join(text or "" for text in row)


WRITERS = {
    "solve": solve,
    "csrbench": csrbench,
    "sparql-json": sparql_json,
    "csv": table,
    "tsv": tsv,
    "yabench": yabench,
}
