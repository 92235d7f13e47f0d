"""`lars shrink`: a disagreement made small, still for the same cause; each step is evaluated."""

from agreement.proving.shrink.shrink_task import shrink, write_shrunk
from agreement.proving.shrink.shrinking import Shrunk, minimal
from agreement.proving.shrink.sizes import Sizes
from agreement.proving.shrink.trial_evaluation import Disagreement, TrialEvaluation
