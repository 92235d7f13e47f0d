"""`lars watch` with topics of a real broker of Kafka as source and sink: killed, continued, the same rows."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from base64 import urlsafe_b64encode
from contextlib import contextmanager, suppress
from uuid import uuid4

from tests.agreement.comparing.watch.batches import HEADER, rows_of, written
from tests.agreement.comparing.watch.test_watch import PULL, PUSH, P, Q
from tests.agreement.results.test_watched import LARS, states, without
from tests.packs import PACKS, ROOT, pack
from tests.solver.spark.processes import waited

BROKER, SPARK = (PACKS["kafka"].folder / name for name in ("broker", "spark"))
SETTINGS = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{other}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{other}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={logs}
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""
SEND = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
address, jars, text = sys.argv[1:]
session = SparkSession.builder.master("local[1]").config("spark.jars", jars).getOrCreate()
rows = [(n, line) for n, line in enumerate(Path(text).read_text().splitlines())]
made = session.createDataFrame(rows, "n int, value string").coalesce(1)
lines = made.sortWithinPartitions("n").select("value")
lines.write.format("kafka").option("kafka.bootstrap.servers", address).option("topic", "door").save()
"""
CREATE = """
import sys
from pyspark.sql import SparkSession
address, jars, name, partitions = sys.argv[1:]
java = SparkSession.builder.master("local[1]").config("spark.jars", jars).getOrCreate()._jvm
settings = java.java.util.Properties()
settings.setProperty("bootstrap.servers", address)
admin = java.org.apache.kafka.clients.admin.Admin.create(settings)
topics = java.java.util.ArrayList()
none = java.java.util.Optional.empty()
count = java.java.util.Optional.of(java.java.lang.Integer.valueOf(partitions))
topics.add(java.org.apache.kafka.clients.admin.NewTopic(name, count, none))
admin.createTopics(topics).all().get()
"""
READ = """
import json, sys
from pyspark.sql import SparkSession
address, jars, name = sys.argv[1:]
session = SparkSession.builder.master("local[1]").config("spark.jars", jars).getOrCreate()
read = session.read.format("kafka").option("kafka.bootstrap.servers", address).option("subscribe", name)
for row in read.load().selectExpr("cast(key as string)", "cast(value as string)").collect():
    print(json.dumps([row[0], json.loads(row[1])]))
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def free_ports():
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]


@contextmanager
def broker(folder):
    """Start a broker of one node; yield its address."""
    port, other = free_ports()
    settings = folder / "server.properties"
    settings.write_text(SETTINGS.format(port=port, other=other, logs=folder / "logs"))
    java = ["java", "-Xmx256m", "-cp", f"{BROKER}/*"]
    name = urlsafe_b64encode(uuid4().bytes).decode().rstrip("=")
    made = [*java, "kafka.tools.StorageTool", "format", "-t", name, "-c", str(settings)]
    subprocess.run(made, check=True, capture_output=True)
    with (folder / "broker.txt").open("w") as log:
        running = subprocess.Popen([*java, "kafka.Kafka", str(settings)], stdout=log, stderr=log)

    def answers():
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True

    try:
        waited(answers, pause=0.2)
        yield f"127.0.0.1:{port}"
    finally:
        running.kill()
        running.wait()


def on_spark(script, address, *words):
    """Return what a script prints that uses the broker at this address."""
    jars = ",".join(map(str, sorted(SPARK.glob("*.jar"))))
    called = [sys.executable, "-c", script, address, jars, *map(str, words)]
    ran = subprocess.run(called, check=False, capture_output=True, env=ENVIRONMENT, text=True)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stdout


def send(folder, address, lines):
    text = folder / "sent.txt"
    text.write_text("".join(f"{line}\n" for line in lines))
    on_spark(SEND, address, text)


def elements():
    """Return elements in the order of arrival, some of them one time point late."""
    times = [t for n in range(1, 60) for t in ((n, n) if n % 5 else (n + 1, n))]
    parts = ((t, "http://e/s", f"http://e/{n % 3}", (P, Q)[n % 4 == 0], "1") for n, t in enumerate(times))
    return [row for n, row in enumerate(parts) if n % 7 < 3]


@pack("kafka")
def test_a_watched_topic_is_read_once_and_its_tables_are_those_of_a_comparison_of_the_whole(tmp_path):
    (tmp_path / "pull.rq").write_text(PULL)
    (tmp_path / "push.rq").write_text(PUSH)
    rows = elements()
    lines = [",".join(map(str, row)) for row in (HEADER, *rows)]
    half = len(lines) // 2
    with broker(tmp_path) as address:
        send(tmp_path, address, lines[:half])
        queries = [*LARS, "watch", "pull.rq", "push.rq", "--period", "2", "--delay", "1"]
        source = ["--source", f"kafka://{address}/door", "--jars", str(SPARK), "--master", "local[1]"]
        watch = [*queries, *source, "--checkpoint", "kept", "--out", "out"]
        how = {"cwd": tmp_path, "env": ENVIRONMENT, "text": True}
        with (tmp_path / "first.txt").open("w") as log:
            begun = [*watch, "--pause", "0.1"]
            first = subprocess.Popen(begun, stdout=log, stderr=log, start_new_session=True, **how)
            waited(lambda: "batch-0" in states(tmp_path), pause=0.05)
            os.killpg(first.pid, signal.SIGKILL)
            first.wait()
        send(tmp_path, address, lines[half:])
        second = subprocess.run([*watch, "--once"], check=False, capture_output=True, **how)
    assert second.returncode == 1, second.stderr
    assert f"{len(rows)} elements read, 0 too late" in second.stdout
    end = (max(t for t, *_ in rows) - 2) // 2 * 2
    written(tmp_path / "whole.csv", sorted(rows))
    whole = [*LARS, "agree", "pull.rq", "push.rq", "whole.csv", "--in-process", "--to", str(end)]
    options = ["--period", "2", "--out", "agree", "--out-format", "csv", "--quiet"]
    subprocess.run([*whole, *options], check=False, capture_output=True, **how)
    for name, left_out in (("periods", "empty"), ("differences", "pushed")):
        expected, found = rows_of(tmp_path / "agree", name), rows_of(tmp_path / "out", name)
        assert without(found, left_out) == without(expected, left_out)
        assert len(found) > 1


def killed_at(folder, words, batch):
    """Start a watch; kill it once a batch is stored and its records are sent; return the newest batch.

    The watch is stopped meanwhile: else the next batch could begin, and its records would be sent once only.
    """
    how = {"cwd": folder, "env": ENVIRONMENT, "start_new_session": True}
    with (folder / "log.txt").open("a") as log:
        run = subprocess.Popen([*words, "--pause", "0.05"], stdout=log, stderr=log, **how)
    while run.poll() is None:
        os.killpg(run.pid, signal.SIGSTOP)
        newest = max((int(name[6:]) for name in states(folder)), default=-1)
        if newest >= batch and not (folder / "kept" / f"batch-{newest}" / "unsent.json").exists():
            break
        os.killpg(run.pid, signal.SIGCONT)
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    return newest


def forgotten(folder, batch):
    """Leave a checkpoint as a crash leaves it after the records of a batch, and before its state."""
    shutil.rmtree(folder / "kept" / f"batch-{batch}")
    for name in (f"{batch}", f".{batch}.crc"):
        (folder / "kept" / "spark" / "commits" / name).unlink(missing_ok=True)


@pack("kafka")
def test_a_topic_has_the_rows_of_the_tables_under_their_keys_though_a_crash_repeats_them(tmp_path):
    (tmp_path / "pull.rq").write_text(PULL)
    (tmp_path / "push.rq").write_text(PUSH)
    (tmp_path / "in").mkdir()
    for number, some in enumerate(rows[n : n + 8] for rows in [elements()] for n in range(0, len(rows), 8)):
        os.utime(written(tmp_path / "in" / f"{number}.csv", some), (1_700_000_000 + number,) * 2)
    watch = [*LARS, "watch", "pull.rq", "push.rq", "--source", "in", "--period", "2", "--files", "1"]
    how = {"cwd": tmp_path, "env": ENVIRONMENT, "text": True, "capture_output": True}
    whole = ["--checkpoint", "whole", "--out", "out", "--out-format", "jsonl", "--master", "local[1]"]
    assert subprocess.run([*watch, *whole, "--once"], check=False, **how).returncode == 1
    with broker(tmp_path) as address:
        sink = f"kafka://{address}/verdicts"
        plain = [*watch, "--checkpoint", "kept", "--out", sink, "--master", "local[1]"]
        words = [*plain, "--jars", str(SPARK)]
        for wrong, said in (
            (plain, "Spark has no connector for Kafka; use --jars"),
            (words, "the broker has no topic verdicts; create the topic"),
        ):
            refused = subprocess.run([*wrong, "--once"], check=False, **how)
            assert (refused.returncode, f"--out {sink}: cannot be used: {said}" in refused.stderr) == (
                2,
                True,
            )
        on_spark(CREATE, address, "verdicts", 3)
        last = killed_at(tmp_path, words, 1)
        forgotten(tmp_path, last)
        killed_at(tmp_path, words, last + 2)
        ended = subprocess.run([*words, "--once"], check=False, **how)
        assert ended.returncode == 1, ended.stderr
        fresh = ["new" if word == "kept" else word for word in words]
        new = subprocess.run([*fresh, "--once"], check=False, **how)
        assert "the topic is not empty, but the folder of --checkpoint is new; use a new topic" in new.stderr
        records = [json.loads(line) for line in on_spark(READ, address, "verdicts").splitlines()]
    gone = subprocess.run([*words, "--once"], check=False, **how)
    assert (gone.returncode, f"--out {sink}: cannot be reached" in gone.stderr) == (2, True), gone.stderr
    expected = {
        f"{path.stem}/{number}": {"table": path.stem, **json.loads(line)}
        for path in (tmp_path / "out").iterdir()
        for number, line in enumerate(path.read_text().splitlines())
    }
    distinct = dict(records)
    assert (distinct, len(distinct) < len(records)) == (expected, True)
    assert all(distinct[key] == row for key, row in records)
