"""The translations τ, τ1 and τ2 (LARS 2015): patterns become rules, and triggers are push or pull."""

from translate.tau.expressions import unbind, uses_arrivals
from translate.tau.node import NAMED, in_order
from translate.tau.programs import TRIGGER, Output, columns, lars_program, output_of, pull, pull_at, push
