"""What engines should answer: the reference semantics of RSP-QL (2014), its parameters as data."""

from agreement.specifications.elements import Frame, Ticking, at_close, elements_of, shape, ticking
from agreement.specifications.evaluation import (
    Evaluation,
    FiredWindow,
    Framed,
    OpenChoice,
    Profiled,
    Scheduled,
    Task,
    Timetable,
    Version,
    by_contents,
    evaluations,
    framed,
    profiled,
    programmed,
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
