"""Where the project lies, and the packs of tests beside it, which a clone need not have.

`ROOT` is the one place from which tests reach files of the project. A test that needs a pack carries
its marker, `@pack("csrbench")`, and takes files from `files_of`; where the pack is not there, the test
is left out, and test_packs.py skips once for the pack and says what is thereby not checked.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = next(folder for folder in Path(__file__).resolve().parents if (folder / "pyproject.toml").is_file())
SAMPLES = ROOT / "samples"
DATA = ROOT / "tests" / "data"
HELD = DATA / "recordings"
SHARED = ROOT.parent / "shared"
DOWNLOADED = frozenset({"citybench", "csrbench", "lsbench", "srbench"})
"""Samples whose queries and data are not here."""


@dataclass(frozen=True, slots=True)
class Pack:
    """Files that others may not have: how many there are at least, and what they alone check."""

    name: str
    files: str
    count: int
    checks: str
    beside: Path = SHARED

    @property
    def folder(self) -> Path:
        return self.beside / self.name


PACKS = {
    one.name: one
    for one in (
        Pack("recordings", "*/*.json", 208, "engine versions on those recorded runs that the project lacks"),
        Pack("recordings-living", "*/*.json", 199, "engine versions on richer queries of engines of today"),
        Pack("recordings-engines", "*/*.json", 250, "engine versions of RSP4J, and Kolibrie's server"),
        Pack("csrbench", "*/*.json", 12, "the published verdicts on what three engines answered in 2013"),
        Pack("queries", "*/*.rq", 280, "queries and probes of other people, and what engines say of them"),
        Pack("queries-living", "*/*.rq", 180, "texts of the languages that engines of today read"),
        Pack("srbench", "queries/*/*.rq", 30, "verdicts on published pairs of queries over measured weather"),
        Pack("citybench", "queries/*/*.rq", 28, "verdicts on published pairs of queries over a city"),
        Pack("lsbench", "queries/*/*.rq", 24, "verdicts on published pairs of queries over a social network"),
        Pack("cases", "*/*/check.py", 51, "that confirmed faults stay mended"),
        Pack("rdf-messages", "*.expected.json", 20, "cases of RDF Messages, most by the W3C's group"),
        Pack("stream-reasoners", "*.*", 17, "programs and logs of two other stream reasoners"),
        Pack("w3c-sparql", "open/files/*/*.rq", 290, "the W3C's own tests of SPARQL 1.1"),
        Pack("w3c-sparql12", "open/files/*/*.rq", 110, "the W3C's own tests of SPARQL 1.2"),
        # broker: kafka_2.13 and what it needs; spark: Spark's connector spark-sql-kafka-0-10_2.13, likewise.
        Pack("kafka", "*/*.jar", 20, "lars watch of a topic of a real broker of Kafka", ROOT.parent),
    )
}


def pack(name: str) -> pytest.MarkDecorator:
    """Return the marker of a test, or of a parameter, that needs the pack."""
    return pytest.mark.pack(PACKS[name].name)


def is_there(name: str) -> bool:
    return PACKS[name].folder.is_dir()


def files_of(name: str, pattern: str) -> list[Path]:
    """Return the files of a pack in order; none where the pack is not there, else at least one."""
    found = sorted(PACKS[name].folder.glob(pattern))
    assert found or not is_there(name), f"no {pattern} in {PACKS[name].folder}"
    return found


def may_need_a_pack(path: Path) -> bool:
    """Return whether tests of a file may have the marker, by a name in its text that gives the marker."""
    return re.search(r"\b(pack|recorded)\(|\bbenches\b|\bown_queries\b", path.read_text()) is not None


RECORDED = ("recordings", "recordings-living", "recordings-engines")


def others(name: str, engine: str) -> list[Path]:
    """Return the recordings of an engine version in a pack that the project does not hold."""
    own = {path.name for path in (HELD / engine).glob("*.json")}
    return [
        path for path in files_of(name, "*/*.json") if path.parent.name == engine and path.name not in own
    ]


def recorded(engine: str) -> list[object]:
    """Return a parameter for each recording of an engine version: the project's own, the packs' others."""
    own = sorted((HELD / engine).glob("*.json"))
    return [
        *(pytest.param(path, id=f"{engine}/{path.stem}") for path in own),
        *(
            pytest.param(path, id=f"{name}/{engine}/{path.stem}", marks=pack(name))
            for name in RECORDED
            for path in others(name, engine)
        ),
    ]


if __name__ == "__main__":
    print(*filter(is_there, PACKS))
