"""Property paths as SPARQL text."""

from typing import Final, assert_never

from lars.terms import Iri
from translate.paths import Alternative, Inverse, Link, Negated, Path, Repeated, Sequence
from translate.writing.terms import Terms

_ALTERNATIVE: Final = 1
_SEQUENCE: Final = 2
_INVERSE: Final = 3
_REPEATED: Final = 4
_STEP: Final = 5


def write_path(path: Path, terms: Terms, around: int = 0) -> str:
    """Return the path, in brackets if it binds less than what stands around it.

    A repetition of a repetition has brackets, since `*` follows a step; `^` stands before both.
    """
    binding, text = _written(path, terms)
    return f"({text})" if binding < around else text


def _written(path: Path, terms: Terms) -> tuple[int, str]:
    match path:
        case Link(iri):
            return _STEP, terms.iri(iri)
        case Alternative(left, right):
            before = write_path(left, terms, _ALTERNATIVE)
            return _ALTERNATIVE, f"{before}|{write_path(right, terms, _SEQUENCE)}"
        case Sequence(left, right):
            before = write_path(left, terms, _SEQUENCE)
            return _SEQUENCE, f"{before}/{write_path(right, terms, _INVERSE)}"
        case Inverse(inner):
            return _INVERSE, f"^{write_path(inner, terms, _REPEATED)}"
        case Repeated(inner, often):
            return _REPEATED, f"{write_path(inner, terms, _STEP)}{often.value}"
        case Negated(forward, backward):
            return _STEP, f"!({_negated(forward, backward, terms)})"
        case _:
            assert_never(path)


def _negated(forward: tuple[Iri, ...], backward: tuple[Iri, ...], terms: Terms) -> str:
    return "|".join((*map(terms.iri, forward), *(f"^{terms.iri(iri)}" for iri in backward)))
