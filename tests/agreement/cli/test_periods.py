"""Pulling periods that are no multiples of the STEP hide rows by themselves, which one line says."""

import pytest

from tests.agreement.command import agree, lars

QUERY = "SELECT ?s FROM STREAM :S [RANGE 10m STEP 5m] WHERE { ?s :p ?o }"
STEP = "periods that are not multiples of the STEP 5 time points of 1m: {}. Windows move"


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


@pytest.mark.parametrize(
    ("window", "times"),
    [
        ("RANGE 4 STEP 3 T0 1", "5s, 8s"),
        ("RANGE 5 STEP 3", "5s, 8s"),
        ("RANGE 6 STEP 3", None),
        ("RANGE 5 STEP 3 T0 1", None),
    ],
)
@pytest.mark.parametrize("period", ["3s", "1s", None])
def test_windows_that_close_between_multiples_of_the_step_are_said_with_their_closes(
    tmp_path, window, times, period
):
    (tmp_path / "q.rq").write_text(
        f"SELECT ?s FROM NAMED WINDOW <w> ON <e:s> {window} {{ WINDOW <w> {{ ?s ?p ?o }} }}"
    )
    (tmp_path / "t.csv").write_text("t,s,p,o\n1,e:a,e:p,e:b\n12,e:b,e:p,e:b\n")
    given = () if period is None else ("--period", period)
    found = agree(tmp_path / "q.rq", "--stream", f"e:s={tmp_path / 't.csv'}", *given)
    said = [text for text in found.json["warnings"] if " closes at" in text or "of the STEP" in text]
    if times is not None:
        (text,) = said
        assert f"closes at {times}, …; pulls between these times" in text
    else:
        assert [text.partition(":")[0] for text in said] == (
            ["periods that are not multiples of the STEP 3s"] if period == "1s" else []
        )


@pytest.fixture
def slide(tmp_path, monkeypatch):
    """Return a folder with an experiment whose only query is a CQELS query with a SLIDE."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.rq").write_text("SELECT ?w { STREAM <e:S> [RANGE 2s SLIDE 2s] { ?w <e:in> ?r } }")
    (tmp_path / "s.csv").write_text("t,s,p,o\n1,e:a,e:in,e:h\n5,e:b,e:in,e:h\n")
    keys = 'unit = "1s"\ntimeline = [0, 6]\nperiod = 2\ncqels = "q.rq"\n[streams]\n"e:S" = "s.csv"\n'
    (tmp_path / "experiment.toml").write_text(keys)
    return tmp_path


def test_pull_uses_the_period_of_the_experiment_or_of_the_option(slide):
    found = lars("solve", ".", "--mode", "pull")
    assert [line.partition(":")[0] for line in found.out.splitlines()] == ["t", "0", "2", "4", "6"], found.err
    assert "pull evaluates at each multiple of 2, the period of the experiment (--period)" in found.err
    found = lars("solve", ".", "--mode", "pull", "--period", "3")
    assert [line.partition(":")[0] for line in found.out.splitlines()] == ["t", "0", "3", "6"]
    assert "the period of the experiment" not in found.err


def test_without_a_period_pull_is_refused_before_the_trace_is_read(slide):
    asks = "solve", "q.rq", "no-such-file.csv", "--stream", "e:S=s.csv", "--mode", "pull"
    problem = "a CQELS query defines no pull period, with or without SLIDE; use --period 2s"
    assert (lars(*asks).code, problem in lars(*asks).err) == (2, True)
    (slide / "q.rq").write_text(
        "SELECT ?w FROM STREAM <e:S> [RANGE 2s STEP 1s] FROM STREAM <e:T> [RANGE 2s STEP 2s] { ?w <e:in> ?r }"
    )
    assert "the windows have the steps 1s, 2s; use --period 1s" in lars(*asks).err
    (slide / "q.rq").write_text("SELECT ?w FROM STREAM <e:S> [RANGE 2s] { ?w <e:in> ?r }")
    assert "no window has a STEP; use --period" in lars(*asks).err


def test_another_language_is_refused_with_the_command_that_derives_the_query(slide):
    found = lars("solve", ".", "--engine", "csparql")
    remedy = "to derive a query, use lars translate q.rq --to csparql"
    assert (found.code, remedy in found.err) == (2, True), found.err
    (slide / "csparql.rq").write_text(lars(*remedy.split()[6:]).out)
    assert lars("solve", "csparql.rq", "--stream", "e:S=s.csv", "--engine", "csparql").code == 0


def test_json_states_the_bounds_of_the_windows(slide):
    assert agree(slide).json["bounds"] == "closed"
    assert agree(slide, "--bounds", "low-open").json["bounds"] == "low-open"
