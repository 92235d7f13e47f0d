"""Cases far from 0, in windows longer than any timeline: around each number that some arithmetic ends at."""

from dataclasses import replace
from math import lcm

from hypothesis import assume
from hypothesis import strategies as st

from lars.analysis import check_safety, windows, with_windows
from lars.errors import LarsError
from lars.language.stream import Stream
from lars.language.windows import LARGEST_TIME, FixedWindow, Interval, LastWindow, SlidingWindow, TimeWindow
from solver.relational import obstacle
from tests.lars.strategies import GREAT, time_windows
from tests.solver.pointwise.test_definition import by_clingo, by_definition, clingo_rows
from tests.solver.relational.relational_cases import relational_rows
from tests.solver.strategies import situation, situation_of

OUTPUTS = (("p", 0), ("q", 0), ("r", 1))
lengths = st.sampled_from((*GREAT, 2**63, 10**30))
starts = st.sampled_from((0, 3, *GREAT, *(number - 5 for number in GREAT), LARGEST_TIME - 20))


def stretched(stream, factor, by):
    """Return the stream with each time t at factor * t + by."""
    ends = stream.timeline.first, stream.timeline.last
    moved = {factor * t + by: atoms for t, atoms in stream.input.items()}
    return Stream(Interval(*(factor * end + by for end in ends)), moved)


def stretched_window(window, factor, by):
    """Return the window that sees of a stretched stream what this one sees of the stream."""
    match window:
        case TimeWindow(past, future, step):
            past = None if past is None else past * factor
            return replace(window, past=past, future=future * factor, step=step * factor)
        case FixedWindow(first, last, causal):
            return FixedWindow(first * factor + by, last * factor + by, causal)
        case LastWindow(width, slide, start, ends):
            return LastWindow(width * factor, slide * factor, start * factor + by, ends)
        case SlidingWindow(width, slide, start):
            return SlidingWindow(width * factor, slide * factor, start * factor + by)
        case _:
            return window


@st.composite
def _lengthened(draw, window):
    if isinstance(window, SlidingWindow | LastWindow):
        ends = {name: draw(lengths) for name in ("width", "slide", "start") if draw(st.integers(0, 5)) == 0}
        return replace(window, **ends)
    if not isinstance(window, TimeWindow):
        return window
    match draw(st.integers(0, 5)):
        case 0 | 1:
            return replace(window, past=draw(lengths))
        case 2:
            return replace(window, future=draw(lengths))
        case 3:
            return replace(window, step=draw(lengths))
        case 4:
            length = draw(lengths)
            return replace(window, past=length + draw(st.integers(0, 3)), future=-length)
        case _:
            return window


def far_time_windows():
    """⊞^{l,u,d}, most of them long."""
    return time_windows().flatmap(_lengthened)


def _is_safe(program):
    # What □ binds in a window that is never empty, it binds no more in one that can be.
    try:
        check_safety(program)
    except LarsError:
        return False
    return True


@st.composite
def far_cases(draw, cases):
    """Cases moved far away, some of whose windows are long."""
    case, by = draw(cases), draw(starts)
    changed = {one: draw(_lengthened(stretched_window(one, 1, by))) for one in windows(case.program)}
    program = with_windows(case.program, changed.__getitem__)
    assume(_is_safe(program))
    return replace(case, program=program, stream=stretched(case.stream, 1, by), t=case.t + by)


@st.composite
def spread(draw, program, stream):
    """Return a program and a stream that lie far apart, alike for ◇; and what makes of a time its own."""
    factor = draw(st.sampled_from((1, 7, 2**28 + 1, *GREAT)))
    steps = lcm(*(one.step for one in windows(program) if isinstance(one, TimeWindow)))
    room = max(0, LARGEST_TIME // factor - stream.timeline.last) // steps
    by = factor * steps * draw(st.sampled_from((0, min(1, room), room, room // 2)))
    moved = with_windows(program, lambda window: stretched_window(window, factor, by))
    return moved, stretched(stream, factor, by), lambda t: factor * t + by


def _or_refused(evaluate):
    try:
        return evaluate()
    except LarsError as refused:
        return refused


def problem(case):
    """Return where clingo or columns have other answers than the definition, None where they have not.

    Where a program takes times for numbers, either may refuse what 32 bit do not hold.
    """
    expected, found = by_definition(case), _or_refused(lambda: by_clingo(case))
    far = case.stream.timeline.last >= 2**30
    if found != expected and not (far and isinstance(found, LarsError)):
        return f"by clingo: {found}\nby the definition: {expected}"
    given = situation_of(case)
    if obstacle(case.program, given.background) is not None or len(expected) != 1:
        return None
    for output in OUTPUTS:
        rows = _or_refused(lambda output=output: relational_rows(case.program, given, [case.t], output))
        wanted = {case.t: _rows(expected, case.t, output)}
        if rows != wanted and not (far and isinstance(rows, LarsError)):
            return f"by columns: {rows}\nby the definition: {wanted}"
    return None


def _rows(expected, t, output):
    (model,) = expected
    atoms = [atom for u, atom in model if u == t and (atom.predicate, len(atom.arguments)) == output]
    return {tuple(map(str, atom.arguments)) for atom in atoms}


def spread_problem(drawn, near, times, known, output):
    """Return where clingo or columns have other rows far apart than clingo has near by."""
    program, stream, moved = drawn
    given, far = situation(stream, known), [moved(t) for t in times]
    expected = {moved(t): rows for t, rows in near.items()}
    for evaluate in (clingo_rows, relational_rows):
        if (found := evaluate(program, given, far, output)) != expected:
            return f"{evaluate.__name__}: {found}\nnear by: {expected}"
    return None
