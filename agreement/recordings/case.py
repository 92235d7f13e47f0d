"""Cases: a query, static data, what was pushed into an engine and what it reported, in one file.

The structure is in case_schema, the pushes are in pushed; here are the rest and what must fit together.
"""

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from agreement.placed import PlacedData, checked, json_of, shown_json
from agreement.recordings.answers import names_of
from agreement.recordings.case_schema import ACCEPTED_CASE, CaseFile, ReportEntry
from agreement.recordings.pushed import pushes_of_case
from agreement.recordings.recording import Push, Recording, Report
from agreement.recordings.value_types import triple_of
from lars.files import TextFile, read_file
from solver.static import Static

Window = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Case:
    """A recorded run of an engine; `query` is in the engine's own language.

    `windows` are the bounds that the engine tells of the window behind each report, as it prints
    them, None where it does not. `engine_window` is C-SPARQL's window statement. The recording has
    no variables where no report has a row. Terms are canonical texts, times those of the recording.
    """

    path: Path
    id: str
    engine: str
    mode: str
    family: str
    notes: str
    query: str
    engine_window: str | None
    static: Static
    pushes: tuple[Push, ...]
    recording: Recording
    windows: tuple[Window | None, ...]


def read_case(path: Path) -> Case:
    """Return the case of a file; a stream's own file is looked for beside the file's folder.

    Raises LarsError with file, line and column, what was found and what is accepted.
    """
    return case_of(path, read_file(path, ACCEPTED_CASE))


def case_of(path: Path, source: TextFile) -> Case:
    """Return the case that a text holds; `path` is where it stands."""
    document = json_of(source, ACCEPTED_CASE)
    _check_keys(document)
    content = checked(CaseFile, document)
    pushes = pushes_of_case(document, content, path.parent.parent)
    _check_triggers(document, content, len(pushes))
    return Case(
        path=path,
        id=content.id,
        engine=content.engine,
        mode=content.mode,
        family=content.family,
        notes=content.notes,
        query=content.query,
        engine_window=content.engine_window,
        static=_static(content),
        pushes=pushes,
        recording=_recording(content),
        windows=tuple(_window(document, n, report) for n, report in enumerate(content.output)),
    )


def _check_keys(document: PlacedData) -> None:
    """Raise for a key that is a known one misspelt, which would else be left out in silence."""
    if not isinstance(document.content, dict):
        raise document.error((), f"found {shown_json(document.content)}; accepted: {ACCEPTED_CASE}")
    absent = [name for name in CaseFile.model_fields if name not in document.content]
    for key in document.content:
        if key not in CaseFile.model_fields and (meant := get_close_matches(key, absent, 1, 0.8)):
            problem = f"found an unknown key; accepted: {meant[0]}"
            raise document.error((key,), problem, at_key=True)


def _check_triggers(document: PlacedData, content: CaseFile, pushed: int) -> None:
    triggers = [report.trigger for report in content.output]
    refused = [entry.trigger for entry in content.exceptions]
    for name, numbers in (("output", triggers), ("exceptions", refused)):
        for n, trigger in enumerate(numbers):
            least = numbers[n - 1] if n else 0
            if not least <= trigger < pushed:
                accepted = f"the number of a push, from {least} (it can't go back) to {pushed - 1}"
                raise document.error((name, n, "trigger"), f"found {trigger}; accepted: {accepted}")


def _static(content: CaseFile) -> Static:
    triples = frozenset(map(triple_of, content.static))
    if content.static_graph is None:
        return Static(triples, {})
    return Static(frozenset(), {content.static_graph: triples})


def _recording(content: CaseFile) -> Recording:
    variables = names_of(row for report in content.output for row in report.rows)
    reports = tuple(
        Report(report.t, tuple(tuple(map(row.get, variables)) for row in report.rows), report.trigger)
        for report in content.output
    )
    return Recording(variables, reports, tuple(entry.trigger for entry in content.exceptions))


def _window(document: PlacedData, number: int, report: ReportEntry) -> Window | None:
    match report.window_from, report.window_to:
        case float() as first, float() as last:
            return first, last
        case None, None:
            return None
        case _:
            problem = "found one bound of a window; accepted: window_from and window_to, or neither"
            raise document.error(("output", number), problem)
