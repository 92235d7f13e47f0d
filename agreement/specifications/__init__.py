"""What engines should answer: the reference semantics of RSP-QL (2014), its parameters as data."""

from agreement.specifications.contents import Content, ContentAnswers
from agreement.specifications.elements import Frame, Task, Ticking, Version, at_close, elements_of, shape
from agreement.specifications.evaluation import (
    Evaluation,
    FiredWindow,
    Framed,
    OpenChoice,
    Scheduled,
    Timetable,
    answers_of,
    evaluations,
    framed,
    profiled,
)
from agreement.specifications.parameters import (
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
from agreement.specifications.reporting import EvaluationPoint, ShownWindow, needed_tick
