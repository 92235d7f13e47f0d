"""Pack an experiment: copy all its files to one folder, with an experiment.toml for the copies.

A file inside the folder of the experiment keeps its path. A file outside the folder gets a safe name in a
folder for its kind, such as `queries/q1.rq`. The packed folder contains the results with which a new run is
compared.
"""

import json
import os
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain, count
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import Final

from agreement.documents import requests, values
from agreement.documents.dates import Dates
from agreement.documents.outputs import Json
from agreement.documents.placed import KeyPath, scanned, toml_text
from agreement.documents.requests import EXPERIMENT_FILE
from agreement.engines.specifications import SUFFIX
from agreement.experiments import schema
from agreement.experiments.cells import Cell
from agreement.experiments.experiment import Experiment, ExperimentEntry, check_unpacked
from agreement.experiments.schema import Parameters, filled_text
from lars.dataclass import dataclass
from lars.durations import MILLISECOND, SECOND, Duration
from lars.errors import LarsError
from lars.files import digest_of, exists, read_text
from solver.traces import NUMBERED, trace_files
from solver.traces.input_files import bare
from translate.model.query import Language

EXPECTED: Final = "expected.json"
"""The file with the results of the packed experiment."""
SUMS: Final = "sha256sums.txt"
"""The file with the hashes of all files that determine a result, in the format of sha256sum."""
README: Final = "README.md"
CRATE: Final = "ro-crate-metadata.json"
OWN: Final = (EXPERIMENT_FILE, EXPECTED, SUMS, README, CRATE)
"""The files of a packed experiment that `lars pack` creates, and does not copy."""
_SAFE: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(?:/[A-Za-z0-9_][A-Za-z0-9._-]*)*")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_PLAIN: Final = re.compile(r"[^\x00-\x1f\x7f\\]+")
_PATTERN: Final = re.compile(r"(\{[A-Za-z_][A-Za-z0-9_]*\})")


@dataclass(frozen=True, slots=True)
class _Reference:
    """A path in an experiment file, unchanged and with placeholders, and the files to which the path refers.

    The field `before` is the part of the value before the path, for example an IRI and =. The field `word` is
    the position of the path among the words of an adapter's command.
    """

    path: KeyPath
    kind: str
    written: str
    files: tuple[tuple[Parameters, str], ...]
    before: str = ""
    word: int | None = None


@dataclass(frozen=True, slots=True)
class PackedFiles:
    """The files of a packed experiment: experiment.toml, and the source and kind of each copy by name."""

    toml: str
    copies: Mapping[str, Path]
    kinds: Mapping[str, str]
    adapters: tuple[str, ...]
    """The commands of adapters, whose programs may require more than the copied files."""


@dataclass(slots=True)
class _Names:
    """The sources of copies by name; names of different files differ in more than upper and lower case."""

    sources: dict[str, Path] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    taken: dict[str, Path | None] = field(default_factory=lambda: {name.lower(): None for name in OWN})

    def fits(self, name: str, source: Path) -> bool:
        """Return whether a copy of `source` can have a name: the name is free, or belongs to this source."""
        key = name.lower()
        if key in self.taken:
            return self.is_own(name, source)
        above = {str(parent) for parent in PurePosixPath(key).parents}
        return not above & self.taken.keys() and not any(other.startswith(f"{key}/") for other in self.taken)

    def is_own(self, name: str, source: Path) -> bool:
        """Return whether no other source has this name, in upper or lower case."""
        return self.taken.get(name.lower(), source) == source

    def add(self, name: str, source: Path, kind: str) -> None:
        """Assign a name to the copy of a file, or names to the copies of all files in a folder.

        Raises LarsError for a name that differs from another name only in upper and lower case.
        """
        for inside in trace_files(source) if source.is_dir() else (source,):
            own = name if inside == source else f"{name}/{inside.name}"
            if not self.is_own(own, inside):
                other = self.taken[own.lower()]
                problem = (
                    f"cannot pack the file: its name differs from the name of {other} only in upper and "
                    "lower case"
                )
                raise LarsError(f"{inside}: {problem}; rename one of the two files")
            self.sources.setdefault(own, inside)
            self.kinds.setdefault(own, kind)
            self.taken.setdefault(own.lower(), inside)
        self.taken.setdefault(name.lower(), source)


