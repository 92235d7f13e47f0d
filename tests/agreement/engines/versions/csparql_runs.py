"""Small runs of C-SPARQL 0.9.7 for tests: pushes in short form, reports as times, pushes and rows."""

from agreement.documents.recordings import Push
from agreement.engines.versions.csparql_097 import CSPARQL_097
from solver.facts import Static
from solver.rdf import canonical
from translate.dialects import read_query
from translate.model.query import Language

NO_STATIC = Static(frozenset(), {})
XSD = "http://www.w3.org/2001/XMLSchema#"
ALL_OFF = frozenset(rule.name for rule in CSPARQL_097.rules)


def term(name):
    """Return an IRI, or for `lexical^type` a literal of XSD, `lexical^` an integer."""
    lexical, mark, kind = name.partition("^")
    return canonical(f'"{lexical}"^^<{XSD}{kind or "integer"}>' if mark else f"<http://e/{name}>")


def pushed(*lines):
    """Return the pushes that lines like `20500 S s p o` say."""
    parts = [line.split() for line in lines]
    return [Push(int(t), term(stream), tuple(map(term, triple))) for t, stream, *triple in parts]


def arriving(*names):
    """Return pushes of `a p 1` and so on that names and times like `a@20500` say, on the stream S."""
    parts = [name.split("@") for name in names]
    return pushed(*(f"{t} S {name} p 1^" for name, t in parts))


def query(windows, body="SELECT ?s WHERE { ?s :p ?o }"):
    """Return the query; windows are like `S 3s STEP 1s`, several with commas."""
    clauses = [part.split(None, 1) for part in windows.split(",")]
    streams = " ".join(f"FROM STREAM <http://e/{stream}> [RANGE {window}]" for stream, window in clauses)
    form, where, rest = body.partition("WHERE")
    return read_query(f"PREFIX : <http://e/> {form}{streams} {where}{rest}", "q.rq", Language.CSPARQL)


def recording(asked, pushes, off=(), static=NO_STATIC):
    return CSPARQL_097.run(asked, static, pushes, frozenset(off))


def short(text):
    """Return a term as `term` reads it."""
    if text is None:
        return "-"
    return text.removeprefix("<http://e/").rstrip(">") if text[0] == "<" else text.split('"')[1]


def reports(asked, pushes, off=(), static=NO_STATIC):
    """Return (time, trigger, rows) of each report, a row as text, the rows sorted."""
    return [
        (report.t, report.trigger, sorted(" ".join(map(short, row)) for row in report.rows))
        for report in recording(asked, pushes, off, static).reports
    ]


def rows(asked, pushes, off=(), static=NO_STATIC):
    """Return the rows of the last report."""
    return reports(asked, pushes, off, static)[-1][2]
