"""What each sample must give: derived by hand, checked here by the second implementation.

`EXPECTED[sample, variant][period]` lists every disagreeing interval (after, until] as (after,
until, push rows, pull rows), for the sample's own bounds and trigger. A row holds the values of the
variables in lexicographic order, IRIs by their last part. The variant is `given` where the sample
has a CQELS query, and otherwise names how each stream (by its last part) is read.
"""

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from rdflib import Dataset, Graph, Namespace

from tests.agreement.reference import Arrival, Scenario, Timeline, Window, compare, short
from tests.packs import DOWNLOADED, SAMPLES

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib.*")

PROV = Namespace("http://www.w3.org/ns/prov#")

Row = tuple[str, ...]
Interval = tuple[int, int, set[Row], set[Row]]

NOTHING: set[Row] = set()
B: set[Row] = {("25", "rayban", "b")}
M1: set[Row] = {("m1", "m1", "r1")}
M2: set[Row] = {("m2", "m2", "r2")}
M3: set[Row] = {("m3", "m3", "r1")}
M4: set[Row] = {("m4", "m4", "r2")}

SILENT = [(t, t + 5, NOTHING, B) for t in (20, 25, 30, 35, 40)]
CAUTIOUS_LOCATIONS: dict[int, list[Interval]] = {5: SILENT, 15: [(30, 45, NOTHING, B)]}
BRAVE_LOCATIONS: dict[int, list[Interval]] = {
    5: [(10, 15, NOTHING, B), *SILENT],
    15: [(0, 15, NOTHING, B), (30, 45, NOTHING, B)],
}
MERGED: dict[int, list[Interval]] = {5: [(0, 5, NOTHING, {("m", "a")})], 10: []}

EXPECTED: dict[tuple[str, str], dict[int, list[Interval]]] = {
    ("coupons", "given"): {
        1: [(t, t + 1, NOTHING, B) for t in range(18, 23)],
        2: [(18, 20, NOTHING, B), (20, 22, NOTHING, B)],
        3: [(18, 21, NOTHING, B)],
        4: [],
        5: [],
        8: [(16, 24, B, NOTHING)],
        10: [],
        12: [(12, 24, B, NOTHING)],
        23: [],
        24: [(0, 24, B, NOTHING)],
    },
    ("coupons-static", "brave coupons, brave locations"): BRAVE_LOCATIONS,
    ("coupons-static", "cautious coupons, brave locations"): BRAVE_LOCATIONS,
    ("coupons-static", "brave coupons, cautious locations"): CAUTIOUS_LOCATIONS,
    ("coupons-static", "cautious coupons, cautious locations"): CAUTIOUS_LOCATIONS,
    ("crowd", "given"): {
        2: [
            (2, 4, {("2", "wing"), ("2", "house"), ("3", "house")}, {("2", "wing"), ("3", "house")}),
            (4, 6, {("2", "hall"), ("2", "wing"), ("3", "house")}, {("2", "house")}),
            (6, 8, NOTHING, {("2", "house")}),
        ],
    },
    ("merged", "brave coupons"): MERGED,
    ("merged", "cautious coupons"): MERGED,
    ("minus", "given"): {1: [], 2: [(0, 2, {("order7",)}, NOTHING)], 5: [(0, 5, {("order7",)}, NOTHING)]},
    ("slide", "given"): {3: [(0, 3, NOTHING, {("ann",)})], 9: []},
    ("rooms", "given"): {
        10: [(0, 10, NOTHING, {("r1",)}), (10, 20, {("r1",)}, {("r2",)})],
        20: [(0, 20, {("r1",)}, {("r2",)})],
    },
    ("rooms-self", "given"): {
        3: [(0, 3, NOTHING, M1), (3, 6, M1, M2), (9, 12, NOTHING, M3), (15, 18, NOTHING, M4)],
    },
}
"""Sample and variant → period → disagreeing intervals. A period that agrees has an empty list."""

WITHOUT_SLIDE_IN_CQELS: dict[str, list[Interval]] = {
    "slide": [],
    "rooms": [],
    "rooms-self": [(0, 3, NOTHING, M1), (15, 18, NOTHING, M4)],
}
"""The READMEs' remark on `[RANGE n]` in the CQELS query, at the sample's own period."""

STREAM = re.compile(
    r"(?:FROM )?STREAM <([^>]*)> \[RANGE (\d+)[sm](?: STEP (\d+)[sm]| SLIDE (\d+)s| (TUMBLING))?\]"
)
PARTS = {
    "coupons-static": {
        "coupons": "?shop :offers ?coupon .\n  ?coupon :on ?product .\n  ?coupon :reduce ?percent .\n",
        "locations": "?user :isNear ?shop .\n",
    },
    "merged": {"coupons": "?shop :offers ?coupon .\n  ?coupon :on ?product .\n"},
}