def pack_files(experiment: Experiment) -> PackedFiles:
    """Return the files of a packed experiment; raises LarsError for a path that cannot be packed."""
    references = list(_references(experiment))
    names = _Names()
    targets: dict[tuple[str, str], str] = {}
    outside = list[_Reference]()
    for reference in references:
        kept = _kept(reference.written)
        own = [(filled_text(kept, one), _source(experiment, file)) for one, file in reference.files]
        if _is_inside(reference) and all(names.is_own(name, source) for name, source in own):
            targets[reference.kind, reference.written] = kept
            for name, source in own:
                names.add(name, source, reference.kind)
        else:
            outside.append(reference)
    for reference in outside:
        key = reference.kind, reference.written
        if key not in targets:
            targets[key] = _moved(experiment, reference, outside, names)
        for parameters, file in reference.files:
            names.add(filled_text(targets[key], parameters), _source(experiment, file), reference.kind)
    for name, source in names.sources.items():
        if names.kinds[name] == "queries" and experiment.file.input_options.around.base is None:
            _check_base(source)
    toml = _rewritten(experiment, references, targets)
    copies = dict(sorted(names.sources.items()))
    adapters = dict.fromkeys(str(command) for _, command in _adapters(experiment))
    return PackedFiles(toml, copies, names.kinds, tuple(adapters))


def _check_base(query: Path) -> None:
    """Raise LarsError for a query whose relative IRIs depend on the path of the query file."""
    if requests.base_for(read_text(query, "a file with a query"), str(query)):
        problem = (
            f"{query}: cannot pack the query: the query has relative IRIs, whose meaning depends "
            "on the folder of the query"
        )
        raise LarsError(f"{problem}; use BASE in the query, or the key `base` of the experiment")


def _source(experiment: Experiment, file: str) -> Path:
    return Path(os.path.abspath(experiment.folder / file))  # noqa: PTH100 - a link keeps its name


def _kept(written: str) -> str:
    return posixpath.normpath(written)


def _is_inside(reference: _Reference) -> bool:
    """Whether all files of a reference are in the experiment's folder, with paths valid on all systems."""
    kept = _kept(reference.written)
    for parameters, _ in reference.files:
        filled = filled_text(kept, parameters)
        if filled != _kept(filled) or filled.startswith(("/", "../")) or filled in {".", ".."}:
            return False
        if filled.lower() in map(str.lower, OWN) or not _PLAIN.fullmatch(filled):
            return False
    return True


def _moved(
    experiment: Experiment, reference: _Reference, outside: Sequence[_Reference], names: _Names
) -> str:
    """Return the path of the copies of files outside the folder, with the placeholders of the path."""
    others = (one for one in outside if one.kind == reference.kind)
    here = str(_source(experiment, reference.written))
    grid = experiment.file.grid
    above = os.path.commonpath([str(_source(experiment, _fixed(one.written, grid)).parent) for one in others])
    parts = [_safe(part, grid) for part in Path(os.path.relpath(here, above)).parts]
    stem, dot, suffixes = parts[-1].partition(".")
    for number in count(1):
        last = f"{stem}-{number}{dot}{suffixes}" if number > 1 else parts[-1]
        target = "/".join((reference.kind, *parts[:-1], last))
        filled = [(filled_text(target, parameters), file) for parameters, file in reference.files]
        # Two values may differ in case only.
        names_here = {name.lower(): name for name, _ in filled}
        if wrong := next(
            (name for name, _ in filled if not _SAFE.fullmatch(name) or name != names_here[name.lower()]),
            None,
        ):
            problem = (
                f"cannot pack the file: {wrong} is not a safe name for the copy; use a file in the folder"
            )
            raise experiment.error(reference.path, f"{problem} of the experiment", reference.written)
        if all(names.fits(name, _source(experiment, file)) for name, file in filled):
            break
    return target


