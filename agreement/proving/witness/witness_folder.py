"""Write a comparison of push with pull on a small stream as a new experiment folder."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from agreement.comparing.agree import pairs
from agreement.documents.dates import Dates
from agreement.documents.requests import sources
from agreement.proving.decisions import Decision, PairOnStream
from agreement.proving.witness.witness_task import WitnessTask
from lars.durations import Duration, TimedPoints
from lars.errors import LarsError
from lars.files import check_own_folder, replacement_folder
from lars.language.terms import Iri
from solver.facts import QUAD_PREDICATE, Background, Fact
from solver.rdf import is_name_of_stream
from translate.analysis import stream_blocks
from translate.model.patterns import Bgp, StreamBlock
from translate.model.query import EPOCH, MERGING, EngineQuery, Language
from translate.model.windows import Range

EXPERIMENT: Final = "experiment of a smallest stream"
_TRACE: Final = "trace.nq"
_STATIC: Final = "static.nq"


def write_experiment(folder: Path, title: str, compared: PairOnStream) -> None:
    """Write an experiment that compares push with pull on a stream into an existing folder.

    Both queries are written if their languages can express them. Otherwise only one query is written, from
    which `lars` derives the other query. Times are written as dateTimes or integers, as in the original
    stream.
    """
    static = "".join(_static_lines(compared.static))
    queries = _queries(compared)
    toml = (f'title = "{title}"', *_toml(compared, queries, has_static=bool(static)))
    files = {
        "experiment.toml": "".join(f"{line}\n" for line in toml),
        **{_file(query): text for query, text in queries.items()},
        **_traces(compared),
        **({_STATIC: static} if static else {}),
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def _traces(compared: PairOnStream) -> dict[str, str]:
    """Return the files of the trace (each name with its text), if necessary one file for each stream."""
    dates = Dates(compared.origin, compared.setting.unit)

    def lines(facts: Iterable[Fact], terms: int) -> str:
        each = ((" ".join(fact.arguments[:terms]), dates.option(fact.t)) for fact in facts)
        return "".join(f'{triple} "{t}" .\n' for triple, t in each)

    if _has_graphs(compared):
        return {file: _graphs(compared, stream, dates) for stream, file in _named_apart(compared).items()}
    if not (named := _named_apart(compared)):
        return {_TRACE: lines(compared.facts, 4)}
    facts = {stream: [fact for fact in compared.facts if fact.arguments[3] == stream] for stream in named}
    return {file: lines(facts[stream], 3) for stream, file in named.items()}


def _named_apart(compared: PairOnStream) -> dict[str, str]:
    """Return a file name for each stream, if one file of quads cannot contain all streams.

    One file is not enough if N-Quads cannot express the name of a stream, or if elements are graphs. If one
    file is enough, the result is empty.
    """
    read = (
        source.stream for query in (compared.pair.csparql, compared.pair.cqels) for source in sources(query)
    )
    streams = dict.fromkeys((*map(str, read), *(fact.arguments[-1] for fact in compared.facts)))
    graphs = _has_graphs(compared)
    if not graphs and not any(map(is_name_of_stream, streams)):
        return {}
    suffix = "trig" if graphs else "nt"
    return {stream: f"trace{number}.{suffix}" for number, stream in enumerate(streams, start=1)}


def _has_graphs(compared: PairOnStream) -> bool:
    return any(fact.predicate == QUAD_PREDICATE for fact in compared.facts)


_AT: Final = "urn:at"
"""The property for the time of a message, in files of RDF Messages."""


def _graphs(compared: PairOnStream, stream: str, dates: Dates) -> str:
    """Return a stream as text in RDF Messages; each triple is a message with its time."""
    pieces = ['VERSION "1.2-messages"']
    for fact in compared.facts:
        *triple, of = (*fact.arguments[:3], fact.arguments[-1])
        if of == stream:
            text = " ".join(triple)
            inside = f"{fact.arguments[3]} {{ {text} }}" if fact.predicate == QUAD_PREDICATE else f"{text} ."
            pieces.append(f'<urn:element> <{_AT}> "{dates.option(fact.t)}" . {inside}')
    return "\nMESSAGE\n".join((*pieces, ""))[: -len("MESSAGE\n")]


def _queries(compared: PairOnStream) -> dict[EngineQuery, str]:
    csparql, cqels = _stepping(compared), compared.pair.cqels
    # A name that is no IRI is one in a single language: the other query is made again.
    ways: list[tuple[tuple[EngineQuery, ...], bool]] = (
        [] if _named_apart(compared) else [((csparql, cqels), False)]
    )
    ways += [((query,), True) for query in (cqels, compared.pair.csparql) if _made_again(compared, query)]
    ways.append(((csparql, cqels), True))
    from translate.writing import CannotSayError

    *others, last = ways
    for way in others:
        with suppress(CannotSayError):
            return _texts(*way)
    try:
        return _texts(*last)
    except CannotSayError as error:
        problem = f"--out: cannot write a query of the experiment: {error}"
        raise LarsError(f"{problem}; use --json in place of --out to write the stream") from None


def _stepping(compared: PairOnStream) -> EngineQuery:
    """Return the C-SPARQL query, in which windows without a STEP get the pull period as STEP.

    The added STEP does not change the answers. If a stream has several windows, they get one time point as
    STEP: causes depend on which windows both queries have, and with this STEP, windows stay the same.
    """
    query, unit = compared.pair.csparql, compared.setting.unit.nanoseconds
    if query.language is not Language.CSPARQL:
        return query
    windows = Counter(stream.stream for stream in query.merged)

    def stepping(stream: StreamBlock) -> StreamBlock:
        window = stream.window
        if not isinstance(window, Range) or window.slide is not None or window.until is not None:
            return stream
        points = compared.period if windows[stream.stream] == 1 else 1
        return replace(stream, window=replace(window, slide=Duration(points * unit)))

    return replace(query, merged=tuple(map(stepping, query.merged)))


def _made_again(compared: PairOnStream, query: EngineQuery) -> bool:
    """Return whether the other query of the comparison can be derived from the given query."""
    carried = frozenset((fact.arguments[-1], fact.arguments[1]) for fact in compared.facts)
    merges = query.language in MERGING
    engine_query, other = (query, None) if merges else (None, query)
    try:
        (pair, *_) = pairs(engine_query, other, carried, _assigned(compared) if merges else {})
    except LarsError:
        return False
    return (pair.csparql, pair.cqels) == (compared.pair.csparql, compared.pair.cqels)


def _assigned(compared: PairOnStream) -> dict[Iri, tuple[Iri, ...]]:
    """Return, for each stream, the predicates of the patterns that the CQELS query matches in this stream."""
    iris: dict[Iri, dict[Iri, None]] = {}
    for block in stream_blocks(compared.pair.cqels.pattern):
        for triple in block.pattern.triples if isinstance(block.pattern, Bgp) else ():
            if isinstance(block.stream, Iri) and isinstance(triple.predicate, Iri):
                iris.setdefault(block.stream, {})[triple.predicate] = None
    return {stream: tuple(predicates) for stream, predicates in iris.items()}


def _toml(compared: PairOnStream, queries: Iterable[EngineQuery], *, has_static: bool) -> Iterator[str]:
    yield f'unit = "{compared.setting.unit}"'
    if compared.setting.origin != EPOCH:
        yield f'origin = "{compared.setting.origin}"'
    yield f"timeline = [0, {compared.end}]"
    period = compared.period
    # A period that is printed as a duration is a text in TOML.
    yield f'period = "{period}"' if isinstance(period, TimedPoints) else f"period = {period}"
    for query in queries:
        yield f'{query.language.value} = "{_file(query)}"'
    if not _named_apart(compared):
        yield f'files = "{_TRACE}"'
    if _has_graphs(compared):
        yield f'time = "{_AT}"'
    if has_static:
        yield f'static = "{_STATIC}"'
    yield f'profile = "{compared.setting.profile}"'
    if compared.setting.bounds is not None:
        yield f'bounds = "{compared.setting.bounds}"'
    yield f'trigger = "{compared.setting.trigger}"'
    if _named_apart(compared):
        yield "[streams]"
        yield from (f'{_quoted(Iri(name[1:-1]))} = "{file}"' for name, file in _named_apart(compared).items())
    if all(query.language in MERGING for query in queries):
        yield "[assign]"
        for stream, predicates in _assigned(compared).items():
            yield f"{_quoted(stream)} = [{', '.join(map(_quoted, predicates))}]"


def _texts(queries: Iterable[EngineQuery], read_here: bool) -> dict[EngineQuery, str]:
    from translate.writing import write_query

    return {query: write_query(query, query.language, read_here=read_here) for query in queries}


def _quoted(iri: Iri) -> str:
    """Return an IRI as a TOML string.

    JSON strings have the same escapes as TOML strings, except for the control character 7F.
    """
    return json.dumps(iri.value, ensure_ascii=False).replace("\x7f", "\\u007f")


def check_experiment_folder(folder: Path) -> None:
    """Raise LarsError if the folder in the option --out contains data that must not be replaced."""
    check_own_folder(folder, EXPERIMENT, "--out ")


def write_experiments(folder: Path, task: WitnessTask, answer: Decision) -> None:
    """Write an experiment folder for the witness of a decision.

    If the decision has several witnesses, each experiment is in a subfolder 1, 2 and so on. Earlier
    experiments in the folder are replaced.

    Raises:
        LarsError: The task does not compare push with pull.
    """
    if task.pair is None:
        raise LarsError(
            f"--out {folder}: cannot write an experiment, because an experiment always compares push "
            "with pull, and --sides compares two variants under push; use witness without --out"
        )
    title = "A smallest stream on which push and pull differ"
    with replacement_folder(folder, EXPERIMENT) as new:
        for number, witness in enumerate(answer.witnesses, start=1):
            own = new if len(answer.witnesses) == 1 else new / str(number)
            own.mkdir(exist_ok=True)
            write_experiment(own, title, task.on_stream(task.pair, answer.period, witness))


def _file(query: EngineQuery) -> str:
    return f"query.{query.language.value}.rq"


def _static_lines(static: Background) -> Iterator[str]:
    for *triple, graph in static.get(("triple", 4), ()):
        name = "" if graph == "default" else f" {graph}"
        yield f"{' '.join(triple)}{name} .\n"
