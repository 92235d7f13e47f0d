-- For SQLite 3.40 or newer and for DuckDB: load the input, run the script, read its last result. What it makes
-- beside the input's tables is temporary. An answer is one row for each evaluation time at which it holds. Terms
-- are texts as N-Triples has them: <http://e/a>, "20"^^<http://www.w3.org/2001/XMLSchema#integer>, _:b; what is
-- unbound is null in tables, NULL in the result. Where SQL cannot tell exactly whether a condition holds, the
-- script fails: NOT NULL constraint failed, of a column t.

-- Input: an atom arrives at time point t; seq tells the order of arrival of all input, from 1.
CREATE TABLE IF NOT EXISTS atom_f (t BIGINT, seq BIGINT, a1 TEXT, a2 TEXT);
CREATE TABLE IF NOT EXISTS atom_k (t BIGINT, seq BIGINT, a1 TEXT);
CREATE INDEX IF NOT EXISTS arrivals_f ON atom_f (t);
CREATE INDEX IF NOT EXISTS arrivals_k ON atom_k (t);

-- The timeline, its ends included: by default it begins at 0, and ends with the last atom.
DROP TABLE IF EXISTS temp.timeline;
CREATE TEMP TABLE timeline (first BIGINT, last BIGINT);
INSERT INTO timeline SELECT 0, COALESCE((SELECT MAX(t) FROM (SELECT t FROM atom_f UNION ALL SELECT t FROM atom_k) AS arrivals), 0);
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
SELECT DISTINCT n.t, s.a1
FROM now AS n JOIN atom_k AS s ON s.t = n.t;

-- ⊞^1 ◇ f(X0, X0)
DROP TABLE IF EXISTS temp.shown_3;
CREATE TEMP TABLE shown_3 (t BIGINT NOT NULL, a1 TEXT);
INSERT INTO shown_3
SELECT DISTINCT n.t, s.a1
FROM now AS n JOIN atom_f AS s ON s.t BETWEEN n.t - 1 AND n.t
WHERE s.a2 = s.a1;

-- What literals denote. kind: number, string, boolean, moment (a date or time), lang (with a language tag),
-- none (ill-typed, or of a type without values here), node (no literal), ? (not told: triple terms too).
-- A number of more than 15 digits is rounded, a float too: slack says how much.
-- The size of a float that is not told is outside 1.2e-38 AND 3.4e38.
DROP VIEW IF EXISTS temp.value;
DROP VIEW IF EXISTS temp.literal;
DROP VIEW IF EXISTS temp.lexical;
DROP TABLE IF EXISTS temp.compared;
CREATE TEMP TABLE compared (term TEXT);
CREATE TEMP VIEW lexical AS
SELECT term, type, text, lower(ltrim(substr(text, 1, 1), '+-') || substr(text, 2)) AS bare,
  CASE WHEN type IN ('<integer>', '<int>', '<long>') THEN 'whole' WHEN type = '<decimal>' THEN 'decimal'
    WHEN type IN ('<double>', '<float>') THEN 'double' ELSE '' END AS numeric_type