def _fixed(written: str, grid: Mapping[str, object]) -> str:
    """Return the part of a path before its first placeholder."""
    named = (match for match in schema.PLACEHOLDER.finditer(written) if match[1] in grid)
    first = next(named, None)
    return written if first is None else posixpath.join(posixpath.dirname(written[: first.start()]), "_")


def _safe(part: str, grid: Mapping[str, object]) -> str:
    """Return a part of a path with only characters that every system accepts; placeholders are unchanged.

    >>> _safe(" Q 1{w}{x}.rq", {"w": ()})
    'Q_1{w}_x_.rq'
    """
    pieces = (
        piece if piece[1:-1] in grid and piece[:1] == "{" else _UNSAFE.sub("_", piece)
        for piece in _PATTERN.split(part)
    )
    return "".join(pieces).lstrip("._-") or "file"


def _references(experiment: Experiment) -> Iterator[_Reference]:
    """Yield every path to a file in an experiment file, ordered by the kind of the file."""
    for path, text in schema.texts(experiment.toml.content.get("static"), ("static",)):
        static = values.static_file(text)
        yield _Reference(
            path, "static", str(static.path), (({}, str(static.path)),), values.static_text(static, "")
        )
    for entry in experiment.entries["queries"]:
        for language in Language:
            if isinstance(entry.content.get(language.value), str):
                yield from _placed_files(experiment, entry, language.value, "queries")
    for entry in experiment.entries["traces"]:
        yield from _placed_files(experiment, entry, "files", "traces")
        for stream in entry.content.get("streams", {}):
            text = entry.content["streams"][stream]
            yield _reference(experiment, (*entry.path, "streams", stream), text, "traces")
    for entry in experiment.entries["engines"]:
        yield from _placed_files(experiment, entry, "answers", "answers")
        for key in ("engine", "specification"):
            if str(entry.content.get(key, "")).endswith(SUFFIX):
                yield from _placed_files(experiment, entry, key, "specifications")
    for path, command in _adapters(experiment):
        yield from _adapter_files(experiment, path, command)


def _placed_files(
    experiment: Experiment, entry: ExperimentEntry, key: str, kind: str
) -> Iterator[_Reference]:
    """Yield the paths in the value of a key: one text, or a list of texts."""
    for path, text in schema.texts(entry.content.get(key), (*entry.path, key)):
        yield _reference(experiment, path, text, kind)


def _reference(experiment: Experiment, path: KeyPath, text: str, kind: str) -> _Reference:
    combinations = experiment.combinations(experiment.named(text, path))
    filled = tuple((parameters, filled_text(text, parameters)) for parameters in combinations)
    for _, file in filled:
        experiment.file_path(file, path, folder=kind == "traces")
    return _Reference(path, kind, text, filled)


def _adapters(experiment: Experiment) -> Iterator[tuple[KeyPath, str]]:
    for entry in experiment.entries["engines"]:
        if "adapter" in entry.content:
            yield (*entry.path, "adapter"), entry.content["adapter"]


def _adapter_files(experiment: Experiment, path: KeyPath, command: str) -> Iterator[_Reference]:
    """Yield the files in the command of an adapter, except programs outside the folder of the experiment."""
    try:
        words = shlex.split(command)
    except ValueError:
        return
    for number, word in enumerate(words):
        parameters = list(experiment.combinations(experiment.named(word, path)))
        files = tuple((each, filled_text(word, each)) for each in parameters)
        reference = _Reference(path, "adapters", word, files, word=number)
        are_files = all(exists(experiment.folder / file, folder=False) for _, file in files)
        if are_files and (number or _is_inside(reference)):
            yield reference


