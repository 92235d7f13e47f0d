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
    printed = lars("agree", folder, "--period", period, *trigger).out
    assert printed.count("why the other side lacks the first row of each cause:") == printed.count("why, of ")
    for part in printed.split("why, of ")[1:]:
        own, other = part.split("why the other side lacks")
        for lines, lacks in (own, False), (other, True):
            commands = [shlex.split(line)[1:] for line in lines.splitlines() if line.startswith("lars exp")]
            assert commands
            for words in commands:
                ran = lars(*words)
                assert ran.code in (0, int(lacks)), ran.err
                assert ("does not hold" in ran.out) == lacks, words
