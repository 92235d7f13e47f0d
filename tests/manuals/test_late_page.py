"""The manual's tables about late data: kinds, causes, and the waits of CityBench's delayed sensors."""

import subprocess
import sys

from agreement import api
from agreement.comparing.agree.lateness import LATE_CAUSES, LATE_KINDS
from tests.manuals.pages import rows
from tests.packs import SAMPLES, SHARED, pack

DATA = SHARED / "citybench"
KINDS = rows("agreement/manual/late-data.md", "| kind | meaning |")
CAUSES = rows("agreement/manual/late-data.md", "| cause | meaning |")
WEB = "http://127.0.0.1:9000/WebGlCity/RDF/"
MISSED = (
    "rows missed without lateness | rows missed with lateness 9345ms | rows missed with lateness 18691ms |"
)
WAITS = rows("agreement/manual/late-data.md", "| wait of pull | " + MISSED)


def test_the_page_defines_each_kind_and_each_cause():
    assert [row[0] for row in KINDS] == [*LATE_KINDS]
    assert [row[0] for row in CAUSES] == [*LATE_CAUSES]


@pack("citybench")
def test_the_waits_of_the_page_are_those_of_delayed_sensors(tmp_path):
    path = tmp_path / "city.nq"
    sensors = ("--streams", "AarhusTrafficData182955", "AarhusTrafficData158505")
    script = SAMPLES / "citybench/convert.py"
    command = [sys.executable, script, DATA, path, "--rows", "400", "--delay", "30", *sensors]
    subprocess.run(command, check=True)
    static = DATA / "static/SensorRepository.n3.gz"
    found = api.agree_late(
        *(DATA / f"queries/{language}/Q1.rq" for language in ("csparql", "cqels")),
        path,
        arrival="order",
        unit="1ms",
        period="3s",
        trigger="query-streams",
        static=[f"{WEB}SensorRepository.rdf={static}", f"cqels:{static}"],
    )
    (waits,) = found.to_json()["waits"]
    lost = {(one["wait"], one["lateness"]): one["late"] + one["lost_for_good"] for one in waits["counts"]}
    assert waits["least_wait"] == 27222
    for wait, *counts in WAITS:
        points = int(wait.removesuffix("ms"))
        assert [lost[points, each] for each in (None, 9345, 18691)] == [*map(int, counts)]
