"""Cases of CQELS: short hand-made ones."""

from agreement.documents.outputs import short
from agreement.documents.recordings import Push
from agreement.engines.versions.cqels_text import read_written
from solver.facts import Static
from solver.rdf import canonical

E = "http://e/"


def term(word):
    """Return a term: 4 is an integer, 'text' a string, all else an IRI of the namespace."""
    if word.lstrip("+-").isdigit():
        return canonical(f'"{word}"^^<http://www.w3.org/2001/XMLSchema#integer>')
    return canonical(f'"{word[1:-1]}"' if word.startswith("'") else f"<{E}{word}>")


def pushed(lines):
    """Return the pushes that lines write as: time in ms, stream, subject, predicate, object."""
    words = [line.split() for line in lines.split("/")]
    return [Push(float(t), term(g), (term(s), term(p), term(o))) for t, g, s, p, o in words]


def static(lines):
    """Return the static triples that lines write; with a fourth word, in the named graph of that name."""
    default, named = set(), {}
    for line in filter(str.strip, lines.split("/")):
        s, p, o, *graph = map(term, line.split())
        (named.setdefault(graph[0], set()) if graph else default).add((s, p, o))
    return Static(frozenset(default), {name: frozenset(triples) for name, triples in named.items()})


def reported(engine, query, lines, known="", off=()):
    """Return the reports as (number of the push, row), rows of one push in the order of their texts."""
    read = read_written(f"PREFIX : <{E}> {query}", "q.rq")
    recording = engine.run(read, static(known), pushed(lines), frozenset(off))
    rows = [
        (report.trigger, " ".join(map(short, row))) for report in recording.reports for row in report.rows
    ]
    return sorted(rows)
