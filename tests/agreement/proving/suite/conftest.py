"""A part of the suite, written once for all its tests."""

import pytest

from agreement.proving.suite import read_suite, suite_tests, write_suite
from agreement.proving.suite.suite_tests import chosen_streams, made_tests
from tests.once import once

STEP = 14
ALSO = (
    "late",
    "late-two",
    "istream-gap",
    "total-gap",
    "ask",
    "window-variable",
    "agree-merged",
    "construct-unbound",
    "alternative-both",
)


def made(step=STEP, also=ALSO):
    """Return every few tests of the suite, and some that are unlike others, made by the specification."""
    whole = chosen_streams()
    part = [one for n, one in enumerate(whole) if n % step == 0 or one.query in also]
    suite_tests.chosen_streams = lambda: part
    try:
        return made_tests()
    finally:
        suite_tests.chosen_streams = chosen_streams


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    return once(tmp_path_factory, "suite", made)


@pytest.fixture(scope="session")
def folder(made_once, tmp_path_factory):
    found = tmp_path_factory.mktemp("suites") / "suite"
    write_suite(found, made_once)
    return found


@pytest.fixture(scope="session")
def tests(folder):
    return read_suite(folder)
