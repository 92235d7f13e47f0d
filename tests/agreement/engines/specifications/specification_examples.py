"""Written cases for both evaluations: words for triples, and what an evaluation reported in short."""

from dataclasses import replace

from tests.agreement.engines.specifications.operational import Run
from tests.agreement.engines.specifications.operational_comparing import (
    Line,
    differences,
    lines_of_logic,
    lines_of_machine,
    text,
)
from tests.agreement.engines.specifications.operational_moments import Arrival
from tests.agreement.engines.specifications.operational_queries import Asked
from tests.agreement.engines.specifications.operational_strategies import Case
from tests.sparql.syntax import E, Group, Iri, Item, Literal, Query, Select, Step, Triples, Var


def term(word: str):
    if word.startswith("?"):
        return Var(word[1:])
    return Literal(word.strip("'")) if word.startswith("'") else Iri(E + word)


def triple(words: str):
    return tuple(map(term, words.split()))


def block(words: str) -> Triples:
    return Triples(tuple(Step(*triple(part)) for part in words.split(" . ")))


def select(names: str, *parts) -> Query:
    return Query("SELECT", Select(Group(parts), tuple(Item(Var(name)) for name in names.split())))


def arrivals(**streams: str) -> tuple[Arrival, ...]:
    """Return what `stream="a p b @1, c p d @2"` says, in the order of time."""
    listed = [
        (int(t), E + stream, triple(words))
        for stream, lines in streams.items()
        for words, t in (line.split("@") for line in lines.split(","))
    ]
    listed.sort(key=lambda one: one[0])
    return tuple(Arrival(*one, number) for number, one in enumerate(listed))


def case(language: str, run: Run) -> Case:
    """Return a case in seconds; under CQELS the slide is ignored, whatever the windows say."""
    ignored = language == "cqels"
    moved = tuple(one._replace(slide=1) if ignored else one for one in run.windows)
    asked = Asked(language, run.query, run.windows)
    return Case(asked, replace(run, windows=moved), "1s", None, run.policy.operator, ignored)


def told(one: Case, specification=None) -> list[Line]:
    """Return the evaluations, which both evaluations have to agree on."""
    found = lines_of_machine(one)
    other = differences(found, lines_of_logic(one, specification))
    assert not other, "\n".join(other)
    return found


def short(line: Line):
    """Return time and rows of an evaluation, None for the rows of one that reports nothing."""
    return line.t, sorted(map(words, line.rows.elements())) if line.reported else None


def words(row) -> str:
    """Return the terms of a row in the order of its variables' names, or of its triple."""
    cells = row if isinstance(row, tuple) else [cell for _, cell in sorted(row, key=lambda cell: cell[0])]
    return " ".join(map(text, cells))
