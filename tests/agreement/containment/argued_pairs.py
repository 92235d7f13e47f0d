"""Pairs of queries with answers known by an argument, kind by kind: the words before each block are it.

`sN {` is STREAM :s [RANGE Ns], `nN` the same with SLIDE 2s, `s0` NOW; other streams are t. Signs: `<` contained,
`=` equivalent, `|` neither. None may be wrong; those that are open are counted.
"""

import re

TABLE = """
# OPTIONAL with windows: a longer window in the optional part extends other rows; nothing is projected away
SELECT * {s2 {?x :p ?y} OPTIONAL {s2 {?y :q ?z}}} | SELECT * {s2 {?x :p ?y} OPTIONAL {s4 {?y :q ?z}}}
SELECT * {s2 {?x :p ?y} OPTIONAL {s2 {?y :q ?z}}} < SELECT * {s4 {?x :p ?y} OPTIONAL {s2 {?y :q ?z}}}
SELECT * {s2 {?x :p ?y . ?y :q ?z}} < SELECT * {s2 {?x :p ?y} OPTIONAL {s4 {?y :q ?z}}}
SELECT * {s2 {?x :p ?y} s4 {?y :q ?z}} < SELECT * {s2 {?x :p ?y} OPTIONAL {s4 {?y :q ?z}}}
SELECT * {s2 {?x :p ?y} s4 {?y :q ?z}} | SELECT * {s2 {?x :p ?y} OPTIONAL {s2 {?y :q ?z}}}
SELECT ?x ?y {s2 {?x :p ?y} OPTIONAL {s2 {?y :q ?z}}} = SELECT ?x ?y {s2 {?x :p ?y} OPTIONAL {s4 {?y :q ?z}}}
SELECT ?x {s2 {?x :p ?y} OPTIONAL {s2 {?y :q ?z} FILTER(?z > 3)}} = SELECT ?x {s2 {?x :p ?y}}
SELECT ?x ?z {s2 {?x :p ?y} OPTIONAL {s2 {?x :q ?z}}} < SELECT ?x ?z {s4 {?x :p ?y} OPTIONAL {s2 {?x :q ?z}}}
SELECT ?x ?z {s2 {?x :p ?y . ?x :r ?w} OPTIONAL {s2 {?x :q ?z}}} < SELECT ?x ?z {s2 {?x :p ?y} OPTIONAL {s2 {?x :q ?z}}}
SELECT * {s2 {?x :p ?y} OPTIONAL {s2 {?y :q ?z}} OPTIONAL {s3 {?y :r ?w}}} = SELECT * {s2 {?x :p ?y} OPTIONAL {s3 {?y :r ?w}} OPTIONAL {s2 {?y :q ?z}}}
SELECT * {s2 {?x :p ?y} OPTIONAL {s2 {?x :p ?y}}} = SELECT * {s2 {?x :p ?y}}
SELECT * {s2 {?x :p ?y} OPTIONAL {s4 {?x :p ?y}}} = SELECT * {s2 {?x :p ?y}}
# OPTIONAL: conditions inside, order, equal branches, nested parts
SELECT * {?x :p ?y OPTIONAL {?y :q ?z FILTER(?z > 5)}} | SELECT * {?x :p ?y OPTIONAL {?y :q ?z FILTER(?z > 3)}}
SELECT * {?x :p ?y OPTIONAL {?y :q ?z FILTER(?z > 3)}} = SELECT * {?x :p ?y OPTIONAL {?y :q ?z FILTER(3 < ?z)}}
SELECT * {?x :p ?y OPTIONAL {?y :q ?z FILTER(?z = ?x)}} = SELECT * {?x :p ?y OPTIONAL {?y :q ?z FILTER(?x = ?z)}}
SELECT * {?x :p ?y . ?y :q ?z FILTER(?z > 3)} < SELECT * {?x :p ?y OPTIONAL {?y :q ?z FILTER(?z > 3)}}
SELECT * {?x :p ?y OPTIONAL {?y :q ?z} FILTER(bound(?z))} = SELECT * {?x :p ?y . ?y :q ?z}
SELECT ?x ?y {?x :p ?y OPTIONAL {?y :q ?z} FILTER(!bound(?z))} = SELECT ?x ?y {?x :p ?y MINUS {?y :q ?w}}
SELECT ?x ?y {?x :p ?y OPTIONAL {?y :q ?z} FILTER(!bound(?z))} = SELECT ?x ?y {?x :p ?y FILTER NOT EXISTS {?y :q ?w}}
SELECT ?x ?y {?x :p ?y OPTIONAL {?y :q ?z} FILTER(!bound(?z))} < SELECT ?x ?y {?x :p ?y}
SELECT * {?x :p ?y OPTIONAL {{?y :q ?z} UNION {?y :r ?z}}} = SELECT * {?x :p ?y OPTIONAL {{?y :r ?z} UNION {?y :q ?z}}}
SELECT * {?x :p ?y OPTIONAL {?y :q ?z OPTIONAL {?z :r ?w}}} | SELECT * {?x :p ?y OPTIONAL {?y :q ?z} OPTIONAL {?y :r ?w}}
SELECT ?x ?z {?x :p ?y OPTIONAL {?y :q ?z}} < SELECT ?x ?z {{?x :p ?y . ?y :q ?z} UNION {?x :p ?y}}
SELECT ?x ?z {{?x :p ?y OPTIONAL {?y :q ?z}} UNION {?x :r ?y}} = SELECT ?x ?z {{?x :r ?v} UNION {?x :p ?w OPTIONAL {?w :q ?z}}}
SELECT ?x ?w {?x :p ?y OPTIONAL {?y :q ?z} OPTIONAL {?y :r ?w}} = SELECT ?x ?w {?x :p ?y OPTIONAL {?y :r ?w}}
SELECT ?x {?x :p ?y OPTIONAL {?x :q ?z} FILTER(?z > 5)} = SELECT ?x {?x :p ?y . ?x :q ?z FILTER(?z > 5)}
SELECT ?x {?x :p ?y OPTIONAL {?x :q ?z} FILTER(!bound(?z) || ?z > 5)} < SELECT ?x {?x :p ?y OPTIONAL {?x :q ?z} FILTER(!bound(?z) || ?z > 3)}
# MINUS: it removes less where it looks for more, or in less
SELECT ?x {?x :p ?y MINUS {?x :q ?z}} < SELECT ?x {?x :p ?y}
SELECT ?x {?x :p ?y MINUS {?x :q ?z}} = SELECT ?x {?x :p ?a MINUS {?x :q ?b}}
SELECT ?x {?x :p ?y MINUS {?x :q ?z}} < SELECT ?x {?x :p ?y MINUS {?x :q ?z . ?z :r ?w}}
SELECT ?x {?x :p ?y MINUS {?x :q ?z}} < SELECT ?x {?x :p ?y MINUS {?x :q :a}}
SELECT ?x {?x :p ?y MINUS {{?x :q ?z} UNION {?x :r ?z}}} < SELECT ?x {?x :p ?y MINUS {?x :q ?z}}
SELECT ?x {?x :p ?y MINUS {{?x :q ?z} UNION {?x :r ?z}}} = SELECT ?x {?x :p ?y MINUS {?x :q ?z} MINUS {?x :r ?z}}
SELECT ?x {?x :p ?y MINUS {?x :q ?z} MINUS {?x :r ?z}} = SELECT ?x {?x :p ?y MINUS {?x :r ?b} MINUS {?x :q ?a}}
SELECT ?x {?x :p ?y MINUS {?x :q ?z FILTER(?z > 3)}} < SELECT ?x {?x :p ?y MINUS {?x :q ?z FILTER(?z > 5)}}
SELECT ?x {?x :p ?y MINUS {?x :q ?y}} | SELECT ?x {?x :p ?y MINUS {?x :q ?z . ?x :q ?y . ?y :q ?z} MINUS {?x :r ?y}}
SELECT ?x ?y {?x :p ?y MINUS {?x :q ?y}} | SELECT ?x ?y {?x :p ?y MINUS {?y :q ?x}}
SELECT ?x {?x :p ?y MINUS {?a :q ?b}} = SELECT ?x {?x :p ?y}
SELECT ?x ?y {?x :p ?y MINUS {?x :p ?y}} < SELECT ?x ?y {?x :q ?y}
SELECT ?x ?y {?x :p ?y . ?x :r ?w MINUS {?x :q ?z}} < SELECT ?x ?y {?x :p ?y MINUS {?x :q ?z}}
SELECT ?x ?y {{?x :p ?y} UNION {?x :r ?y} MINUS {?x :q ?z}} = SELECT ?x ?y {{?x :r ?y MINUS {?x :q ?z}} UNION {?x :p ?y MINUS {?x :q ?z}}}
SELECT ?x {?x :p 3} = SELECT ?x {?x :p 3 MINUS {3 :q ?z}}
SELECT ?x {?x :p 3} < SELECT ?x {?x :p ?y MINUS {?y :q ?z}}
# MINUS and NOT EXISTS with windows: anti-monotone in what is looked for
SELECT ?x {s4 {?x :p ?y} MINUS {s4 {?x :q ?z}}} < SELECT ?x {s4 {?x :p ?y} MINUS {s2 {?x :q ?z}}}
SELECT ?x {s2 {?x :p ?y} MINUS {s4 {?x :q ?z}}} < SELECT ?x {s4 {?x :p ?y} MINUS {s2 {?x :q ?z}}}
SELECT ?x {s2 {?x :p ?y} MINUS {s2 {?x :q ?z}}} | SELECT ?x {s4 {?x :p ?y} MINUS {s4 {?x :q ?z}}}
SELECT ?x {s2 {?x :p ?y} MINUS {s2 {?x :q ?z}}} < SELECT ?x {s2 {?x :p ?y} MINUS {s0 {?x :q ?z}}}
SELECT ?x {s2 {?x :p ?y} MINUS {s2 {?x :q ?z}}} | SELECT ?x {s2 {?x :p ?y} MINUS {t2 {?x :q ?z}}}
SELECT ?x {s2 {?x :p ?y} FILTER NOT EXISTS {s4 {?x :q ?z}}} < SELECT ?x {s2 {?x :p ?y} FILTER NOT EXISTS {s2 {?x :q ?z}}}
SELECT ?x {s2 {?x :p ?y} FILTER NOT EXISTS {s2 {?x :q ?z}}} = SELECT ?x {s2 {?x :p ?y} MINUS {s2 {?x :q ?w}}}
SELECT ?x {s2 {?x :p ?y} FILTER EXISTS {s2 {?x :q ?z}}} = SELECT ?x {s2 {?x :p ?y . ?x :q ?w}}
SELECT ?x {s2 {?x :p ?y} FILTER EXISTS {s2 {?x :q ?z}}} < SELECT ?x {s2 {?x :p ?y} FILTER EXISTS {s4 {?x :q ?z}}}
SELECT ?x {s4 {?x :p ?y} MINUS {s2 {?x :p ?y}}} < SELECT ?x {s4 {?x :p ?y}}
SELECT ?x ?y {s2 {?x :p ?y} MINUS {s4 {?x :p ?y}}} < SELECT ?x ?y {s2 {?x :r ?y}}
SELECT ?x ?y {s4 {?x :p ?y} MINUS {s2 {?x :p ?y}}} | SELECT ?x ?y {s2 {?x :p ?y}}
SELECT ?x ?y {s2 {?x :p ?y} MINUS {t4 {?x :q ?z}}} = SELECT ?x ?y {s2 {?x :p ?y} FILTER NOT EXISTS {t4 {?x :q ?z}}}
SELECT ?x {n4 {?x :p ?y} MINUS {s6 {?x :q ?z}}} < SELECT ?x {s6 {?x :p ?y} MINUS {s4 {?x :q ?z}}}
# NOT EXISTS and EXISTS: like MINUS where variables are shared, correlated conditions
SELECT ?x {?x :p ?y FILTER NOT EXISTS {?x :q ?z}} = SELECT ?x {?x :p ?y MINUS {?x :q ?w}}
SELECT ?x {?x :p ?y FILTER NOT EXISTS {?a :q ?b}} < SELECT ?x {?x :p ?y MINUS {?a :q ?b}}
SELECT ?x {?x :p ?y FILTER NOT EXISTS {?x :q ?z FILTER(?z > ?y)}} = SELECT ?x {?x :p ?y FILTER NOT EXISTS {?x :q ?w FILTER(?y < ?w)}}
SELECT ?x {?x :p ?y FILTER EXISTS {?x :q ?z FILTER(?z > ?y)}} = SELECT ?x {?x :p ?y . ?x :q ?z FILTER(?y < ?z)}
SELECT ?x {?x :p ?y FILTER NOT EXISTS {?x :q ?z FILTER(?z >= ?y)}} < SELECT ?x {?x :p ?y FILTER NOT EXISTS {?x :q ?z FILTER(?z > ?y)}}
SELECT ?x {?x :p ?y FILTER NOT EXISTS {?x :q ?z}} | SELECT ?x {?x :p ?y FILTER EXISTS {?x :q ?z}}
SELECT ?x {?x :p ?y FILTER EXISTS {?x :q ?z} FILTER NOT EXISTS {?x :q ?w}} < SELECT ?x {?x :r ?y}
SELECT ?x {?x :p ?y FILTER NOT EXISTS {?x :q ?z}} < SELECT ?x {?x :p ?y FILTER NOT EXISTS {?x :q ?z . ?z :r ?w}}
SELECT ?x {?x :p ?y FILTER(EXISTS {?x :q ?z} || EXISTS {?x :r ?z})} = SELECT ?x {{?x :p ?y . ?x :q ?z} UNION {?x :p ?y . ?x :r ?z}}
SELECT ?x {?x :p ?y FILTER NOT EXISTS {?x :q ?z FILTER NOT EXISTS {?z :r ?w}}} = SELECT ?x {?x :p ?y FILTER NOT EXISTS {?x :q ?a FILTER NOT EXISTS {?a :r ?b}}}
SELECT ?x {?x :p ?y FILTER NOT EXISTS {?x :q ?z}} < SELECT ?x {?x :p ?y FILTER NOT EXISTS {?x :q ?z FILTER NOT EXISTS {?z :r ?w}}}
SELECT ?x {?x :p ?y FILTER NOT EXISTS {{?x :q ?z} UNION {?x :r ?z}}} = SELECT ?x {?x :p ?y FILTER NOT EXISTS {?x :q ?z} FILTER NOT EXISTS {?x :r ?w}}
# conditions: commuted, exchanged, implied in three-valued logic
SELECT ?x {?x :p ?y FILTER(?y > 3 || ?y = :a)} = SELECT ?x {?x :p ?y FILTER(?y = :a || ?y > 3)}
SELECT ?x {?x :p ?y . ?x :q ?z FILTER(?y != ?z)} = SELECT ?x {?x :p ?y . ?x :q ?z FILTER(?z != ?y)}
SELECT ?x {?x :p ?y FILTER(?y != 3)} = SELECT ?x {?x :p ?y FILTER(!(3 = ?y))}
SELECT ?x {?x :p ?y FILTER(?y > 3 && ?y < 9)} = SELECT ?x {?x :p ?y FILTER(9 > ?y) FILTER(3 < ?y)}
SELECT ?x {?x :p ?y FILTER(?y > 5)} < SELECT ?x {?x :p ?y FILTER(?y > 3)}
SELECT ?x {?x :p ?y FILTER(?y IN (1, 2, :a))} = SELECT ?x {?x :p ?y FILTER(?y IN (:a, 2, 1))}
SELECT ?x {?x :p ?y FILTER(?y IN (1, 2))} = SELECT ?x {?x :p ?y FILTER(?y = 1 || ?y = 2)}
SELECT ?x {?x :p ?y FILTER(?y IN (1, 2))} < SELECT ?x {?x :p ?y FILTER(?y IN (1, 2, 3))}
SELECT ?x {?x :p ?y FILTER(?y NOT IN (1, 2, 3))} < SELECT ?x {?x :p ?y FILTER(?y NOT IN (1, 2))}
SELECT ?x {?x :p ?y FILTER(!(?y > 3))} = SELECT ?x {?x :p ?y FILTER(!(3 < ?y))}
SELECT ?x {?x :p ?y FILTER(?y <= 3)} < SELECT ?x {?x :p ?y FILTER(!(?y > 3))}
SELECT ?x {?x :p ?y FILTER(regex(?y, "a"))} = SELECT ?x {?x :p ?z FILTER(regex(?z, "a"))}
SELECT ?x {?x :p ?y FILTER(regex(?y, "a") && ?y != "a")} < SELECT ?x {?x :p ?y FILTER(regex(?y, "a"))}
SELECT ?x {?x :p ?y FILTER(?y + 1 > 3)} = SELECT ?x {?x :p ?y FILTER(3 < 1 + ?y)}
SELECT ?x {?x :p ?y FILTER(?y > 3 || ?y <= 3)} < SELECT ?x {?x :p ?y}
SELECT ?x {?x :p ?y FILTER(?y = 3)} | SELECT ?x {?x :p ?y FILTER(?y = 4)}
SELECT ?x {?x :p 3} < SELECT ?x {?x :p ?y FILTER(?y = 3)}
SELECT ?x {?x :p ?y FILTER(?y > 3 && ?y < 2)} < SELECT ?x {?x :q ?y}
SELECT ?x {s2 {?x :p ?y} FILTER(?y > 3 || ?x = :a)} = SELECT ?x {s2 {?x :p ?y} FILTER(:a = ?x || 3 < ?y)}
SELECT ?x {s2 {?x :p ?y} FILTER(?y > 5)} < SELECT ?x {s4 {?x :p ?y} FILTER(?y > 3)}
SELECT ?x {?x :p ?y . ?x :q ?z FILTER(?y < ?z || ?y = :a)} = SELECT ?x {?x :q ?b . ?x :p ?c FILTER(:a = ?c || ?b > ?c)}
SELECT ?x {?x :p ?y FILTER(strlen(?y) > 3 && ?y != "abcd")} < SELECT ?x {?x :p ?z FILTER(3 < strlen(?z))}
# aggregates: triples exchanged or renamed count the same; more of them count otherwise
SELECT ?x (COUNT(?y) AS ?n) {?x :p ?y . ?x :q ?z} GROUP BY ?x = SELECT ?x (COUNT(?b) AS ?n) {?x :q ?a . ?x :p ?b} GROUP BY ?x
SELECT ?x (AVG(?y) AS ?n) {?x :p ?y . ?x :q ?z} GROUP BY ?x = SELECT ?x (AVG(?y) AS ?n) {?x :q ?w . ?x :p ?y} GROUP BY ?x
SELECT (AVG(?y) AS ?n) {s2 {?x :p ?y . ?x :q ?z}} = SELECT (AVG(?c) AS ?n) {s2 {?b :q ?a . ?b :p ?c}}
SELECT (COUNT(*) AS ?n) {s2 {?x :p ?y}} = SELECT (COUNT(*) AS ?n) {s2 {?a :p ?b}}
SELECT ?x (COUNT(?y) AS ?n) {s2 {?x :p ?y}} GROUP BY ?x | SELECT ?x (COUNT(?y) AS ?n) {s4 {?x :p ?y}} GROUP BY ?x
SELECT ?x (COUNT(?y) AS ?n) {?x :p ?y} GROUP BY ?x | SELECT ?x (COUNT(?y) AS ?n) {?x :p ?y . ?x :q ?z} GROUP BY ?x
SELECT ?x (COUNT(?y) AS ?n) {?x :p ?y} GROUP BY ?x | SELECT ?x (SUM(?y) AS ?n) {?x :p ?y} GROUP BY ?x
SELECT ?x (MAX(?y) AS ?n) {?x :p ?y} GROUP BY ?x | SELECT ?x (MIN(?y) AS ?n) {?x :p ?y} GROUP BY ?x
SELECT ?x (MAX(?y) AS ?n) {?x :p ?y} GROUP BY ?x = SELECT ?x (MAX(?y) AS ?n) {?x :p ?y . ?x :p ?z} GROUP BY ?x
SELECT ?x (COUNT(DISTINCT ?y) AS ?n) {?x :p ?y} GROUP BY ?x = SELECT ?x (COUNT(DISTINCT ?y) AS ?n) {?x :p ?y . ?x :p ?z} GROUP BY ?x
SELECT ?x (COUNT(?y) AS ?n) {?x :p ?y} GROUP BY ?x | SELECT ?x (COUNT(?y) AS ?n) {?x :p ?y . ?x :p ?z} GROUP BY ?x
SELECT ?x {?x :p ?y} GROUP BY ?x HAVING(COUNT(?y) > 5) < SELECT ?x {?x :p ?y} GROUP BY ?x HAVING(COUNT(?y) > 3)
SELECT ?x {?x :p ?y} GROUP BY ?x HAVING(AVG(?y) > 5) < SELECT ?x {?x :p ?z} GROUP BY ?x HAVING(3 < AVG(?z))
SELECT ?x {?x :p ?y} GROUP BY ?x HAVING(AVG(?y) > 5) < SELECT ?x {?x :p ?y}
SELECT ?x {s2 {?x :p ?y}} GROUP BY ?x HAVING(COUNT(?y) > 2) < SELECT ?x {s4 {?x :p ?y}}
SELECT ?x {?x :p ?y} GROUP BY ?x = SELECT ?x {?x :p ?y}
SELECT ?x (COUNT(?y) AS ?n) {{?x :p ?y} UNION {?x :q ?y}} GROUP BY ?x = SELECT ?x (COUNT(?y) AS ?n) {{?x :q ?y} UNION {?x :p ?y}} GROUP BY ?x
SELECT ?x (COUNT(?y) AS ?n) {{?x :p ?y} UNION {?x :p ?y}} GROUP BY ?x | SELECT ?x (COUNT(?y) AS ?n) {?x :p ?y} GROUP BY ?x
SELECT ?x (SUM(?y) AS ?n) {?x :p ?y FILTER(?y > 3 || ?y = 1)} GROUP BY ?x = SELECT ?x (SUM(?z) AS ?n) {?x :p ?z FILTER(1 = ?z || 3 < ?z)} GROUP BY ?x
SELECT ?x ?n {?x :r ?w {SELECT ?x (COUNT(?y) AS ?n) {?x :p ?y} GROUP BY ?x}} < SELECT ?x ?n {{SELECT ?x (COUNT(?b) AS ?n) {?x :p ?b} GROUP BY ?x}}
SELECT ?x (COUNT(?y) AS ?n) (MAX(?y) AS ?m) {?x :p ?y} GROUP BY ?x = SELECT ?x (MAX(?z) AS ?m) (COUNT(?z) AS ?n) {?x :p ?z} GROUP BY ?x
SELECT (COUNT(?y) AS ?n) {?x :p ?y} | SELECT (COUNT(?y) AS ?n) {?x :p ?y} GROUP BY ?x
SELECT ?x (MIN(?y) AS ?n) {s2 {?x :p ?y} MINUS {s4 {?x :q ?z}}} GROUP BY ?x = SELECT ?x (MIN(?y) AS ?n) {s2 {?x :p ?y} MINUS {s4 {?x :q ?a}}} GROUP BY ?x
# UNION: branches, wider ones, windows
SELECT ?x ?y {?x :p ?y} < SELECT ?x ?y {{?x :p ?y} UNION {?x :q ?y}}
SELECT ?x {?x :p ?y} < SELECT ?x {{?x :p ?y} UNION {?x :q ?z}}
SELECT ?x ?y {{?x :p ?y . ?y :q ?z} UNION {?x :p ?y}} = SELECT ?x ?y {?x :p ?y}
SELECT ?x {{s2 {?x :p ?y}} UNION {s0 {?x :q ?y}}} < SELECT ?x {{s2 {?x :q ?y}} UNION {s4 {?x :p ?y}}}
SELECT ?x {{s2 {?x :p ?y}} UNION {t2 {?x :p ?y}}} | SELECT ?x {s4 {?x :p ?y}}
SELECT ?x {{?x :p ?y FILTER(?y > 5)} UNION {?x :p ?y FILTER(?y <= 5)}} < SELECT ?x {?x :p ?y}
SELECT ?x {?x :p ?y FILTER(?y > 3)} < SELECT ?x {{?x :p ?y FILTER(?y > 5)} UNION {?x :p ?y FILTER(?y <= 5)}}
SELECT ?x {?x :p ?y MINUS {?x :q ?z}} < SELECT ?x {{?x :r ?y} UNION {?x :p ?y MINUS {?x :q ?z}}}
SELECT ?x {?x :p ?y} = SELECT ?x {{?x :p ?y MINUS {?x :q ?z}} UNION {?x :p ?y . ?x :q ?z}}
SELECT ?x {s2 {?x :p ?y}} = SELECT ?x {{s2 {?x :p ?y} MINUS {s2 {?x :q ?z}}} UNION {s2 {?x :p ?y . ?x :q ?z}}}
SELECT ?x {?x :p ?y} = SELECT ?x {{?x :p ?y FILTER NOT EXISTS {?x :q :a}} UNION {?x :p ?y . ?x :q ?z}}
# VALUES, BIND, subqueries
SELECT ?x ?y {VALUES ?x {:a :b} ?x :p ?y} = SELECT ?x ?y {{:a :p ?y VALUES ?x {:a}} UNION {:b :p ?y VALUES ?x {:b}}}
SELECT ?x ?y {VALUES ?x {:a} ?x :p ?y} < SELECT ?x ?y {VALUES ?x {:b :a} ?x :p ?y}
SELECT ?y {VALUES ?x {:a :b} ?x :p ?y} = SELECT ?y {VALUES ?z {:b :a} ?z :p ?y}
SELECT ?x ?z {?x :p ?y BIND(?y + 1 AS ?z)} = SELECT ?x ?z {?x :p ?w BIND(1 + ?w AS ?z)}
SELECT ?x ?z {?x :p ?y BIND(?y AS ?z)} = SELECT ?x ?z {?x :p ?z}
SELECT ?x ?z {?x :p ?y BIND(?y + 1 AS ?z) FILTER(?z > 3)} < SELECT ?x ?z {?x :p ?y BIND(?y + 1 AS ?z)}
SELECT ?x ?z {?x :p ?y BIND(?y + 1 AS ?z)} | SELECT ?x ?z {?x :p ?y BIND(?y + 2 AS ?z)}
SELECT ?x {{SELECT ?x {?x :p ?y}} ?x :q ?z} = SELECT ?x {?x :p ?a . ?x :q ?b}
SELECT ?x {{SELECT DISTINCT ?x {s2 {?x :p ?y}}} s2 {?x :q ?z}} < SELECT ?x {s4 {?x :p ?a . ?x :q ?b}}
SELECT ?x {?x :p ?y} ORDER BY ?x LIMIT 3 < SELECT ?x {?x :p ?y}
SELECT ?x {?x :p ?y} ORDER BY ?x LIMIT 3 = SELECT ?x {?x :p ?z} ORDER BY ?x LIMIT 3
SELECT ?x {{SELECT ?x {?x :p ?y} ORDER BY ?x LIMIT 2} ?x :q ?z} < SELECT ?x {{SELECT ?x {?x :p ?w} ORDER BY ?x LIMIT 2}}
SELECT ?x ?y {?x :p ?y} ORDER BY ?y = SELECT ?x ?y {?x :p ?y}
SELECT DISTINCT ?x {?x :p ?y} = SELECT ?x {?x :p ?y}
# paths, outside and inside streams
SELECT * {?x :p ?y} < SELECT * {?x :p+ ?y}
SELECT * {?x :p+ ?y} < SELECT * {?x :p* ?y}
SELECT * {?x :p/:p ?y} < SELECT * {?x :p+ ?y}
SELECT * {?x :p/:q ?y} = SELECT ?x ?y {?x :p ?z . ?z :q ?y}
SELECT * {?x ^:p ?y} = SELECT * {?y :p ?x}
SELECT * {?x (:p|:q) ?y} = SELECT * {{?x :q ?y} UNION {?x :p ?y}}
SELECT * {?x :p ?y} < SELECT * {?x (:p|:q)+ ?y}
SELECT * {?x :p+ ?y} < SELECT * {?x (:p|:q)+ ?y}
SELECT * {?x (:p/:p)+ ?y} < SELECT * {?x :p+ ?y}
SELECT * {?x :p+ ?y} = SELECT * {?x :p/:p* ?y}
SELECT * {?x :p+ ?y} | SELECT * {?x :q+ ?y}
SELECT ?x {?x :p+ ?y} = SELECT ?x {?x :p ?y}
SELECT ?x ?z {?x :p+ ?y . ?y :p+ ?z} < SELECT ?x ?z {?x :p+ ?z}
SELECT * {?x :p+ ?y} = SELECT * {{?x :p ?y} UNION {?x :p/:p+ ?y}}
SELECT * {s2 {?x :p ?y}} < SELECT * {s2 {?x :p+ ?y}}
SELECT * {s2 {?x :p+ ?y}} < SELECT * {s4 {?x :p+ ?y}}
SELECT * {s2 {?x :p+ ?y}} = SELECT * {s2 {?x :p+ ?y}}
SELECT * {s2 {?x :p/:p ?y}} < SELECT * {s4 {?x :p+ ?y}}
SELECT ?x {s2 {?x :p+ ?y}} = SELECT ?x {s2 {?x :p ?y}}
SELECT * {s2 {?x :p+ ?y}} | SELECT * {s2 {?y :p+ ?x}}
SELECT * {?x :p? ?y} < SELECT * {?x :p* ?y}
SELECT * {?x !:p ?y} | SELECT * {?x !:q ?y}
SELECT * {?x :q ?y} < SELECT * {?x !:p ?y}
SELECT ?x {?x :p ?y MINUS {?x :q+ ?z}} = SELECT ?x {?x :p ?y MINUS {?x :q ?z}}
# cycles and projections inside negation and windows
SELECT ?x {s2 {?x :p ?y . ?y :p ?x}} < SELECT ?x {s2 {?x :p ?y . ?y :p ?z . ?z :p ?w}}
SELECT ?x {s2 {?x :p ?x}} < SELECT ?x {s4 {?x :p ?y . ?y :p ?z . ?z :p ?x}}
SELECT ?x {?x :k ?y MINUS {?x :p ?z}} < SELECT ?x {?x :k ?y MINUS {?x :p ?z . ?z :p ?x}}
SELECT ?x {?x :k ?y MINUS {?x :p ?a . ?x :p ?b}} = SELECT ?x {?x :k ?y MINUS {?x :p ?a}}
SELECT ?x {s2 {?x :k ?y} MINUS {s4 {?x :p ?a . ?a :p ?b}}} < SELECT ?x {s2 {?x :k ?y} MINUS {s4 {?x :p ?a . ?a :p ?x}}}
ASK {s2 {?x :p ?y}} < ASK {s4 {?x :p ?y}}
ASK {?x :p ?y . ?y :p ?z . ?z :p ?x} | ASK {?x :p ?y . ?y :p ?x}
ASK {?x :p ?x} | ASK {?x :p ?y . ?y :p ?z MINUS {?x :q ?y . ?y :q ?x . ?x :r ?x}}
"""


def argued_pairs():
    """Yield each pair of texts with its sign."""
    for line in TABLE.strip().splitlines():
        if line[0] != "#":
            whole = re.sub(r"\b([st])0(?= {)", r"STREAM :\1 [NOW]", line)
            whole = re.sub(r"\b([st])([1-9])(?= {)", r"STREAM :\1 [RANGE \2s]", whole)
            whole = re.sub(r"\bn([1-9])(?= {)", r"STREAM :s [RANGE \1s SLIDE 2s]", whole)
            yield tuple(re.split(r" ([<=|]) (?=SELECT|ASK)", whole))
