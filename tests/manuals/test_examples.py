"""Every command that a manual or a sample's README shows runs, and prints what is shown."""

import re

import pytest

from agreement.cli.app import app
from tests.manuals.pages import BLOCKS, MANUALS, PAGES, ROOT, SAMPLES, block, prose, snippets
from tests.manuals.running import copied, lines, run, shows

pytestmark = pytest.mark.usefixtures("warm_engines")
APART = {"setup", "cluster", "suite", "watch", "elsewhere"}
"""Commands that a test of their own takes, or another page."""


@pytest.mark.parametrize("page", MANUALS)
def test_each_command_prints_what_is_shown(page, tmp_path):
    copied(tmp_path)
    printed, is_apart = None, False
    for part in BLOCKS[page]:
        if part.kind == "sh":
            is_apart = part.note in APART
            printed = None if is_apart else ran(part, tmp_path)
        elif part.kind == "" and not is_apart:
            assert printed is not None, f"{part}: no command prints this"
            assert shows(part.text, printed), f"{part}: the command prints\n{printed}"
            printed = None
        elif "." in part.note:
            written(part, tmp_path)


def ran(part, folder):
    """Run the commands of a block, which end as it says; return what they print."""
    found = [run(line, folder) for line in lines(part)]
    last = int(re.fullmatch(r"(?:exit=(\d+))?", part.note)[1] or 0)
    expected = [0] * (len(found) - 1) + [last]
    assert [code for code, _ in found] == expected, f"{part}: {found}"
    return "".join(text for _, text in found)


def written(part, folder):
    """Put the file that the block shows there; a sample's is shown as it is."""
    file = folder / part.note
    if part.note.startswith("samples/"):
        assert file.read_text(encoding="utf-8") == part.text, part
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(part.text, encoding="utf-8")


@pytest.mark.parametrize("page", MANUALS)
def test_each_block_is_run(page):
    for number, part in enumerate(BLOCKS[page]):
        after = BLOCKS[page][number + 1 :]
        if part.kind == "sh":
            assert part.note in APART or re.fullmatch(r"(exit=\d+)?", part.note), part
        elif part.kind in ("rules", "verdict", "yaml"):
            assert page == "README.md" or "workflow" in part.note, part
        elif part.kind == "picture":
            assert page == "agreement/manual/push-and-pull.md", part
        elif part.kind:
            users = [line for b in after if b.kind == "sh" for line in lines(b)] + snippets(PAGES[page])
            # A command may read the whole folder.
            folder = part.note.rpartition("/")[0] or part.note
            names = (part.note, f" {part.note.removesuffix('/experiment.toml')}", f" {folder} ")
            read = any(
                name in line for line in users if re.search("lars |python |awk ", line) for name in names
            )
            read |= any(part.note in b.text for b in after if b.kind == "toml")
            assert "." in part.note, f"{part}: no file's name"
            assert read or part.note.startswith("samples/"), f"{part}: no command reads {part.note}"


@pytest.mark.parametrize("page", MANUALS)
def test_the_text_above_a_file_names_it(page):
    """Readers do not see the name behind the backticks."""
    for part in BLOCKS[page]:
        if part.kind not in ("sh", "python") and "." in part.note and not part.note.startswith("samples/"):
            above = "\n".join(PAGES[page].splitlines()[: part.line - 1])
            named = snippets(re.sub(r"^```.*?^```$", "", above, flags=re.MULTILINE | re.DOTALL))
            assert {part.note, part.note.rpartition("/")[2]} & {*named}, f"{part}: {part.note}"


def test_what_runs_elsewhere_is_run_by_another_page():
    shell = [
        (part.note, line)
        for page in MANUALS
        for part in BLOCKS[page]
        if part.kind == "sh"
        for line in lines(part)
    ]
    ran_there = {line for note, line in shell if note not in APART}
    assert [line for note, line in shell if note == "elsewhere" and line not in ran_there] == []


