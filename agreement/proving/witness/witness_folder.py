"""A comparison as an experiment of its own: a folder that `lars agree` takes."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from agreement.comparing.agree import Pair, pairs
from agreement.documents.dates import NO_DATES, Dates
from agreement.documents.requests import sources
from agreement.proving.witness.witness_task import PeriodWitnesses, WitnessTask
from lars.durations import Duration
from lars.errors import LarsError
from lars.files import replacement_path
from lars.language.terms import Iri
from solver.facts import Background, Fact
from solver.rdf import is_name_of_stream
from translate.analysis import stream_blocks
from translate.model.patterns import Bgp
from translate.model.query import EPOCH, MERGING, EngineQuery, Language, Setting
from translate.model.windows import Range
from translate.tau import Trigger
from translate.writing import CannotSayError, write_query

_TRACE: Final = "trace.nq"
_STATIC: Final = "static.nq"


@dataclass(frozen=True, slots=True)
class WrittenExperiment:
    """Push against pull on a stream that is written out, on the timeline [0, end].

    Both queries are written, but what a language has no words for: then one, of which the other is made
    again when the experiment is read. Times are written as they are called.
    """

    title: str
    pair: Pair
    setting: Setting
    trigger: Trigger
    period: int
    facts: tuple[Fact, ...]
    static: Background
    end: int
    dates: Dates = NO_DATES

    def files(self) -> dict[str, str]:
        """Return the texts of the folder's files by their names."""
        static = "".join(_static_lines(self.static))
        queries = self._queries()
        return {
            "experiment.toml": "".join(f"{line}\n" for line in self._toml(queries, has_static=bool(static))),
            **{_file(query): text for query, text in queries.items()},
            **self._traces(),
            **({_STATIC: static} if static else {}),
        }

    def _traces(self) -> dict[str, str]:
        """Return the files of the stream: a file for each stream if one has a name that is no IRI."""
        if not self._named_apart:
            return {_TRACE: "".join(self._line(fact, 4) for fact in self.facts)}
        return {
            file: "".join(self._line(fact, 3) for fact in self.facts if fact.arguments[3] == stream)
            for stream, file in self._named_apart.items()
        }

    def _line(self, fact: Fact, terms: int) -> str:
        return f'{" ".join(fact.arguments[:terms])} "{self.dates.option(fact.t)}" .\n'

    @property
    def _named_apart(self) -> dict[str, str]:
        """The file of each stream, if one of them has a name that no file of quads can have."""
        read = (source.stream for query in (self.pair.csparql, self.pair.cqels) for source in sources(query))
        streams = dict.fromkeys((*map(str, read), *(fact.arguments[3] for fact in self.facts)))
        if not any(map(is_name_of_stream, streams)):
            return {}
        return {stream: f"trace{number}.nt" for number, stream in enumerate(streams, start=1)}

    def write(self, folder: Path) -> None:
        """Write the files into a folder that is there."""
        for name, text in self.files().items():
            (folder / name).write_text(text, encoding="utf-8")

    def _queries(self) -> dict[EngineQuery, str]:
        csparql, cqels = self._stepping(), self.pair.cqels
        # A name that is no IRI is one in a single language: the other query is made again.
        ways: list[tuple[tuple[EngineQuery, ...], bool]] = (
            [] if self._named_apart else [((csparql, cqels), False)]
        )
        ways += [((query,), True) for query in (cqels, self.pair.csparql) if self._made_again(query)]
        ways.append(((csparql, cqels), True))
        *others, last = ways
        for way in others:
            with suppress(CannotSayError):
                return _texts(*way)
        return _texts(*last)

    def _stepping(self) -> EngineQuery:
        """Return the C-SPARQL query with a STEP where there is none: pulled so often it shows the same."""
        query, every = self.pair.csparql, Duration(self.period * self.setting.unit.nanoseconds)
        if query.language is not Language.CSPARQL:
            return query
        merged = (
            replace(stream, window=replace(stream.window, slide=every))
            if isinstance(stream.window, Range) and stream.window.slide is stream.window.until is None
            else stream
            for stream in query.merged
        )
        return replace(query, merged=tuple(merged))

    def _made_again(self, query: EngineQuery) -> bool:
        """Whether the other query is what is made of this one, on this stream."""
        carried = frozenset((fact.arguments[3], fact.arguments[1]) for fact in self.facts)
        merges = query.language in MERGING
        engine_query, other = (query, None) if merges else (None, query)
        try:
            (pair, *_) = pairs(engine_query, other, carried, self._assigned() if merges else {})
        except LarsError:
            return False
        return (pair.csparql, pair.cqels) == (self.pair.csparql, self.pair.cqels)

    def _assigned(self) -> dict[Iri, tuple[Iri, ...]]:
        """Return the predicates that the CQELS query reads from each stream."""
        iris: dict[Iri, dict[Iri, None]] = {}
        for block in stream_blocks(self.pair.cqels.pattern):
            for triple in block.pattern.triples if isinstance(block.pattern, Bgp) else ():
                if isinstance(block.stream, Iri) and isinstance(triple.predicate, Iri):
                    iris.setdefault(block.stream, {})[triple.predicate] = None
        return {stream: tuple(predicates) for stream, predicates in iris.items()}

    def _toml(self, queries: Iterable[EngineQuery], *, has_static: bool) -> Iterator[str]:
        yield f'title = "{self.title}"'
        yield f'unit = "{self.setting.unit}"'
        if self.setting.origin != EPOCH:
            yield f'origin = "{self.setting.origin}"'
        yield f"timeline = [0, {self.end}]"
        yield f"period = {self.period}"
        for query in queries:
            yield f'{query.language.value} = "{_file(query)}"'
        if not self._named_apart:
            yield f'files = "{_TRACE}"'
        if has_static:
            yield f'static = "{_STATIC}"'
        yield f'profile = "{self.setting.profile.value}"'
        if self.setting.bounds is not None:
            yield f'bounds = "{self.setting.bounds.value}"'
        yield f'trigger = "{self.trigger.value}"'
        if self._named_apart:
            yield "[streams]"
            yield from (f'{_quoted(Iri(name[1:-1]))} = "{file}"' for name, file in self._named_apart.items())
        if all(query.language in MERGING for query in queries):
            yield "[assign]"
            for stream, predicates in self._assigned().items():
                yield f"{_quoted(stream)} = [{', '.join(map(_quoted, predicates))}]"