def _rewritten(
    experiment: Experiment, references: Sequence[_Reference], targets: Mapping[tuple[str, str], str]
) -> str:
    """Return the text of the experiment file in which the paths of the copies replace the paths of files."""
    commands = {path: shlex.split(command) for path, command in _adapters(experiment)}
    texts: dict[KeyPath, str] = {}
    for reference in references:
        target = targets[reference.kind, reference.written]
        if target == reference.written:
            continue
        if reference.word is None:
            texts[reference.path] = f"{reference.before}{target}"
        else:
            commands[reference.path][reference.word] = target
            texts[reference.path] = shlex.join(commands[reference.path])
    toml = experiment.toml
    text = toml.text
    tokens = scanned(text, 0, len(text), "TOML").tokens
    for path, offset, written, is_key in sorted(tokens, key=itemgetter(1), reverse=True):
        if path in texts and not is_key:
            text = f"{text[:offset]}{toml_text(texts[path])}{text[offset + len(written) :]}"
    return text


def expected_results(cells: Sequence[Cell], results: Mapping[str, Json]) -> list[Json]:
    """Return the results of cells by label, without warnings, because warnings contain file names."""
    return [
        {
            "query": cell.query,
            "trace": cell.trace,
            "name": cell.name,
            "parameters": dict(cell.parameters),
            **{key: value for key, value in _plain_result(results[cell.key]).items() if key != "warnings"},
        }
        for cell in cells
    ]


def _plain_result(result: Json) -> Json:
    """Return a result with only values that JSON can express."""
    plain: Json = json.loads(json.dumps(result))
    return plain


@dataclass(frozen=True, slots=True)
class ResultDifference:
    """A difference between a new result and the packed result: the cell, the place, and both values."""

    cell: str
    at: str
    name: str
    expected: object
    actual: object

    def __str__(self) -> str:
        place = f"{self.cell}{self.at and f', {self.at}'}"
        if self.name == "rows":
            return f"{place}: other rows than in the packed results"
        if self.name in _WHOLE:
            where = "in the packed results" if self.actual == _PRESENT[False] else "in the new results"
            return f"{place}: {self.name} only {where}"
        name = _NAMES.get(self.name, self.name)
        return f"{place}: {name}: {_shown(self.actual)}; in the packed results: {_shown(self.expected)}"


def _shown(value: object) -> str:
    match value:
        case None:
            return "missing"
        case bool():
            return "yes" if value else "no"
        case dict():
            return ", ".join(f"{key} ({number})" for key, number in value.items()) or "none"
        case list():
            pairs = (f"{one[0]}, U = {one[1]}" if isinstance(one, list) else str(one) for one in value)
            return "; ".join(pairs) or "none"
        case _:
            return str(value)


_WHOLE: Final = ("the cell is", "the period is", "the window is")
"""The names of differences that are about a whole cell, period or window, which one of the results lacks."""
_NAMES: Final = {
    "agree": "push and pull agree",
    "compared": "compared periods",
    "push": "rows of push",
    "pull": "rows of pull",
    "push_only": "rows that only push has",
    "pull_only": "rows that only pull has",
}
"""The names of values, in the words of a reader; other values have the names of their keys."""
_COMPARED: Final = "compared"
_VERDICT: Final = ("correct", "t0", "bounds", "matching", _COMPARED, "origin", "refused")


def read_expected(folder: Path) -> Json:
    """Return the packed results and the versions of the programs; raises LarsError for an invalid file."""
    try:
        packed = json.loads((folder / EXPECTED).read_text(encoding="utf-8"))
        _ = list(result_differences(packed["cells"], ())), {**packed["versions"]}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        problem = f"{folder / EXPECTED}: cannot read the packed results"
        raise LarsError(f"{problem}; use the file that `lars pack` wrote") from None
    return dict(packed)


