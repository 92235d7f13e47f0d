"""`lars generate`: a stream of weather observations, made up."""

from pathlib import Path
from typing import Annotated

import typer

from agreement.commands.app import command, print_lines, working
from agreement.generate import STREAM, ArrivalProcess, TraceFormat


@command
def generate(
    *,
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="OUT.nq, .nt, .trig, .csv, .parquet, or a folder of Turtle.")
    ],
    stations: Annotated[int, typer.Option("--stations", help="How many weather stations observe.")] = 1,
    interval: Annotated[
        str, typer.Option("--interval", help="How often each does, first at a random offset below it.")
    ] = "1s",
    duration: Annotated[str, typer.Option("--duration", help="How long the stream is.")] = "30s",
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same stream.")] = 0,
    values: Annotated[
        str,
        typer.Option("--values", metavar="LOW..HIGH", help="Temperatures, uniform, with so many decimals."),
    ] = "40.0..100.0",
    walk: Annotated[
        str | None,
        typer.Option("--walk", metavar="STEP", help="Each station goes a step up or down an interval."),
    ] = None,
    arrivals: Annotated[
        ArrivalProcess, typer.Option("--arrivals", help="Each interval, or a Poisson process of that rate.")
    ] = ArrivalProcess.REGULAR,
    bursts: Annotated[
        str | None,
        typer.Option("--bursts", metavar="SIZExGAP", help="Each observation is SIZE of them, GAP apart."),
    ] = None,
    contemporaneous: Annotated[
        int, typer.Option("--contemporaneous", metavar="K", help="K stations observe at the same instants.")
    ] = 1,
    duplicates: Annotated[
        str, typer.Option("--duplicates", metavar="SHARE", help="The share of elements that is sent again.")
    ] = "0",
    out_of_order: Annotated[
        str, typer.Option("--out-of-order", metavar="SHARE", help="The share of elements that comes late.")
    ] = "0",
    delay: Annotated[
        str | None, typer.Option("--delay", help="The most that an element is late. [default: the interval]")
    ] = None,
    streams: Annotated[
        int, typer.Option("--streams", help="The stations are dealt out over so many streams, IRI1 and on.")
    ] = 1,
    stream_iri: Annotated[str, typer.Option("--stream-iri", help="The IRI of the stream.")] = STREAM,
    start: Annotated[str, typer.Option("--start", help="When the stream starts.")] = "0s",
    unit: Annotated[
        str | None,
        typer.Option("--unit", help="Times are whole numbers of it. [default: 1ms; a folder: 1s]"),
    ] = None,
    trace_unit: Annotated[
        str | None,
        typer.Option("--trace-unit", help="What integers count. [default: the unit; yabench: 1ms]"),
    ] = None,
    kind: Annotated[
        TraceFormat | None, typer.Option("--format", help="How to write it. [default: by extension]")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what OUT is.")] = False,
    master: Annotated[
        str | None, typer.Option("--master", help="Write on this Spark master. [default: when it is large]")
    ] = None,
    in_process: Annotated[
        bool, typer.Option("--in-process", help="Write in this process, however large it is.")
    ] = False,
) -> None:
    """Write a made-up stream of weather observations, after YABench; the same options, the same bytes.

    Example:
    lars generate weather.nq --stations 50 --duration 30s --seed 1
    """
    from agreement.library.made.generated import generate as made

    with working("generating") as progress:
        found = made(
            out,
            stations=stations,
            interval=interval,
            duration=duration,
            seed=seed,
            values=values,
            walk=walk,
            arrivals=arrivals.value,
            bursts=bursts,
            contemporaneous=contemporaneous,
            duplicates=duplicates,
            out_of_order=out_of_order,
            delay=delay,
            streams=streams,
            stream_iri=stream_iri,
            start=start,
            unit=unit,
            trace_unit=trace_unit,
            format=None if kind is None else kind.value,
            overwrite=overwrite,
            master=master,
            in_process=in_process,
            progress=progress,
        )
    print_lines([found.text])
