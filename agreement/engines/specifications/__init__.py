"""Specifications of engines: the reference semantics of RSP-QL (2014), with parameters in TOML files."""

from agreement.engines.specifications.clock_answers import with_versions
from agreement.engines.specifications.content_answers import ContentAnswers, ShownSpans
from agreement.engines.specifications.elements import TickClock, Version, elements_of
from agreement.engines.specifications.evaluation import (
    EvaluationReport,
    FramedTask,
    OpenChoice,
    ScheduledTask,
    answers_of,
    choice_at,
    evaluated_windows,
    evaluations,
    frame_task,
    specified_answers,
)
from agreement.engines.specifications.frames import (
    Frame,
    at_close,
    has_own_ends,
    lead_of,
    query_starts,
    shape,
    shapes,
    shift_of,
    with_query_bounds,
)
from agreement.engines.specifications.parameters import (
    ACCEPTED,
    NAMES,
    SUFFIX,
    Empty,
    Slide,
    Specification,
    Strategy,
    Tick,
    builtin,
    in_words,
    specification,
)
from agreement.engines.specifications.reporting import (
    EvaluationPoint,
    ShownWindow,
    candidates,
    conditions_of,
    holds,
    is_clocked,
    needed_tick,
    period_of,
    with_start,
)
from agreement.engines.specifications.tasks import EngineRun, KeptPart, Task
