"""With little address space (ulimit -v), a run ends with exit code 3 and names the limit."""

import resource
import subprocess
import sys
from functools import partial

import pytest

from tests.packs import ROOT

COMMAND = (sys.executable, "-m", "agreement.cli")


def limited(megabytes, *words):
    size = megabytes * 2**20
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (size, size))
    return subprocess.run(
        [*COMMAND, *words], cwd=ROOT, preexec_fn=limit, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("megabytes", [120, 190, 240, 270, 290])
def test_a_run_with_too_little_address_space_names_the_limit(megabytes):
    """numpy and its OpenBLAS end such a process with exit codes 1 and 130, or raise ImportError."""
    ran = limited(megabytes, "agree", "samples/coupons")
    said = f"lars: the run needs more memory than {megabytes}M, which ulimit -v allows"
    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr.splitlines()[-2:] == [said, "use a larger limit, or smaller input"]


def test_commands_without_arrays_and_larger_limits_work():
    assert limited(120, "--help").returncode == 0
    assert limited(1024, "agree", "samples/coupons").returncode == 0
