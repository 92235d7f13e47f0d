"""`lars pack` and `lars run --check`: a packed experiment is complete, and says what has changed."""

import hashlib
import json
import shlex
import shutil
import tomllib
import zipfile

import pytest

from agreement import api
from agreement.experiments.packing import result_differences
from tests.agreement.command import lars
from tests.agreement.experiments.experiments import experiment, toml
from tests.packs import SAMPLES

SMALL = ("coupons", "coupons-static", "crowd", "merged", "same-input/merged", "slide")
OWN = {"README.md", "experiment.toml", "expected.json", "ro-crate-metadata.json", "sha256sums.txt"}
STREAM = (
    '<http://example.org/{}> <http://example.org/p> <http://example.org/o> <http://example.org/s> "{}" .\n'
)
QUERY = "SELECT ?a WHERE {{ STREAM <http://example.org/s> [RANGE 2s] {{ ?a <http://example.org/p> ?b }} }}{}"


@pytest.fixture(autouse=True)
def same_date(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")


def pack(source, target, *options):
    ran = lars("pack", source, "-o", target, *options)
    assert ran.code == 0, ran.err
    return target


def check(folder):
    return lars("run", folder, "--check")


def found_in(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def verdicts_of(folder, out):
    return api.run(folder, out=out).to_json()


def scattered(folder):
    """An experiment whose files are elsewhere, with names that are not safe, and a query for each name."""
    own = folder / "home/me/work/mine"
    own.mkdir(parents=True)
    (folder / "home/data").mkdir()
    for place, end in (("home/data/a b.rq", ""), ("home/me/a b.rq", " # the other")):
        (folder / place).write_text(QUERY.format(end))
    trace = "".join(STREAM.format(f"e{t}", t) for t in range(1, 9))
    (folder / "home/data/größe=1.nq").write_text(trace)
    (own / "facts.nt").write_text("<http://example.org/x> <http://example.org/y> <http://example.org/z> .\n")
    (own / "experiment.toml").write_text(
        f"""# kept as it is
static = ["http://example.org/g=facts.nt"]
[[queries]]
name = "one"
cqels = "../../../data/a b.rq"
[[queries]]
name = "two"  # and this
cqels = '../../a b.rq'
[[traces]]
name = "t"
files = {json.dumps(str(folder / "home/data/größe=1.nq"))}
[[comparisons]]
period = 2
"""
    )
    return own


@pytest.mark.parametrize("name", SMALL)
def test_a_packed_sample_has_the_same_results_in_an_empty_folder(name, tmp_path):
    folder = pack(SAMPLES / name, tmp_path / "packed")
    moved = shutil.move(folder, tmp_path / "elsewhere")
    ran = check(moved)
    assert (ran.code, ran.out) == (0, "the results of 1 cell are equal to the packed results\n"), ran.err
    packed, own = (verdicts_of(one, tmp_path / f"o{n}") for n, one in enumerate((moved, SAMPLES / name)))
    assert packed == own


def test_judged_cells_of_a_grid_have_the_same_results(tmp_path):
    folder = pack(experiment(tmp_path / "e", toml("[[comparisons]]\nperiod = 5000")), tmp_path / "packed")
    assert check(folder).code == 0
    cells = json.loads((folder / "expected.json").read_text())["cells"]
    assert [cell["parameters"].get("stations") for cell in cells] == [1, 2, 1, 2]


def test_files_from_elsewhere_have_safe_names_and_the_rest_of_the_text_stays(tmp_path):
    folder = pack(scattered(tmp_path), tmp_path / "packed")
    copies = {"queries/data/a_b.rq", "queries/me/a_b.rq", "traces/gr_e_1.nq", "facts.nt"}
    assert set(found_in(folder)) == OWN | copies
    assert check(folder).code == 0
    text = (folder / "experiment.toml").read_text()
    assert text.startswith("# kept as it is\n")
    assert 'cqels = "queries/me/a_b.rq"\n' in text
    assert tomllib.loads(text)["static"] == ["http://example.org/g=facts.nt"]


@pytest.mark.parametrize("character", ["\u2028", "\x85"])
def test_a_name_may_contain_what_ends_a_line_elsewhere(character, tmp_path):
    own, name = scattered(tmp_path), f"facts{character}.nt"
    (own / "facts.nt").rename(own / name)
    file = own / "experiment.toml"
    file.write_text(file.read_text().replace("facts.nt", name.encode("unicode-escape").decode()))
    file.write_text(file.read_text().replace("\\x", "\\u00"))
    folder = pack(own, tmp_path / "packed")
    assert (folder / name).exists()
    assert check(folder).code == 0


def test_no_file_of_the_pack_names_a_folder_of_its_author(tmp_path):
    folder = pack(scattered(tmp_path), tmp_path / "packed")
    assert [name for name, data in found_in(folder).items() if str(tmp_path).encode() in data] == []


def test_names_in_the_folder_differ_in_more_than_case(tmp_path):
    names = ("q.csparql.rq", "Q.csparql.rq", "EXPERIMENT.toml", "sub/a.rq", "Sub/A.rq")
    folder = experiment(tmp_path / "e", toml(queries=""))
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(exist_ok=True)
        text = (folder / "q.csparql.rq").read_text()
        (folder / name).write_text(f"{text}# {number}\n")
    tables = [f'[[queries]]\nname = "{n}"\ncsparql = "{n}"' for n in names]
    (folder / "experiment.toml").write_text(toml(*tables, queries=""))
    packed = pack(folder, tmp_path / "packed")
    found = list(found_in(packed))
    assert len({name.lower() for name in found}) == len(found) == len(OWN) + len(names)
    assert {"q.csparql.rq", "sub/a.rq"} < set(found)
    assert check(packed).code == 0


def test_files_whose_names_a_grid_changes_only_in_case_are_refused(tmp_path):
    folder = experiment(tmp_path / "e", toml(queries=""))
    for name in "Aa":
        shutil.copy(folder / "q.csparql.rq", folder / f"{name}.rq")
    text = toml('[[queries]]\nname = "Q"\ncsparql = "{which}.rq"', queries="")
    (folder / "experiment.toml").write_text(text.replace("[grid]\n", '[grid]\nwhich = ["A", "a"]\n'))
    ran = lars("pack", folder, "-o", tmp_path / "packed")
    assert ran.code == 2
    assert "only in upper and lower case; rename one of the two files" in ran.err


def test_the_next_command_can_be_copied_to_a_shell(tmp_path):
    target = tmp_path / "my dir" / "x"
    target.parent.mkdir()
    ran = lars("pack", SAMPLES / "slide", "-o", target)
    command = shlex.split(ran.out.rpartition("next: ")[2])
    assert command == ["lars", "run", str(target), "--check"]


def test_files_of_one_name_have_numbers(tmp_path):
    folder = experiment(tmp_path / "e", toml(queries=""))
    (tmp_path / "q").mkdir()
    for name in ("x y.rq", "x_y.rq", "X_Y.rq"):
        shutil.copy(folder / "q.csparql.rq", tmp_path / "q" / name)
    tables = [f'[[queries]]\nname = "{n}"\ncsparql = "../q/{n}.rq"' for n in ("x y", "x_y", "X_Y")]
    (folder / "experiment.toml").write_text(toml(*tables, queries=""))
    packed = pack(folder, tmp_path / "packed")
    assert {path.name for path in (packed / "queries").iterdir()} == {"x_y.rq", "x_y-2.rq", "X_Y-3.rq"}
    assert check(packed).code == 0


def test_placeholders_in_paths_stay(tmp_path):
    queries = 'name = "Q"\ncsparql = "../{kind}/q.rq"'
    grid = 'kind = ["a", "b"]\nwindow = ["5s"]\nslide = ["5s"]\nthreshold = [80]\nstations = [1]'
    folder = experiment(tmp_path / "e", toml(queries=queries, grid=grid))
    for kind in "ab":
        (tmp_path / kind).mkdir()
        shutil.copy(folder / "q.csparql.rq", tmp_path / kind / "q.rq")
    packed = pack(folder, tmp_path / "packed")
    assert 'csparql = "queries/{kind}/q.rq"' in (packed / "experiment.toml").read_text()
    assert (check(packed).code, (packed / "queries/b/q.rq").exists()) == (0, True)


def test_a_placeholder_that_leaves_the_folder_is_refused(tmp_path):
    queries = 'name = "Q"\ncsparql = "{kind}/q.rq"'
    grid = 'kind = ["../a"]\nwindow = ["5s"]\nslide = ["5s"]\nthreshold = [80]\nstations = [1]'
    folder = experiment(tmp_path / "e", toml(queries=queries, grid=grid))
    (tmp_path / "a").mkdir()
    shutil.copy(folder / "q.csparql.rq", tmp_path / "a/q.rq")
    ran = lars("pack", folder, "-o", tmp_path / "packed")
    assert (ran.code, "queries/../a/q.rq is not a safe name" in ran.err) == (2, True), ran.err
    assert not (tmp_path / "packed").exists()


def test_a_folder_of_turtle_files_keeps_the_names_that_contain_times(tmp_path):
    own = scattered(tmp_path)
    stream = tmp_path / "home/stream"
    stream.mkdir()
    for t in range(3):
        (stream / f"data_{t:02}.ttl").write_text("<http://example.org/e> <http://example.org/p> 1 .\n")
    (stream / "notes.txt").write_text("not read")
    text = (own / "experiment.toml").read_text()
    line = next(line for line in text.splitlines() if line.startswith("files"))
    own.joinpath("experiment.toml").write_text(
        text.replace(line, '[traces.streams]\n"http://example.org/s" = "../../../stream"')
    )
    folder = pack(own, tmp_path / "packed")
    assert {path.name for path in (folder / "traces/stream").iterdir()} == {
        f"data_0{t}.ttl" for t in range(3)
    }
    assert check(folder).code == 0
    (folder / "traces/stream/data_03.ttl").write_text("")
    ran = check(folder)
    assert (ran.code, ran.out.splitlines()[0]) == (
        1,
        "traces/stream/data_03.ttl was added since the experiment was packed",
    )


def test_an_adapter_s_files_are_copied_and_its_interpreter_is_not(tmp_path):
    own = experiment(tmp_path / "e")
    (tmp_path / "tools").mkdir()
    shutil.copy(SAMPLES / "adapters/README.md", tmp_path / "tools/one.py")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").write_text("")
    entry = f'name = "a"\nadapter = "{tmp_path}/bin/python -u ../tools/one.py"\nlanguage = "csparql"'
    (own / "experiment.toml").write_text(
        toml(engines=entry, grid='window=["5s"]\nslide=["5s"]\nthreshold=[80]\nstations=[1]')
    )
    ran = lars("pack", own, "-o", tmp_path / "packed")
    assert ran.code == 0, ran.err
    assert "the pack does not contain the programs that the command" in ran.err
    written = tomllib.loads((tmp_path / "packed/experiment.toml").read_text())
    assert written["engines"][0]["adapter"] == f"{tmp_path}/bin/python -u adapters/one.py"
    assert "adapters/one.py" in found_in(tmp_path / "packed")


def test_two_packs_have_the_same_bytes(tmp_path):
    own = scattered(tmp_path)
    first, second = pack(own, tmp_path / "p1"), pack(own, tmp_path / "p2")
    assert found_in(first) == found_in(second)
    archives = [pack(own, tmp_path / f"p{n}.zip").read_bytes() for n in (3, 4)]
    assert archives[0] == archives[1]


def test_an_archive_has_the_files_of_the_folder(tmp_path):
    archive = pack(SAMPLES / "slide", tmp_path / "p.zip")
    with zipfile.ZipFile(archive) as read:
        read.extractall(tmp_path / "unpacked")
    assert found_in(tmp_path / "unpacked") == found_in(pack(SAMPLES / "slide", tmp_path / "p"))
    assert check(tmp_path / "unpacked").code == 0


@pytest.mark.parametrize("name", ["folder", "file", "link", "p.zip"])
def test_nothing_is_overwritten(name, tmp_path):
    target = tmp_path / name
    if name == "folder":
        target.mkdir()
    elif name == "link":
        target.symlink_to(tmp_path / "nowhere")
    else:
        target.write_text("mine")
    ran = lars("pack", SAMPLES / "slide", "-o", target)
    assert (ran.code, "this name exists already" in ran.err) == (2, True)
    assert not (tmp_path / "nowhere").exists()


def test_nothing_is_written_outside_the_target(tmp_path):
    own = scattered(tmp_path)
    before = found_in(tmp_path)
    folder = pack(own, tmp_path / "packed")
    check(folder)
    after = {name: data for name, data in found_in(tmp_path).items() if not name.startswith("packed/")}
    assert after == before


def test_a_changed_file_is_named_first_then_what_differs(tmp_path):
    folder = pack(SAMPLES / "slide", tmp_path / "packed")
    trace = folder / "door.trig"
    before = trace.read_text()
    trace.write_text(f"{before}# a comment\n")
    only_file = check(folder)
    first = "door.trig was changed since the experiment was packed"
    assert only_file.code == 1
    assert only_file.out.splitlines() == [first, "the results of 1 cell are equal to the packed results"]
    (folder / "experiment.toml").write_text(
        (folder / "experiment.toml").read_text().replace("timeline = [0, 9]", "timeline = [0, 6]")
    )
    ran = check(folder)
    assert ran.out.splitlines()[:2] == [
        first,
        "experiment.toml was changed since the experiment was packed",
    ]
    assert "query on trace, agree, U = 3, (6, 9]: the period is only in the packed results" in ran.out
    assert ran.code == 1


def test_a_row_that_changes_where_its_number_stays_is_found(tmp_path):
    folder = pack(scattered(tmp_path), tmp_path / "packed")
    trace = folder / "traces/gr_e_1.nq"
    trace.write_text(trace.read_text().replace("/e3>", "/other>"))
    ran = lars("run", folder, "--check", "--json")
    differences = ran.json["differences"]
    assert ran.code == 1
    assert "U = 2, (2, 4]: other rows than in the packed results" in check(folder).out
    assert {one["name"] for one in differences} == {"rows"}
    assert {one["at"] for one in differences} == {"U = 2, (2, 4]", "U = 2, (4, 6]"}


def test_a_missing_file_is_named_before_the_error(tmp_path):
    folder = pack(SAMPLES / "slide", tmp_path / "packed")
    (folder / "door.trig").unlink()
    ran = check(folder)
    assert ran.code == 2
    assert ran.err.startswith("lars: door.trig is missing since the experiment was packed\n")
    assert "does not exist" in ran.err


@pytest.mark.parametrize(
    "broken", ["", "[]", '{"cells": 1, "versions": {}}', '{"cells": [{}], "versions": {}}']
)
def test_broken_packed_results_are_one_message(broken, tmp_path):
    folder = pack(SAMPLES / "slide", tmp_path / "packed")
    (folder / "expected.json").write_text(broken)
    ran = check(folder)
    assert ran.code == 2
    assert "cannot read the packed results" in ran.err
    assert ran.err.startswith("lars: expected.json was changed")


def test_a_folder_that_is_not_packed_is_refused():
    ran = check(SAMPLES / "slide")
    assert (ran.code, "use a folder that `lars pack` wrote" in ran.err) == (2, True)


def test_another_version_is_said_with_a_difference(tmp_path):
    folder = pack(SAMPLES / "slide", tmp_path / "packed")
    document = json.loads((folder / "expected.json").read_text())
    document["versions"]["clingo"] = "5.0"
    document["cells"][0]["intervals"][0]["causes"] = {"slide": 7}
    (folder / "expected.json").write_text(json.dumps(document))
    ran = check(folder)
    assert ran.code == 1
    assert "causes: hidden by the pivot (1); in the packed results: slide (7)" in ran.out
    assert "; the experiment was packed with 5.0" in ran.out


def test_relative_iris_of_a_query_are_refused(tmp_path):
    own = scattered(tmp_path)
    (tmp_path / "home/me/a b.rq").write_text(QUERY.format("").replace("http://example.org/p", "p"))
    ran = lars("pack", own, "-o", tmp_path / "packed")
    assert (
        ran.code,
        "the query has relative IRIs, whose meaning depends on the folder of the query" in ran.err,
    ) == (2, True), ran.err


def test_the_name_of_a_license_is_refused_with_an_iri_of_a_license(tmp_path):
    ran = lars("pack", scattered(tmp_path), "-o", tmp_path / "packed", "--license", "MIT")
    problem = "expected the IRI of a license, such as https://creativecommons.org/licenses/by/4.0/"
    assert (ran.code, ran.err) == (2, f"lars: --license MIT: found 'MIT'; {problem}\n")


def test_the_metadata_lists_each_file_with_its_hash(tmp_path):
    terms = "https://creativecommons.org/licenses/by/4.0/"
    folder = pack(scattered(tmp_path), tmp_path / "packed", "--license", terms)
    document = json.loads((folder / "ro-crate-metadata.json").read_text())
    entities = {entity["@id"]: entity for entity in document["@graph"]}
    files = {name: entity for name, entity in entities.items() if entity["@type"] == "File"}
    assert set(files) == set(found_in(folder)) - {"ro-crate-metadata.json"}
    for name, data in found_in(folder).items():
        if name in files:
            assert files[name]["sha256"] == hashlib.sha256(data).hexdigest()
            assert files[name]["contentSize"] == str(len(data))
    root = entities["./"]
    assert {part["@id"] for part in root["hasPart"]} == set(files)
    assert (root["datePublished"], root["license"]) == ("2023-11-14", {"@id": terms})
    named = [one for entity in entities.values() for one in (entity.get("instrument") or ())]
    assert {one["@id"] for one in named} <= set(entities)


def test_a_packed_zip_file_is_unpacked_before_a_check(tmp_path):
    target = pack(SAMPLES / "slide", tmp_path / "packed.zip")
    for ran in (check(target), lars("run", target)):
        assert (ran.code, "in a ZIP file; unpack the file" in ran.err) == (2, True)


def test_the_hashes_are_those_of_sha256sum(tmp_path):
    folder = pack(SAMPLES / "slide", tmp_path / "packed")
    lines = (folder / "sha256sums.txt").read_text().splitlines()
    own = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in found_in(folder)}
    assert {tuple(reversed(line.split("  "))) for line in lines} == {
        (name, digest)
        for name, digest in own.items()
        if name not in OWN - {"experiment.toml", "expected.json"}
    }


@pytest.mark.parametrize("options", [["--check", "--out", "x"], ["--check", "--fresh"], ["--json"]])
def test_options_without_effect_are_refused(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = lars("run", SAMPLES / "slide", *options)
    assert (ran.code, "--check" in ran.err, found_in(tmp_path)) == (2, True, {})


def test_a_cell_that_is_refused_names_no_temporary_file_and_is_refused_again(tmp_path, monkeypatch):
    own = tmp_path / "own"
    own.mkdir()
    (own / "q.rq").write_text(QUERY.format(""))
    # The message has an IRI that contains the name of the folder in which the packed experiment runs again.
    (own / "t.nq").write_text(STREAM.format("e", 1) + "<http://e/packed/e> no line\n")
    (own / "experiment.toml").write_text(
        'unit = "1s"\nperiod = 2\ncqels = "q.rq"\n[streams]\n"http://example.org/s" = "t.nq"\n'
    )
    packed = pack(own, tmp_path / "packed")
    (cell,) = json.loads((packed / "expected.json").read_text())["cells"]
    assert cell["refused"].startswith("t.nq:2:")
    monkeypatch.chdir(tmp_path)
    for folder in (packed, packed.name):
        ran = check(folder)
        assert (ran.code, ran.out) == (0, "the results of 1 cell are equal to the packed results\n")


def dated(tmp_path):
    """Return a packed experiment whose trace has dateTimes and whose time points are minutes."""
    (tmp_path / "q.rq").write_text("SELECT ?a { STREAM <x:s> [RANGE 5m] { ?a <x:p> ?b } }")
    (tmp_path / "t.nq").write_text(
        '<x:a> <x:p> <x:b> <x:s> "2026-05-14T08:00:00Z" .\n<x:a> <x:p> <x:b> <x:s> "2026-05-14T08:09:00Z" .\n'
    )
    (tmp_path / "experiment.toml").write_text(
        'unit = "1m"\ncqels = "q.rq"\nperiod = 5\n[[traces]]\nname = "t"\nfiles = "t.nq"\n'
    )
    return pack(tmp_path / "experiment.toml", tmp_path / "packed")


def test_times_of_a_difference_are_dates_if_the_trace_has_dates(tmp_path):
    folder = dated(tmp_path)
    document = json.loads((folder / "expected.json").read_text())
    document["cells"][0]["intervals"][0]["push_only"] = 7
    (folder / "expected.json").write_text(json.dumps(document))
    period = "(2026-05-14T07:59:00Z, 2026-05-14T08:04:00Z]"
    assert f"U = 5, {period}: rows that only push has: 0; in the packed results: 7" in check(folder).out


WINDOW = {"phase": "stable", "from": 0, "to": 3000, "problem": None}
JUDGED = {"query": "q", "trace": "t", "name": "engine", "parameters": {}, "origin": None}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ([1, 2], [1, 2], []),
        ([1, 2], [3, 2], ["stable (0, 3000]: actual: 3; in the packed results: 1"]),
        ([1, 2], [1, 3], ["stable (0, 3000], number 2: actual: 3; in the packed results: 2"]),
        ([1, 2], [1], ["stable (0, 3000], number 2: the window is only in the packed results"]),
        ([], [1], ["stable (0, 3000]: the window is only in the new results"]),
    ],
)
def test_windows_with_the_same_ends_are_all_compared(old, new, said):
    cells = ([JUDGED | {"windows": [WINDOW | {"actual": n} for n in counts]}] for counts in (old, new))
    assert [str(one) for one in result_differences(*cells)] == [f"q on t, engine, {text}" for text in said]


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ({}, []),
        ({"compared": [["given", 3]]}, []),
        (
            {"compared": [["given", 4]]},
            ["q on t, engine: compared periods: given, U = 3; in the packed results: given, U = 4"],
        ),
    ],
)
def test_packed_results_without_the_compared_periods_are_not_different(old, said):
    new = JUDGED | {"compared": [["given", 3]]}
    assert [str(one) for one in result_differences([JUDGED | old], [new])] == said
