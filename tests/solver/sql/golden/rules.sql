-- For SQLite 3.40 or newer and for DuckDB: load the input, run the script, read its last result. What it makes
-- beside the input's tables is temporary. An answer is one row for each evaluation time at which it holds. Terms
-- are texts as N-Triples has them: <http://e/a>, "20"^^<http://www.w3.org/2001/XMLSchema#integer>, _:b; what is
-- unbound is null in tables, NULL in the result. Where SQL cannot tell exactly whether a condition holds, the
-- script fails: NOT NULL constraint failed, of a column t.

-- Input: an atom arrives at time point t; seq tells the order of arrival of all input, from 1.
CREATE TABLE IF NOT EXISTS atom_f (t BIGINT, seq BIGINT, a1 TEXT, a2 TEXT);
CREATE INDEX IF NOT EXISTS arrivals_f ON atom_f (t);
-- Facts of k/1, which hold at every time.
DROP TABLE IF EXISTS temp.fact_k;
CREATE TEMP TABLE fact_k (a1 TEXT);
INSERT INTO fact_k VALUES
  ('d'),
  ('b');

-- The timeline, its ends included: by default it begins at 0, and ends with the last atom.
DROP TABLE IF EXISTS temp.timeline;
CREATE TEMP TABLE timeline (first BIGINT, last BIGINT);
INSERT INTO timeline SELECT 0, COALESCE((SELECT MAX(t) FROM (SELECT t FROM atom_f) AS arrivals), 0);
-- The evaluation times: every time point.
DROP TABLE IF EXISTS temp.now;
CREATE TEMP TABLE now (t BIGINT NOT NULL);
INSERT INTO now
SELECT t FROM (WITH RECURSIVE point(t) AS (SELECT first FROM timeline WHERE first <= last UNION ALL SELECT t + 1 FROM point, timeline WHERE t + 1 <= last) SELECT t FROM point) AS points;

-- ⊞^4 ◇ f(X0, X1)
DROP TABLE IF EXISTS temp.shown_1;
CREATE TEMP TABLE shown_1 (t BIGINT NOT NULL, a1 TEXT, a2 TEXT);
INSERT INTO shown_1
SELECT DISTINCT n.t, s.a1, s.a2
FROM now AS n JOIN atom_f AS s ON s.t BETWEEN n.t - 4 AND n.t;

-- ⊞^0 ◇ k(X0)
DROP TABLE IF EXISTS temp.shown_2;
CREATE TEMP TABLE shown_2 (t BIGINT NOT NULL, a1 TEXT);
INSERT INTO shown_2
SELECT DISTINCT n.t, k.a1
FROM now AS n CROSS JOIN fact_k AS k
WHERE 1 = 1;

DROP TABLE IF EXISTS temp."in";
CREATE TEMP TABLE "in" (t BIGINT NOT NULL, a1 TEXT, a2 TEXT);
INSERT INTO "in"
-- in(X, Y) ← ⊞^4 ◇ f(X, Y).
SELECT DISTINCT s1.t, s1.a1, s1.a2
FROM shown_1 AS s1;

DROP TABLE IF EXISTS temp."m";
CREATE TEMP TABLE "m" (t BIGINT NOT NULL, a1 TEXT, a2 TEXT);
INSERT INTO "m" WITH RECURSIVE m_so_far(t, a1, a2) AS (
SELECT * FROM (
-- m(X, Y) ← in(X, Y).
SELECT DISTINCT s1.t, s1.a1, s1.a2
FROM "in" AS s1
) AS base
UNION
-- m(X, Z) ← m(X, Y), in(Y, Z), X != Z.
SELECT s1.t, s1.a1, s2.a2
FROM m_so_far AS s1
  JOIN "in" AS s2 ON s2.t = s1.t AND s2.a1 = s1.a2
WHERE (s1.a1 <> s2.a2)
) SELECT * FROM m_so_far;

DROP TABLE IF EXISTS temp."New York";
CREATE TEMP TABLE "New York" (t BIGINT NOT NULL, a1 TEXT, a2 TEXT);
INSERT INTO "New York"
-- 'New York'(X, 'it\'s') ← m(X, Y), not k(Y).
SELECT DISTINCT s1.t, s1.a1, '''it\''s'''
FROM "m" AS s1
  LEFT JOIN shown_2 AS x2 ON x2.t = s1.t AND x2.a1 = s1.a2
WHERE x2.t IS NULL;

DROP TABLE IF EXISTS temp."many";
CREATE TEMP TABLE "many" (t BIGINT NOT NULL, a1 TEXT);
INSERT INTO "many"
-- many(?n) ← ?n := COUNT(DISTINCT ?x) of m(?x, ?y).
SELECT DISTINCT s1.t, s1.a1
FROM (SELECT n.t, '"' || COUNT(DISTINCT NULLIF(g.a1, 'null')) || '"^^<http://www.w3.org/2001/XMLSchema#integer>' AS a1 FROM now AS n LEFT JOIN "m" AS g ON g.t = n.t GROUP BY n.t) AS s1;

-- The answers.
SELECT t, 'New York' AS predicate, a1, a2 FROM (SELECT t, a1, a2 FROM "New York") AS derived
UNION ALL
SELECT t, 'in' AS predicate, a1, a2 FROM (SELECT t, a1, a2 FROM "in") AS derived
UNION ALL
SELECT t, 'm' AS predicate, a1, a2 FROM (SELECT t, a1, a2 FROM "m") AS derived
UNION ALL
SELECT t, 'many' AS predicate, a1, CAST(NULL AS TEXT) AS a2 FROM (SELECT t, a1 FROM "many") AS derived
ORDER BY 1, 2, 3, 4;
