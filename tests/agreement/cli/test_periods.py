"""Pulling periods that are no multiples of the STEP hide rows by themselves, which one line says."""

import pytest

from tests.agreement.command import agree

QUERY = "SELECT ?s FROM STREAM :S [RANGE 10m STEP 5m] WHERE { ?s :p ?o }"
STEP = "periods that are not multiples of the STEP 5 time points of 1m: {}. Windows end"


def asked(folder, *periods):
    """Return what is said of a query with STEP 5m on a trace of 30 minutes."""
    (folder / "q.rq").write_text(f"PREFIX : <http://e/> {QUERY}")
    lines = (f'<http://e/a> <http://e/p> <http://e/b> <http://e/S> "{t}" .\n' for t in range(1, 31, 4))
    (folder / "t.nq").write_text("".join(lines))
    return agree(folder / "q.rq", folder / "t.nq", "--unit", "1min", *periods)


@pytest.mark.parametrize(
    ("periods", "odd", "avoids"),
    [
        ("1..30", "1, 2, 3, 4, 6 and 19 more", "5..30..5"),
        ("7", "7", "5"),
        ("3,10", "3", "5..10..5"),
    ],
)
def test_periods_between_the_steps_are_said_with_what_avoids_them(tmp_path, periods, odd, avoids):
    found = asked(tmp_path, "--period", periods)
    said = [text for text in found.json["warnings"] if "of the STEP" in text]
    assert said[0].startswith(STEP.format(odd))
    assert said[0].endswith(f". Use --period {avoids}")
    assert found.err.count(said[0]) == len(said) == 1


@pytest.mark.parametrize("periods", [(), ("--period", "5"), ("--period", "5..30..5")])
def test_of_multiples_of_the_step_nothing_is_said(tmp_path, periods):
    found = asked(tmp_path, *periods)
    assert [text for text in found.json["warnings"] if "of the STEP" in text] == []
