"""Small experiments for tests: a folder with two queries and an experiment.toml."""

from pathlib import Path

STREAM = "http://example.org/observations"
VALUE = "<http://knoesis.wright.edu/ssw/ont/sensor-observation.owl#floatValue>"
CSPARQL = f"""REGISTER QUERY q AS
SELECT ?m ?v FROM STREAM <{STREAM}> [RANGE {{window}} STEP {{slide}}]
WHERE {{ ?m {VALUE} ?v . FILTER(?v > {{threshold}}) }}
"""
CQELS = f"""SELECT ?m ?v
WHERE {{
  STREAM <{STREAM}> [RANGE {{window}} SLIDE {{slide}}] {{ ?m {VALUE} ?v }} FILTER(?v > {{threshold}})
}}
"""
GRID = {
    "grid": 'window = ["5s"]\nslide = ["5s"]\nthreshold = [80]\nstations = [1, 2]',
    "queries": 'name = "Q"\ncsparql = "q.csparql.rq"\ncqels = "q.cqels.rq"',
    "traces": 'name = "T"\ngenerate = {stations = "{stations}", duration = "12s", seed = 1}',
    "engines": 'engine = "csparql-0.9.7"\nt0 = 0',
}
SEVERAL = ("queries", "traces", "engines", "comparisons")


def toml(*more: str, head: str = 'unit = "1ms"', **changed: str) -> str:
    """Return an experiment with some of its tables changed (to nothing: without them) and some added."""
    tables = {name: text for name, text in (GRID | changed).items() if text}
    named = [
        f"[[{name}]]\n{text}" if name in SEVERAL else f"[{name}]\n{text}" for name, text in tables.items()
    ]
    return "\n\n".join([head, *named, *more]) + "\n"


def experiment(folder: Path, text: str | None = None) -> Path:
    """Write an experiment with its queries into a folder, which is returned."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "q.csparql.rq").write_text(CSPARQL)
    (folder / "q.cqels.rq").write_text(CQELS)
    (folder / "experiment.toml").write_text(toml() if text is None else text)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """Return the bytes of all tables of results."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}
