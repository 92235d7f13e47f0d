"""Property paths where the other engine's query is derived: steps are triple patterns, closures are not."""

import pytest

from lars.errors import LarsError
from lars.language.terms import Iri
from translate.analysis import cq, model_of_csparql, parts
from translate.analysis.model_queries import Assignment
from translate.dialects import read_query
from translate.model.patterns import StreamBlock

STREAM = Iri("http://e/in")
CARRIED = frozenset({("<http://e/in>", "<http://e/at>")})


def derived(path):
    text = f"PREFIX : <http://e/> SELECT ?x ?y FROM STREAM :in [RANGE 5s STEP 1s] {{ ?x {path} ?y }}"
    query = read_query(text, "q.rq")
    brave, *_ = cq(model_of_csparql(query, Assignment(query, CARRIED, {})))
    return [str(part) for part in parts(brave.query.pattern) if isinstance(part, StreamBlock)]


@pytest.mark.parametrize("path", [":at/:partOf*", "^:partOf/:at", ":at|:partOf", ":partOf+/:at"])
def test_a_step_of_a_path_is_read_from_the_stream_that_carries_it(path):
    (block,) = derived(path)
    assert block.startswith("STREAM <http://e/in> [RANGE 5s SLIDE 1s] {")
    assert "<http://e/at>" in block


@pytest.mark.parametrize("path", [":at*", "(:partOf/:at)+", "!:partOf", "!(^:x)", ":partOf/(^:at)?"])
def test_a_closure_over_what_a_stream_carries_is_refused(path):
    with pytest.raises(LarsError, match="can match in the stream <http://e/in>"):
        derived(path)


def test_a_closure_over_static_properties_stays_as_it_is():
    assert derived(":partOf*") == []
