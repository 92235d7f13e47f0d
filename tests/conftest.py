"""Fixtures and options of the whole suite.

Random tests run in one of two profiles, chosen by the environment variable HYPOTHESIS_PROFILE:
`ci` (the default) has 15 examples a property, the same ones in every run; `nightly` has 10,000
new ones. Neither keeps a database nor has a deadline. `HYPOTHESIS_PROFILE=nightly pytest` prints
how to repeat what failed. Properties that start clingo or rdflib many times an example run a part.
"""

import gc
import os
import signal
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings

from agreement.engines.adapters import client
from solver.spark.session import spark_context
from tests.packs import is_there, may_need_a_pack
from tests.warm import WarmProcess, started

LONGEST = ("test_cut_off", "test_known_truth", "spark_faults", "test_types_are_right", "test_mutations")
SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
settings.register_profile(
    "ci", max_examples=15, deadline=None, database=None, derandomize=True, suppress_health_check=SLOW
)
settings.register_profile(
    "nightly", max_examples=10_000, deadline=None, database=None, print_blob=True, suppress_health_check=SLOW
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


def pytest_configure(config):
    if (
        signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):  # as a job in the background has it, and its children
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.pop("COLUMNS", None)  # set in processes of xdist: tables would be as narrow as the terminal
    config.addinivalue_line("markers", "pack(name): needs a pack beside the project (tests/packs.py)")


def pytest_ignore_collect(collection_path, config):
    """Spare the reading of files without tests of packs where these alone are asked for."""
    named = collection_path.name
    if config.option.markexpr == "pack" and named.startswith("test_") and named.endswith(".py"):
        return not may_need_a_pack(collection_path) or None
    return None


def pytest_collection_modifyitems(config, items):
    """Leave out the tests of packs that are not there; test_packs.py says once what they check.

    The longest come first, so that no process is left with one of them at the end. Those on Spark follow:
    the first process takes what is first, and only it starts a Java.
    """
    need = {item.path for item in items if item.get_closest_marker("pack")}
    if overlooked := [path for path in need if not may_need_a_pack(path)]:
        raise pytest.UsageError(f"tests.packs.may_need_a_pack overlooks {overlooked}")
    config.hook.pytest_deselected(items=list(filter(_lacks_a_pack, items)))
    items[:] = [item for item in items if not _lacks_a_pack(item)]
    items.sort(key=lambda item: (not any(name in item.nodeid for name in LONGEST), not _is_on_spark(item)))


def pytest_collection_finish():
    """Keep the garbage collector from going through all tests again and again, as the command does."""
    gc.set_threshold(200_000, 20, 50)
    gc.freeze()


def _lacks_a_pack(item):
    return not all(is_there(mark.args[0]) for mark in item.iter_markers("pack"))


def _is_on_spark(item):
    return "spark" in getattr(item, "fixturenames", ())


@pytest.fixture
def update_golden(request):
    """Whether golden files are to be written anew."""
    return request.config.getoption("--update-golden")


@pytest.fixture(scope="session")
def spark():
    """The one Spark context of a test run."""
    return spark_context("local[2]")


@pytest.fixture(scope="session")
def warm_socket():
    """The socket of the one process of a test run that forks served engines."""
    with TemporaryDirectory() as folder:  # not pytest's: names of sockets are short
        process = WarmProcess(f"{folder}/s")
        yield f"{folder}/s"
        process.end()


@pytest.fixture
def warm_engines(warm_socket, monkeypatch):
    """Engines that are served start without loading anything (tests/warm.py)."""
    monkeypatch.setattr(client.subprocess, "Popen", started(client.subprocess.Popen, warm_socket))
