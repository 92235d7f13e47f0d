"""Lint, import contracts, and that nobody else owns our packages' names; types are in agreement/api."""

import importlib.metadata
import subprocess
import sys

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
