"""CSRBench's answers: relations with the time in ms at which each was reported."""

from typing import Final

from agreement.placed import checked, json_of
from agreement.recordings.answers import Answers, recording_of
from agreement.recordings.times import Times, check_forwards
from agreement.recordings.value_types import Finite, Solution, Strict, check_named, row_of
from lars.errors import LarsError
from lars.files import TextFile

ACCEPTED_CSRBENCH: Final = (
    'CSRBench JSON, {"relations": [{"head": {"vars": [..]}, "timestamp": 1000, '
    '"results": {"bindings": [{"binding": {..}}]}}]}'
)


class _Head(Strict):
    vars: list[str]


class _Binding(Strict):
    binding: Solution


class _Results(Strict):
    bindings: list[_Binding]


class _Relation(Strict):
    head: _Head
    timestamp: Finite
    results: _Results


class _File(Strict):
    relations: list[_Relation]


def read_csrbench(source: TextFile, times: Times) -> Answers:
    """Return the relations as reports; the time of a single binding says nothing more.

    Times may be equal, but not go back. Raises LarsError with its place.
    """
    document = json_of(source, ACCEPTED_CSRBENCH)
    content = checked(_File, document)
    reports, before = [], 0.0
    for number, relation in enumerate(content.relations):
        path = ("relations", number)
        try:
            t = times.of_number(relation.timestamp)
            check_forwards(t, before)
        except LarsError as error:
            raise document.error((*path, "timestamp"), str(error)) from None
        for place, entry in enumerate(relation.results.bindings):
            at = (*path, "results", "bindings", place, "binding")
            check_named(document, at, entry.binding, relation.head.vars)
        reports.append((t, [row_of(entry.binding) for entry in relation.results.bindings]))
        before = t
    variables = (name for relation in content.relations for name in relation.head.vars)
    return Answers(recording_of(variables, reports))
