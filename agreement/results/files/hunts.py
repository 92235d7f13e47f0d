"""The function `hunt`: search for faults of an engine, and find the smallest stream for each fault.

The engine is called through an adapter.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from rich.console import RenderableType

from agreement.comparing.judge import ACCEPTED_JUDGES, is_judge
from agreement.comparing.judge.judging import judged_case
from agreement.documents import requests
from agreement.documents.outputs import plain
from agreement.documents.recordings import static_lines
from agreement.documents.recordings.case import HUNT_FILE, case_of, case_text, slug
from agreement.documents.requests import JudgeOptions
from agreement.documents.table_files import Column, OutTable
from agreement.engines.adapters.client import RunningAdapter
from agreement.engines.adapters.messages import StreamEngine, open_message, profile_of
from agreement.engines.registry import ENGINES
from agreement.engines.specifications import NAMES, specification
from agreement.experiments.junit import VerdictCase
from agreement.proving import hunting
from agreement.results.base.library import Findings, Listeners, offered_functions
from agreement.results.files.recorded import AdapterOptions, adapter_option, case_of_run
from agreement.results.renderings import hunt_report
from lars.dataclass import dataclass
from lars.errors import FailedRunError, LarsError
from lars.files import TextFile, check_own_folder, read_text, replacement_folder
from lars.language.windows import Bounds
from lars.options import argument, option
from solver.settings import StaticFile
from solver.traces import read_static

if TYPE_CHECKING:
    from agreement.results.renderings.pages.page import Page

_FOLDER: Final = "hunt"
_QUERY: Final = "a file with a query in the engine's language"


@dataclass(frozen=True, slots=True, kw_only=True)
class HuntRequest:
    """The arguments of `lars hunt`.

    Runs the engine on small queries and random streams.
    Prints each fault of the engine with the smallest stream on which it occurs.

    Example:
    lars hunt --adapter 'lars serve-engine rsp-js-1.3.5' --out faults --faults 1
    """

    inputs: tuple[Path, ...] = argument(
        "[QUERY..]",
        "Queries in the language of the engine. [default: small queries that lars generates and the "
        "engine accepts]",
        default=(),
    )
    adapter: str | None = adapter_option()
    engine: str | None = option(
        None,
        "Specification (csparql, cqels, sparqlstream, rspql, or a .toml file) or simulated engine "
        "version that defines the correct answers. [default: the specification of the query "
        "language]",
        metavar="NAME",
    )
    out: Path | None = option(
        None,
        "Write the faults to the new folder DIR: one subfolder for each fault, with a recorded case.",
        metavar="DIR",
    )
    limits: hunting.HuntLimits
    static: tuple[StaticFile, ...] = requests.static_option(
        "Static RDF data for the given queries. Repeatable."
    )
    t0: tuple[int, ...] | str | None = requests.t0_option(
        "all times", requests.readers.start_times, "the first window of a correct engine"
    )
    bounds: Bounds | None = requests.bounds_option()
    around: requests.Around
    late: float | None = requests.late_option()
    how: AdapterOptions


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HuntResult(Findings):
    """The result of `hunt`: the faults of an engine, each with the smallest stream that shows the fault.

    `folders` contains the folder of each fault, in the order of the faults.
    """

    folders: tuple[str, ...]
    _hunt: hunting.Hunt
    refusals: tuple[tuple[str, str], ...]
    """The queries that the engine rejects or whose answers cannot be judged, each with the reason."""
    _command: tuple[str, ...] = ()

    @property
    def faults(self) -> tuple[hunting.Fault, ...]:
        """The faults, each with the rule that explains the fault if such a rule is known."""
        return tuple(self._hunt.faults)

    @property
    def ending(self) -> tuple[int, str | None]:
        """The exit code: 1 if a fault was found, otherwise 0."""
        return int(bool(self._hunt.faults)), None

    def cases(self) -> Iterator[VerdictCase]:
        """Yield a failing test case for each fault; if no fault was found, yield one passing test case."""
        if not self._hunt.faults:
            yield VerdictCase("hunt", "no fault")
        for fault in self._hunt.faults:
            lines = (
                f"{plain(push.t, 9)}: {' '.join(push.triple)} (stream {push.stream})"
                for push in fault.run.pushes
            )
            yield VerdictCase("hunt", hunt_report.case_name(fault), fault.sentence, text="\n".join(lines))

    def document(self) -> Mapping[str, object]:
        """Return the JSON document."""
        return hunt_report.as_json(self._hunt, self.folders, self.refusals)

    def parts(self) -> Iterable[RenderableType]:
        """Yield the text about each fault, and the queries that were not run."""
        yield from hunt_report.as_text(self._hunt, self.folders)
        if (again := hunt_report.again_text(self._hunt, self._command)) is not None:
            yield again
        names: dict[str, list[str]] = {}
        for name, why in self.refusals:
            names.setdefault(why.partition("\n")[0], []).append(name)
        for why, those in names.items():
            yield f"queries not run: {', '.join(those)} ({why})"

    def page(self) -> "Page":
        """Return the content of the HTML report of all faults."""
        # Loads what only pages need.
        from agreement.results.renderings.hunt_report import hunt_page

        page = hunt_page(self._hunt, self.folders, self.refusals, self.to_json())
        return replace(page, notes=self.warnings)

    def tables(self) -> Sequence[OutTable]:
        """Return the table `faults`."""
        rows = (
            (fault.sentence, len(fault.run.pushes), fault.times, fault.seconds) for fault in self._hunt.faults
        )
        return (OutTable("faults", _COLUMNS, rows),)


_ASKED: Final = 0.5
"""The share of the time limit after which no new query is tried."""
_OPENED: Final = 0.1
"""The share of the time limit for trying queries; a slow engine then runs few queries, but often."""
_FEW: Final = 20
_NOTHING: Final = "no run had a report to compare"
_COLUMNS = (
    Column("fault", str, "rule of the fault, or description of the wrong answer"),
    Column("triples", int, "number of triples in the smallest stream of the fault"),
    Column("runs", int, "number of runs that show the fault"),
    Column("seconds", float, "time at which the fault was found"),
)


@offered_functions(HuntRequest)
def hunt(request: HuntRequest, listeners: Listeners) -> HuntResult:
    """Return the faults of an engine that an adapter runs, each with the smallest stream that shows it.

    >>> import sys
    >>> served = f"{sys.executable} -m agreement.cli serve-engine rspql"
    >>> hunt(adapter=served, runs=20).faults
    ()
    """
    if not request.adapter:
        raise LarsError("missing --adapter COMMAND, the command that starts the adapter")
    if request.engine is not None and not is_judge(request.engine):
        raise LarsError(f"--engine {request.engine}: expected {ACCEPTED_JUDGES}")
    if request.static and not request.inputs:
        raise LarsError("--static requires QUERY: generated queries have their own static data")
    if request.out is not None:
        check_own_folder(request.out, _FOLDER, "--out ")
    start = monotonic()
    with RunningAdapter(request.adapter, request.how.silence) as engine:
        options = JudgeOptions(t0=request.t0, bounds=request.bounds, late=request.late)
        engine.until = start + request.limits.time_limit * _ASKED
        named = request.engine and _reference(request.engine, options)
        queries = _queries(engine, request, named or None)
        judge = named or _reference(_dialect(queries), options)
        queries = _judgeable(queries, judge)
        engine.until = start + request.limits.time_limit
        hunted = hunting.Hunt(engine, queries.queries, judge, request.limits, start)
        for query, failure in queries.failed:
            hunted.fail(query, (), failure)
        hunting.run_hunt(hunted, listeners.progress)
    # If the engine fails in each run, but answers a smaller stream, this failure is a fault.
    if not hunted.judged_runs and not (hunted.failed and hunted.answered):
        slow = hunted.runs < _FEW and hunted.is_past(_ASKED)
        nothing = hunting.no_time(hunted.waited, hunted.seconds) if slow else _NOTHING
        why = f"{hunted.failures[0][0].name}: {hunted.failures[0][1]}" if hunted.failures else nothing
        failed = f", and the engine fails in {len(hunted.failed)} of them" if hunted.failed else ""
        raise FailedRunError(f"nothing was judged in {hunted.runs} runs{failed}: {why}")
    _remove_right(hunted)
    folders = tuple(f"{n:02}-{slug(hunt_report.title(fault))}" for n, fault in enumerate(hunted.faults, 1))
    result = HuntResult(
        folders if request.out is not None else (), hunted, queries.refusals, tuple(listeners.command)
    )
    if request.out is not None:
        # Loads what only pages need.
        from agreement.results.renderings.pages.page import files_of, provenance

        _write(request.out, hunted, result, provenance(listeners.command, files_of(request)))
    return result


def _reference(name: str, options: JudgeOptions) -> hunting.Reference:
    return hunting.reference(name, None if name in ENGINES else specification(name), options)


def _queries(
    engine: StreamEngine, request: HuntRequest, judge: hunting.Reference | None
) -> hunting.MadeQueries:
    options = dict(request.how.options or {})
    if not request.inputs:
        # What judges has to run them too: an engine version may run one language alone.
        obstacle = hunting.no_obstacle if judge is None else judge.obstacle
        own = [name for name in NAMES if judge and not all(map(obstacle, hunting.first_queries(name)))]
        named = [name for name in own if judge and judge.name == name]
        dialect = next(iter((*named, *own[-1:])), "rspql")
        seconds = request.limits.time_limit * _OPENED
        return hunting.made_queries(engine, options, dialect, seconds, obstacle)
    static = static_lines(read_static(request.static))
    messages = {
        str(path): open_message(requests.absolute_text(read_text(path, _QUERY), str(path)), static, options)
        for path in request.inputs
    }
    unit = profile_of(engine, next(iter(messages.values()))).unit
    queries = (hunting.hunted_query(name, message, unit=unit) for name, message in messages.items())
    return hunting.MadeQueries(tuple(queries), ())


def _judgeable(made: hunting.MadeQueries, judge: hunting.Reference) -> hunting.MadeQueries:
    """Return the queries that the judge can judge, and add the other queries to the rejected ones.

    Raises:
        LarsError: No query can be judged.
    """
    obstacles = {query.name: judge.obstacle(query) for query in made.queries}
    left = tuple(query for query in made.queries if obstacles[query.name] is None)
    lost = tuple((name, f"{judge.name} cannot run it: {why}") for name, why in obstacles.items() if why)
    if not left:
        raise LarsError(
            f"no query can be judged: {lost[0][1]}; use --engine with an engine that can run one of "
            "the queries"
        )
    return replace(made, queries=left, refusals=(*made.refusals, *lost))


def _dialect(queries: hunting.MadeQueries) -> str:
    language = queries.queries[0].read.language.value
    return language if language in NAMES else "rspql"


def _case(name: str, fault: hunting.Fault) -> Mapping[str, object]:
    """Return the run of a fault as the content of its file `case.json`."""
    run = fault.run
    case = case_of_run(name, run.query.registration, run.pushes, run.answers, deterministic=fault.repeated)
    return case if fault.failure is None else {**case, "notes": f"the engine failed: {fault.failure}"}


def _remove_right(hunted: hunting.Hunt) -> None:
    """Remove the faults whose cases `lars judge` finds correct, with the printed options of the hunt.

    The runs of the removed faults count as unexplained.
    """
    options = replace(hunted.reference.options, diagnosis=False)
    for fault in tuple(hunted.faults):
        if fault.failure is not None:
            continue
        path = Path("case.json")
        case = case_of(path, TextFile(str(path), case_text(_case("fault", fault))))
        unit = hunt_report.judge_unit(hunted, fault)
        if judged_case(case, hunted.reference.name, options, unit=unit).correct:
            hunted.faults.remove(fault)
            hunted.left += fault.times


def _write(path: Path, hunted: hunting.Hunt, result: HuntResult, made: Sequence[tuple[str, str]]) -> None:
    """Write a folder for each fault, the list of all faults, and the JSON document.

    If an error occurs, nothing is written.
    """
    # Loads what only pages need.
    from agreement.results.renderings.hunt_report import fault_page, hunt_page
    from agreement.results.renderings.pages.page import write_page

    folders = result.folders
    with replacement_folder(path, _FOLDER) as new:
        document = json.dumps(result.to_json(), indent=1, ensure_ascii=False)
        (new / HUNT_FILE).write_text(f"{document}\n", encoding="utf-8")
        (new / "README.md").write_text(hunt_report.index_markdown(hunted, folders, made), encoding="utf-8")
        overview = hunt_page(hunted, folders, result.refusals, result.to_json(), linked=True)
        write_page(new / "page.html", replace(overview, provenance=made))
        for name, fault in zip(folders, hunted.faults, strict=True):
            folder = new / name
            folder.mkdir()
            case = _case(name, fault)
            (folder / "case.json").write_text(case_text(case), encoding="utf-8")
            text = hunt_report.fault_markdown(hunted, fault, made, str(path / name))
            (folder / "README.md").write_text(text, encoding="utf-8")
            write_page(folder / "page.html", replace(fault_page(hunted, fault, case), provenance=made))
