"""What engines should answer: the reference semantics of RSP-QL (2014), its parameters as data."""

from agreement.engines.specifications.evaluation import (
    ContentAnswers,
    EngineRun,
    EvaluationReport,
    FramedTask,
    OpenChoice,
    ScheduledTask,
    ShownSpans,
    Task,
    Timetable,
    answers_of,
    choice_at,
    evaluated_windows,
    evaluations,
    frame_task,
    specified_answers,
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
    Frame,
    TickClock,
    Version,
    at_close,
    elements_of,
    needed_tick,
    shape,
    shapes,
)
