"""The queries of `agree_speed`: in CQELS, in C-SPARQL, and as SPARQL over the graph of a window."""

import re
from dataclasses import dataclass

OBSERVATIONS, NEAR = "http://example.org/observations", "http://example.org/near"
PREFIXES = """PREFIX o: <http://knoesis.wright.edu/ssw/ont/sensor-observation.owl#>
PREFIX w: <http://knoesis.wright.edu/ssw/ont/weather.owl#>
PREFIX : <http://example.org/>
"""
WARM = (
    "?b o:observedProperty w:_AirTemperature ; o:procedure ?sensor ; o:result ?r . ?r o:floatValue ?value ."
)
OTHER = "?c o:procedure ?sensor ; o:result ?q . ?q o:floatValue ?other ."


@dataclass(frozen=True)
class Asked:
    """A query: windows in seconds, `slide` under push too; `%` stands for the streams' blocks and filters."""

    name: str
    select: str
    where: str
    size: int | None = 10
    step: int = 5
    slides: bool = False
    triples: int | None = None
    near: int | None = None
    static: bool = False
    tail: str = ""

    @property
    def pushed(self):
        """The query in CQELS."""
        where = re.sub(r"<<(\w+) (.*?)>>", self._block, self.where, flags=re.DOTALL)
        return f"{PREFIXES}SELECT {self.select} WHERE {{ {where} }} {self.tail}\n"

    def _block(self, found):
        stream = f"<{OBSERVATIONS if found[1] == 'seen' else NEAR}>"
        size = self.near if found[1] == "near" else self.size
        slide = f" SLIDE {self.step}s" if self.slides else ""
        window = (
            f"[TRIPLES {self.triples}]" if self.triples else f"[RANGE {size}s{slide}]" if size else "[ALL]"
        )
        return f"STREAM {stream} {window} {{ {found[2]} }}"

    @property
    def pulled(self):
        """The query in C-SPARQL; None where it has no such window, and derives the other's."""
        if self.size is None and not self.triples:
            return None
        window = (
            f"[RANGE TRIPLES {self.triples}]" if self.triples else f"[RANGE {self.size}s STEP {self.step}s]"
        )
        read = [f"FROM STREAM <{OBSERVATIONS}> {window}"] * ("<<seen" in self.where)
        read += [f"FROM STREAM <{NEAR}> [RANGE {self.near}s STEP {self.step}s]"] * ("<<near" in self.where)
        lines = "\n".join(read)
        where = f"WHERE {{ {self.plain} }} {self.tail}"
        return f"REGISTER QUERY q AS\n{PREFIXES}SELECT {self.select}\n{lines}\n{where}\n"

    @property
    def plain(self):
        """The pattern over one graph."""
        return re.sub(r"<<\w+ (.*?)>>", r"\1", self.where, flags=re.DOTALL)

    def shown(self, t, stream, *, push):
        """Return the first and last second that a time window shows."""
        size = self.near if stream == NEAR else self.size
        pivot = t - t % self.step if self.slides and push else t
        return (0 if size is None else max(0, pivot - size)), pivot


HOT = f"<<seen {WARM}>> FILTER(?value > 90)"
COLD = f"<<seen {OTHER}>> FILTER(?other < 40)"
VALUES, SOURCES = "?sensor ?value", "?sensor ?b"
CASES = (
    Asked("q1", VALUES, HOT),
    Asked(
        "coupon", "?user ?sensor ?value",
        f"<<seen {WARM}>> <<near ?user :isNear ?sensor .>> ?sensor :class ?k FILTER(?value >= 90 && ?k != 1)",
        size=30, near=5, static=True,
    ),
    Asked("CSRBench q1", SOURCES, HOT, step=10, slides=True),
    Asked("CSRBench q2", SOURCES, HOT, size=1, step=1),
    Asked("CSRBench q4", "(AVG(?value) AS ?mean)", HOT, size=4, step=4, slides=True),
    Asked("CSRBench q5", SOURCES, HOT, size=5, step=1),
    Asked(
        "self-join", "?sensor ?value ?other",
        f"<<seen {WARM} {OTHER}>> FILTER(?other > ?value && ?value > 95)",
    ),
    Asked(
        "OPTIONAL", "?sensor ?value ?other",
        f"<<seen {WARM}>> FILTER(?value > 95) OPTIONAL {{ {COLD} }}",
    ),
    Asked("MINUS", VALUES, f"{HOT} MINUS {{ {COLD} }}"),
    Asked("NOT EXISTS", VALUES, f"{HOT} FILTER NOT EXISTS {{ {COLD} }}"),
    Asked("GROUP BY", "?sensor (MAX(?value) AS ?most)", f"<<seen {WARM}>>", tail="GROUP BY ?sensor"),
    Asked("path p+", "?x ?y", "<<near ?x :next+ ?y .>>", near=10),
    Asked("TRIPLES 1000", VALUES, HOT, triples=1000),
    Asked("ALL", VALUES, f"<<seen {WARM}>> FILTER(?value > 97)", size=None),
    Asked("SLIDE", VALUES, HOT, slides=True),
)  # fmt: skip
