"""Static graphs that vary in time: files that hold from one time point to another."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from agreement.experiment_values import cut
from agreement.specifications.evaluation import Version
from lars.errors import LarsError
from solver.static import read_static

_SPAN: Final = re.compile(r"([0-9]{0,15})\.\.([0-9]{0,15})=(.+)", re.DOTALL)


def read_versions(texts: Iterable[str]) -> tuple[Version, ...]:
    """Return the versions that texts FROM..TO=FILE name; both ends are included, and can be left out.

    Raises LarsError for a text that is none, and for a file that cannot be read.
    """
    return tuple(version for text in texts for version in _versions(text))


def _versions(text: str) -> Iterator[Version]:
    match = _SPAN.fullmatch(text)
    first, last = (int(end) if match and end else None for end in (match[1], match[2])) if match else (1, 0)
    if match is None or (first is not None and last is not None and first > last):
        raise LarsError(
            f"--static-at {cut(text)}: accepted: FROM..TO=FILE, as 2..13=shops.ttl, ..1=before.ttl, "
            "14..=after.ttl"
        )
    found = read_static((Path(match[3]),))
    if found.default:
        yield Version(found.default, first, last)
    for name, triples in found.named.items():
        yield Version(triples, first, last, name)
