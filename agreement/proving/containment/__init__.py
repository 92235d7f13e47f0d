"""Containment of two queries in one mode: each answer of the first is an answer of the other on all data."""

from agreement.proving.containment.canonical import PairQuery
from agreement.proving.containment.containing import decide_containment
from agreement.proving.containment.inputs import two_queries
from agreement.proving.containment.operators import contained_in_units, reports_containment