def result_differences(
    expected: Sequence[Json], actual: Sequence[Json], units: Sequence[Duration] = ()
) -> Iterator[ResultDifference]:
    """Yield the differences between two lists of results by cell: first the verdict, then each period.

    The argument `units` contains the length of a time point in each of the actual results.
    """
    old, new = ({_cell_text(cell): cell for cell in cells} for cells in (expected, actual))
    unit_of = dict(zip(new, units, strict=False))
    parts = {label: _parts_of(cell, unit_of.get(label, SECOND)) for label, cell in old.items()}
    for label in dict.fromkeys((*old, *new)):
        if label not in old or label not in new:
            yield ResultDifference(
                label, "", "the cell is", *(_PRESENT[label in cells] for cells in (old, new))
            )
            continue
        before, after = old[label], new[label]
        for name in _VERDICT:
            # Packed results of an earlier version lack the compared periods.
            is_new = name == _COMPARED and not (name in before and name in after)
            if before.get(name) != after.get(name) and not is_new:
                yield ResultDifference(label, "", name, before.get(name), after.get(name))
        new_parts = _parts_of(after, unit_of.get(label, SECOND))
        for kind, was, now in zip(("period", "window"), parts[label], new_parts, strict=True):
            yield from _differing(label, kind, was, now)


def _parts_of(cell: Json, unit: Duration) -> tuple[Mapping[str, Json], ...]:
    """Return the periods and the windows of a result by place; times of periods are in time points."""
    origin = cell.get("origin")
    periods, windows = (cell.get(name, ()) for name in ("intervals", "windows"))
    return (
        _by_place((_period_text(row, Dates(origin, unit)), row) for row in periods),
        _by_place((f"{row['phase']} {_span_text(row, Dates(origin, MILLISECOND))}", row) for row in windows),
    )


def _by_place(rows: Iterable[tuple[str, Json]]) -> Mapping[str, Json]:
    """Return rows by place; if several rows have the same place, the later places are numbered."""
    places: dict[str, Json] = {}
    for place, row in rows:
        numbered = (f"{place}, number {number}" for number in count(2))
        places[next(name for name in chain((place,), numbered) if name not in places)] = row
    return places


def _period_text(row: Json, dates: Dates) -> str:
    variant = "" if row["variant"] == "given" else f"{row['variant']}, "
    return f"{variant}U = {row['period']}, {_span_text(row, dates)}"


def _span_text(row: Json, dates: Dates) -> str:
    begin, end = ("-" if row[name] is None else dates.text(row[name]) for name in ("from", "to"))
    return f"({begin}, {end}]"


_PRESENT: Final = {True: "present", False: "absent"}


def _cell_text(cell: Json) -> str:
    parameters = "".join(f", {name} = {value}" for name, value in cell["parameters"].items())
    return f"{cell['query']} on {cell['trace']}, {cell['name']}{parameters}"


def _differing(
    label: str, kind: str, old: Mapping[str, Json], new: Mapping[str, Json]
) -> Iterator[ResultDifference]:
    for at in dict.fromkeys((*old, *new)):
        if at not in old or at not in new:
            here = (_PRESENT[at in rows] for rows in (old, new))
            yield ResultDifference(label, at, f"the {kind} is", *here)
            continue
        for name in dict.fromkeys((*old[at], *new[at])):
            if old[at].get(name) != new[at].get(name):
                yield ResultDifference(label, at, name, old[at].get(name), new[at].get(name))


def sums_text(files: Mapping[str, Path]) -> str:
    """Return the hashes of files in the format of sha256sum, from a mapping of names to files."""
    return "".join(f"{digest_of(path)}  {name}\n" for name, path in sorted(files.items()))


def changed_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each changed file of a packed experiment, and the kind of change.

    Raises LarsError if the folder is not a packed experiment.
    """
    sums = folder / SUMS
    check_unpacked(folder)
    try:
        # Names may contain other characters that Python takes for ends of lines, such as U+2028.
        lines = sums.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError):
        problem = f"{folder}: cannot check the experiment: it has no {SUMS}"
        raise LarsError(f"{problem}; use a folder that `lars pack` wrote, unpacked") from None
    packed = {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name}
    for name, digest in packed.items():
        if (own := digest_of(folder / name)) != digest:
            yield name, "is missing" if own is None else "was changed"
    # A new file of a folder of traces would be read.
    for parent in sorted({str(PurePosixPath(name).parent) for name in packed} - {"."}):
        for file in sorted((folder / parent).glob("*")):
            name = f"{parent}/{file.name}"
            if name not in packed and (file.suffix == ".parquet" or NUMBERED.fullmatch(bare(file).name)):
                yield name, "was added"
