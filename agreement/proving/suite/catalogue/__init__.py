"""The queries of the suite: what of RSP-QL and of SPARQL in windows each is about, in a sentence."""

from agreement.proving.suite.catalogue.all_queries import catalogue
from agreement.proving.suite.catalogue.suite_queries import LEVELS, SuiteQuery
