"""Trace files drawn at random, with every kind of fault."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

from lars.durations import Duration
from solver.settings import TraceOptions
from tests.solver.traces.writing import PROV

XSD = "http://www.w3.org/2001/XMLSchema#"
GOOD_IRIS = ["<urn:s>", "<urn:p>", "<http://e/o#1>", "<urn:q>", "<x:>"]
IRIS = [
    *(
        "<urn:a\\u0041>",
        "<urn:caf\u00e9>",
        "<urn:\u00a0>",
        "<no scheme>",
        "<noscheme>",
        "<urn:{>",
        "<urn:a|b>",
    ),
    *("<U+x.-1:a>", "<urn:\x7f>", "<urn:\\>", "<urn:\\x>", "<>", "<urn:a", "urn:b>", "<urn:\u2028>"),
]
GOOD_LITERALS = ['"a"', '"a b . <c> "', f'"5"^^<{XSD}integer>', '"hot"@en', '"5.0"^^<urn:d>', '""', '"5"']
LITERALS = [
    *(
        f'"a"^^<{XSD}string>',
        '"x"@EN-us',
        '"caf\u00e9"',
        '"\U0001f600"',
        '"\ttab"',
        '"a\\"b"',
        '"\\u0041"',
        '"\\q"',
    ),
    *(
        '"a"^^<x y>',
        '"a"@toolonglanguage',
        '"open',
        'close"',
        '"a""b"',
        '"a,b"',
        '"a"^^<d>',
        '"a"@',
        '"\\uD800"',
    ),
    *('"\x0b"', '"\x1c"', '"\u00a0"', '"\u0085"', '"a"^^urn:d', '"a"^^<http://x#string>', "'a'"),
    '"a"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>',
]
BARE = [
    "54",
    "-5.0",
    "5e1",
    "true",
    "hot",
    f"54^^<{XSD}double>",
    f"54^^{XSD}double",
    "54^^",
    "a@en",
    "#c",
    ".",
    "",
]
BLANKS = ["_:b", "_:b.", "_:", "_:c-1", "_:0_a", "_:_a", "_:\u00e9", "_:lars-value.b"]
TIMES = ["1", "2", "4", "4", "6", "6", "8", "10", "100"]
ODD_TIMES = [
    *(
        "05",
        "+5",
        "-1",
        "5.0",
        "999999999999999999",
        "1000000000000000000",
        "10000000000000000000",
        "0",
        "now",
        "",
    ),
    *("\u0665", " 5", "1700000000000", "1700000000", "9223372036854775807"),
]
DATES = ["2024-05-01T12:00:00", "2024-05-01T12:00:02", "2024-05-01T12:00:04.0", "2024-05-01T14:00:06"]
ODD_DATES = [
    "1677-01-01T00:00:00",
    "1700-01-01T00:00:00",
    "2261-01-01T00:00:00",
    "2024-05-01T12:00:00.0000000001",
]
NOISE = [
    b"\xff",
    b"\xc2\xa0",
    b"\x0b",
    b"\r",
    b"\t",
    b" ",
    b'"',
    b",",
    b"<",
    b">",
    b".",
    b"\\",
    b"\x00",
    b"\xef\xbb\xbf",
]


@dataclass
class Drawing:
    """Draws parts of traces; `fault` is the share of what is unusual."""

    random: Random
    fault: float
    dated: bool
    zone: str
    delimiter: str = ","

    def odd(self):
        return self.random.random() < self.fault

    def one(self, usual, unusual):
        return self.random.choice(unusual if self.odd() else usual)

    def iri(self):
        return self.one(GOOD_IRIS, IRIS + BARE + BLANKS + GOOD_LITERALS)

    def subject(self):
        return self.one(GOOD_IRIS, BLANKS)

    def value(self):
        return self.one(GOOD_IRIS + GOOD_LITERALS, IRIS + LITERALS + BARE + BLANKS)

    def stream(self):
        return self.one(["<urn:st>", "<urn:st>", "<urn:tt>"], IRIS + GOOD_LITERALS + BLANKS)

    def time(self):
        if self.odd() and self.odd():
            return self.random.choice(TIMES + DATES + ODD_TIMES)
        if self.dated:
            return self.one(DATES, ODD_DATES) + (self.one([self.zone], ["", "Z", "+01:00"]))
        return self.one(TIMES, ODD_TIMES)

    def noisy(self, data):
        """Return a line with a few bytes put in, taken out or doubled."""
        while self.odd():
            at = self.random.randrange(len(data) + 1)
            data = data[:at] + self.random.choice([b"", *NOISE]) + data[at + self.random.randrange(2) :]
        return data


def quad_line(draw, *, streamed, loose):
    time = draw.time()
    quoted = draw.one(
        [f'"{time}"'], [f'"{time}"^^<{XSD}integer>', f'"{time}"^^<{XSD}dateTime>', time, f"<{time}>"]
    )
    if loose and draw.random.random() < 0.7:
        quoted = draw.random.choice([time, f"<{time}>", quoted])
    value = draw.random.choice(BARE) if loose and draw.random.random() < 0.5 else draw.value()
    terms = [draw.subject(), draw.iri(), value]
    if streamed is not None and (streamed or draw.odd()):
        terms.append(draw.stream())
    gap = draw.one([" "], ["", "  ", "\t", " \t "])
    end = draw.one([" ."], ["", ".", " . # c", " .x", " . ", "  .", "\t."])
    return gap.join([*terms, quoted]) + end


def csv_cell(draw, text):
    if '"' in text or draw.delimiter in text or draw.odd():
        return draw.one(['"' + text.replace('"', '""') + '"'], [text, f'"{text}"', f"'{text}'"])
    return text


def spelled(draw, time):
    """Return a time, dateTimes at times as tools for tables write them."""
    if "T" not in time or draw.random.random() < 0.6:
        return time
    plain = time.replace("T", draw.random.choice("T "))
    zone = draw.random.choice(["+0000", "+00:00", " UTC", "+00"])
    return plain[:-1] + zone if plain.endswith("Z") else plain


def csv_line(draw, header):
    cells = {
        "": "7",
        "t": spelled(draw, draw.time()),
        "s": draw.subject(),
        "p": draw.iri(),
        "o": draw.value(),
    }
    cells["stream"] = draw.stream() if draw.random.random() < 0.8 else ""
    for name in ("s", "p", "o", "stream"):
        if cells[name].startswith("<") and draw.random.random() < 0.5:
            cells[name] = cells[name][1:-1]
    fields = [csv_cell(draw, cells[name]) for name in header]
    if draw.odd() and draw.odd():
        fields += ["x"]
    return draw.delimiter.join(fields)


def lines_file(draw, lines):
    some = draw.one(["\n"], ["\r\n", "\r\r\n"])
    found = b""
    for line in lines:
        end = draw.one([some], ["\n", "\r\n", "\n\n", "\n# c\n"])
        found += draw.noisy(line.encode()) + end.encode()
    return found.removesuffix(b"\n") if draw.odd() else found


def in_order(draw, lines):
    return lines if draw.odd() else sorted(lines, key=len)


def file_of(draw, folder, number):
    """Write a file and return its path."""
    random, rows = draw.random, range(draw.random.choice([1, 3, 12, 40]))
    kind = random.choice(["nq", "nq", "nt", "csv", "csv", "parquet", "parquet", "trig", "atoms"])
    path = folder / f"{number}.{kind}"
    match kind:
        case "nq" | "nt":
            streamed, loose = {"nq": True, "nt": False}[kind], random.random() < 0.2
            data = lines_file(draw, [quad_line(draw, streamed=streamed, loose=loose) for _ in rows])
        case "csv":
            header = random.sample(["t", "s", "p", "o", "stream"], 5)
            header = [name for name in header if name != "stream" or random.random() < 0.8]
            header = [*([""] if random.random() < 0.1 else []), *header]
            mark = draw.one([b""], [b"\xef\xbb\xbf"])
            draw.delimiter = random.choice([",", ",", ";", "\t"])
            quote = random.choice(["", '"'])
            data = (
                mark
                + draw.delimiter.join(f"{quote}{name}{quote}" for name in header).encode()
                + b"\n"
                + lines_file(draw, [csv_line(draw, header) for _ in rows])
            )
            if draw.odd() and draw.odd():
                data = b"t,atom\n" + lines_file(draw, [f'{draw.time()},"p(a, {i})"' for i in rows])
            elif draw.odd() and draw.odd():
                lines = [f"{draw.time()},p,a,{draw.one(['', str(i)], ['X'])}" for i in rows]
                data = b"t,predicate,arg1,arg2\n" + lines_file(draw, lines)
        case "parquet":
            pq.write_table(
                table(draw, rows), path, row_group_size=random.choice([1, 5, 100]), use_dictionary=draw.odd()
            )
            return path
        case "trig":
            data = (PROV + f":g {{ :s :p 01, _:b }} :g prov:generatedAtTime '{draw.time()}' .").encode()
        case _:
            data = lines_file(draw, [f"{draw.time()}: p(a, {i}) q." for i in rows])
    path.write_bytes(data)
    return path


def table(draw, rows):
    random = draw.random

    def cell(text):
        if draw.odd() and draw.odd():
            return draw.random.choice([None, b"\xff", b""])
        bare = text.startswith("<") and random.random() < 0.5
        return (text[1:-1] if bare else text).encode()

    columns = {
        "s": [cell(draw.subject()) for _ in rows],
        "p": [cell(draw.iri()) for _ in rows],
        "o": [cell(draw.value()) for _ in rows],
    }
    if random.random() < 0.8:
        columns["stream"] = [cell(draw.stream()) for _ in rows]
    arrays = {name: text_array(draw, cells) for name, cells in columns.items()}
    arrays["t"] = time_array(draw, rows)
    if random.random() < 0.2:
        arrays["o"] = typed_array(draw, rows)
    return pa.table({name: arrays[name] for name in random.sample([*arrays], len(arrays))})


def text_array(draw, cells):
    wide = draw.random.random() < 0.2
    found = pa.array(cells, pa.large_binary() if wide else pa.binary())
    if draw.random.random() < 0.8:
        found = found.view(pa.large_string() if wide else pa.string())
        if draw.random.random() < 0.2 and b"\xff" not in cells:
            return found.cast(pa.string_view())
    return found.dictionary_encode() if draw.random.random() < 0.3 else found


def typed_array(draw, rows):
    """Return a column of typed literals, some null."""
    values, kind = draw.random.choice(
        [
            ([5, 30], pa.int32()),
            ([5, 2**63], pa.uint64()),
            ([20.5, float("inf"), 1e16], pa.float64()),
            ([0.5], pa.float32()),
            ([True, False], pa.bool_()),
            ([Decimal("20.50"), Decimal("0.01")], pa.decimal128(9, 2)),
            ([date(2024, 5, 1)], pa.date32()),
            ([datetime(2024, 5, 1, 12, tzinfo=UTC)], pa.timestamp("us", "Europe/Vienna")),
        ]
    )
    return pa.array([None if draw.odd() else draw.random.choice(values) for _ in rows], kind)


def time_array(draw, rows):
    whole = sorted(draw.random.choice([1, 2, 4, 6, 8, 10]) for _ in rows)
    if draw.fault and draw.random.random() < 0.3:
        whole[-1] = draw.random.choice([-1, 0, 2**62, 3])
    if draw.odd() and draw.odd():
        whole[-1] = None
    kind = draw.random.choice(["int", "text", "date"])
    if kind == "text":
        return text_array(draw, [None if draw.odd() and draw.odd() else draw.time().encode() for _ in rows])
    if kind == "int":
        small = all(value is not None and 0 <= value < 99 for value in whole)
        signed = [pa.int64(), *([pa.int8(), pa.int16(), pa.uint8(), pa.uint64()] if small else [])]
        return pa.array(whole, draw.random.choice(signed))
    if draw.random.random() < 0.1:
        return pa.array([None if value is None else value % 10**4 for value in whole], pa.date32())
    unit, size = draw.random.choice([("s", 1), ("ms", 1000), ("us", 10**6), ("ns", 10**9)])
    # The year 2286 is one that nanoseconds do not reach.
    if unit == "ns":
        whole = [None if value is None else min(value, 9 * 10**9) for value in whole]
    moments = [None if value is None else min(value, 10**10) * size + draw.one([0], [1]) for value in whole]
    return pa.array(moments, pa.timestamp(unit, draw.random.choice([None, "UTC", "Europe/Vienna"])))


def options_of(random, paths, side):
    origins = [None, None, None, datetime(1970, 1, 1, tzinfo=UTC), datetime(1970, 1, 1)]  # noqa: DTZ001
    skip = random.random() < 0.6
    return TraceOptions(
        unit=Duration(random.choice([10**9, 10**9, 2 * 10**9, 10**6])),
        trace_unit=random.choice([None, None, Duration(10**9), Duration(10**6), Duration(3 * 10**9)]),
        origin=random.choice(origins),
        sort=random.random() < 0.7,
        on_error="skip" if skip else "stop",
        rejected=side if skip else None,
        stream={path: "urn:st" for path in paths if random.random() < 0.2},
        query_streams=random.choice([(), (), ("urn:st",), ("urn:st", "urn:tt")]),
        windows=random.choice([(), (("urn:st", 3),)]),
        absolute=random.random() < 0.2,
        blank_nodes=random.choice([None, "element"]),
    )


def drawn_trace(seed, folder):
    """Write the files of a trace to an empty folder; return their paths and how they are read."""
    random = Random(seed)
    fault = random.choice([0, 0.01, 0.03, 0.1, 0.3])
    dated = random.random() < 0.25
    draw = Drawing(random, fault, dated, random.choice(["", "Z", "+02:00"]))
    paths = [file_of(draw, folder, number) for number in range(random.choice([1, 1, 2, 3]))]
    return paths, options_of(random, paths, folder / "side.txt")