def commands():
    """Return the commands in running text, and those that a sample's README shows by indenting."""
    found = [(page, text) for page in MANUALS for text in snippets(prose(page))]
    for page in SAMPLES:
        shown = re.findall(r"^    (.+)", PAGES[page], re.MULTILINE)
        found += [(page, line) for line in (*snippets(PAGES[page]), *shown)]
    return [(page, line) for page, line in found if line.startswith("lars ")]


PATTERN = re.compile(r"\b(QUERY|TRACE|EXPERIMENT|PROGRAM|CASE|OUT|ENGINE|NAME|FOLDER|FILE|LANGUAGE|U)\b|…")
SHOWN = commands()
RUNNABLE = [
    (page, line)
    for page, line in SHOWN
    if not PATTERN.search(line)
    and re.search("samples/|[.]lars", line)
    and not line.startswith(("lars run", "lars play"))  # the latter runs until it is ended
    and "../shared/" not in line  # a pack of tests runs what needs it
]


@pytest.mark.parametrize(("page", "line"), RUNNABLE, ids=[line for _, line in RUNNABLE])
def test_each_command_in_running_text_runs(page, line, tmp_path):
    copied(tmp_path)
    for part in BLOCKS.get(page, []):
        if "." in part.note and part.kind != "sh":
            written(part, tmp_path)
    where = tmp_path if "samples/" in line or page in MANUALS else tmp_path / page.removesuffix("README.md")
    code, out = run(line, where)
    assert code in (0, 1), out


def options():
    """Return the options of each command."""
    from typer.main import get_command

    group = get_command(app)
    alone = {option: {option} for one in group.params for option in one.opts}
    return alone | {
        name: {o for p in c.params for o in (*p.opts, *p.secondary_opts)}
        for name, c in group.commands.items()
    }


OPTIONS = options()


def test_each_command_knows_its_options():
    assert [
        (page, line)
        for page, line in SHOWN
        if not set(re.findall(r"--[a-z][a-z-]*", line)) <= OPTIONS[line.split()[1]]
    ] == []


ELSEWHERE = {"--import-mode", "--update-golden", "--archives"}
"""Options of pytest, of this suite, and of spark-submit."""


@pytest.mark.parametrize("page", MANUALS)
def test_each_option_is_one_of_a_command(page):
    known = set().union(*OPTIONS.values()) | ELSEWHERE
    if page == "tests/README.md":
        return
    assert {
        o for text in snippets(prose(page)) for o in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", text)
    } <= known


def test_the_two_commands_are_those_that_are_run_by_the_continuous_integration(tmp_path):
    first, second = (b.text.strip() for b in BLOCKS["README.md"] if (b.kind, b.note) == ("sh", "setup"))
    copied(tmp_path)
    assert run(first.split(" && ")[-1], tmp_path)[0] == 0
    begin, _, wanted = re.search(r"grep -E '(.*?)(\.\*)(.*?)\$'", (ROOT / ".ci/run").read_text()).groups()
    assert second.startswith(begin.removeprefix("^"))
    assert second.endswith(wanted)
    assert [b.note for b in BLOCKS["README.md"] if b.kind == "sh"].count("setup") == 2


def shortened(text):
    return text.replace("<http://example.org/", ":").replace(">", "")


def test_the_query_becomes_the_rules_that_are_shown(tmp_path):
    (tmp_path / "query.rq").write_text(block("README.md", "sparql"))
    _, out = run("lars translate query.rq --mode push --unit 1min", tmp_path)
    rules = [shortened(line) for line in out.splitlines()]
    shown = [line for line in block("README.md", "rules").replace("\n    ", " ").splitlines() if line != "…"]
    assert [line for line in shown if shortened(line) not in rules] == []
    assert len(rules) - len(shown) == 3


def test_the_verdicts_are_those_that_are_shown(tmp_path):
    copied(tmp_path)
    code, out = run("lars agree samples/coupons --period 4..8", tmp_path)
    assert code == 1
    # The support is shortened, and wraps in a narrow terminal.
    assert shows(block("README.md", "verdict"), out)
