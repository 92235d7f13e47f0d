"""What the tests of generated streams share: random plans, writing them, reading them back."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import get_args

from hypothesis import strategies as st

from agreement.documents.generate import ArrivalProcess, Plan, WrittenFormat
from agreement.documents.generate.elements import Observation, elements, pushes_of
from agreement.documents.generate.writing import NAMING_STREAMS, TraceOutput, default_trace_unit, make
from lars.durations import Duration
from lars.language.windows import Interval
from solver.settings import Runner, TraceOptions
from tests.solver.traces.both_readings import read_trace_in_process

MS = Duration(10**6)
HERE = Runner(in_process=True)
NAMES = {
    "nquads": "t.nq",
    "ntriples": "t.nt",
    "yabench": "t.nt",
    "trig": "t.trig",
    "turtle": "t",
    "csv": "t.csv",
    "parquet": "t.parquet",
}
SHARES = st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1)])


@st.composite
def plans(draw, late=SHARES, unit=MS, most_streams=3):
    """Draw plans of a few dozen elements, every option in use."""
    number = lambda low, high: draw(st.integers(low, high))  # noqa: E731
    points = lambda low, high: Duration(number(low, high) * unit.nanoseconds)  # noqa: E731
    stations, together = number(1, 5), number(1, 2)
    low, step, decimals = number(-30, 30), draw(st.none() | st.integers(0, 9)), number(0, 2)
    scaled = lambda value: Decimal(value).scaleb(-decimals)  # noqa: E731
    share = draw(late)
    return Plan(
        stations=stations,
        interval=points(1, 9),
        duration=points(20, 40),
        seed=number(-1, 10**20),
        values=(scaled(low), scaled(low + number(0, 20))),
        walk=None if step is None else scaled(step),
        streams=number(1, min(most_streams, -(-stations // min(together, stations)))),
        bursts=(number(1, 3), points(0, 4)),
        arrivals=draw(st.sampled_from(get_args(ArrivalProcess))),
        contemporaneous=min(together, stations),
        duplicates=draw(SHARES),
        out_of_order=share,
        delay=draw(st.none() | st.just(points(1, 7))) if share else None,
        unit=unit,
        start=points(0, 50),
    )


def whole(plan: Plan) -> list[Observation]:
    """All elements of a plan, made as one part."""
    last = plan.points(plan.start) + plan.points(plan.duration) + plan.points(plan.lateness)
    return elements(plan, Interval(0, last))


def output(plan: Plan, kind: WrittenFormat) -> TraceOutput:
    """A plan in a format, its times as readers expect them."""
    return TraceOutput(plan, kind, default_trace_unit(kind, plan.unit))


def written(plan: Plan, kind: WrittenFormat, folder: Path, runner: Runner = HERE) -> Path:
    """Write a plan into a folder."""
    path = folder / NAMES[kind]
    make(output(plan, kind), path, runner, overwrite=True)
    return path


def rows(path: Path, plan: Plan, kind: WrittenFormat) -> Iterator[tuple[object, ...]]:
    """What our readers read, as (time point, s, p, o, stream), in arrival order."""
    named = {} if kind in NAMING_STREAMS else {path: plan.stream_iri}
    found = read_trace_in_process(
        [path], TraceOptions(unit=plan.unit, sort=bool(plan.out_of_order), stream=named)
    )
    return ((row[0], *row[4]) for row in sorted(found, key=lambda row: row[1:3]))


def expected(plan: Plan) -> Iterator[tuple[object, ...]]:
    """What was generated, as `rows` says it."""
    point = plan.unit.nanoseconds / 10**6
    return ((push.t / point, *push.triple, push.stream) for push in pushes_of(plan))
