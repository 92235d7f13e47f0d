"""The README.md and the RO-Crate metadata of a packed experiment."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from platform import python_version
from typing import Final
from urllib.parse import quote

from agreement.documents.outputs import Json
from agreement.documents.requests import EXPERIMENT_FILE
from agreement.documents.text_tables import markdown_lines
from agreement.experiments.packing import CRATE, EXPECTED, README, SUMS
from lars.dataclass import dataclass
from lars.errors import on_one_line
from lars.files import digest_of
from lars.version import program_version

CHECK: Final = ("lars", "run", ".", "--check")
"""The command that runs a packed experiment again, in the folder of the experiment."""
_NO_LICENSE: Final = "No license is given. Ask the authors before you reuse the files."
_KINDS: Final = {
    "queries": "query",
    "traces": "recorded stream",
    "static": "static RDF data",
    "answers": "recorded answers",
    "specifications": "specification",
    "adapters": "file of an adapter",
}
_OWN: Final = {
    EXPERIMENT_FILE: "the experiment: its queries, traces and parameters",
    EXPECTED: "the verdicts, the numbers of rows and their causes for each period or window",
    SUMS: "SHA-256 hashes of the files",
    README: "how to run the experiment again",
}
_FORMATS: Final = {
    ".toml": "application/toml",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".ndjson": "application/x-ndjson",
    ".md": "text/markdown",
    ".txt": "text/plain",
    ".rq": "application/sparql-query",
    ".nq": "application/n-quads",
    ".nt": "application/n-triples",
    ".ttl": "text/turtle",
    ".n3": "text/n3",
    ".trig": "application/trig",
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".parquet": "application/vnd.apache.parquet",
    ".gz": "application/gzip",
    ".py": "text/x-python",
}


@dataclass(frozen=True, slots=True)
class PackDescription:
    """The description of a packed experiment: title, date, license, files with kinds, and verdicts."""

    title: str
    date: str
    license: str | None
    kinds: Mapping[str, str]
    summary: str
    adapters: Sequence[str]

    def readme(self) -> str:
        """Return the text of README.md: the command that runs the experiment again, files, and verdicts."""
        return "\n".join(self._readme())

    def _readme(self) -> Iterator[str]:
        yield f"# {on_one_line(self.title)}"
        yield ""
        yield f"An experiment on RDF stream processing, packed by lars {program_version()} on {self.date}."
        yield ""
        yield "## Run it again"
        yield ""
        yield "Install lars in the version below. Then run this command in this folder:"
        yield ""
        yield f"    {' '.join(CHECK)}"
        yield ""
        yield f"It compares the files with the hashes in `{SUMS}`, runs the experiment, and compares"
        yield f"the results with `{EXPECTED}`. It prints each difference. Exit code 0: no difference. Exit"
        yield "code 1: a file or a result differs. Exit code 2: the experiment cannot be run."
        yield ""
        yield f"To compare the hashes without lars, run `sha256sum -c {SUMS}`."
        yield ""
        for command in self.adapters:
            yield f"The command of an engine is `{on_one_line(command)}`. Install the programs that it needs."
            yield ""
        yield "## Versions"
        yield ""
        yield from markdown_lines(("program", "version"), (False, False), versions())
        yield ""
        yield "## Files"
        yield ""
        rows = ((name, self._meaning(name)) for name in self.names)
        yield from markdown_lines(("file", "contents"), (False, False), rows)
        yield ""
        yield "## Results"
        yield ""
        yield from (f"    {line}".rstrip() for line in self.summary.splitlines())
        yield ""

    @property
    def names(self) -> Sequence[str]:
        """The names of all files; the experiment file is first."""
        return (*_OWN, *self.kinds)

    def _meaning(self, name: str) -> str:
        return _OWN.get(name) or _KINDS[self.kinds[name]]

    def crate(self, folder: Path) -> str:
        """Return the RO-Crate metadata (version 1.1) of the files in a folder."""
        graph = [*self._entities(folder)]
        context = ["https://w3id.org/ro/crate/1.1/context", {"sha256": "http://schema.org/sha256"}]
        return f"{json.dumps({'@context': context, '@graph': graph}, indent=2, ensure_ascii=False)}\n"

    def _entities(self, folder: Path) -> Iterator[Json]:
        crate = {"@id": "https://w3id.org/ro/crate/1.1"}
        yield {"@id": CRATE, "@type": "CreativeWork", "about": {"@id": "./"}, "conformsTo": crate}
        programs = [f"#{name.lower()}" for name, _ in versions()]
        yield {
            "@id": "./",
            "@type": "Dataset",
            "name": self.title,
            "description": f"An experiment on RDF stream processing. Run `{' '.join(CHECK)}` in the folder "
            "to repeat it.",
            "datePublished": self.date,
            "license": _NO_LICENSE if self.license is None else {"@id": self.license},
            "hasPart": [{"@id": _iri(name)} for name in self.names],
            "mentions": {"@id": "#run"},
        }
        yield {
            "@id": "#run",
            "@type": "CreateAction",
            "name": "Run of the experiment",
            "description": f"The command {' '.join(CHECK)}",
            "endTime": self.date,
            "instrument": [{"@id": program} for program in programs],
            "object": [{"@id": _iri(name)} for name in (EXPERIMENT_FILE, *self.kinds)],
            "result": {"@id": EXPECTED},
        }
        for program, (name, version) in zip(programs, versions(), strict=True):
            yield {"@id": program, "@type": "SoftwareApplication", "name": name, "version": version}
        if self.license is not None:
            yield {"@id": self.license, "@type": "CreativeWork", "name": "License", "url": self.license}
        for name in self.names:
            file = folder / name
            yield {
                "@id": _iri(name),
                "@type": "File",
                "name": name,
                "description": self._meaning(name),
                "contentSize": str(file.stat().st_size),
                "encodingFormat": _FORMATS.get(file.suffix.lower(), "application/octet-stream"),
                "sha256": digest_of(file),
            }


def _iri(name: str) -> str:
    """Return the name of a file as a relative IRI."""
    return quote(name)


def versions() -> Sequence[tuple[str, str]]:
    """Return the programs that determine a result, with their versions."""
    # Loads what reads e-mail.
    from importlib.metadata import version

    named = ((name, version(name)) for name in ("clingo", "pyspark", "pyarrow", "numpy", "rdflib"))
    return (("lars", program_version()), ("Python", python_version()), *named)
