"""What every reader of a trace yields: one input atom; the blank nodes of RDF standardised apart."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Final, NamedTuple

from solver.facts import STREAM_PREDICATE, Arguments
from solver.trace_files import Source
from solver.trace_times import Instant, Malformed

Triple = tuple[str, str, str]
ATOMS: Final = ""
"""Stands for the stream of all atoms that are not read as RDF."""


class Reading(NamedTuple):
    """One atom as read, or only a time: then `predicate` is None.

    `line` counts from 1, and is 0 where the reader cannot know it; `stream` is what must come in
    order by itself: the stream of a triple, ATOMS for all other atoms.
    """

    line: int
    time: Instant
    stream: str | None
    predicate: str | None
    arguments: Arguments


def triple_reading(line: int, time: Instant, stream: str | None, triple: Triple) -> Reading:
    """Return a triple of a stream as an input atom."""
    return Reading(line, time, stream, STREAM_PREDICATE, (*triple, stream or "null"))


def stream_of(source: Source, own: str | None) -> str | None:
    """Return the stream of an element: its own, or else the file's; raise when they contradict."""
    if own is None and source.stream is None and source.candidates:
        listed = ", ".join(source.candidates)
        raise Malformed(
            f"nothing says which stream this is; give --stream IRI=FILE with one of: {listed}", fatal=True
        )
    if own and source.stream and own != source.stream and not source.candidates:
        raise Malformed(f"the element belongs to {own}, but the file was given the stream {source.stream}")
    return own or source.stream


def check_roles(triple: Triple, columns: Sequence[int] = (1, 1, 1)) -> None:
    """Raise unless the subject is no literal and the predicate is an IRI."""
    if triple[0].startswith('"'):
        raise Malformed("found a literal as subject; accepted: an <iri> or a _:blank node", columns[0])
    if not triple[1].startswith("<"):
        raise Malformed("found no IRI as predicate; accepted: an <iri>", columns[1])


def standardise(source: Source, stream: str | None, time: Instant, triples: Sequence[Triple]) -> list[Triple]:
    """Return an element's triples with blank nodes of their own.

    A label is a digest of the file's index, the time, the stream and the element as written: it is
    the same however the trace is read, and two elements share it only when they are equal.
    """
    if not any(term.startswith("_:") for triple in triples for term in (triple[0], triple[2])):
        return list(triples)
    content = "\n".join(" ".join(triple) for triple in sorted(set(triples)))
    element = f"{source.index}\n{stream}\n{time.value}\n{content}"
    return [(_apart(element, s), p, _apart(element, o)) for s, p, o in triples]


def _apart(element: str, term: str) -> str:
    if not term.startswith("_:"):
        return term
    digest = blake2b(f"{element}\n{term}".encode(), digest_size=16)
    return f"_:e{digest.hexdigest()}"


def number_blanks(triples: Iterable[Triple]) -> Iterator[Triple]:
    """Rename blank nodes by first appearance: libraries label [] at random."""
    labels: dict[str, str] = {}

    def renamed(term: str) -> str:
        return labels.setdefault(term, f"_:{len(labels)}") if term.startswith("_:") else term

    for s, p, o in triples:
        yield renamed(s), p, renamed(o)
