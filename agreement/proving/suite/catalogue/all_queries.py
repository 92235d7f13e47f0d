"""All queries of the suite, in their order."""

from functools import cache

from agreement.proving.suite.catalogue.engine_queries import of_agreement, of_engines
from agreement.proving.suite.catalogue.sparql_queries import of_aggregates, of_patterns
from agreement.proving.suite.catalogue.suite_queries import SuiteQuery
from agreement.proving.suite.catalogue.window_queries import (
    of_operators,
    of_reports,
    of_static,
    of_widths,
    of_windows,
)


@cache
def catalogue() -> tuple[SuiteQuery, ...]:
    """Return the queries of the suite, in their order."""
    return (
        *of_widths(),
        *of_operators(),
        *of_reports(),
        *of_windows(),
        *of_static(),
        *of_patterns(),
        *of_aggregates(),
        *of_engines(),
        *of_agreement(),
    )
