"""The commands that the report prints below rows that one side alone has: each proves its row."""

import shlex

import pytest

from tests.agreement.command import lars
from tests.manuals.running import copied


@pytest.mark.parametrize("given", [("csparql",), ("cqels",), ("csparql", "cqels")], ids=" ".join)
@pytest.mark.parametrize("trigger", [(), ("--trigger", "matching")], ids=["any", "matching"])
@pytest.mark.parametrize(("sample", "period"), [("slide", 3), ("coupons", 8)])
def test_each_command_proves_its_row(given, trigger, sample, period, tmp_path):
    copied(tmp_path)
    folder = tmp_path / "samples" / sample
    written = (folder / "experiment.toml").read_text(encoding="utf-8")
    left_out = {"csparql", "cqels"} - set(given)
    lines = [line for line in written.splitlines() if line.split(" ")[0] not in left_out]
    (folder / "experiment.toml").write_text("\n".join(lines), encoding="utf-8")
    printed = lars("agree", folder, "--period", period, *trigger).out.splitlines()
    commands = [shlex.split(line)[1:] for line in printed if line.startswith("lars explain ")]
    assert commands
    for words in commands:
        ran = lars(*words)
        assert ran.code == 0, ran.err
        assert "does not hold" not in ran.out, words
