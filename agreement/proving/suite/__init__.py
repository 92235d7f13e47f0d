"""Tests of RSP-QL for engines, each with the expected reports for every choice that RSP-QL leaves open."""

from agreement.proving.suite.catalogue import LEVELS
from agreement.proving.suite.manifests import SUITE, SUITE_FOLDER, read_suite, write_suite
from agreement.proving.suite.running import (
    LABELS,
    OUTCOMES,
    Label,
    RunControl,
    SuiteResult,
    TestResult,
    engine_answers,
    judged_suite,
    of_recording,
    while_in_time,
    writing_of,
)
from agreement.proving.suite.suite_tests import made_tests
from agreement.proving.suite.vectors import alike, declared_vectors, vectors
