"""Recordings with a gap: the start times that are shown fit the reports, not the gap."""

import pytest

from agreement import api

QUERY = """PREFIX ex: <http://example.org/>
SELECT DISTINCT ?room FROM STREAM ex:s [RANGE 20s STEP 10s] WHERE { ?e ex:room ?room }
"""
ROOMS = {t: t for t in (23, 35, 44, 52, 63, 71, 85)} | {60: 71}


@pytest.fixture
def files(tmp_path):
    """Return the answers of a system that evaluates at each multiple of 10 s, but not at 60 and 70."""
    (tmp_path / "q.rq").write_text(QUERY)
    lines = [
        f'<http://example.org/e{t}> <http://example.org/room> "{room}" <http://example.org/s> "{t}" .\n'
        for t, room in sorted(ROOMS.items())
    ]
    (tmp_path / "s.nq").write_text("".join(lines))
    rows = [
        f"{end},{room}\n"
        for end in (30, 40, 50, 80)
        for room in sorted({room for t, room in ROOMS.items() if end - 20 < t <= end})
    ]
    (tmp_path / "a.csv").write_text("time,room\n" + "".join(rows))
    return tmp_path


def judged(files):
    return api.judge(
        files / "q.rq", files / "s.nq", answers=files / "a.csv", empty="ignored", bounds="low-open"
    )


def test_a_start_time_that_is_better_only_in_a_gap_is_not_shown(files):
    """A window that closes at 59 lacks the row of 60, and was not reported either."""
    found = judged(files)
    assert not found.correct
    assert "best t0 = 0, bounds low-open" in found.text
    assert "all 2 wrong windows have no report: perhaps the engine did not evaluate" in found.text
    assert "no known fault explains the answers better" in found.text


def test_a_wrong_row_beside_a_gap_is_no_gap(files):
    text = (files / "a.csv").read_text()
    (files / "a.csv").write_text(text.replace("40,23\n", "40,77\n"))
    assert "perhaps the engine did not evaluate" not in judged(files).text
