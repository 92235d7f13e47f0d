"""Short hand-made cases of CQELS: pushes and static data as lines, reports as short rows."""

from agreement.engines.cqels_text import read_written
from agreement.outputs import short
from agreement.recordings.recording import Push
from solver.rdf import canonical
from solver.static import Static

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


def static(lines, graph=None):
    """Return static triples, in the default graph or in a named one."""
    triples = frozenset(tuple(map(term, line.split())) for line in lines.split("/") if line.strip())
    return Static(frozenset(), {term(graph): triples}) if graph else Static(triples, {})


def reported(engine, query, lines, known="", off=(), graph=None):
    """Return the reports as (number of the push, row), rows of one push in the order of their texts."""
    read = read_written(f"PREFIX : <{E}> {query}", "q.rq")
    recording = engine.run(read, static(known, graph), pushed(lines), frozenset(off))
    rows = [(report.trigger, " ".join(map(short, row))) for report in recording.reports for row in report.rows]
    return sorted(rows)
