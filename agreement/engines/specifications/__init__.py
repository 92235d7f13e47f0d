"""What engines should answer: the reference semantics of RSP-QL (2014), its parameters as data."""

from agreement.engines.specifications.contents import ContentAnswers, ShownSpans, Task
from agreement.engines.specifications.elements import (
    Frame,
    TickClock,
    Version,
    at_close,
    elements_of,
    shape,
)
from agreement.engines.specifications.evaluation import (
    EngineRun,
    EvaluationReport,
    FiredWindow,
    FramedTask,
    OpenChoice,
    ScheduledTask,
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
from agreement.engines.specifications.reporting import EvaluationPoint, ShownWindow, needed_tick