def _texts(queries: Iterable[EngineQuery], read_here: bool) -> dict[EngineQuery, str]:
    return {query: write_query(query, query.language, read_here=read_here) for query in queries}


def _quoted(iri: Iri) -> str:
    """Return an IRI as a string of TOML, which has JSON's escapes."""
    return json.dumps(iri.value, ensure_ascii=False).replace("\x7f", "\\u007f")


def write_experiments(folder: Path, task: WitnessTask, witnesses: PeriodWitnesses) -> None:
    """Write an experiment, or one for each witness in folders 1, 2 ..; what has the name is replaced."""
    if task.pair is None:
        raise LarsError(f"--out {folder}: only for push and pull, which an experiment compares")
    title = "A smallest stream on which push and pull differ"
    with replacement_path(folder, folders=True) as new:
        new.mkdir()
        for number, witness in enumerate(witnesses.witnesses, start=1):
            own = new if len(witnesses.witnesses) == 1 else new / str(number)
            own.mkdir(exist_ok=True)
            about = task.pair, task.setting, task.trigger, witnesses.period
            WrittenExperiment(title, *about, witness.facts, witness.static, witness.timeline.last).write(own)


def _file(query: EngineQuery) -> str:
    return f"query.{query.language.value}.rq"


def _static_lines(static: Background) -> Iterator[str]:
    for *triple, graph in static.get(("triple", 4), ()):
        name = "" if graph == "default" else f" {graph}"
        yield f"{' '.join(triple)}{name} .\n"
