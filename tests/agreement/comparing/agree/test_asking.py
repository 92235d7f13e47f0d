"""The commands that the report prints below rows that only one side reports: each proves its row."""

import shlex

import pytest

from tests.agreement.command import lars
from tests.manuals.running import copied

OWN = "to see why one side reports each of these rows, run:"
OTHER = "to see why the other side does not report the first row of each cause, run:"


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
    assert printed.count(OTHER) == printed.count(OWN) == 1
    for part in printed.split(OWN)[1:]:
        own, other = part.split(OTHER)
        for lines, lacks in (own, False), (other, True):
            commands = [shlex.split(line)[1:] for line in lines.splitlines() if line.startswith("lars exp")]
            assert commands
            for words in commands:
                ran = lars(*words)
                assert ran.code in (0, int(lacks)), ran.err
                assert ("does not hold" in ran.out) == lacks, words


def test_a_row_of_a_silent_period_has_a_command_for_the_side_that_does_not_evaluate(tmp_path):
    (tmp_path / "q.rq").write_text("SELECT ?a { STREAM <x:s> [RANGE 5s] { ?a <x:p> ?b } }")
    (tmp_path / "t.nq").write_text('<x:a> <x:p> <x:b> <x:s> "1" .\n')
    asked = (tmp_path / "q.rq", tmp_path / "t.nq", "--unit", "1s", "--period", "2", "--to", 4)
    printed = lars("agree", *asked).out.splitlines()
    assert any("silent period" in line for line in printed)
    ran = lars(*shlex.split(printed[-1])[1:])
    assert ran.out.startswith("the query is not evaluated at 4: no input arrives that triggers the query")