def window(found: re.Match[str]) -> Window:
    stream, length, step, slide, tumbling = found.groups()
    return Window(stream, int(length), int(length) if tumbling else int(step or slide or 1))


def windows_of(text: str) -> dict[str, Window]:
    return {f"urn:window:{i}": window(found) for i, found in enumerate(STREAM.finditer(text))}


def merged_text(text: str) -> str:
    return STREAM.sub("", re.sub(r"REGISTER QUERY \w+ AS", "", text))


def named_text(text: str, windows: dict[str, Window]) -> str:
    for name in windows:
        text = STREAM.sub(f"GRAPH <{name}>", text, count=1)
    return text


def derived_text(sample: str, variant: str, text: str, windows: dict[str, Window]) -> str:
    text = merged_text(text)
    strategies = {stream: strategy for strategy, stream in map(str.split, variant.split(", "))}
    for name, shown in windows.items():
        stream = shown.stream.rsplit("/", 1)[-1]
        part = PARTS[sample][stream]
        assert part in text
        block = f"{{ GRAPH <{name}> {{ {part} }} }}"
        cautious = f"{{ {block} UNION {{ {part} }} }}"
        text = text.replace(part, f"\n{block if strategies[stream] == 'brave' else cautious}\n")
    return text


def arrivals_of(stream: str, file: Path) -> list[Arrival]:
    trace = Dataset()
    trace.parse(file, format="trig")
    times = {graph: int(t) for graph, _, t, _ in trace.quads((None, PROV.generatedAtTime, None, None))}
    found = [Arrival(times[g], stream, s, p, o) for s, p, o, g in trace.quads() if g in times]
    return sorted(found, key=lambda one: one.t)


def scenarios(sample: str, variant: str, *, slide: bool = True) -> tuple[Scenario, Scenario]:
    folder = SAMPLES / sample
    experiment = tomllib.loads((folder / "experiment.toml").read_text())
    static = Graph()
    listed = experiment.get("static", [])
    for name in [listed] if isinstance(listed, str) else listed:
        static.parse(folder / name)
    arrivals = [
        one for stream, name in experiment["streams"].items() for one in arrivals_of(stream, folder / name)
    ]
    timeline = Timeline(*experiment["timeline"])
    text = (folder / "query.csparql.rq").read_text()
    windows = windows_of(text)
    pulled = Scenario(merged_text(text), windows, arrivals, timeline, merged=True, static=static)
    if variant == "given":
        text = (folder / "query.cqels.rq").read_text()
        text = text if slide else re.sub(r" (SLIDE \d+s|TUMBLING)\]", "]", text)
        windows = windows_of(text)
        text = named_text(text, windows)
    else:
        text = derived_text(sample, variant, text, windows)
    return Scenario(text, windows, arrivals, timeline, merged=False, static=static), pulled


def disagreements(sample: str, variant: str, period: int, *, slide: bool = True) -> list[Interval]:
    pushed, pulled = scenarios(sample, variant, slide=slide)
    periods = compare(pushed, pulled, period)
    assert periods
    return [(one.after, one.until, short(one.push), short(one.pull)) for one in periods if not one.agree]


@pytest.mark.parametrize(
    ("sample", "variant", "period"),
    [(sample, variant, period) for (sample, variant), table in EXPECTED.items() for period in table],
)
def test_a_sample_gives_the_table_that_was_derived_by_hand(sample, variant, period):
    assert disagreements(sample, variant, period) == EXPECTED[sample, variant][period]


@pytest.mark.parametrize("sample", WITHOUT_SLIDE_IN_CQELS)
def test_without_a_slide_cqels_gives_what_the_readme_says(sample):
    period = tomllib.loads((SAMPLES / sample / "experiment.toml").read_text())["period"]
    assert disagreements(sample, "given", period, slide=False) == WITHOUT_SLIDE_IN_CQELS[sample]


def test_without_assign_the_merged_sample_agrees():
    pushed, pulled = scenarios("merged", "brave coupons")
    offers = "?shop :offers ?coupon"
    text = pulled.query.replace(offers, f"GRAPH <urn:window:0> {{ {offers} }}")
    assert all(one.agree for one in compare(replace(pushed, query=text), pulled, 5))


def test_every_sample_has_an_expected_table_at_its_own_period():
    folders = {file.parent.name for file in SAMPLES.glob("*/experiment.toml")} - DOWNLOADED
    assert folders == {sample for sample, _ in EXPECTED}
    for (sample, _), table in EXPECTED.items():
        assert tomllib.loads((SAMPLES / sample / "experiment.toml").read_text())["period"] in table
