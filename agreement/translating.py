"""What `lars translate` prints: a query's LARS program, its ASP text, its model."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agreement.assign import Assignment
from agreement.files import load_query
from lars import notation
from lars.errors import LarsError
from lars.program import Program
from lars.terms import Iri
from translate.model import default_period
from translate.patterns import EMPTY
from translate.profiles import Setting
from translate.query import EngineQuery, Language, Query, StreamPattern
from translate.remarks import remarks
from translate.strategies import Variant, cq, cs, model_of_cqels, model_of_csparql
from translate.tau import ordered
from translate.tau1 import tau1
from translate.tau2 import tau2
from translate.triggers import Trigger, pull, push


@dataclass(frozen=True, slots=True)
class Wanted:
    """A query and how to translate it; `engine` may be the one the text is not written for."""

    path: Path
    engine: Language | None
    mode: str | None
    period: int | None
    setting: Setting
    trigger: Trigger
    assigned: Mapping[Iri, tuple[Iri, ...]]


def lines(wanted: Wanted, shape: str, warn: Callable[[str], None]) -> Iterator[str]:
    """Yield what is printed for a shape: lars, ascii, asp, model or json."""
    written = _read(wanted)
    variants = [] if shape == "model" else _variants(written, wanted)
    for remark in (*remarks(written, wanted.setting), *_unassigned(written, wanted)):
        warn(remark)
    if shape == "model":
        yield from model_lines(_model(written, wanted))
        return
    if shape == "json":
        yield json.dumps(_json(written, variants, wanted), ensure_ascii=False)
        return
    for name, query in variants:
        if len(variants) > 1:
            yield f"% {name}"
        yield _text(program_of(query, wanted), shape)


def _unassigned(written: EngineQuery, wanted: Wanted) -> Iterator[str]:
    for part in _model(written, wanted).streams if wanted.assigned else ():
        if not part.pattern.triples:
            yield f"no predicate is assigned to the stream {part.stream}: nothing is matched in it"


def _read(wanted: Wanted) -> EngineQuery:
    query = load_query(wanted.path, wanted.setting.unit)
    plain = query.language is Language.CSPARQL and not query.merged
    return load_query(wanted.path, wanted.setting.unit, wanted.engine) if plain else query


def program_of(query: EngineQuery, wanted: Wanted) -> Program:
    """Return τ1 or τ2 of a query, with the trigger of the mode that is wanted."""
    program = translated(query, wanted.setting)
    match wanted.mode:
        case "push":
            return push(program, wanted.trigger)
        case "pull":
            return pull(program, period_of(query, wanted.period, wanted.setting))
        case _:
            return program


def translated(query: EngineQuery, setting: Setting) -> Program:
    """Return τ1 of a C-SPARQL query, τ2 of a CQELS query."""
    return tau1(query, setting) if query.language is Language.CSPARQL else tau2(query, setting)


def period_of(query: EngineQuery, given: int | None, setting: Setting) -> int:
    """Return the pulling period that is given, else the query's STEP."""
    period = default_period(query, setting.unit) if given is None else given
    if period is None:
        raise LarsError("pull needs a period: the query has no one STEP, so give --period")
    return period


def _variants(written: EngineQuery, wanted: Wanted) -> list[tuple[str, EngineQuery]]:
    if wanted.engine in (None, written.language):
        return [(written.language.value, written)]
    if wanted.engine is Language.CSPARQL:
        return [("cs(Q)", cs(model_of_cqels(written)))]
    return [(str(variant), variant.query) for variant in _derived(written, wanted)]


def _derived(written: EngineQuery, wanted: Wanted) -> tuple[Variant, ...]:
    if not wanted.assigned and written.merged:
        raise LarsError(
            f"{wanted.path}: a C-SPARQL query does not say which part is matched in which stream; "
            "give --assign STREAM=PREDICATE, or use `lars agree` with a trace that shows it"
        )
    return cq(model_of_csparql(written, Assignment(written, frozenset(), wanted.assigned)))


def _model(written: EngineQuery, wanted: Wanted) -> Query:
    if written.language is Language.CQELS:
        return model_of_cqels(written)
    if wanted.assigned:
        return model_of_csparql(written, Assignment(written, frozenset(), wanted.assigned))
    parts = tuple(StreamPattern(part.stream, part.window, EMPTY) for part in written.merged)
    return Query(written.form, written.result, written.pattern, written.dataset, parts)


def model_lines(query: Query) -> Iterator[str]:
    """Yield (V, P, D, S) as text."""
    yield f"V = {{{', '.join(f'?{name.name}' for name in ordered(query.result))}}}"
    yield f"P = {query.pattern}"
    default, named = query.dataset.default, query.dataset.named
    yield f"D = {{{', '.join((*map(str, default), *(f'named {graph}' for graph in named)))}}}"
    for number, part in enumerate(query.streams):
        start, end = "S = {" if number == 0 else "     ", "}" if number == len(query.streams) - 1 else ","
        yield f"{start}({part.stream}, {part.window}, {part.pattern}){end}"
    if not query.streams:
        yield "S = {}"


def model_json(query: Query) -> dict[str, Any]:
    """Return (V, P, D, S) for machines."""
    return {
        "V": [name.name for name in ordered(query.result)],
        "P": str(query.pattern),
        "D": {
            "default": [graph.value for graph in query.dataset.default],
            "named": [graph.value for graph in query.dataset.named],
        },
        "S": [
            {"stream": part.stream.value, "window": str(part.window), "pattern": str(part.pattern)}
            for part in query.streams
        ],
    }


def _json(written: EngineQuery, variants: list[tuple[str, EngineQuery]], wanted: Wanted) -> dict[str, Any]:
    programs = [(name, program_of(query, wanted)) for name, query in variants]
    return {
        "language": written.language.value,
        "form": written.form.value,
        "model": model_json(_model(written, wanted)),
        "programs": [
            {"variant": name, "rules": [str(rule) for rule in program.rules], "asp": _text(program, "asp")}
            for name, program in programs
        ],
    }


def _text(program: Program, shape: str) -> str:
    if shape == "asp":
        from solver.asp import Encoding

        return Encoding(program).text().rstrip("\n")
    return notation.write(program, ascii=shape == "ascii").rstrip("\n")
