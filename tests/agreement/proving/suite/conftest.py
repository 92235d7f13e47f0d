"""A part of the suite, written once for all its tests."""

import pytest

from agreement.proving.suite import read_suite, suite_tests, write_suite
from agreement.proving.suite.suite_tests import chosen_streams, made_tests

STEP = 14


def made():
    """Return every few tests of the suite, made by the specification."""
    whole = chosen_streams()
    suite_tests.chosen_streams = lambda: whole[::STEP]
    try:
        return made_tests()
    finally:
        suite_tests.chosen_streams = chosen_streams


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("suites") / "suite"
    write_suite(found, made())
    return found


@pytest.fixture(scope="session")
def tests(folder):
    return read_suite(folder)
