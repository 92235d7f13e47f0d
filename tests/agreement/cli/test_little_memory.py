"""With little address space (ulimit -v), a run ends with exit code 3 and names the limit."""

import errno
import resource
import subprocess
import sys
from functools import partial

import pytest

from agreement.results.base.library import expected_errors
from tests.packs import ROOT

COMMAND = (sys.executable, "-m", "agreement.cli")


def limited(megabytes, *words):
    size = megabytes * 2**20
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (size, size))
    return subprocess.run(
        [*COMMAND, *words], cwd=ROOT, preexec_fn=limit, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("megabytes", [120, 190, 240, 290])
def test_a_run_with_too_little_address_space_names_the_limit(megabytes):
    """OpenBLAS, which numpy loads, ends such a process with exit codes 1 and 130."""
    ran = limited(megabytes, "agree", "samples/coupons")
    said = f"lars: the run needs more memory than {megabytes}M, which ulimit -v allows"
    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr.splitlines()[-2:] == [said, "use a larger limit, or smaller input"]


SHORT = (
    ImportError("libx.so: failed to map segment from shared object"),
    RuntimeError("can't start new thread"),
    OSError(errno.ENOMEM, "Cannot allocate memory", "samples"),
)


@pytest.mark.parametrize("error", SHORT, ids=repr)
def test_errors_of_libraries_with_too_little_address_space_name_the_limit(error, monkeypatch):
    size = 290 * 2**20
    monkeypatch.setattr(resource, "getrlimit", lambda _: (size, size))
    assert "needs more memory than 290M, which ulimit -v allows" in str(expected_errors(error))
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert "ulimit" not in str(expected_errors(error))


def test_commands_without_arrays_and_larger_limits_work():
    assert limited(120, "--help").returncode == 0
    assert limited(1024, "agree", "samples/coupons").returncode == 0
