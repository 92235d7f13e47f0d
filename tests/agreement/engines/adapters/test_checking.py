"""What the check of an adapter pushes."""

from types import SimpleNamespace

import pytest

from agreement.engines.adapters.built_in import built_in
from agreement.engines.adapters.checking import _rows, _terms, _Tried, _tried
from agreement.engines.adapters.messages import answers_of, open_message


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("length", [2, 3, 4, 5, 9])
def test_nothing_is_pushed_where_a_window_ends(length, apart):
    pushes = _Tried("", 1000 * length).pushes(1000, apart=apart)
    assert all(push.t % (1000 * length) for push in pushes)


@pytest.mark.parametrize(
    ("select", "pattern"),
    [("?s ?a", "?s <e:p> ?a . ?s <e:p> 5"), ("?p", "?s ?p ?a"), ("(COUNT(*) AS ?n)", "?s ?p ?a")],
)
def test_a_term_of_the_query_or_of_its_arithmetic_is_no_change_of_a_term(select, pattern):
    text = f"SELECT {select} WHERE {{ STREAM <e:s> [RANGE 4s] {{ {pattern} }} }}"
    tried, kinds = _tried(text), SimpleNamespace(kinds=True)
    rows = _rows(answers_of(built_in("cqels"), open_message(text), tried.pushes(1, apart=False)))
    assert rows
    assert _terms(rows, kinds, tried).problem is None
    changed = [dict.fromkeys(row, '"CHANGED"') for row in rows]
    assert (_terms(changed, kinds, tried).problem is None) is ("COUNT" in select)
