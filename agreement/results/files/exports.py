"""The functions `export` and `read_export`: write files for another reasoner, and read its answers."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal

from agreement.answering.exporting import export_to, read_answers
from agreement.answering.solve.solving import solving_task
from agreement.documents import requests
from agreement.documents.options import alone, flags_of
from agreement.documents.outputs import json_text
from agreement.experiments.as_input import unfold
from agreement.results.base import library
from agreement.results.renderings.answer_lines import json_objects
from lars.dataclass import dataclass
from lars.durations import Duration, time_unit
from lars.errors import LarsError
from lars.options import argument, option
from lars.ticker import Reasoner
from solver.settings import Time

Target = Literal["ticker", "asp"]
"""The reasoner that runs the exported files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """The arguments of `lars export`.

    Writes a folder with the program, the input and a script run.sh.
    With --read, prints the answers of the reasoner.

    Example:
    lars export samples/door/door.lars samples/door/door.atoms --to asp --out door
    """

    HEADING: ClassVar = "Export"
    IDLE: ClassVar = (alone("--read"),)

    program: Path | None = requests.program_argument(default=None)
    trace: tuple[Path, ...] = requests.trace_argument()
    to: Target | None = option(None, "Reasoner that will read the files.")
    out: Path | None = option(None, "Folder to write the files to.", metavar="DIR", short="-o")
    overwrite: bool = option(False, "Replace the files of an earlier export.")
    reasoner: Reasoner | None = option(
        None, "Reasoner that Ticker uses: clingo, or incremental updates of the answers. [default: clingo]"
    )
    clock: Duration | None = option(
        None, "Length of one time point in Ticker. [default: the value of --unit]", time_unit
    )
    how: requests.ProgramOptions
    from_: Time | None = requests.first_time_option()
    until: Time | None = requests.time_option("Last time point. [default: the last element of the trace]")
    read: Path | None = option(
        None,
        "Read OUTPUT, the output of the reasoner, and print the answers in the format of solve --json.",
        metavar="OUTPUT",
    )
    legend: Path | None = option(
        None,
        "File legend.json that lars export wrote next to the files for the reasoner. Required with --read.",
    )


@library.offered_functions(ExportRequest, without=("read", "legend"), needs=("program", "to", "out"))
def export(request: ExportRequest, listeners: library.Listeners) -> library.WrittenFiles:
    """Write a program and its trace as files that Ticker or clingo runs.

    >>> from tempfile import TemporaryDirectory
    >>> door = "samples/door/door.lars", "samples/door/door.atoms"
    >>> with TemporaryDirectory() as folder:
    ...     result = export(*door, to="asp", out=f"{folder}/door", until=4)
    >>> sorted(result.files)
    ['legend.json', 'program.lp', 'run.sh', 'stream.lp']
    """
    if request.program is None or request.to is None or request.out is None:
        parts = {"PROGRAM": request.program, "--to ticker|asp": request.to, "-o DIR": request.out}
        missing = ", ".join(name for name, value in parts.items() if value is None)
        raise LarsError(
            f"missing {missing}; expected PROGRAM TRACE.. --to ticker|asp -o DIR, or --read OUTPUT --legend "
            "legend.json"
        )
    for_ticker = request.to == "ticker"
    path, traces, how, span = unfold(
        request.program, request.trace, request.how, (request.from_, request.until), listeners.note
    )
    how.check(path)
    of_ticker = flags_of(reasoner=request.reasoner, clock=request.clock)
    if not for_ticker and of_ticker:
        raise LarsError(f"{of_ticker[0]} requires --to ticker")
    solving = solving_task(path, traces, how, span, listeners.note)
    solving = replace(solving, setting=replace(solving.setting, ordered=True))
    clock = solving.setting.unit if request.clock is None else request.clock
    ticker = (request.reasoner or "clingo", clock) if for_ticker else None
    text = export_to(request.out, solving, ticker, listeners.warn, overwrite=request.overwrite)
    return library.WrittenFiles(request.out, text, tuple(path.name for path in request.out.iterdir()))


@dataclass(frozen=True, slots=True)
class ExportAnswers(library.Result):
    """The result of `read_export`: the answers by time, in the JSON format of `lars solve --json`."""

    answers: tuple[library.JsonObject, ...]

    def parts(self) -> Iterable[str]:
        """Yield one line of JSON for the answers at each time."""
        return map(json_text, self.answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadExportRequest:
    """The arguments of `read_export`, which prints a reasoner's answers as `lars solve --json` does."""

    output: Path = argument("OUTPUT", "Output of the reasoner.", source="trace")
    legend: Path = argument("LEGEND", "File legend.json that the export wrote.")


@library.offered_functions(ReadExportRequest)
def read_export(request: ReadExportRequest, listeners: library.Listeners) -> ExportAnswers:
    """Return the answers in a reasoner's output (a file or text), translated by the export's legend.json.

    >>> read_export("nowhere", "legend.json")
    Traceback (most recent call last):
    lars.errors.LarsError: legend.json: no such file; expected the file legend.json that `api.export` wrote
    """
    del listeners
    answers = read_answers(request.output, request.legend)
    return ExportAnswers(
        tuple(
            {key: library.json_value(value) for key, value in json_object.items()}
            for json_object in json_objects(answers)
        )
    )


@library.offered_functions(ExportRequest)
def export_or_read(
    request: ExportRequest, listeners: library.Listeners
) -> library.WrittenFiles | ExportAnswers:
    """Run `lars export`: write files for a reasoner, or read a reasoner's answers."""
    output, legend = request.read, request.legend
    if output is None and legend is None:
        return library.answering(export).answer(request, listeners)
    if request.program or request.to or request.out or output is None or legend is None:
        raise LarsError(
            "expected --read OUTPUT --legend legend.json, or PROGRAM TRACE.. --to ticker|asp -o DIR"
        )
    return library.answering(read_export).answer(ReadExportRequest(output=output, legend=legend), listeners)
