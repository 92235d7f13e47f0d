"""Queries of 22 kinds whose answers are few, so that time and memory should grow like the input.

`python -m tests.benchmarks.commands growth` measures each of them at three rates of arrivals.
"""

SEEN, SHORTER, SHORTEST = (f"STREAM <e:s> [RANGE {seconds}s]" for seconds in (10, 3, 1))
BY_KIND = "{ ?x <e:k> ?k . ?x <e:v> ?v }"
GROWING = {
    "the greatest value: NOT EXISTS": f"""SELECT ?x ?v WHERE {{ {SEEN} {{ ?x <e:v> ?v
        FILTER NOT EXISTS {{ ?o <e:v> ?w FILTER(?w > ?v) }} }} }}""",
    "less than another, two windows": f"""SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE {{ {SEEN} {{ ?x <e:v> ?v }}
        {SHORTER} {{ ?o <e:v> ?w }} FILTER(?v < ?w) }}""",
    "three of one kind: self-join, DISTINCT": f"""SELECT DISTINCT ?k WHERE {{
        {SEEN} {{ ?x <e:k> ?k . ?y <e:k> ?k . ?z <e:k> ?k
        FILTER(?x != ?y && ?y != ?z && ?x != ?z) }} }}""",
    "COUNT, HAVING": f"""SELECT ?k (COUNT(?x) AS ?n) WHERE {{ {SEEN} {{ ?x <e:k> ?k }} }} GROUP BY ?k
        HAVING (COUNT(?x) > 3)""",
    "COUNT, HAVING over two windows": f"""SELECT ?k (COUNT(?x) AS ?n) WHERE {{ {SEEN} {{ ?x <e:k> ?k }}
        {SHORTER} {{ ?y <e:k> ?k }} }} GROUP BY ?k HAVING (COUNT(?x) > 3)""",
    "AVG, MAX": f"""SELECT ?k (AVG(?v) AS ?a) (MAX(?v) AS ?m) WHERE {{ {SEEN} {BY_KIND} }}
        GROUP BY ?k""",
    "COUNT(DISTINCT)": f"SELECT (COUNT(DISTINCT ?k) AS ?n) WHERE {{ {SEEN} {{ ?x <e:k> ?k }} }}",
    "MINUS": f"SELECT ?x WHERE {{ {SEEN} {{ ?x <e:k> <e:k1> }} MINUS {{ {SHORTER} {{ ?x <e:v> ?v }} }} }}",
    "OPTIONAL, FILTER": f"""SELECT ?x ?v WHERE {{ {SEEN} {{ ?x <e:v> ?v
        OPTIONAL {{ ?o <e:v> ?w FILTER(?w > ?v) }} FILTER(!BOUND(?w)) }} }}""",
    "UNION": f"""SELECT DISTINCT ?k WHERE {{ {{ {SEEN} {{ ?x <e:k> ?k }} }}
        UNION {{ {SHORTER} {{ ?k <e:v> ?v FILTER(?v > 999000) }} }} }}""",
    "EXISTS": f"""SELECT DISTINCT ?k WHERE {{ {SEEN} {{ ?x <e:k> ?k }}
        FILTER EXISTS {{ {SHORTER} {{ ?x <e:v> ?v FILTER(?v > 999000) }} }} }}""",
    "ORDER BY, LIMIT": f"SELECT ?x ?v WHERE {{ {SEEN} {{ ?x <e:v> ?v }} }} ORDER BY DESC(?v) LIMIT 3",
    "sub-SELECT": f"""SELECT ?x ?m WHERE {{ {SEEN} {{ ?x <e:v> ?m }}
        {{ SELECT (MAX(?w) AS ?m) WHERE {{ {SEEN} {{ ?o <e:v> ?w }} }} }} }}""",
    "three windows of one stream": f"""SELECT DISTINCT ?k WHERE {{ {SEEN} {{ ?x <e:k> ?k }}
        {SHORTER} {{ ?y <e:k> ?k }} {SHORTEST} {{ ?z <e:k> ?k }} }}""",
    "TRIPLES 100": "SELECT DISTINCT ?k WHERE { STREAM <e:s> [TRIPLES 100] { ?x <e:k> ?k } }",
    "a path :next+ from a node": f"SELECT ?n WHERE {{ {SEEN} {{ <e:x0> <e:next>+ ?n }} }}",
    "a path :next/:next/:k": f"SELECT DISTINCT ?k WHERE {{ {SEEN} {{ ?x <e:next>/<e:next>/<e:k> ?k }} }}",
    "triangles at a hub": f"""SELECT ?x ?y ?z WHERE {{
        {SEEN} {{ ?x <e:e> ?y . ?y <e:e> ?z . ?z <e:e> ?x }} }}""",
    "ABS(?v - ?w) < 5, two windows": f"""SELECT DISTINCT ?k WHERE {{
        {SEEN} {BY_KIND} {SHORTER} {{ ?o <e:v> ?w }}
        FILTER(ABS(?v - ?w) < 5) }}""",
    "?v = ?w, two windows": f"""SELECT DISTINCT ?x ?o WHERE {{
        {SEEN} {{ ?x <e:v> ?v }} {SHORTER} {{ ?o <e:v> ?w }}
        FILTER(?v = ?w && ?x != ?o) }}""",
    "BIND and REGEX": f"""SELECT ?b WHERE {{ {SEEN} {{ ?x <e:v> ?v }} BIND(?v * 2 + 1 AS ?b)
        FILTER(?b > 1999000 && REGEX(STR(?x), "7$")) }}""",
    "ISTREAM": """REGISTER ISTREAM <e:out> AS SELECT ?x ?v FROM NAMED WINDOW <e:w> ON <e:s>
        [RANGE PT10S STEP PT1S] WHERE { WINDOW <e:w> { ?x <e:v> ?v FILTER(?v > 999000) } }""",
}
