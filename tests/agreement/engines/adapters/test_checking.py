"""What the check of an adapter pushes."""

import pytest

from agreement.engines.adapters.checking import _Tried


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("length", [2, 3, 4, 5, 9])
def test_nothing_is_pushed_where_a_window_ends(length, apart):
    pushes = _Tried("", 1000 * length).pushes(1000, apart=apart)
    assert all(push.t % (1000 * length) for push in pushes)
