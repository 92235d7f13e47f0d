"""Experiments over real engines: adapters in a grid, judged, resumed, wrong ones told."""

import json
import sys

import pandas as pd
import pytest

from agreement.experiments.execution import FOLDER
from tests.agreement.command import lars
from tests.agreement.experiments.experiments import experiment, toml
from tests.packs import ROOT

pytestmark = pytest.mark.usefixtures("warm_engines")
SERVED = f"{sys.executable} -m agreement.cli serve-engine"
BROKEN = f"{sys.executable} {ROOT / 'tests/agreement/engines/adapters/broken.py'}"
VERSION = 'name = "V"\nengine = "csparql-0.9.7"\nt0 = 0'


def adapted(command, *more):
    return "\n".join((f'name = "A"\nadapter = \'{command}\'\nlanguage = "csparql"\nt0 = 0', *more))


def run(folder, code=0):
    ran = lars("run", folder)
    assert ran.code == code, ran.err
    return ran


def test_a_real_engine_is_judged_as_its_version_is(tmp_path):
    run(
        experiment(
            tmp_path / "e", toml(f"[[engines]]\n{VERSION}", engines=adapted(f"{SERVED} csparql-0.9.7"))
        )
    )
    windows = pd.read_parquet(tmp_path / "e/results/windows.parquet")
    own = [windows[windows["engine"] == name] for name in "AV"]
    both = [one.drop(columns=["engine", "cell"]).reset_index(drop=True) for one in own]
    pd.testing.assert_frame_equal(*both)
    assert len(both[0]) == 4


def test_what_is_finished_is_not_run_again(tmp_path):
    text = toml(engines=adapted(f"{SERVED} csparql"))
    folder = experiment(tmp_path / "e", text)
    run(folder)
    cells = sorted((folder / "results" / FOLDER).iterdir())
    times = [one.stat().st_mtime_ns for one in cells]
    cells[0].unlink()
    run(folder)
    again = sorted((folder / "results" / FOLDER).iterdir())
    assert [one.name for one in again] == [one.name for one in cells]
    assert [one.stat().st_mtime_ns for one in again][1:] == times[1:]


def test_an_adapter_is_told_its_options_and_runs_in_the_folder(tmp_path):
    text = toml(engines=adapted(f"{SERVED} other.toml", 'options = {change = {report = ["window-close"]}}'))
    folder = experiment(tmp_path / "e", text)
    (folder / "other.toml").write_text(
        'name = "other"\nreport = ["window-close", "non-empty"]\nbounds = "closed"\n'
    )
    run(folder)
    verdicts = pd.read_csv(folder / "results/verdicts.csv")
    assert len(verdicts) == 2


def test_an_adapter_whose_file_has_changed_is_run_again(tmp_path):
    folder = experiment(tmp_path / "e", toml(engines=adapted(f"{SERVED} other.toml")))
    served = folder / "other.toml"
    for bounds in ("low-open", "closed"):
        served.write_text(f'name = "other"\nreport = ["window-close"]\nbounds = "{bounds}"\n')
        run(folder)
    assert len(list((folder / "results" / FOLDER).iterdir())) == 4


def test_a_refused_query_is_a_result_and_a_broken_adapter_ends_the_run(tmp_path):
    folder = experiment(tmp_path / "e", toml(engines=adapted(f"{SERVED} rsp-js-1.3.5")))
    assert "the engine rejects the query: rsp-js-1.3.5 cannot run" in run(folder, code=2).err
    (cell, _) = (folder / "results" / FOLDER).iterdir()
    assert "refused" in json.loads(cell.read_text())
    ran = run(experiment(tmp_path / "f", toml(engines=adapted(f"{BROKEN} crashing"))), code=3)
    assert (
        "with exit code 3 after the message push; its last lines on standard error: Traceback | No more"
        in ran.err
    )


@pytest.mark.parametrize(
    ("engines", "said"),
    [
        (
            "engine = \"csparql\"\nadapter = 'a'",
            "use exactly one of these keys: `engine`",
        ),
        ("name = 'A'\nadapter = 'a'", "missing keys `specification` and `language` for an adapter; use one"),
        ('engine = "csparql"\noptions = {t0 = 1}', "requires the key adapter"),
        (
            'name = "A"\nadapter = \'a\'\nlanguage = "csparql"\noff = ["W1"]',
            "allowed only with an engine version",
        ),
    ],
)
def test_wrong_keys_have_their_place(engines, said, tmp_path):
    ran = run(experiment(tmp_path / "e", toml(engines=engines)), code=2)
    assert said in ran.err
    assert "experiment.toml:" in ran.err
