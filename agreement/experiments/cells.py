"""Describe cells of an experiment: the data that determine a result, and the key (the hash of these data)."""

import hashlib
import json
import shlex
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import agreement
import lars
import solver
import translate
from agreement.comparing.agree import AgreementTask
from agreement.documents.generate import Plan
from agreement.documents.requests import Around, JudgeOptions
from agreement.documents.values import Scalar
from lars.dataclass import dataclass
from lars.durations import Duration
from lars.errors import LarsError
from lars.files import exists
from lars.language.windows import Bounds
from lars.version import program
from solver.settings import StaticFile, TraceInput
from translate.model.query import Language

if TYPE_CHECKING:
    from agreement.documents.requests import AnswersOptions
    from agreement.engines.specifications import Specification

_DECIDING: Final = (lars, translate, solver, agreement)
"""The packages whose source text determines a result."""


@dataclass(frozen=True, slots=True)
class QueryText:
    """The text of a query with filled placeholders; `source` is the name of its file in messages.

    The field `around` contains the settings for reading the text, with the base of its relative IRIs.
    """

    text: str
    source: str
    language: Language
    around: Around = Around()


@dataclass(frozen=True, slots=True)
class EngineVersion:
    """An engine version, and the rules of the engine version that are switched off."""

    name: str
    off: frozenset[str]


@dataclass(frozen=True, slots=True)
class AdaptedEngine:
    """A real engine: the command and folder of its adapter, and the options that the message `open` sends."""

    command: str
    options: Mapping[str, object]
    folder: Path

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the command of the adapter names; their content is part of the cell's key."""
        try:
            words = shlex.split(self.command)
        except ValueError:
            return ()
        return tuple(path for path in map(self.folder.joinpath, words) if exists(path, folder=False))


@dataclass(frozen=True, slots=True)
class RecordedAnswers:
    """Recorded answers of an engine in a file."""

    path: Path
    options: "AnswersOptions"


@dataclass(frozen=True, slots=True)
class JudgingWork:
    """The work of comparing the answers of an engine, specification or recording with a specification.

    The query is evaluated on a synthetic or recorded trace and static files, with time points of length
    `unit`.
    """

    query: QueryText
    unit: Duration
    trace: Plan | TraceInput
    static: tuple[StaticFile, ...]
    subject: "EngineVersion | Specification | AdaptedEngine | RecordedAnswers"
    by: "Specification"
    options: JudgeOptions
    bounds: tuple[Bounds, ...] | None


Work = JudgingWork | AgreementTask


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell (combination of values) of an experiment: the names and parameters for tables, and its work."""

    query: str
    trace: str
    name: str
    parameters: tuple[tuple[str, Scalar], ...]
    work: Work
    key: str

    @property
    def unit(self) -> Duration:
        """The length of a time point."""
        return self.work.setting.unit if isinstance(self.work, AgreementTask) else self.work.unit

    def __str__(self) -> str:
        parameters = "".join(f", {name} = {value}" for name, value in self.parameters)
        return f"{self.query} on {self.trace}, {self.name}{parameters}"


def key_of(work: Work) -> str:
    """Return the hash of all data that determine a result: texts, file contents, options, and the program."""
    held = (getattr(work, name) for name in work.__slots__)
    parts = [program(*_DECIDING), type(work).__name__, *map(_described, held)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def _described(part: Any) -> Any:  # JSON of a part of a work, whichever
    match part:
        case (StaticFile(), *_):
            return [[file.graph, file.engine, digest(file.path)] for file in part]
        case QueryText(text, _, language, around):
            return [text, language.value, around.base, around.rdf, around.prefixes, around.meanings]
        case TraceInput(paths, options, static, timeline):
            streams = [str(options.streams.get(path, "")) for path in paths]
            times = [
                str(option)
                for option in (
                    *(options.unit, options.trace_unit, options.origin),
                    *(options.blank_nodes, options.time, options.unversioned),
                )
            ]
            files = [digest(path) for path in paths]
            how = [times, options.sort, options.null, options.prefixes, options.columns, streams, files]
            # Without --arrival, the key is the same as before this option existed: stored cells stay valid.
            how += [options.arrival] if options.arrival else []
            return [how, _described(static), repr(timeline)]
        case EngineVersion(name, off):
            return [name, sorted(off)]
        case AdaptedEngine(command, options, _):
            return [command, json.dumps(options, sort_keys=True), *map(digest, part.files)]
        case object(model_dump=values):  # a specification
            return json.dumps(values(exclude={"name", "description"}), default=_sorted, sort_keys=True)
        case RecordedAnswers(path, options):
            return [digest(path), repr(options)]
        case _:
            return repr(part)


def _sorted(value: object) -> object:
    return sorted(map(str, value)) if isinstance(value, frozenset) else str(value)


def digest(path: Path) -> str:
    """Return the hash of the name and bytes of a file, or of all files of a folder."""
    try:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        results = [(file, file.stat()) for file in files if file.is_file()]
        return _digest(path, tuple((file, stat.st_size, stat.st_mtime_ns) for file, stat in results))
    except OSError as error:
        raise LarsError(f"{path}: cannot read the file: {error.strerror}") from None


@cache
def _digest(path: Path, files: tuple[tuple[Path, int, int], ...]) -> str:
    sha = hashlib.sha256(f"{path.name}\0".encode(errors="surrogateescape"))
    for file, size, _ in files:
        sha.update(f"{file.relative_to(path)}\0{size}\0".encode())
        with file.open("rb") as opened:
            while block := opened.read(2**20):
                sha.update(block)
    return sha.hexdigest()
