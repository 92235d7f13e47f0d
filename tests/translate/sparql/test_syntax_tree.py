"""Queries of one shape have one tree, in which terms are numbers; each keeps its own terms."""

import pytest

from translate.dialects import read_query
from translate.errors import QueryError
from translate.sparql import syntax_tree

SHAPE = 'SELECT ?{0} {{ ?{0} <e:{0}> [ <e:p> "{0}" ] . _:{0} <e:q> ?{0} OPTIONAL {{ ?{0} <e:r> {1} }} }}'


def test_queries_of_one_shape_keep_their_own_terms():
    texts = [SHAPE.format(name, number) for name, number in (("a", 1), ("b", 22), ("a", 1))]
    syntax_tree._remembered.cache_clear()
    together = [read_query(text, "q.rq") for text in texts]
    assert syntax_tree._remembered.cache_info().misses == 1
    alone = []
    for text in texts:
        syntax_tree._remembered.cache_clear()
        alone.append(read_query(text, "q.rq"))
    assert together == alone
    assert together[0] == together[2] != together[1]


@pytest.mark.parametrize(("name", "column"), [("a", 16), ("long", 22)])
def test_a_text_of_the_same_shape_that_is_no_query_is_refused_at_its_own_place(name, column):
    with pytest.raises(QueryError, match=f"^q.rq:1:{column}: "):
        read_query(f"SELECT ?{name} {{ ?{name} }}", "q.rq")
