"""The structure of a case file: a query, what was pushed into an engine, and what it reported."""

from typing import Any, Final, Literal

from pydantic import Field

from agreement.recordings.value_types import Finite, Index, StreamIri, Strict, Term, TripleLine

Engine = Literal["csparql-0.9.7", "cqels-1.x", "yasper-csparql", "yasper-cqels", "rsp-js-1.3.5"]
"""The engines that recordings exist of."""

ACCEPTED_CASE: Final = (
    "a case: an object with id, engine, mode, family, query, stream or stream_ref, and output"
)


class PushEntry(Strict):
    """A triple given to the engine at t."""

    t: Finite
    stream: StreamIri
    triple: TripleLine


class Burst(Strict):
    """The lines of a stream's file that were pushed from t to t_last, from first to last, both included."""

    second: Index
    t: Finite
    t_last: Finite
    first_index: Index
    last_index: Index


class StreamReference(Strict):
    """A stream in a file of its own; the file's path starts at the folder of the engines' folders."""

    file: str
    stream: StreamIri
    bursts: list[Burst]


class ReportEntry(Strict):
    """An answer; the bounds of its window where the engine tells them."""

    t: Finite
    trigger: Index
    rows: list[dict[str, Term | None]]
    window_from: Finite | None = None
    window_to: Finite | None = None


class RefusedEntry(Strict):
    """A push that the engine refused."""

    trigger: Index
    message: str = ""


class CaseFile(Strict):
    """A case as its file writes it."""

    id: str
    engine: Engine
    mode: str
    family: str
    query: str
    notes: str = ""
    static: list[TripleLine] = Field(default_factory=list)
    static_graph: StreamIri | None = None
    stream: list[PushEntry] | None = None
    stream_ref: StreamReference | None = None
    engine_window: str | None = None
    engine_stdout: Any = None
    output: list[ReportEntry]
    exceptions: list[RefusedEntry] = Field(default_factory=list)
