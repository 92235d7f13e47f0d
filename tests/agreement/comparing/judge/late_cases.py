"""Random queries, late streams and specifications: reports of `specified_answers`, against the replay."""

from random import Random

from agreement.documents.recordings import Push
from agreement.documents.requests import sources
from agreement.engines.specifications import EngineRun, OpenChoice, Specification, specified_answers
from lars.durations import SECOND
from solver.facts import Static
from tests.agreement.comparing.agree.late_cases import late_query, late_stream, short, text_of
from tests.agreement.comparing.judge.late_reports import reports
from translate.dialects import read_query

UNTIL = 30
BOUNDS = ("low-open", "high-open", "closed")


def late_case(seed):
    """Return the query, the stream, and how it is evaluated."""
    random = Random(seed)
    query = late_query(random)
    stream = late_stream(random, random.choice((0, 2, 5, 8, 30)))
    report = random.choice(("content-change", "periodic", "window-close"))
    length = random.randint(1, 5)
    slide = random.randint(1, length)

    def windowed(part):
        if part is None:
            return None
        if report == "window-close":
            return (*part[:3], ("slide", length, slide))
        kind, *sizes = part[3]
        return (*part[:3], ("range", sizes[0]) if kind == "slide" else part[3])

    for name in ("absent", "optional"):
        query[name] = windowed(query[name])
    query["patterns"] = tuple(map(windowed, query["patterns"]))
    # A specification closes high-open windows before the elements of [NOW].
    has_now = any(
        part and part[3] == ("now",) for part in (*query["patterns"], query["absent"], query["optional"])
    )
    bounds = BOUNDS[2:3] if report == "content-change" else BOUNDS[::2] if has_now else BOUNDS
    how = {
        "report": report,
        "bounds": random.choice(bounds),
        "stream": random.choice(("ISTREAM", "RSTREAM")),
        "t0": random.randint(0, slide - 1) if report == "window-close" else 0,
        "wait": 0 if report == "content-change" else random.choice((0, 0, random.randint(1, 9))),
        "lateness": random.choice((None, None, random.randint(0, 6))),
        "period": random.randint(1, 5),
    }
    return query, stream, how


def specification_of(how):
    return Specification.model_validate(
        {
            "name": "late",
            "report": [how["report"]],
            "bounds": how["bounds"],
            "tick": "triple",
            "slide": "query" if how["report"] == "window-close" else "ignored",
            "stream": how["stream"],
            "empty": "reported" if how["stream"] == "RSTREAM" else "silent",
            "rows": "set",
            "period": f"{how['period']}s",
        }
    )


def pushes_of(stream):
    """Return the elements as pushes, in the order of arrival."""
    return tuple(
        Push(1000.0 * t, "<http://e/s>", tuple(f"<http://e/{x}>" for x in triple), 0, (), 1000.0 * a)
        for t, a, *triple in sorted(stream, key=lambda each: each[1])
    )


def run_of(text, stream, how):
    nothing = Static(frozenset(), {})
    lengths = {"wait": how["wait"], "lateness": how["lateness"]}
    return EngineRun(read_query(text, "q"), nothing, pushes_of(stream), SECOND, **lengths)


def both(seed):
    """Return what the specification and the replay report up to a time, and the case."""
    query, stream, how = late_case(seed)
    text = text_of(query, 1)
    run = run_of(text, stream, how)
    choice = OpenChoice((how["t0"],) * len(sources(run.query)), how["bounds"])
    recording = specified_answers(run, specification_of(how), choice, UNTIL)
    names = [*query["names"], *(["n"] if query["counted"] else [])]
    places = [recording.variables.index(name) for name in names]
    mine = [
        (report.t / 1000, {tuple(short(row[place]) for place in places) for row in report.rows})
        for report in recording.reports
    ]
    return mine, reports(query, stream, how, UNTIL), (text, stream, how)
