"""Two queries in one mode: is each answer of one an answer of the other, on every stream and static data."""

from agreement.proving.containment.canonical import PairQuery
from agreement.proving.containment.containing import decide_containment
from agreement.proving.containment.inputs import two_queries
from agreement.proving.containment.operators import contained_in_units, reports_containment
