"""τ, τ1 and τ2 (LARS 2015): patterns as rules, with push and pull triggers."""

from translate.tau.condition_rules import unbind
from translate.tau.forms import Output, columns, output_of
from translate.tau.node import NAMED, in_order
from translate.tau.special_functions import uses_arrivals
from translate.tau.translation import TRIGGER, Trigger, lars_program, pull, push
