"""Fixtures of the whole suite."""

import pytest

from solver.session import spark_session


@pytest.fixture(scope="session")
def spark():
    """The one Spark session of a test run."""
    return spark_session("local[2]")
