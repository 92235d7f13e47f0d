"""Decide containment: whether each row that one query reports is also a row of another query, on all data."""

from agreement.proving.containment.canonical import PairQuery
from agreement.proving.containment.containing import decide_containment
from agreement.proving.containment.evaluations import evaluation_period
from agreement.proving.containment.inputs import two_queries
from agreement.proving.containment.operators import contained_in_units, reports_containment
