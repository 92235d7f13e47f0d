"""Types of values that schemas of recordings share: terms, IRIs and triples become canonical texts."""

import re
from functools import lru_cache
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from agreement.recordings.recording import Triple
from lars.errors import LarsError
from solver.rdf import canonical, short

ACCEPTED_TRIPLE: Final = "a triple as in N-Triples, <s> <p> <o> ."

_TRIPLE = re.compile(r"(<[^<>]*>|_:\S+)\s*(<[^<>]*>)\s*(\S.*)\.", re.DOTALL)


class Strict(BaseModel):
    """A part of a recording; keys that the schema does not name say nothing about the answers."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def wrong(problem: str) -> PydanticCustomError:
    """Return the error that pydantic collects with the place of the value."""
    return PydanticCustomError("recording", "{problem}", {"problem": problem})


def _term(text: str) -> str:
    try:
        return canonical(text)
    except LarsError as error:
        raise wrong(str(error)) from None


def _iri(text: str) -> str:
    try:
        return canonical(f"<{text}>")
    except LarsError:
        raise wrong(f"found {short(text)}; accepted: an absolute IRI, without <>") from None


@lru_cache(maxsize=65536)
def triple_of(line: str) -> Triple:
    """Return the triple that a line of N-Triples holds, or raise LarsError.

    >>> triple_of("<http://e/a> <http://e/p> _:b .")
    ('<http://e/a>', '<http://e/p>', '_:b')
    """
    found = _TRIPLE.fullmatch(line.strip())
    if found is None:
        raise LarsError(f"found {short(line)}; accepted: {ACCEPTED_TRIPLE}")
    return canonical(found[1]), canonical(found[2]), canonical(found[3].rstrip())


def _triple(line: str) -> str:
    try:
        triple_of(line)
    except LarsError as error:
        raise wrong(str(error)) from None
    return line


Term = Annotated[str, AfterValidator(_term)]
"""A term in N-Triples."""
StreamIri = Annotated[str, AfterValidator(_iri)]
"""An IRI without <>, which become part of it."""
TripleLine = Annotated[str, AfterValidator(_triple)]
"""A triple in N-Triples, kept as its line."""
Finite = Annotated[float, Field(allow_inf_nan=False)]
Index = Annotated[int, Field(ge=0)]
