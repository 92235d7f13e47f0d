"""What a program's text tells before any stream: dependencies, safety, windows and their reach."""

from lars.analysis.dependencies import (
    computes_in_loop,
    gathered_strata,
    intensional,
    on_own_absence,
    parts,
    positive_loops,
    reachable,
    strata,
    through_box,
)
from lars.analysis.safety import binders, bound, check_choices, check_safety, useless_set_literals
from lars.analysis.window_extents import (
    LiteralForm,
    Mode,
    Reach,
    UnsupportedFormulaError,
    count_choices,
    literal_form,
    nearby,
    reach,
    windows,
    windows_of,
    with_windows,
)
