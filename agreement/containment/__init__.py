"""Two queries in one mode: is each answer of one an answer of the other, on every stream and static data."""

from agreement.containment.canonical import OneQuery
from agreement.containment.containing import decided
from agreement.containment.findings import Containment, Counterexample, Deadline, FinerUnit, Holds
from agreement.containment.inputs import two_queries
from agreement.containment.operators import contained, contained_in_units
