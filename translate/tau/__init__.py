"""τ, τ1 and τ2 (LARS 2015): patterns as rules, with push and pull triggers."""

from translate.tau.condition_rules import unbind, uses_arrivals
from translate.tau.node import NAMED, in_order
from translate.tau.translation import TRIGGER, Output, Trigger, columns, lars_program, output_of, pull, push
