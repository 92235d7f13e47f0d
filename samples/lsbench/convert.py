"""LSBench's five streams as a trace: `python convert.py DATA TRACE.nq [--seconds 40] [--every 100]`.

DATA is a folder with the streams that the benchmark's generator, S2Gen, wrote: streams/*.nt.gz. Posts,
photos and places are put in the order of their own times and replayed at a fixed rate, one each 100 ms; all
triples of one are at one time. Likes have no time: the k-th like of a post or photo comes 450 k + 37 ms after
it. Times are ms.
"""

import argparse
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Final

STREAMS: Final = {"rdfPostStream": "poststream", "rdfPhotoStream": "photostream", "gpsStream": "gpsstream"}
LIKES: Final = {"rdfPostLikeStream": "likedpoststream", "rdfPhotoLikeStream": "likedphotostream"}
POINTS_AT_THING: Final = ("container_of>", "creator_of>", "trackedAt>")
"""Properties whose object is the post, photo or place that the triple belongs to."""
DATED_BY: Final = ("/created>", "trackedTime>")
AFTER_THING: Final = 37

Triple = tuple[str, ...]
Thing = tuple[str, str, str, list[Triple]]
"""A post, photo or place: its own time, its name, its stream, its triples."""


def triples(path: Path) -> Iterator[Triple]:
    """Yield the triples of a compressed file, one a line."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield tuple(line.rstrip().removesuffix(" .").split(" ", 2))


def things(data: Path, file: str, stream: str) -> Iterator[Thing]:
    """Yield the posts, photos or places of a stream."""
    groups, dates = dict[str, list[Triple]](), dict[str, str]()
    for s, p, o in triples(data / f"streams/{file}.nt.gz"):
        name = o if p.endswith(POINTS_AT_THING) else s
        groups.setdefault(name, []).append((s, p, o))
        if p.endswith(DATED_BY):
            dates[name] = o
    for name, found in groups.items():
        yield dates[name], name, stream, found


def likes(data: Path) -> dict[str, list[tuple[str, Triple]]]:
    """Return the likes of each post and photo, each with its stream."""
    found: dict[str, list[tuple[str, Triple]]] = {}
    for file, stream in LIKES.items():
        for triple in triples(data / f"streams/{file}.nt.gz"):
            found.setdefault(triple[2], []).append((stream, triple))
    return found


def placed(data: Path, every: int, like: int) -> Iterator[tuple[int, str, Triple]]:
    """Yield all triples with their times and streams."""
    liked = likes(data)
    found = sorted(thing for file, stream in STREAMS.items() for thing in things(data, file, stream))
    for number, (_, name, stream, group) in enumerate(found, 1):
        t = number * every
        for triple in group:
            yield t, stream, triple
        for k, (own, triple) in enumerate(liked.get(name, ()), 1):
            yield t + k * like + AFTER_THING, own, triple


def convert(data: Path, trace: Path, seconds: float, every: int, like: int) -> None:
    """Write the trace up to a time."""
    found = [one for one in placed(data, every, like) if one[0] <= 1000 * seconds]
    found.sort(key=lambda one: one[0])
    lines = (f'{s} {p} {o} <http://deri.org/{stream}> "{t}" .\n' for t, stream, (s, p, o) in found)
    trace.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("trace", type=Path)
    parser.add_argument("--seconds", type=float, default=40, help="how long; default: 40")
    parser.add_argument("--every", type=int, default=100, help="ms between two objects; default: 100")
    parser.add_argument(
        "--like", type=int, default=450, help="ms between two likes of one object; default: 450"
    )
    given = parser.parse_args()
    convert(given.data, given.trace, given.seconds, given.every, given.like)
