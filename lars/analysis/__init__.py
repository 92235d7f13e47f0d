"""What a program's text tells before any stream: dependencies, safety, windows and their reach."""

from lars.analysis.dependencies import (
    gathered_strata,
    intensional,
    on_own_absence,
    parts,
    positive_loops,
    reachable,
    strata,
    through_box,
)
from lars.analysis.literal_forms import LiteralForm, Mode, UnsupportedFormulaError, literal_form
from lars.analysis.safety import binders, bound, check_choices, check_safety, useless_set_literals
from lars.analysis.window_extents import (
    Reach,
    count_choices,
    nearby,
    reach,
    windows,
    windows_of,
    with_windows,
)
