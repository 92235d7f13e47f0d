"""`lars run`: what it writes, that it writes the same again, and that it continues where it stopped."""

import pandas as pd
import pytest

from agreement import api
from agreement.engines.registry import engine
from agreement.experiments import execution
from agreement.experiments.execution import FOLDER, result_of
from agreement.experiments.experiment import read_experiment
from agreement.experiments.grid import cells_of
from agreement.experiments.judging import pushes_in
from solver.settings import unsaid
from solver.traces import read_static
from tests.agreement.command import lars
from tests.agreement.experiments.experiments import CQELS, GRID, STREAM, experiment, files, toml
from tests.packs import SAMPLES
from translate.dialects import read_query

CQELS_ENGINE = '[[engines]]\nengine = "cqels-1.x"\nt0 = 0'
AGREE = '[[comparisons]]\nperiod = "{U}"'
TWO_PERIODS = 'window = ["5s"]\nslide = ["5s"]\nthreshold = [60]\nU = "4999..5000"'
ELEVEN_SECONDS = 'name = "T"\ngenerate = {duration = "11s", seed = 1}'
BOTH = toml(CQELS_ENGINE, AGREE, grid=TWO_PERIODS, traces=ELEVEN_SECONDS)
DATED = f"""[[traces]]
name = "D"
origin = "2026-05-04T08:00:00Z"
streams = {{ "{STREAM}" = "d.csv" }}

[[engines]]"""


def run(folder, *options):
    ran = lars("run", folder, *options)
    assert ran.code == 0, ran.err
    return ran


def test_every_cell_has_a_line_and_every_window_a_row(tmp_path):
    ran = run(experiment(tmp_path / "e"))
    table = pd.read_parquet(tmp_path / "e/results/windows.parquet")
    assert table.groupby("stations").size().to_dict() == {1: 2, 2: 2}
    assert table["to"].tolist() == [5000.0, 10000.0] * 2
    assert [line.split()[3:5] for line in ran.out.splitlines()[4:6]] == [["1", "yes"], ["2", "yes"]]


def test_measures_are_those_of_the_windows_with_rows(tmp_path):
    run(experiment(tmp_path / "e"))
    windows = pd.read_parquet(tmp_path / "e/results/windows.parquet")
    verdicts = pd.read_csv(tmp_path / "e/results/verdicts.csv")
    for _, row in verdicts.iterrows():
        own = windows[
            (windows["stations"] == row["stations"]) & (windows["expected"] + windows["actual"] > 0)
        ]
        assert row["precision_mean"] == own["precision"].mean()
        assert (row["delay_min"], row["delay_max"]) == (own["delay"].min(), own["delay"].max())


def test_two_runs_write_the_same_bytes(tmp_path):
    folder = experiment(tmp_path / "e", BOTH.replace("[[engines]]", DATED, 1))
    (folder / "d.csv").write_text("t,s,p,o\n2026-05-04T08:00:01Z,e:a,e:p,5\n")
    first = run(folder, "--out", tmp_path / "a")
    second = run(folder, "--out", tmp_path / "b", "--jobs", 2)
    assert first._replace(err="") == second._replace(err="")
    assert f"note: the folder {tmp_path / 'a'} contains these tables and all results\n" in first.err
    assert [one.err.count("note: time 0 is 2026-05-04T08:00:00Z") for one in (first, second)] == [1, 1]
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert files(tmp_path / "a" / FOLDER) == files(tmp_path / "b" / FOLDER)
    assert set(files(tmp_path / "a")) == {
        *("windows.parquet", "verdicts.csv", "periods.parquet", "agreements.csv", "summary.txt")
    }


ONE_IS_SILENT = """[[queries]]
name = "hit"
cqels = {text = "SELECT ?a WHERE { STREAM <e:s> [RANGE 2s] { ?a <e:p> ?b } }"}
[[queries]]
name = "miss"
cqels = {text = "SELECT ?a WHERE { STREAM <e:s> [RANGE 2s] { ?a <e:none> ?b } }"}
[[traces]]
name = "t"
files = "t.nq"
[[comparisons]]
period = 2
"""


