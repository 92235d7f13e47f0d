"""Cases of CQELS: short hand-made ones, and recorded ones where they are at hand, as bags of rows."""

import re
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path

import pytest

from agreement.engines.cqels.query_text import read_written
from agreement.outputs import short
from agreement.recordings.recording import Push
from lars.terms import Literal
from solver.facts import constant_of
from solver.rdf import canonical
from solver.static import Static
from solver.values import value

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


SHARED = Path(__file__).parents[4] / "../shared"
FOLDER = SHARED / "recordings/cqels-1.x"


def paths():
    """Return the files of the cases; one placeholder where there are none, for which tests skip."""
    return sorted(FOLDER.glob("*.json")) or [FOLDER / "none.json"]


def family(path):
    """Return the family in a file's name, as 5-static in 067-5-static.json."""
    return re.sub(r"^\d+-", "", path.stem)


def needed(path):
    """Skip where the file is not there."""
    if not path.exists():
        pytest.skip(f"no recordings at {path}")
    return path


def comparable(text):
    """Return a term for comparing: numbers by value."""
    term = None if text is None else constant_of(text)
    known = value(term) if isinstance(term, Literal) else None
    number = isinstance(known, int | float | Decimal) and not isinstance(known, bool)
    return round(float(known), 9) if number else text


def bags(recording, key=lambda report: report.trigger):
    """Return the rows that were reported, as a multiset for each push."""
    found = defaultdict(Counter)
    for report in recording.reports:
        found[key(report)].update(tuple(map(comparable, row)) for row in report.rows)
    return dict(found)
