"""Fixtures and options of the whole suite.

Random tests run in one of two profiles, chosen by the environment variable HYPOTHESIS_PROFILE:
`ci` (the default) has 150 examples a property, the same ones in every run; `nightly` has 10,000
new ones. Neither keeps a database nor has a deadline. `HYPOTHESIS_PROFILE=nightly pytest` prints
how to repeat what failed. Properties that start clingo or rdflib many times an example run a part.
"""

import os

import pytest
from hypothesis import HealthCheck, settings

from solver.session import spark_session

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
settings.register_profile(
    "ci", max_examples=150, deadline=None, database=None, derandomize=True, suppress_health_check=SLOW
)
settings.register_profile(
    "nightly", max_examples=10_000, deadline=None, database=None, print_blob=True, suppress_health_check=SLOW
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


@pytest.fixture
def update_golden(request):
    """Whether golden files are to be written anew."""
    return request.config.getoption("--update-golden")


@pytest.fixture(scope="session")
def spark():
    """The one Spark session of a test run."""
    return spark_session("local[2]")
