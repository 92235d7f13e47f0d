"""Specifications: the parameters of RSP-QL's reference semantics, built in or from a TOML file."""

import re
import tomllib
from enum import Enum
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from agreement.documents import values
from agreement.documents.model_texts import fields_of
from agreement.documents.placed import PlacedData, check_data, read_toml
from lars.durations import Duration
from lars.errors import LarsError, WrongValueError
from lars.language.stream import ToStream
from lars.language.terms import ABSOLUTE_IRI
from lars.language.windows import Bounds
from translate.model.query import Profile, Semantics

Strategy = Literal["window-close", "non-empty", "content-change", "periodic"]
"""The report strategies of a window (SECRET; RSP-QL 2014, Definition 23)."""
Combination = Literal["any", "all"]
"""Whether an evaluation needs a report of any window, or of all windows."""
Tick = Literal["triple", "instant", "graph"]
"""The input that counts as one arrival: a triple, all triples of a time point, or a graph."""
Empty = Literal["reported", "silent"]
"""The effect of an answer without rows: an empty report, or no report."""
Slide = Literal["query", "ignored"]
"""Whether windows move by the slide of the query, or at every time point."""


Strategies = Annotated[frozenset[Strategy], BeforeValidator(values.several_of(Strategy))]
_Bounds = Annotated[tuple[Bounds, ...], BeforeValidator(values.one_or_more(Bounds))]
_Period = Annotated[Duration, BeforeValidator(values.read_unit)]

_Combination = Annotated[Combination, BeforeValidator(values.one_of(Combination))]
_Tick = Annotated[Tick, BeforeValidator(values.one_of(Tick))]
_Slide = Annotated[Slide, BeforeValidator(values.one_of(Slide))]
_Empty = Annotated[Empty, BeforeValidator(values.one_of(Empty))]
_Semantics = Annotated[Semantics, BeforeValidator(values.one_of(Semantics))]
_Profile = Annotated[Profile, BeforeValidator(values.one_of(Profile))]
_ToStream = Annotated[ToStream, BeforeValidator(values.one_of(ToStream))]


class Specification(BaseModel):
    """A definition of correct reports: values for the parameters of RSP-QL that a query language leaves open.

    C-SPARQL and SPARQLstream merge windows into the default graph; in CQELS and RSP-QL, each window is a
    separate graph. Source: RSP-QL (2014), Definitions 11 to 24; SECRET (2010).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    name: str = Field(description="Name of the specification, as in --engine.")
    description: str = Field("", description="Description in one line.")
    report: Strategies = Field(
        description="Conditions under which a window reports: a list of window-close, non-empty, "
        "content-change and periodic. All conditions of the list must hold. With an empty list, the window "
        "never reports."
    )
    windows: dict[str, Strategies] = Field(
        default_factory=dict,
        description="Another value of the key report for one window: by the IRI of its stream, or by the "
        "number of the window in the query, from 1.",
    )
    combination: _Combination = Field(
        "any",
        description="Whether a query with several windows is evaluated when any window reports (any), or "
        "only when all windows report (all).",
    )
    period: _Period | None = Field(
        None,
        description="For periodic: the time between two evaluations, counted from time 0.",
    )
    tick: _Tick = Field(
        "triple",
        description="For content-change: the input after which the engine compares the content of windows: "
        "each triple (triple), all triples of one time (instant), or each graph (graph).",
    )
    bounds: _Bounds = Field(
        ("low-open",),
        description="Ends that a window from o to c contains: low-open (o, c], high-open [o, c), closed "
        "[o, c], open (o, c). With a list, each of its values is correct. A high-open or open window closes "
        "before the triples of time c.",
    )
    slide: _Slide = Field(
        "query",
        description="Whether windows slide by the slide of the query (query), or at every time "
        "point (ignored).",
    )
    stream: _ToStream = Field(
        "RSTREAM", description="Operator of queries without an operator: RSTREAM, ISTREAM or DSTREAM."
    )
    empty: _Empty = Field(
        "reported", description="Whether an empty answer is reported (reported) or not (silent)."
    )
    rows: _Semantics = Field(
        "bag", description="Whether answers are multisets (bag), as in SPARQL 1.1, or sets (set)."
    )
    profile: _Profile = Field(
        "sparql11", description="Meaning of joins of unbound variables and of MINUS: sparql11 or paper2015."
    )

    def strategies(self, stream: str, number: int) -> frozenset[Strategy]:
        """Return the report strategies of the window with a number (from 1) over a stream (an IRI)."""
        return self.windows.get(stream, self.windows.get(str(number), self.report))


NAMES: Final = ("csparql", "cqels", "sparqlstream", "rspql")


@cache
def builtin(name: str) -> Specification:
    """Return the built-in specification with a name, such as csparql."""
    return Specification.model_validate(tomllib.loads(builtin_text(name)))


def builtin_text(name: str) -> str:
    """Return the TOML text of the built-in specification with a name, such as csparql."""
    return files("agreement.engines.specifications").joinpath(f"{name}.toml").read_text(encoding="utf-8")


SUFFIX: Final = ".toml"
ACCEPTED: Final = f"a specification: one of {', '.join(NAMES)}, or a TOML file (*{SUFFIX})"
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")


def specification(name: str) -> Specification:
    """Return the built-in specification with a name, or the specification in a TOML file.

    Raises:
        LarsError: The name is unknown, or the file is invalid.
    """
    if name in NAMES:
        return builtin(name)
    if name.endswith(SUFFIX):
        return read_specification(Path(name))
    raise LarsError(f"unknown specification {name!r}; use {ACCEPTED}")


def read_specification(path: Path) -> Specification:
    """Return the specification in a TOML file.

    Raises:
        LarsError: The file is invalid; the message contains the place.
    """
    toml = read_toml(path, ACCEPTED)
    data = check_data(Specification, toml)
    _check_windows(toml, data)
    _check_period(toml, data)
    return data


def _check_windows(toml: PlacedData, new: Specification) -> None:
    for name in new.windows:
        if not (_NUMBER.fullmatch(name) or ABSOLUTE_IRI.fullmatch(name)):
            problem = f'found the window "{name}"; expected the IRI of its stream, or its number, from 1'
            raise toml.error(("windows", name), problem, at_key=True)


def _check_period(toml: PlacedData, new: Specification) -> None:
    named = {("report",): new.report} | {("windows", key): own for key, own in new.windows.items()}
    for path, strategies in named.items():
        if "periodic" in strategies and new.period is None:
            problem = 'found "periodic" without a period; add a period, such as period = "1s"'
            raise toml.error(path, WrongValueError(problem, part="periodic"))


def in_words(value: object) -> str:
    """Return the value of a specification's parameter as text."""
    match value:
        case Enum():
            return str(value.value)
        case frozenset() | tuple():
            join = " and " if isinstance(value, frozenset) else " or "
            return join.join(sorted(map(in_words, value))) or "never"
        case dict():
            return ", ".join(f"{key}: {in_words(value[key])}" for key in sorted(value)) or "no other windows"
        case None:
            return "none"
        case _:
            return str(value)


def fields_text() -> str:
    """Return a text with the meaning and the default of each key of a specification file."""
    built_in = (f"# {name}.toml, built in\n{builtin_text(name)}" for name in NAMES)
    return "\n\n".join((fields_of(Specification), *built_in))
