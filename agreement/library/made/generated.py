"""`generate`: a made-up stream of weather observations, written to a file or folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agreement.generate import STREAM, ArrivalProcess, TraceFormat, formats, plan, writing
from agreement.generate.plan import TRIPLES
from agreement.library.basis.boundary import offered
from agreement.library.basis.keywords import chosen
from solver.settings import Progress, unwatched


@dataclass(frozen=True, slots=True)
class GeneratedTrace:
    """What `generate` returns: where the trace is, how large it is, and by which options it is read."""

    path: Path
    elements: int
    text: str

    @property
    def triples(self) -> int:
        """How many triples it has."""
        return self.elements * TRIPLES


@offered
def generate(
    out: str | Path,
    *,
    stations: int = 1,
    interval: str = "1s",
    duration: str = "30s",
    seed: int = 0,
    values: str = "40.0..100.0",
    walk: str | None = None,
    arrivals: Literal["regular", "poisson"] | None = None,
    bursts: str | None = None,
    contemporaneous: int = 1,
    duplicates: str = "0",
    out_of_order: str = "0",
    delay: str | None = None,
    streams: int = 1,
    stream_iri: str = STREAM,
    start: str = "0s",
    unit: str | None = None,
    trace_unit: str | None = None,
    format: str | None = None,  # noqa: A002 - named as the option
    overwrite: bool = False,
    master: str | None = None,
    in_process: bool = False,
    progress: Progress | None = None,
) -> GeneratedTrace:
    """Write a made-up stream after YABench, and return how large it is; the same call, the same bytes.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     found = generate(f"{folder}/weather.nq", stations=2, duration="5s", seed=1)
    >>> found.elements, found.triples
    (10, 70)
    """
    path = Path(out)
    kind = formats.format_of(path, chosen("format", TraceFormat, format))
    time = formats.default_unit(kind) if unit is None else plan.duration("--unit", unit)
    counted = formats.default_trace_unit(kind, time)
    planned = plan.Plan(
        stations=stations,
        interval=plan.duration("--interval", interval),
        duration=plan.duration("--duration", duration),
        seed=seed,
        values=plan.values(values, walk),
        streams=streams,
        stream=stream_iri,
        bursts=plan.bursts(bursts),
        arrivals=chosen("arrivals", ArrivalProcess, arrivals) or ArrivalProcess.REGULAR,
        contemporaneous=contemporaneous,
        duplicates=plan.share("--duplicates", duplicates),
        out_of_order=plan.share("--out-of-order", out_of_order),
        delay=None if delay is None else plan.duration("--delay", delay),
        unit=time,
        start=plan.duration("--start", start),
    )
    integers = counted if trace_unit is None else plan.duration("--trace-unit", trace_unit)
    output = writing.TraceOutput(planned, kind, integers)
    maker = writing.Maker(master, in_process)
    count = writing.make(output, path, maker, progress or unwatched, overwrite=overwrite)
    return GeneratedTrace(path, count, writing.summary(output, path, count))