def test_a_warning_names_the_cell_that_it_is_of(tmp_path):
    lines = (f'<e:a{t}> <e:p> <e:b> <e:s> "{t}" .\n' for t in range(1, 9))
    (tmp_path / "t.nq").write_text("".join(lines))
    (tmp_path / "experiment.toml").write_text(ONE_IS_SILENT)
    said = [line for line in run(tmp_path).err.splitlines() if "never returns a row" in line]
    assert said
    assert all(line.startswith("warning: miss on t, agree: ") for line in said)


def test_a_cell_has_the_parameters_that_it_uses(tmp_path):
    run(experiment(tmp_path / "e", BOTH))
    assert len(list((tmp_path / "e/results" / FOLDER).iterdir())) == 2 + 2
    assert "U" in pd.read_csv(tmp_path / "e/results/agreements.csv").columns
    assert pd.read_csv(tmp_path / "e/results/verdicts.csv")["U"].isna().all()


def test_an_interrupted_run_continues_with_what_is_missing(tmp_path, monkeypatch):
    folder = experiment(tmp_path / "e", toml(CQELS_ENGINE))
    run(folder, "--out", tmp_path / "whole")
    done = counted(monkeypatch, most=2)
    with pytest.raises(KeyboardInterrupt):
        execution.run(cells(folder), tmp_path / "part")
    assert files(tmp_path / "part") == {}
    assert len(done) == 2
    assert len(continued := counted(monkeypatch)) == 0
    run(folder, "--out", tmp_path / "part")
    assert len(continued) == 2
    assert files(tmp_path / "part") == files(tmp_path / "whole")


def counted(monkeypatch, most=None):
    """Return a list that gets each cell that is run; after the last one allowed the run is interrupted."""
    done = []

    def result(work):
        if len(done) == most:
            raise KeyboardInterrupt
        done.append(work)
        return result_of(work)

    monkeypatch.setattr(execution, "result_of", result)
    return done


def cells(folder):
    return cells_of(read_experiment(folder))


def test_a_process_that_is_killed_leaves_whole_cells_only(tmp_path):
    folder = experiment(
        tmp_path / "e", toml(grid=('window = ["5s"]\nslide = ["5s"]\nthreshold = [80]\nstations = "1..30"'))
    )
    killed_in_between(folder, tmp_path / "part")
    kept = [file for file in (tmp_path / "part" / FOLDER).iterdir() if file.suffix == ".json"]
    before = {file.name: file.stat().st_mtime_ns for file in kept}
    assert 0 < len(before) < 30
    run(folder, "--out", tmp_path / "part")
    run(folder, "--out", tmp_path / "whole")
    assert before.items() <= {file.name: file.stat().st_mtime_ns for file in kept}.items()
    assert files(tmp_path / "part") == files(tmp_path / "whole")


