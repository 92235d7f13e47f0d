"""The texts of a playground: the files of an experiment, or a LARS program with its input.

Only files in the folder of the experiment are read: a path that leaves the folder is rejected.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Final

from agreement.documents import requests
from agreement.experiments.experiment import Experiment, read_experiment
from agreement.experiments.grid import comparison_of
from lars.dataclass import dataclass
from lars.errors import LarsError
from lars.files import exists, read_file
from translate.model.query import Language

MOST_LETTERS: Final = 500_000
"""The maximum number of characters in all texts together."""
_ACCEPTED: Final = "a text file"
_HALF: Final = re.compile("[\ud800-\udfff]")
_PERIOD: Final = re.compile(r"(?m)^period[ \t]*=.*$")


@dataclass(frozen=True, slots=True)
class PlayedTexts:
    """The texts of a playground.

    - `name` is the name of the folder.
    - `first` is the name of the experiment file or the program.
    - `texts` are the texts by file name, relative to the folder.
    - `inputs` are the names of the traces of a program.
    """

    name: str
    first: str
    texts: Mapping[str, str]
    inputs: tuple[str, ...] = ()

    @property
    def is_experiment(self) -> bool:
        """Whether the texts are an experiment and not a program."""
        return PurePath(self.first).suffix not in requests.PROGRAM_SUFFIXES

    def edited(self, texts: Mapping[str, str]) -> "PlayedTexts":
        """Return these files with the edited texts in place of their texts.

        Raises:
            LarsError: A file is unknown, or the texts are too long or no valid Unicode.
        """
        for name, text in texts.items():
            if name not in self.texts:
                raise LarsError(f"cannot edit {name[:100]!r}: unknown file; use {', '.join(self.texts)}")
            if _HALF.search(text):
                raise LarsError(f"{name}: the text contains an unpaired surrogate; use valid Unicode")
        edited = replace(self, texts={name: texts.get(name, text) for name, text in self.texts.items()})
        edited.check_length()
        return edited

    def check_length(self) -> None:
        """Raise LarsError if the texts are too long."""
        if (letters := sum(map(len, self.texts.values()))) > MOST_LETTERS:
            problem = f"the files of the experiment have {letters:,} characters; use at most {MOST_LETTERS:,}"
            raise LarsError(f"{self.name}: cannot play: {problem}")

    def write(self, folder: Path) -> Path:
        """Write the texts below a folder; return the path of the experiment or program."""
        own = folder / self.name
        for name, text in self.texts.items():
            file = own / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        return own if self.first == requests.EXPERIMENT_FILE else own / self.first

    def with_period(self, period: str | None) -> "PlayedTexts":
        """Return the texts of the experiment with other pull periods in its experiment file.

        Raises:
            LarsError: The experiment file cannot contain these periods.
        """
        if not period or not self.is_experiment:
            return self
        value = period if period.isdecimal() else f'"{period}"'
        text = self.texts[self.first]
        line = f"period = {value}"
        written = _PERIOD.sub(lambda _: line, text) if _PERIOD.search(text) else f"{line}\n{text}"
        try:
            tables = tomllib.loads(written)
        except tomllib.TOMLDecodeError as error:
            raise LarsError(
                f"{self.first}: cannot change the period of the experiment to {line}: {error}; use a "
                "valid experiment.toml"
            ) from None
        given = [tables, *tables.get("comparisons", ())]
        if not any(str(table.get("period")) == period for table in given if isinstance(table, dict)):
            raise LarsError(
                f"{self.first}: cannot change the period of the experiment to {line}; use an experiment "
                "with a line `period = ...`"
            )
        return replace(self, texts={**self.texts, self.first: written})


def read_texts(inputs: Sequence[Path]) -> PlayedTexts:
    """Return the texts of an experiment, or of a program with its traces.

    Raises:
        LarsError: The inputs are neither an experiment nor a program with traces.
    """
    path, *traces = inputs or (Path(),)
    if path.suffix in requests.PROGRAM_SUFFIXES:
        files = [path, *traces]
        texts = PlayedTexts(
            path.stem,
            path.name,
            {file.name: _text(file) for file in files},
            tuple(file.name for file in traces),
        )
        if len(texts.texts) < len(files):
            raise LarsError(f"{path}: cannot play files of the same name; use files with different names")
    elif traces:
        raise LarsError(
            f"{path}: cannot play a query with a trace; use `lars init` to write an experiment, and "
            "play the experiment"
        )
    else:
        texts = _of_experiment(path)
    texts.check_length()
    return texts


def _of_experiment(path: Path) -> PlayedTexts:
    if exists(path, folder=True) and not exists(path / requests.EXPERIMENT_FILE):
        raise LarsError(
            f"{path}: cannot play the folder, because it has no {requests.EXPERIMENT_FILE}; use an experiment"
        )
    experiment = read_experiment(path)
    toml = Path(experiment.toml.source)
    names = dict.fromkeys([*names_inside(experiment), toml.name])
    texts = {name: _text(experiment.folder / name) for name in names}
    return PlayedTexts(experiment.folder.resolve().name or "experiment", toml.name, texts)


def names_inside(experiment: Experiment) -> Iterator[str]:
    """Yield the names of the files that the only comparison of an experiment uses.

    Each name is checked before its file is read, because the name could be that of any file on the computer.

    Raises:
        LarsError: A file is outside the folder of the experiment.
    """
    for entry in experiment.entries["queries"]:
        for language in Language:
            if isinstance(text := entry.content.get(language.value), str):
                yield _inside(experiment.folder, text)
    task = comparison_of(experiment)
    if task.generated is not None:
        raise LarsError(f"{experiment.toml.source}: cannot play a generated trace; use a trace in a file")
    static = (file.path for file in task.trace.static)
    for file in dict.fromkeys((*task.trace.paths, *task.trace.options.streams, *static)):
        within = file.is_relative_to(experiment.folder)
        yield _inside(experiment.folder, str(file.relative_to(experiment.folder) if within else file))


def _inside(folder: Path, name: str) -> str:
    """Return the name of a file in a folder.

    Raises:
        LarsError: The file is outside the folder.
    """
    pure = PurePath(name)
    if (
        pure.is_absolute()
        or ".." in pure.parts
        or not (folder / name).resolve().is_relative_to(folder.resolve())
    ):
        problem = f"cannot play {name!r}: the file is outside the folder of the experiment"
        raise LarsError(f"{folder}: {problem}; copy the file into the folder, and use the copy")
    return name


def _text(path: Path) -> str:
    if not exists(path, folder=False):
        raise LarsError(f"{path}: cannot play the path, because it is not a file; use {_ACCEPTED}")
    return read_file(path, _ACCEPTED).text