FROM (
  SELECT DISTINCT term,
    CASE WHEN substr(term, 1, 3) = '<<(' THEN '?' WHEN substr(term, 1, 1) <> '"' THEN 'node'
      WHEN substr(term, length(term), 1) = '"' THEN 'string'
      WHEN instr(plain, '"^^<') = 0 THEN 'lang'
      ELSE replace(substr(plain, instr(plain, '"^^<') + 3), 'http://www.w3.org/2001/XMLSchema#', '') END AS type,
    CASE WHEN instr(term, '\') > 0 THEN NULL WHEN substr(term, 1, 1) = '"'
      THEN substr(term, 2, instr(substr(term, 2), '"') - 1) END AS text
  FROM (
    SELECT term, replace(replace(term, '\\', ''), '\"', '') AS plain FROM compared WHERE term <> 'null'
  ) AS unescaped
) AS written;
CREATE TEMP VIEW literal AS
SELECT term, type, text, numeric_type, mantissa, replace(mantissa, '.', '') AS digits,
  CASE WHEN e > 0 THEN ltrim(substr(bare, e + 1, 1), '+-') || substr(bare, e + 2) ELSE '0' END AS exponent
FROM (
  SELECT *, CASE WHEN e > 0 THEN substr(bare, 1, e - 1) ELSE bare END AS mantissa
  FROM (SELECT *, CASE WHEN numeric_type = 'double' THEN instr(bare, 'e') ELSE 0 END AS e FROM lexical) AS cut
) AS parted;
CREATE TEMP VIEW value AS
SELECT term, kind, text,
  CASE WHEN kind = 'number' THEN CAST(text AS DOUBLE) WHEN text IN ('true', '1') THEN 1 ELSE 0 END AS number,
  CASE WHEN kind <> 'number' THEN 0 WHEN type = '<float>' THEN 1e-6
    WHEN length(digits) > 15 THEN 1e-14 ELSE 0 END AS slack
FROM (
  SELECT *, CASE
    WHEN type IN ('node', 'lang', 'string', '?') THEN type
    WHEN type IN ('<dateTime>', '<date>', '<time>') THEN 'moment'
    WHEN type = '<boolean>' THEN CASE WHEN text IN ('true', 'false', '1', '0') THEN 'boolean' ELSE 'none' END
    WHEN type LIKE '<%:%' THEN 'none'
    WHEN type LIKE '<%nteger>' AND numeric_type = '' OR type LIKE '<%hort>' OR type LIKE '<%yte>'
      OR type LIKE '<unsigned%>' THEN '?'
    WHEN numeric_type = '' OR text IS NULL THEN 'none'
    WHEN length(text) > 40 OR text IN ('NaN', 'INF', '-INF', '+INF') THEN '?'
    WHEN digits = '' OR exponent = '' OR trim(digits || exponent, '0123456789') <> ''
      OR length(mantissa) - length(digits) > CASE WHEN numeric_type = 'whole' THEN 0 ELSE 1 END THEN 'none'
    WHEN length(exponent) > 2 OR type = '<int>' AND length(digits) > 9
      OR type = '<long>' AND length(digits) > 18 THEN '?'
    WHEN type <> '<float>' OR trim(digits, '0') = '' THEN 'number'
    WHEN abs(CAST(text AS DOUBLE)) BETWEEN 1.2e-38 AND 3.4e38 THEN 'number' ELSE '?' END AS kind
  FROM literal
) AS told;

INSERT INTO compared SELECT DISTINCT a1 FROM shown_1;
INSERT INTO compared SELECT DISTINCT a2 FROM shown_1;
DROP TABLE IF EXISTS temp.ans;
CREATE TEMP TABLE ans (t BIGINT NOT NULL, a1 TEXT);
INSERT INTO ans
-- ans(?x) ← ⊞^4 ◇ f(?x, ?y), [(?x >= 20) && (?y != ?x)].
SELECT DISTINCT CASE WHEN (v1.kind = '?') OR (v1.slack > 0 AND v1.term <> '"20"^^<http://www.w3.org/2001/XMLSchema#integer>' AND abs(v1.number - 20) <= (v1.slack) * (abs(v1.number) + abs(20))) OR (v2.kind = '?') OR (v2.slack + v1.slack > 0 AND v2.term <> v1.term AND abs(v2.number - v1.number) <= (v2.slack + v1.slack) * (abs(v2.number) + abs(v1.number))) OR (v2.term <> v1.term AND (v2.kind = 'moment' OR v1.kind = 'moment') AND v2.kind NOT IN ('node', 'lang') AND v1.kind NOT IN ('node', 'lang')) THEN NULL ELSE s1.t END, s1.a1
FROM shown_1 AS s1
  LEFT JOIN value AS v1 ON v1.term = s1.a1
  LEFT JOIN value AS v2 ON v2.term = s1.a2
WHERE (((CASE WHEN v1.kind = 'number' THEN v1.number >= 20 END) AND (NOT (CASE WHEN v2.kind IS NULL OR v1.kind IS NULL THEN NULL WHEN v2.kind = 'number' AND v1.kind = 'number' THEN v2.number = v1.number WHEN v2.term = v1.term THEN 1 = 1 WHEN v2.kind = 'node' OR v1.kind = 'node' THEN 1 = 0 WHEN v2.kind = 'lang' OR v1.kind = 'lang' THEN 1 = 0 WHEN v2.kind = 'none' OR v1.kind = 'none' THEN NULL WHEN v2.kind = 'boolean' AND v1.kind = 'boolean' THEN v2.number = v1.number ELSE 1 = 0 END))) OR (v1.kind = '?') OR (v1.slack > 0 AND v1.term <> '"20"^^<http://www.w3.org/2001/XMLSchema#integer>' AND abs(v1.number - 20) <= (v1.slack) * (abs(v1.number) + abs(20))) OR (v2.kind = '?') OR (v2.slack + v1.slack > 0 AND v2.term <> v1.term AND abs(v2.number - v1.number) <= (v2.slack + v1.slack) * (abs(v2.number) + abs(v1.number))) OR (v2.term <> v1.term AND (v2.kind = 'moment' OR v1.kind = 'moment') AND v2.kind NOT IN ('node', 'lang') AND v1.kind NOT IN ('node', 'lang')));

DROP TABLE IF EXISTS temp."none";
CREATE TEMP TABLE "none" (t BIGINT NOT NULL, a1 TEXT);
INSERT INTO "none"
-- none(?x) ← k(?x), not ⊞^1 ◇ f(?x, ?x).
SELECT DISTINCT s1.t, s1.a1
FROM shown_2 AS s1
  LEFT JOIN shown_3 AS x2 ON x2.t = s1.t AND x2.a1 = s1.a1
WHERE x2.t IS NULL;

-- When the program has no answer stream.
DROP TABLE IF EXISTS temp.violated;
CREATE TEMP TABLE violated (t BIGINT NOT NULL);
INSERT INTO violated
-- ← none(a).
SELECT DISTINCT s1.t
FROM "none" AS s1
WHERE s1.a1 = 'a';

-- The answers.
SELECT t, 'ans' AS predicate, a1 FROM (SELECT t, a1 FROM ans) AS derived WHERE t NOT IN (SELECT t FROM violated)
UNION ALL
SELECT t, 'none' AS predicate, a1 FROM (SELECT t, a1 FROM "none") AS derived WHERE t NOT IN (SELECT t FROM violated)
ORDER BY 1, 2, 3;
