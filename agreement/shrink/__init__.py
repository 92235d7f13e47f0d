"""`lars shrink`: a disagreement made small, still for the same cause; each step is evaluated."""

from agreement.shrink.shrink_task import shrink, write_shrunk
from agreement.shrink.shrinking import Shrunk, minimal
from agreement.shrink.sizes import Sizes
from agreement.shrink.trial_evaluation import Disagreement, TrialEvaluation
