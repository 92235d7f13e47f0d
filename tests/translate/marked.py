"""Queries with the expected place of their error marked by ¦."""

import pytest

from lars.errors import PlacedError, place_at
from translate.dialects import read_query


def fails_at_mark(marked, *words, kind=PlacedError, engine=None):
    """Assert that the query without ¦ is refused at the place of ¦, with these words."""
    text = marked.replace("¦", "")
    with pytest.raises(kind) as caught:
        read_query(text, "q.rq", engine)
    assert str(caught.value).startswith(f"{place_at('q.rq', text, marked.index('¦'))}: ")
    for word in words:
        assert word in caught.value.problem
