"""Lint, import contracts, and that nobody else owns our packages' names; types are in agreement/api."""

import importlib
import importlib.metadata
import re
import subprocess
import sys
from re import _constants as codes
from re import _parser as parser

import pytest

from tests.packs import ROOT

PACKAGES = ("lars", "translate", "solver", "agreement")


@pytest.mark.parametrize(
    "command",
    [("ruff", "check", "."), ("ruff", "format", "--check", ".")],
    ids=" ".join,
)
def test_the_tree_passes(command):
    found = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_imports_go_down_only():
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_no_other_distribution_owns_a_package_of_ours():
    owners = importlib.metadata.packages_distributions()
    assert all(set(owners.get(name, ["lars-rsp"])) == {"lars-rsp"} for name in PACKAGES)


def modules():
    paths = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in paths
        if path.name not in ("__init__.py", "__main__.py")
    ]


ONE_LETTER = {codes.IN, codes.LITERAL, codes.NOT_LITERAL, codes.ANY}


def repeats_a_group(part):
    """Whether a parsed pattern has a possessive repetition of more than one letter."""
    if isinstance(part, tuple) and part and part[0] is codes.POSSESSIVE_REPEAT:
        body = part[1][2]
        return len(body) != 1 or body[0][0] not in ONE_LETTER
    return isinstance(part, parser.SubPattern | list | tuple) and any(map(repeats_a_group, part))


def test_no_pattern_relies_on_what_early_pythons_do_wrongly():
    """In Python 3.11.2 (Debian 12), what fails inside (?:..)*+ counts as matched; (?>(?:..)*) is right."""
    assert repeats_a_group(parser.parse("x(?:b(?!c)|a)*+"))
    assert repeats_a_group(parser.parse("(?:ab)*+"))
    assert not repeats_a_group(parser.parse("(?>(?:b(?!c)|a)*)(?!c)[a-z]*+.?+a++"))
    values = (value for name in modules() for value in vars(importlib.import_module(name)).values())
    held = (each for value in values for each in (value.values() if isinstance(value, dict) else (value,)))
    patterns = {each for each in held if isinstance(each, re.Pattern)}
    assert len(patterns) > 200
    parsed = {each.pattern: parser.parse(each.pattern, each.flags) for each in patterns}
    assert [pattern for pattern, tree in parsed.items() if repeats_a_group(tree)] == []
