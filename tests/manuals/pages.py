"""The manuals as data: blocks, tables, snippets.

The word behind three backticks says what a block is; readers do not see the words after it:

- `sh`: commands that run one after the other; `sh exit=1` where the last one ends with that code;
  `sh setup`, `sh cluster`, `sh suite`: commands that a test of their own takes; `sh elsewhere`: commands
  that another page runs.
- without a word: what the commands before it print; … stands for anything.
- `LANGUAGE FILE`: a file that later commands of the page read, or one of the samples.
- `rules`, `verdict`: the pictures of the first page.
- `picture`: a picture of push and pull.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
MANUALS = (
    "README.md",
    *(f"{name}/README.md" for name in ("translate", "lars", "solver", "agreement", "samples", "tests")),
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "agreement" / "manual").glob("*.md")),
)
SAMPLES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "samples").glob("*/README.md"))
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in (*MANUALS, *SAMPLES)}


@dataclass(frozen=True)
class Block:
    """Text between two fences."""

    page: str
    line: int
    kind: str
    note: str
    text: str

    def __str__(self):
        return f"{self.page}:{self.line}"


def blocks(page):
    """Return the page's blocks in their order."""
    text = PAGES[page]
    found = re.finditer(r"^```(\w*) ?(.*)\n((?s:.*?))^```$", text, re.MULTILINE)
    return [Block(page, text.count("\n", 0, m.start()) + 1, m[1], m[2], m[3]) for m in found]


BLOCKS = {page: blocks(page) for page in MANUALS}


def block(page, kind, beginning=""):
    """Return the text of the page's block of that kind that begins so."""
    (found,) = (b.text for b in BLOCKS[page] if b.kind == kind and b.text.startswith(beginning))
    return found


def prose(page):
    """Return the page without its blocks."""
    return re.sub(r"^```.*?^```$", "", PAGES[page], flags=re.MULTILINE | re.DOTALL)


def snippets(text):
    """Return what stands between backticks."""
    return re.findall(r"`([^`\n]+)`", text)


def tables(page):
    """Return each table's header with its rows of cells."""
    found = re.findall(r"^(\|.*\|)\n\|[-|]+\|\n((?:\|.*\|\n)+)", prose(page), re.MULTILINE)
    return {header: [cells(row) for row in body.splitlines()] for header, body in found}


def cells(row):
    """Return the cells of a row; `\\|` is no border."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def rows(page, header):
    """Return the cells of each row of the page's table with that header."""
    return tables(page)[header]
