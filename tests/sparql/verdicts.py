"""One random case before all judges; the reference decides who is right."""

import logging
import warnings
from dataclasses import dataclass

from tests.sparql.comparison import difference
from tests.sparql.constructs import constructs
from tests.sparql.engine import ours
from tests.sparql.judges import TooSlowError, by_rdflib, limited, oxigraph
from tests.sparql.reference import answer
from tests.sparql.shrinking import shrunk
from tests.sparql.syntax import Case
from tests.sparql.values import UndeterminedError

JUDGES = {"ours": ours, "pyoxigraph": oxigraph, "rdflib": by_rdflib}
SECONDS = 10


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judges made of a case: `differing` says what is wrong by judge, agreement is absent.

    `decided` is false where SPARQL leaves the result open; then nobody was asked.
    """

    case: Case
    constructs: frozenset[str]
    decided: bool
    empty: bool = False
    differing: tuple[tuple[str, str], ...] = ()


def judged(one, names=tuple(JUDGES)):
    """Return the verdict on a case."""
    try:
        with limited(SECONDS):
            expected = answer(one.query, one.dataset)
    except (UndeterminedError, TooSlowError):
        return Verdict(one, frozenset(constructs(one)), decided=False)
    said = [(name, fault(name, one, expected)) for name in names]
    rows = getattr(expected, "rows", expected)
    return Verdict(one, frozenset(constructs(one)), True, not rows, tuple(pair for pair in said if pair[1]))


def fault(name, one, expected):
    """Return what is wrong in a judge's answer, or the error that it ends in; empty when it is right."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        try:
            with limited(SECONDS):
                return difference(one.query, expected, JUDGES[name](one.query, one.dataset))
        except TooSlowError:
            return f"takes more than {SECONDS} s"
        except Exception as error:  # noqa: BLE001  (each judge has errors of its own)
            return f"fails: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
        finally:
            logging.disable(logging.NOTSET)


def smallest(name, one):
    """Return a small case in which a judge is wrong in the same manner: by its answer or by an error."""
    failing = fault(name, one, answer(one.query, one.dataset)).startswith("fails")

    def fails(smaller):
        try:
            oxigraph(smaller.query, smaller.dataset)  # raises where the text is no SPARQL
            found = fault(name, smaller, answer(smaller.query, smaller.dataset))
        except Exception:  # noqa: BLE001  (whatever it is, it is no case)
            return False
        return bool(found) and found.startswith("fails") is failing

    return shrunk(one, fails)
