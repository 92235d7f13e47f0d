"""What contents show, as runs: at the same places and rows as content by content."""

from hypothesis import given
from hypothesis import strategies as st

from solver.columns import TermCodes
from solver.relational.shown_input import given_rows, span_runs
from tests.solver.relational.test_run_tables import points
from tests.solver.strategies import part_of

_spans = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)).map(sorted), max_size=8)
_contents = st.lists(st.lists(st.sampled_from(["ab", "ba", "aa"]), max_size=4), max_size=5)


@part_of(0.3)
@given(_spans)
def test_a_place_is_shown_by_each_span_that_holds_it_once(spans):
    found = points(span_runs([first for first, _ in spans], [end for _, end in spans]))
    expected = [((place,), n) for n, (first, end) in enumerate(spans) for place in range(first, end)]
    assert sorted(found) == sorted(expected)


@part_of(0.3)
@given(_contents)
def test_each_content_has_its_rows_at_its_number(contents):
    terms = TermCodes()
    table = given_rows([list(map(tuple, content)) for content in contents], 2, terms)
    found = [("".join(terms.texts(row)), n) for row, n in points(table)]
    assert sorted(found) == sorted((row, n) for n, content in enumerate(contents) for row in content)