def killed_in_between(folder, out):
    import subprocess
    import sys
    import time

    command = [sys.executable, "-m", "agreement.cli", "run", str(folder), "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None and not list(out.glob(f"{FOLDER}/*.json")):
        time.sleep(0.01)
    process.kill()
    process.wait()


def test_a_changed_query_is_run_again_and_the_others_are_not(tmp_path, monkeypatch):
    folder = experiment(tmp_path / "e", toml(CQELS_ENGINE))
    run(folder)
    (folder / "q.cqels.rq").write_text(CQELS.replace("?m ?v\n", "?v\n"))
    done = counted(monkeypatch)
    run(folder)
    assert [work.query.language.value for work in done] == ["cqels", "cqels"]


def test_what_was_refused_or_is_no_result_is_run_again(tmp_path, monkeypatch):
    folder = experiment(tmp_path / "e")
    run(folder)
    one, other = sorted((folder / "results" / FOLDER).iterdir())
    one.write_text('{"refused": "no such program"}')
    other.write_text("[]")
    done = counted(monkeypatch)
    run(folder)
    assert len(done) == 2


def test_a_file_of_another_format_is_another_trace(tmp_path):
    (tmp_path / "t.nq").write_text('<e:a> <e:p> <e:b> <e:s> "1" .\n')
    (tmp_path / "experiment.toml").write_text(ONE_IS_SILENT)
    keys = [cell.key for cell in cells(tmp_path)]
    (tmp_path / "t.nq").rename(tmp_path / "t.csv")
    (tmp_path / "experiment.toml").write_text(ONE_IS_SILENT.replace("t.nq", "t.csv"))
    assert {*keys}.isdisjoint(cell.key for cell in cells(tmp_path))


def test_tables_of_an_earlier_experiment_leave(tmp_path):
    (tmp_path / "t.nq").write_text('<e:a> <e:p> <e:b> <e:s> "1" .\n')
    (tmp_path / "experiment.toml").write_text(ONE_IS_SILENT)
    run(tmp_path)
    (tmp_path / "results/notes.txt").write_text("mine")
    (tmp_path / "experiment.toml").write_text(
        ONE_IS_SILENT.replace("[[comparisons]]\nperiod = 2", CQELS_ENGINE)
    )
    run(tmp_path)
    assert {*files(tmp_path / "results")} == {"notes.txt", "summary.txt", "verdicts.csv", "windows.parquet"}


def test_fresh_runs_all_again(tmp_path, monkeypatch):
    folder = experiment(tmp_path / "e")
    run(folder)
    done = counted(monkeypatch)
    run(folder)
    assert done == []
    run(folder, "--fresh")
    assert len(done) == 2


def test_a_comparison_says_what_agree_says(tmp_path):
    run(experiment(tmp_path / "e", BOTH))
    found = pd.read_csv(tmp_path / "e/results/agreements.csv").set_index("U")
    rows = lars("generate", tmp_path / "t.nq", "--duration", "11s", "--seed", 1)
    assert rows.code == 0
    for name in ("csparql", "cqels"):
        query = (tmp_path / f"e/q.{name}.rq").read_text()
        filled = query.replace("{window}", "5s").replace("{slide}", "5s").replace("{threshold}", "60")
        (tmp_path / f"q.{name}.rq").write_text(filled)
    queries = (tmp_path / "q.csparql.rq", tmp_path / "q.cqels.rq")
    options = ("--unit", "1ms", "--period", "4999..5000", "--in-process", "--json")
    for period in lars("agree", *queries, tmp_path / "t.nq", *options).json["periods"]:
        assert found.loc[period["period"], "agree"] == period["agree"]
        assert found.loc[period["period"], "push"] == sum(len(one["push"]) for one in period["intervals"])


def test_agree_reads_a_grid_of_one_cell_with_a_made_up_trace(tmp_path):
    one = GRID["grid"].replace("[1, 2]", "[1]").replace("[80]", "[60]")
    folder = experiment(tmp_path / "e", toml("[[comparisons]]\nperiod = 5000", grid=one, engines=""))
    run(folder)
    ran = lars("agree", folder, "--in-process", "--json")
    (period,) = ran.json["periods"]
    found = pd.read_parquet(folder / "results/periods.parquet")
    assert found["agree"].tolist() == [interval["agree"] for interval in period["intervals"]]
    assert found["push"].tolist() == [len(interval["push"]) for interval in period["intervals"]]
    assert found["push"].sum() > 0
    for words in (
        ("--trace-unit", "1s"),
        ("--sort",),
        ("--null", "n/a"),
        ("--blank-nodes", "element"),
        ("--on-error", "skip", "--rejected", tmp_path / "rejected"),
    ):
        refused = lars("agree", folder, "--in-process", *words)
        assert refused.code == 2
        assert f"cannot combine {words[0]} with a generated trace; use a trace in files" in refused.err


def test_run_reads_a_folder_that_agree_reads(tmp_path):
    out = tmp_path / "results"
    ran = run(SAMPLES / "coupons", "--out", out)
    assert ran.out.startswith("Coupons from shops nearby")
    found = pd.read_csv(out / "agreements.csv").iloc[0]
    assert (found["period"], found["agree"], found["intervals"]) == (5, True, 10)


def test_a_specification_meets_itself(tmp_path):
    engine = 'engine = "{profile}"\nlanguage = "csparql"\nt0 = 0'
    grid = 'window = ["5s"]\nslide = ["1s"]\nthreshold = [60]\nstations = [2]\nprofile = ["csparql", "rspql"]'
    run(experiment(tmp_path / "e", toml(engines=engine, grid=grid)))
    found = pd.read_csv(tmp_path / "e/results/verdicts.csv")
    assert found["correct"].tolist() == [True, True]
    assert found["expected"].min() > 0


def test_what_an_engine_refuses_is_told_and_the_rest_is_run(tmp_path):
    folder = experiment(tmp_path / "e", toml(CQELS_ENGINE))
    (folder / "q.cqels.rq").write_text(CQELS.replace("SELECT ?m ?v", "CONSTRUCT { ?m ?m ?v }"))
    ran = lars("run", folder)
    assert ran.code == 2
    assert "lars: 2 of 4 cells cannot be run, such as " in ran.err
    assert pd.read_csv(folder / "results/verdicts.csv")["correct"].tolist()[:2] == [True, True]


def reported(folder):
    """Return what the engine of the experiment's first cell reports, as SPARQL CSV with a column of times."""
    work = cells(folder)[0].work
    query = read_query(work.query.text, "q")
    pushes, _ = pushes_in(work, query, unsaid)
    recording = engine("csparql-0.9.7").run(query, read_static(()), pushes)
    rows = [(report.t, *row) for report in recording.reports for row in report.rows]
    return ["t,m,v", *(f"{t:.0f},{m[1:-1]},{value.split('^')[0][1:-1]}" for t, m, value in rows)]


def test_recorded_answers_are_judged_by_a_specification(tmp_path):
    answers = 'name = "recorded"\nanswers = "{stations}.csv"\nspecification = "csparql"\nt0 = 0'
    one = GRID["grid"].replace("[1, 2]", "[1]")
    folder = experiment(tmp_path / "e", toml(engines=answers, grid=one))
    lines = reported(experiment(tmp_path / "x"))
    for name, text in (("whole", lines), ("cut", lines[:-1])):
        (folder / "1.csv").write_text("\n".join(text) + "\n")
        run(folder, "--out", tmp_path / name)
    verdicts = [pd.read_csv(tmp_path / name / "verdicts.csv").iloc[0] for name in ("whole", "cut")]
    assert [verdict["correct"] for verdict in verdicts] == [True, False]
    assert verdicts[1]["actual"] == verdicts[0]["actual"] - 1


def test_an_engine_reads_its_query_as_it_is_written(tmp_path):
    # CQELS ignores a FILTER inside of STREAM, of which the algebra has no trace.
    folder = experiment(tmp_path / "e", toml(engines=CQELS_ENGINE.partition("\n")[2]))
    moved = CQELS.replace("?v } FILTER(?v > {threshold})", "?v FILTER(?v > {threshold}) }")
    assert moved != CQELS
    (folder / "q.cqels.rq").write_text(moved)
    run(folder)
    windows = pd.read_parquet(folder / "results/windows.parquet")
    assert windows["actual"].sum() > windows["expected"].sum() > 0


def test_a_period_without_a_whole_one_has_a_line_without_a_verdict(tmp_path):
    toml_text = 'unit = "1s"\nperiod = [2, 100]\ncqels = "q.rq"\nfiles = "t.nq"\n'
    (tmp_path / "experiment.toml").write_text(toml_text)
    (tmp_path / "q.rq").write_text("SELECT ?a { STREAM <e:S> [RANGE 9s] { ?a <e:p> ?o } }")
    (tmp_path / "t.nq").write_text('<e:a> <e:p> <e:b> <e:S> "1" .\n<e:a> <e:q> <e:b> <e:S> "6" .\n')
    ran = lars("run", tmp_path, "--out", tmp_path / "out", "--report", tmp_path / "page.html")
    assert ran.code == 0, ran.err
    failed = lars("run", tmp_path, "--out", tmp_path / "out", "--fail-on-empty")
    sentence = "--fail-on-empty: no whole period is compared in 1 of 2 comparisons, such as U = 100"
    assert (failed.code, sentence in failed.err) == (3, True)
    rows = pd.read_csv(tmp_path / "out" / "agreements.csv")
    assert [*zip(rows.period, rows.intervals, rows.agree.isna(), strict=True)] == [
        (2, 3, False),
        (100, 0, True),
    ]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "1 cell: 0 verdicts yes, 1 no, 1 without a verdict." in page


def test_tables_in_python_are_the_written_tables(tmp_path):
    folder = experiment(tmp_path / "e", toml("[[comparisons]]\nperiod = 5000"))
    result = api.run(folder, out=tmp_path / "out")
    assert result.headline == "4 cells: 2 verdicts yes, 2 no."
    for name in ("verdicts", "agreements"):
        written = pd.read_csv(tmp_path / "out" / f"{name}.csv")
        given = result.to_pandas(name)
        assert given.columns.tolist() == written.columns.tolist()
        assert given["window"].tolist() == written["window"].tolist()
        assert given["threshold"].dtype == "Int64"
