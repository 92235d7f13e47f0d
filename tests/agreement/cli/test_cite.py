"""`lars cite`: BibTeX that can be read, for every command whose results are cited."""

import re

import pytest

from agreement.cli.commands import COMMANDS
from tests.agreement.command import lars

# The papers of pack are those of the commands that it runs, and of play those of agree, solve and explain.
UNCITED = {"cite", "init", "pack", "play", "serve-engine"}


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - UNCITED))
def test_each_command_rests_on_a_paper(command):
    found = lars("cite", command)
    assert found.code == 0
    assert found.out.startswith("@software{lars,")
    assert found.out.count("{") == found.out.count("}")
    entries = re.findall(r"^@\w+\{(\w+),$", found.out, re.MULTILINE)
    assert len(set(entries)) == len(entries) >= 2
    assert found.out.count("year ") == len(entries) - 1


def test_another_word_is_no_command():
    found = lars("cite", "agre")
    assert (found.code, "found 'agre'; expected agree, watch, decide" in found.err) == (2, True)
