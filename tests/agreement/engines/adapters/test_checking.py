"""What the check of an adapter pushes."""

from types import SimpleNamespace

import pytest

from agreement.engines.adapters.built_in import built_in
from agreement.engines.adapters.checking import _rows, _terms, _times, _Tried, _tried, checks_of
from agreement.engines.adapters.messages import EngineReport, answers_of, open_message
from tests.agreement.engines.adapters.streams import PYTHON


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


@pytest.mark.parametrize(
    ("times", "said"),
    [((4_000_000, 8_000_000), "too large"), ((4, 8), "too small"), ((4000, 8000), None), ((), None)],
)
def test_times_that_count_another_unit_are_named(times, said):
    reports = [(0, EngineReport(t=t, rows=())) for t in times]
    pushes = [SimpleNamespace(t=t) for t in (1000, 9000)]
    problem = _times(SimpleNamespace(reports=reports), pushes).problem
    assert (problem is None) is (said is None)
    assert said is None or f"all times of reports are 1000 times {said}" in problem


MILLISECONDS = """
import json, sys
windows = {}
for line in sys.stdin:
    message, reports = json.loads(line), []
    if message["op"] == "push" and message["t"] > 4000:
        reports = [{"t": 4000, "rows": []}]
    reply = {"ok": True, "engine": "ms-1", "time_unit": "1s", "dialect": "csparql"}
    print(json.dumps(reply if message["op"] == "open" else {"reports": reports}), flush=True)
"""


def test_a_silent_engine_with_another_unit_than_milliseconds_has_a_hint(tmp_path):
    (tmp_path / "ms.py").write_text(MILLISECONDS)
    checks = {check.name: check for check in checks_of(f"{PYTHON} {tmp_path / 'ms.py'}", 10)}
    assert "no row for" in checks["push"].problem
    assert "lars sends times that count the time_unit 1s" in checks["push"].advice
