-- For SQLite 3.40 or newer and for DuckDB: load the input, run the script, read its last result. What it makes
-- beside the input's tables is temporary. An answer is one row for each evaluation time at which it holds. Terms
-- are texts as N-Triples has them: <http://e/a>, "20"^^<http://www.w3.org/2001/XMLSchema#integer>, _:b; what is
-- unbound is null in tables, NULL in the result. Where SQL cannot tell exactly whether a condition holds, the
-- script fails: NOT NULL constraint failed, of a column t.

-- Input: an atom arrives at time point t; seq tells the order of arrival of all input, from 1.
CREATE TABLE IF NOT EXISTS atom_f (t BIGINT, seq BIGINT, a1 TEXT, a2 TEXT);
CREATE INDEX IF NOT EXISTS arrivals_f ON atom_f (t);

-- The timeline, its ends included: by default it begins at 0, and ends with the last atom.
DROP TABLE IF EXISTS temp.timeline;
CREATE TEMP TABLE timeline (first BIGINT, last BIGINT);
INSERT INTO timeline SELECT 0, COALESCE((SELECT MAX(t) FROM (SELECT t FROM atom_f) AS arrivals), 0);
-- The evaluation times: every time point.
DROP TABLE IF EXISTS temp.now;
CREATE TEMP TABLE now (t BIGINT NOT NULL);
INSERT INTO now
SELECT t FROM (WITH RECURSIVE point(t) AS (SELECT first FROM timeline WHERE first <= last UNION ALL SELECT t + 1 FROM point, timeline WHERE t + 1 <= last) SELECT t FROM point) AS points;

-- ⊞^{#3 all} ◇ f(X0, X1)
DROP TABLE IF EXISTS temp.shown_1;
CREATE TEMP TABLE shown_1 (t BIGINT NOT NULL, a1 TEXT, a2 TEXT);
INSERT INTO shown_1
SELECT DISTINCT n.t, s.a1, s.a2
FROM now AS n JOIN (
  SELECT * FROM (SELECT t, kind, a1, a2, FIRST_VALUE(gone) OVER (PARTITION BY t ORDER BY seq DESC) AS gone FROM (SELECT *, LEAD(t, 3) OVER (ORDER BY t, seq) AS gone FROM (
    SELECT t, MIN(seq) AS seq, 0 AS kind, a1, a2 FROM atom_f GROUP BY t, a1, a2
  ) AS arrived) AS followed) AS counted WHERE kind = 0
) AS s ON s.t <= n.t AND (s.gone IS NULL OR n.t < s.gone);

-- ⊞^{4,0,3} ◇ f(X0, X1)
DROP TABLE IF EXISTS temp.shown_2;
CREATE TEMP TABLE shown_2 (t BIGINT NOT NULL, a1 TEXT, a2 TEXT);
INSERT INTO shown_2
SELECT DISTINCT n.t, s.a1, s.a2
FROM now AS n JOIN atom_f AS s ON s.t BETWEEN n.t - n.t % 3 - 4 AND n.t - n.t % 3;

-- ⊞^{2 high-open} @_t f(X0, X1)
DROP TABLE IF EXISTS temp.shown_3;
CREATE TEMP TABLE shown_3 (t BIGINT NOT NULL, a1 TEXT, a2 TEXT, a3 TEXT);
INSERT INTO shown_3
SELECT DISTINCT n.t, s.a1, s.a2, CAST(s.t AS TEXT)
FROM now AS n JOIN atom_f AS s ON s.t BETWEEN n.t - 2 AND n.t - 1;

-- ⊞^{sliding 5,2,1} ◇ f(X0, X1)
DROP TABLE IF EXISTS temp.shown_4;
CREATE TEMP TABLE shown_4 (t BIGINT NOT NULL, a1 TEXT, a2 TEXT);
INSERT INTO shown_4
SELECT DISTINCT n.t, s.a1, s.a2
FROM now AS n JOIN atom_f AS s ON s.t BETWEEN CASE WHEN n.t > 6 THEN 2 + (n.t - 5) - (n.t - 5) % 2 ELSE 2 END AND n.t;

-- ⊞^{#2 by 1} ◇ f(X0, X1)
DROP TABLE IF EXISTS temp.shown_5;
CREATE TEMP TABLE shown_5 (t BIGINT NOT NULL, a1 TEXT, a2 TEXT);
INSERT INTO shown_5
SELECT DISTINCT n.t, s.a1, s.a2
FROM now AS n JOIN (
  SELECT * FROM (SELECT *, LEAD(t, 2) OVER (PARTITION BY a1 ORDER BY t, seq) AS gone FROM (
    SELECT t, MIN(seq) AS seq, 0 AS kind, a1, a2 FROM atom_f GROUP BY t, a1, a2
  ) AS arrived) AS counted WHERE kind = 0
) AS s ON s.t <= n.t AND (s.gone IS NULL OR n.t < s.gone);

DROP TABLE IF EXISTS temp."few";
CREATE TEMP TABLE "few" (t BIGINT NOT NULL, a1 TEXT);
INSERT INTO "few"
-- few(X) ← ⊞^{#3 all} ◇ f(X, Y).
SELECT DISTINCT s1.t, s1.a1
FROM shown_1 AS s1;

DROP TABLE IF EXISTS temp."in";
CREATE TEMP TABLE "in" (t BIGINT NOT NULL, a1 TEXT, a2 TEXT);
INSERT INTO "in"
-- in(X, Y) ← ⊞^{4,0,3} ◇ f(X, Y).
SELECT DISTINCT s1.t, s1.a1, s1.a2
FROM shown_2 AS s1;

DROP TABLE IF EXISTS temp."late";
CREATE TEMP TABLE "late" (t BIGINT NOT NULL, a1 TEXT, a2 TEXT);
INSERT INTO "late"
-- late(X, T) ← ⊞^{2 high-open} @_T f(X, Y).
SELECT DISTINCT s1.t, s1.a1, s1.a3
FROM shown_3 AS s1;

DROP TABLE IF EXISTS temp."open";
CREATE TEMP TABLE "open" (t BIGINT NOT NULL, a1 TEXT);
INSERT INTO "open"
-- open(X) ← ⊞^{sliding 5,2,1} ◇ f(X, Y).
SELECT DISTINCT s1.t, s1.a1
FROM shown_4 AS s1;

DROP TABLE IF EXISTS temp."own";
CREATE TEMP TABLE "own" (t BIGINT NOT NULL, a1 TEXT);
INSERT INTO "own"
-- own(X) ← ⊞^{#2 by 1} ◇ f(X, Y).
SELECT DISTINCT s1.t, s1.a1
FROM shown_5 AS s1;

-- The answers.
SELECT t, 'few' AS predicate, a1, CAST(NULL AS TEXT) AS a2 FROM (SELECT t, a1 FROM "few") AS derived
UNION ALL
SELECT t, 'in' AS predicate, a1, a2 FROM (SELECT t, a1, a2 FROM "in") AS derived
UNION ALL
SELECT t, 'late' AS predicate, a1, a2 FROM (SELECT t, a1, a2 FROM "late") AS derived
UNION ALL
SELECT t, 'open' AS predicate, a1, CAST(NULL AS TEXT) AS a2 FROM (SELECT t, a1 FROM "open") AS derived
UNION ALL
SELECT t, 'own' AS predicate, a1, CAST(NULL AS TEXT) AS a2 FROM (SELECT t, a1 FROM "own") AS derived
ORDER BY 1, 2, 3, 4;
