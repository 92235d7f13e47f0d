"""Which part of a C-SPARQL pattern is matched in which stream: by vocabulary, or as the user says."""

from collections.abc import Mapping

from lars.errors import LarsError
from lars.language.terms import Iri
from translate.analysis.rewriting import parts, without_paths
from translate.analysis.scope import occurring_variables
from translate.model.patterns import Bgp, PathPattern, Pattern, TriplePattern, steps
from translate.model.query import EngineQuery


class Assignment:
    """The parts g of each basic graph pattern, by the predicates that each stream carries.

    `carried` are pairs of stream and predicate texts as they occur in the trace; `assigned` are
    predicates that the user gives to a stream, whatever the trace carries.
    """

    def __init__(
        self,
        query: EngineQuery,
        carried: frozenset[tuple[str, str]],
        assigned: Mapping[Iri, tuple[Iri, ...]],
    ) -> None:
        self._streams = tuple(dict.fromkeys(part.stream for part in query.merged))
        if len(self._streams) < len(query.merged):
            raise LarsError(
                "the C-SPARQL query reads one stream through two windows, so it does not say which part "
                "is matched in which: give the CQELS query too"
            )
        unread = [stream for stream in assigned if stream not in self._streams]
        if unread:
            listed = ", ".join(map(str, self._streams)) or "none"
            raise LarsError(
                f"predicates are assigned to {unread[0]}, which the C-SPARQL query does not read; "
                f"accepted: its streams, {listed}"
            )
        self._carried = carried
        self._assigned = assigned
        self._check_paths(query.pattern)

    def __call__(self, bgp: Bgp) -> dict[Iri, Bgp]:
        """Return the part of the pattern that each stream gets; what no stream carries is static."""
        parts: dict[Iri, list[TriplePattern]] = {}
        for triple in bgp.triples:
            candidates = self._candidates(triple)
            if len(candidates) > 1:
                listed = ", ".join(map(str, candidates))
                raise LarsError(
                    f"the triple pattern {{{triple}}} can be matched in several streams: {listed}; "
                    "say which with `assign` in the experiment, or --assign STREAM=PREDICATE"
                )
            if candidates:
                parts.setdefault(candidates[0], []).append(triple)
        return {stream: Bgp(tuple(triples)) for stream, triples in parts.items()}

    def _check_paths(self, pattern: Pattern) -> None:
        for part in parts(without_paths(pattern, occurring_variables(pattern))):
            for step in steps(part.path) if isinstance(part, PathPattern) else ():
                if found := self._streams if step is None else self._of(step):
                    raise LarsError(
                        f"the path {part} can be walked in the stream {found[0]}; a CQELS query is derived "
                        "for triple patterns only: give the CQELS query too"
                    )

    def _candidates(self, triple: TriplePattern) -> list[Iri]:
        predicate = triple.predicate
        return self._of(predicate) if isinstance(predicate, Iri) else list(self._streams)

    def _of(self, predicate: Iri) -> list[Iri]:
        given = [stream for stream in self._streams if predicate in self._assigned.get(stream, ())]
        return given or [s for s in self._streams if (str(s), str(predicate)) in self._carried]
