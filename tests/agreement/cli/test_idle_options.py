"""Each option says something: a command line that it changes. Where it would say nothing it is refused."""

import contextlib
import re
import shlex
import shutil
from functools import cache, partial

import pytest
from typer.main import get_command

from agreement import api
from agreement.cli.app import app
from agreement.cli.commands import COMMANDS as ABOUT
from lars.errors import LarsError
from tests.agreement.command import lars
from tests.manuals.running import copied

pytestmark = pytest.mark.usefixtures("warm_engines")
ANSWER = '{"t": 2, "rows": [{"y": {"type": "literal", "value": "1.001", "datatype": "http://www.w3.org/2001/XMLSchema#double"}}]}\n'
FILES = {
    "alerts.csv": "time,value\n2,40\n9,41\n",
    "late.csv": "time,value\n5,40\n10,41\n",
    "events.csv": "time,value\n1,3\n2,40\n9,41\n20,4\n",
    "value.rq": "SELECT ?value { STREAM <http://e/events> [RANGE 5s] { ?e <http://e/value> ?value } }",
    "now.rq": "SELECT ?x (NOW() AS ?n) { STREAM <http://e/S> [RANGE 3s] { ?x <http://e/p> ?y } }",
    "who.rq": "SELECT ?x { STREAM <http://e/S> [RANGE 3s] { ?x <http://e/p> ?y } }",
    "made.rq": "CONSTRUCT { ?x <http://e/q> ?y } { STREAM <http://e/S> [RANGE 3s] { ?x <http://e/p> ?y } }",
    "term.rq": "SELECT ?x { STREAM <http://e/S> [RANGE 3s] { ?x <http://e/p> ?y FILTER(!isTRIPLE(?y)) } }",
    "pull.rq": "SELECT ?x FROM STREAM <http://e/S> [RANGE 3s STEP 1s] { ?x <http://e/p> ?y }",
    "numbers.rq": "SELECT ?y { STREAM <http://e/S> [RANGE 3s] { ?x <http://e/v> ?y } }",
    "in.nq": '<http://e/a> <http://e/p> <http://e/b> <http://e/S> "1" .\n'
    '<http://e/a> <http://e/v> "1.0"^^<http://www.w3.org/2001/XMLSchema#double> <http://e/S> "2" .\n'
    '<http://e/c> <http://e/p> <http://e/b> <http://e/S> "4" .\n',
    "other.nq": '<http://e/a> <http://e/p> <http://e/b> <http://e/S> "1" .\n'
    '<http://e/a> <http://e/p> <http://e/b> <http://e/T> "2" .\n',
    "late.nq": '<http://e/a> <http://e/p> <http://e/b> <http://e/S> "2" .\n'
    '<http://e/c> <http://e/p> <http://e/b> <http://e/S> "1" .\n',
    "bad.nq": '<http://e/a> <http://e/p> <http://e/b> <http://e/S> "1" .\nnothing\n',
    "dated.nq": '<http://e/a> <http://e/p> <http://e/b> <http://e/S> "2026-01-01T00:00:02Z" .\n',
    "blank.nq": '_:n <http://e/p> <http://e/a> <http://e/S> "1" .\n_:n <http://e/v> "5" <http://e/S> "2" .\n'
    '<http://e/a> <http://e/p> <http://e/a> <http://e/S> "5" .\n',
    "blank.atoms": '2: ans1("5", <http://e/a>) trigger.\n',
    "blank.rq": "SELECT ?y ?v FROM STREAM <http://e/S> [RANGE 3s STEP 1s] "
    "{ ?x <http://e/p> ?y . ?x <http://e/v> ?v }",
    "blank.cqels.rq": "SELECT ?y ?v { STREAM <http://e/S> [RANGE 3s] "
    "{ ?x <http://e/p> ?y . ?x <http://e/v> ?v } }",
    "blank.ndjson": '{"t": 2, "rows": [{"y": {"type": "uri", "value": "http://e/a"}, '
    '"v": {"type": "literal", "value": "5"}}]}\n',
    "bare.nt": '<http://e/a> <http://e/p> <http://e/b> "1" .\n',
    "static.ttl": "<http://e/s> <http://e/q> <http://e/t> .",
    "joined.rq": "SELECT ?x { STREAM <http://e/S> [RANGE 3s] { ?x <http://e/p> ?y } ?s <http://e/q> ?t }",
    "plain.rq": "SELECT ?s { ?s ?p ?o }",
    "wide.rq": "SELECT ?y { STREAM <http://e/S> [RANGE 9s] { ?x <http://e/p> ?y } }",
    "late.rq": "SELECT ?x { STREAM <http://e/S> [RANGE 1s] { ?x <http://e/p> ?y } }",
    "optional.rq": "SELECT ?x ?y ?z { STREAM <http://e/S> [RANGE 3s] { ?x <http://e/p> ?y } "
    "OPTIONAL { STREAM <http://e/S> [RANGE 3s] { ?x <http://e/none> ?z } } "
    "STREAM <http://e/S> [RANGE 3s] { ?z <http://e/v> ?v } }",
    "two.rq": "SELECT ?x FROM STREAM <http://e/S> [RANGE 3s STEP 1s] "
    "FROM STREAM <http://e/T> [RANGE 3s STEP 1s] { ?x <http://e/p> ?y . ?x <http://e/q> ?z }",
    "choice.lars": "a ← ⊞^0 ◇ striple(S, P, O, G), not b. b ← ⊞^0 ◇ striple(S, P, O, G), not a. "
    "c(S) ← triple(S, P, O, G).",
    "b.atoms": "1: ans1(<http://e/a>) trigger.\n",
    "numbers.csv": "came,y\n2,1.001\n3,1.001\n",
    "renamed.csv": "came,n\n2,1.001\n3,1.001\n",
    "marked.txt": "?t,y\n2,1.001\n3,1.001\n",
    "numbers.ndjson": ANSWER,
    "twice.ndjson": ANSWER.replace("1.001", "1.0") * 2,
    "joined.ndjson": '{"t": 1, "rows": [{"x": {"type": "uri", "value": "http://e/a"}}]}\n',
    "early.ndjson": "".join(
        f'{{"t": {t}, "rows": [{{"x": {{"type": "uri", "value": "http://e/{x}"}}}}]}}\n'
        for t, x in ((999, "a"), (1999, "a"), (2999, "a"), (3999, "c"))
    ),
    "short.csv": "t,stream,s,p,o\n1,ex:S,ex:a,ex:p,ex:b\n9,ex:S,ex:c,ex:p,ex:b\n",
    "log.ttl": 'VERSION "1.2-messages" <http://e/a> <http://e/p> <http://e/b> ; <http://e/time> 3 . '
    "MESSAGE <http://e/c> <http://e/p> <http://e/b> ; <http://e/time> 9 . "
    "MESSAGE <http://e/d> <http://e/p> <http://e/b> ; <http://e/time> 9 .",
    "own.csv": "when,who\n1,a\n9,c\n",
    "spec.toml": 'name = "mine"\nreport = ["window-close"]\n',
}
DOES = """
agree term.rq in.nq --period 2 [--rdf 1.2]
check term.rq in.nq --at 1 --answer b.atoms [--rdf 1.2]
decide term.rq --period 2 [--rdf 1.2]
explain term.rq in.nq --at 1 'ans(a)' [--rdf 1.2]
init made term.rq in.nq [--rdf 1.2]
judge term.rq in.nq --answers joined.ndjson --no-diagnosis [--rdf 1.2]
phase term.rq in.nq --period 2 --length 1..4 [--rdf 1.2]
shrink term.rq in.nq --period 4 [--rdf 1.2]
solve term.rq in.nq [--rdf 1.2]
translate term.rq [--rdf 1.2]
witness term.rq --period 2 [--rdf 1.2]
record term.rq in.nq --adapter 'lars serve-engine cqels-1.x' --out kept.txt [--rdf 1.2]
compare cqels csparql term.rq in.nq [--rdf 1.2]
phase blank.rq blank.nq --period 5 --length 1..4 [--blank-nodes element]
shrink blank.rq blank.nq --period 5 [--blank-nodes element]
agree blank.rq blank.nq --period 2 [--blank-nodes element]
solve blank.cqels.rq blank.nq [--blank-nodes element]
translate blank.cqels.rq blank.nq --format asp [--blank-nodes element]
explain blank.cqels.rq blank.nq 'ans("5", a)' --at 2 [--blank-nodes element]
check blank.cqels.rq blank.nq --answer blank.atoms --at 2 [--blank-nodes element]
judge blank.cqels.rq blank.nq --answers blank.ndjson --no-diagnosis [--blank-nodes element]
compare cqels cqels-1.x blank.cqels.rq blank.nq --json [--blank-nodes element]
record blank.cqels.rq blank.nq --adapter 'lars serve-engine cqels-1.x' --out kept.txt [--blank-nodes element]
init made blank.rq blank.nq [--blank-nodes element]
phase pull.rq log.ttl --period 2 --length 1..4 [--time http://e/time]
shrink pull.rq log.ttl --period 8 [--time http://e/time]
agree pull.rq log.ttl --period 2 [--time http://e/time]
solve pull.rq log.ttl [--time http://e/time]
translate pull.rq log.ttl --format asp [--time http://e/time]
explain pull.rq log.ttl 'ans(a)' --at 2 [--time http://e/time]
check who.rq log.ttl --at 1 --answer b.atoms [--time http://e/time]
judge who.rq log.ttl --answers joined.ndjson --no-diagnosis [--time http://e/time]
record who.rq log.ttl --adapter 'lars serve-engine cqels-1.x' --out kept.txt [--time http://e/time]
init made pull.rq log.ttl [--time http://e/time]
phase samples/slide --length 1..4 [--json]
phase samples/slide [--length 1..4]
phase samples/slide --length 1..4 [--period 2]
phase samples/coupons --length 1..6 [--window http://example.org/locations]
phase samples/coupons --length 1..6 [--rate 1,2]
phase samples/slide --length 1..4 [--picture g.svg]
phase joined.rq in.nq --period 1 --length 1..4 [--static static.ttl]
phase pull.rq --length 1..4 [--stream http://e/S=bare.nt]
phase who.rq in.nq --period 2 --length 1..4 [--unit 500ms]
phase who.rq in.nq --period 2 --length 1..4 [--trace-unit 2s]
phase who.rq dated.nq --period 2 --length 1..4 [--origin 2026-01-01T00:00:00Z]
phase who.rq late.nq --period 2 --length 1..4 [--sort]
phase who.rq late.nq --period 2 --length 1..4 [--arrival order]
phase who.rq short.csv --period 3 --length 1..4 [--prefix ex=http://e/]
phase who.rq own.csv --period 3 --length 1..4 [--column MAPPED]
phase who.rq bad.nq --period 2 --length 1..4 [--on-error skip --rejected kept.txt]
phase who.rq bad.nq --period 2 --length 1..4 --on-error skip [--rejected kept.txt]
phase optional.rq in.nq --period 1 --length 1..4 [--profile sparql11]
phase samples/slide --length 1..4 [--bounds high-open]
phase late.rq other.nq --period 1 --length 1..4 --json [--trigger query-streams]
phase two.rq other.nq --length 1..4 [--assign http://e/S=http://e/p --assign http://e/T=http://e/q]
decide who.rq --period 2 [--json]
decide who.rq [--period 7]
decide who.rq --period 2 [--unit 500ms]
decide late.rq --period 1 [--bounds low-open]
decide who.rq --period 3 [--trigger matching]
decide joined.rq --period 2 [--static static.ttl]
decide two.rq --period 2 --assign http://e/S=http://e/p [--assign http://e/T=http://e/q]
decide optional.rq --period 2 [--profile sparql11]
decide who.rq --period 2 [--delay 2]
decide who.rq --period 2 --delay 2 [--wait 1]
decide late.rq who.rq [--contained]
decide late.rq who.rq [--equivalent]
decide who.rq numbers.rq --contained [--rename x=y]
shrink samples/slide [--period 1]
shrink joined.rq in.nq --period 1 [--static static.ttl]
shrink pull.rq [--stream http://e/S=bare.nt]
shrink pull.rq in.nq [--unit 500ms] --trace-unit 1s
shrink pull.rq in.nq [--trace-unit 2s]
shrink pull.rq late.nq [--sort]
shrink pull.rq late.nq [--arrival order]
shrink pull.rq short.csv [--prefix ex=http://e/]
shrink pull.rq own.csv [--column MAPPED]
shrink pull.rq bad.nq [--on-error skip --rejected kept.txt]
shrink pull.rq bad.nq --on-error skip [--rejected kept.txt]
shrink optional.rq in.nq --period 1 [--profile sparql11]
shrink samples/rooms-self --period 2 [--bounds high-open]
shrink late.rq other.nq --period 1 [--trigger query-streams]
shrink two.rq other.nq [--assign http://e/S=http://e/p --assign http://e/T=http://e/q]
shrink samples/rooms-self --period 3 [--cause expired-before-the-pull]
shrink samples/slide [--json]
witness who.rq --period 2 [--json]
witness who.rq [--period 7]
witness who.rq --period 2 [--unit 500ms]
witness who.rq --period 3 [--bounds low-open]
witness late.rq --bounds high-open --period 3 --cause expired-before-the-pull [--trigger matching]
witness optional.rq --period 2 [--profile sparql11]
witness two.rq --period 2 --assign http://e/S=http://e/p [--assign http://e/T=http://e/q]
witness joined.rq --period 2 [--static static.ttl]
witness joined.rq --period 2 [--any-source]
witness who.rq --period 2 [--enumerate 2]
witness who.rq --period 5 [--cause silent-period]
witness samples/minus [--same-input]
witness late.rq who.rq [--contained]
witness who.rq [--sides closed,high-open]
translate samples/slide/query.cqels.rq [--engine csparql]
translate pull.rq [--mode pull]
translate pull.rq --mode pull [--period 7]
translate samples/minus/query.cqels.rq [--profile sparql11]
translate pull.rq [--bounds high-open]
translate who.rq --mode push [--trigger query-streams]
translate who.rq [--semantics bag]
translate who.rq [--to rspql]
translate who.rq --to csparql [--step 1s]
translate pull.rq --to cqels --assign http://e/S=http://e/p [--variant cautious]
translate two.rq [--strict csparql-0.9.7]
translate pull.rq --format model [--assign http://e/S=http://e/other]
translate pull.rq [--unit 500ms]
translate who.rq in.nq --format asp [--static static.ttl]
translate who.rq --format asp [--stream http://e/S=bare.nt]
translate who.rq in.nq --format asp [--trace-unit 2s]
translate now.rq [--origin 2026-01-01T00:00:00Z]
translate who.rq late.nq --format asp [--sort]
translate who.rq late.nq --format asp [--arrival order]
translate who.rq short.csv --format asp [--prefix ex=http://e/]
translate who.rq own.csv --format asp [--column MAPPED]
translate who.rq in.nq --format asp [--at 3]
translate who.rq [--format ascii]
solve joined.rq in.nq [--static static.ttl]
solve who.rq [--stream http://e/S=bare.nt]
solve who.rq in.nq [--unit 500ms] --trace-unit 1s
solve who.rq in.nq [--trace-unit 2s]
solve who.rq dated.nq [--origin 2026-01-01T00:00:00Z]
solve who.rq in.nq [--origin 2026-01-01T00:00:00Z]
solve who.rq late.nq [--sort]
solve who.rq late.nq [--arrival order]
solve who.rq short.csv [--prefix ex=http://e/]
solve who.rq own.csv [--column MAPPED]
solve who.rq bad.nq [--on-error skip --rejected kept.txt]
solve who.rq bad.nq --on-error skip [--rejected kept.txt]
solve plain.rq in.nq --static static.ttl [--engine cqels]
solve pull.rq in.nq [--mode push]
solve pull.rq in.nq [--period 2]
solve optional.rq in.nq [--profile sparql11]
solve who.rq other.nq [--trigger query-streams]
solve pull.rq in.nq [--bounds high-open]
solve who.rq in.nq [--semantics bag]
solve who.rq in.nq [--from 2]
solve who.rq in.nq [--to 2]
solve choice.lars in.nq --static static.ttl --to 1 [--models 1]
solve choice.lars in.nq --static static.ttl --to 1 [--brave]
solve choice.lars in.nq --static static.ttl --to 1 [--cautious]
solve pull.rq in.nq [--as csparql]
solve pull.rq in.nq --as csparql [--t0 1]
solve pull.rq in.nq --as csparql [--until 9]
solve made.rq in.nq --as cqels [--as-stream http://e/T]
solve who.rq in.nq [--json]
explain who.rq in.nq 'ans(a)' [--at 1]
explain who.rq 'ans(a)' --at 1 [--stream http://e/S=bare.nt]
explain joined.rq in.nq 'ans(a)' --at 1 [--static static.ttl]
explain who.rq in.nq 'ans(a)' --at 1 [--unit 500ms]
explain who.rq in.nq 'ans(a)' --at 2 [--trace-unit 2s]
explain who.rq dated.nq 'ans(a)' --at 1 [--origin 2026-01-01T00:00:00Z]
explain who.rq late.nq 'ans(a)' --at 2 [--sort]
explain who.rq late.nq 'ans(a)' --at 2 [--arrival order]
explain who.rq short.csv 'ans(a)' --at 2 [--prefix ex=http://e/]
explain who.rq own.csv 'ans(a)' --at 2 [--column MAPPED]
explain who.rq bad.nq 'ans(a)' --at 1 [--on-error skip --rejected kept.txt]
explain who.rq bad.nq 'ans(a)' --at 1 --on-error skip [--rejected kept.txt]
explain samples/slide 'ans(ann)' --at 1 [--engine csparql]
explain who.rq in.nq 'ans(a)' --at 3 [--mode pull --period 3]
explain pull.rq in.nq 'ans(a)' --at 1 [--period 2]
explain optional.rq in.nq 'ans(a,b,null)' --at 2 [--profile sparql11]
explain pull.rq in.nq 'ans(a)' --at 1 [--bounds high-open]
explain who.rq other.nq 'ans(a)' --at 2 [--trigger query-streams]
explain choice.lars in.nq 'a' --at 1 --static static.ttl [--model 2]
explain who.rq in.nq 'ans(a)' --at 1 [--json]
check who.rq in.nq --at 1 [--answer b.atoms]
check who.rq in.nq --answer b.atoms [--at 1]
check who.rq --answer b.atoms --at 1 [--stream http://e/S=bare.nt]
check joined.rq in.nq --answer b.atoms --at 1 [--static static.ttl]
check who.rq in.nq --answer b.atoms --at 1 --trace-unit 1s [--unit 500ms]
check who.rq in.nq --answer b.atoms --at 1 [--trace-unit 2s]
check who.rq dated.nq --answer b.atoms --at 1 [--origin 2026-01-01T00:00:00Z]
check who.rq late.nq --answer b.atoms --at 1 [--sort]
check who.rq late.nq --answer b.atoms --at 1 [--arrival order]
check who.rq short.csv --answer b.atoms --at 1 [--prefix ex=http://e/]
check who.rq own.csv --answer b.atoms --at 1 [--column MAPPED]
check who.rq in.nq --answer b.atoms --at 1 [--mode pull --period 3]
check who.rq in.nq --answer b.atoms --at 1 --mode pull [--period 2]
check pull.rq in.nq --answer b.atoms --at 1 [--bounds high-open]
check who.rq in.nq --answer b.atoms --at 1 [--json]
check who.rq in.nq --answer b.atoms --at 1 [--semantics bag]
check who.rq bad.nq --answer b.atoms --at 1 [--on-error skip --rejected kept.txt]
check who.rq bad.nq --answer b.atoms --at 1 --on-error skip [--rejected kept.txt]
explain who.rq in.nq 'ans(a,b)' --at 1 [--semantics bag]
agree samples/slide [--period 1]
agree samples/slide [--from 2]
agree samples/slide [--to 5]
agree joined.rq in.nq --period 1 [--static static.ttl]
agree pull.rq [--stream http://e/S=bare.nt]
agree pull.rq in.nq [--unit 500ms] --trace-unit 1s
agree pull.rq in.nq [--trace-unit 2s]
agree pull.rq dated.nq [--origin 2026-01-01T00:00:00Z]
agree pull.rq late.nq [--sort]
agree pull.rq late.nq [--arrival order]
agree pull.rq late.nq --arrival order [--late]
agree pull.rq late.nq --arrival order --late [--wait 1]
agree pull.rq late.nq --arrival order --late [--lateness 0]
agree pull.rq short.csv [--prefix ex=http://e/]
agree pull.rq own.csv [--column MAPPED]
agree optional.rq in.nq --period 1 --json [--on ?x]
agree pull.rq bad.nq [--on-error skip --rejected kept.txt]
agree pull.rq bad.nq --on-error skip [--rejected kept.txt]
agree optional.rq in.nq --period 1 --json [--profile sparql11]
agree samples/slide --json [--bounds high-open]
agree late.rq other.nq --period 1 --json [--trigger query-streams]
agree two.rq other.nq [--assign http://e/S=http://e/p --assign http://e/T=http://e/q]
agree samples/slide [--full]
agree samples/slide --period 1,3 [--only-period 3]
agree samples/slide [--cause 'silent period']
agree samples/slide [--side push]
agree [--schema]
agree samples/slide [--json]
judge numbers.rq in.nq [--answers numbers.csv --time-variable came]
judge numbers.rq in.nq --answers numbers.csv [--time-variable came]
judge numbers.rq in.nq --answers marked.txt [--answers-format csv]
judge who.rq short.csv --answers joined.ndjson --no-diagnosis [--prefix ex=http://e/]
judge who.rq own.csv --answers joined.ndjson --no-diagnosis [--column MAPPED]
judge numbers.rq in.nq --answers renamed.csv --time-variable came [--rename n=y]
judge NUMBERS [--answers-unit 2s]
judge NUMBERS [--engine spec.toml]
judge NUMBERS --no-diagnosis [--engine solve]
judge pull.rq in.nq --answers early.ndjson --answers-unit 1ms --engine solve [--mode push]
judge NUMBERS --engine solve --mode pull [--period 2]
judge NUMBERS [--tolerance 0.5]
judge NUMBERS [--until 1]
judge NUMBERS [--json]
judge numbers.rq in.nq --answers twice.ndjson --no-diagnosis [--semantics set]
judge joined.rq in.nq --answers joined.ndjson --no-diagnosis [--static-at 0..=static.ttl]
judge joined.rq in.nq --answers joined.ndjson --no-diagnosis [--static static.ttl]
judge MET [--t0 0]
judge MET [--t0 aligned]
judge MET [--registered 3]
judge MET [--bounds high-open]
judge MET [--empty ignored]
judge MET [--late 0]
judge pull.rq in.nq --answers early.ndjson --answers-unit 1ms --no-diagnosis [--early 5]
judge pull.rq in.nq --answers early.ndjson --answers-unit 1ms [--no-diagnosis]
judge [--fields]
judge pull.rq late.nq --answers early.ndjson --answers-unit 1ms --early 5 [--arrival order]
judge pull.rq late.nq --answers early.ndjson --answers-unit 1ms --early 5 --arrival order [--wait 1]
judge pull.rq late.nq --answers early.ndjson --answers-unit 1ms --early 5 --arrival order [--lateness 0]
compare cqels cqels-1.x who.rq late.nq [--arrival order]
compare csparql csparql-0.9.7 pull.rq late.nq --arrival order [--wait 1]
compare cqels cqels-1.x who.rq late.nq --arrival order [--lateness 0]
compare csparql csparql-0.9.7 pull.rq in.nq [--t0 1]
compare csparql csparql-0.9.7 pull.rq in.nq [--bounds high-open]
compare cqels cqels-1.x who.rq in.nq [--json]
compare cqels cqels-1.x who.rq [--stream http://e/S=bare.nt]
compare cqels cqels-1.x who.rq short.csv [--prefix ex=http://e/]
compare cqels cqels-1.x who.rq own.csv [--column MAPPED]
compare cqels cqels-1.x who.rq bad.nq [--on-error skip --rejected kept.txt]
compare cqels cqels-1.x who.rq bad.nq --on-error skip [--rejected kept.txt]
compare alerts.csv late.csv [--events events.csv]
compare alerts.csv late.csv --events events.csv [--query value.rq]
compare alerts.csv late.csv --events events.csv [--period 3s]
compare alerts.csv late.csv --events events.csv --period 3s [--window 2s]
compare alerts.csv late.csv [--within 1s]
compare alerts.csv late.csv [--rename value=v]
compare alerts.csv late.csv [--answers-unit 2s]
compare alerts.csv late.csv [--time-variable value]
run [--schema]
generate g.nq --overwrite [--stations 2]
generate g.nq --overwrite [--interval 2s]
generate g.nq --overwrite [--duration 2s]
generate g.nq --overwrite [--seed 2]
generate g.nq --overwrite [--values 1..2]
generate g.nq --overwrite [--walk 0.5]
generate g.nq --overwrite [--arrivals poisson]
generate g.nq --overwrite [--bursts 2x100ms]
generate g.nq --overwrite --stations 2 [--contemporaneous 2]
generate g.nq --overwrite [--duplicates 0.5]
generate g.nq --overwrite [--out-of-order 0.5]
generate g.nq --overwrite --out-of-order 0.5 [--delay 9s]
generate g.nq --overwrite --stations 2 [--streams 2]
generate g.nq --overwrite [--stream-iri http://e/T]
generate g.nq --overwrite [--start 5s]
generate g.nq --overwrite [--unit 1s]
generate g.nq --overwrite [--trace-unit 100000ns]
generate g.nq --overwrite [--format ntriples]
generate in.nq [--overwrite]
fmt choice.lars [--write]
fmt choice.lars [--check]
fmt choice.lars [--ascii]
"""
COMMANDS = get_command(app).commands
LINES = DOES.strip().splitlines()
MET = (
    "samples/judged/met/query.csparql.rq samples/judged/met/doors.nq --answers-unit 1ms --no-diagnosis "
    "--answers samples/judged/met/answers.csparql.ndjson"
)
MAPPED = "t={when} --column 's=<http://e/{who}>' --column '<http://e/p>=<http://e/b>'"
NUMBERS = "numbers.rq in.nq --answers numbers.ndjson --no-diagnosis"
ELSEWHERE_OF = {
    "play": {"--port"},
    "agree": {"--fail-on-empty"},
    "phase": {"--fail-on-empty"},
    "compare": {
        *(
            "--fail-on-empty",
            "--semantics",
            "--tolerance",
            "--times",
            "--unit",
            "--trace-unit",
            "--origin",
            "--static",
        ),
        *("--time", "--answers-format"),
    }
    | {"--sort"},
    "judge": {
        "--stream",
        "--unit",
        "--trace-unit",
        "--origin",
        "--sort",
        "--on-error",
        "--rejected",
        "--gracious",
    },
    "check": {"--engine", "--profile", "--trigger"},
    "run": {"--fail-on-empty", "--jobs", "--out", "--check", "--json"},
    "pack": {"--jobs", "--license", "--out"},
    "record": {"--adapter", "--check", "--log", "--silence", "--option", "--prefix", "--static", "--stream"}
    | {
        "--column",
        "--unit",
        "--trace-unit",
        "--origin",
        "--sort",
        "--arrival",
        "--on-error",
        "--rejected",
        "--json",
        "--schema",
    },
    "init": {"--period", "--prefix", "--column", "--static", "--stream", "--sort", "--unit", "--trace-unit"}
    | {"--origin", "--arrival"},
    "suite": {"--adapter", "--compare", "--answers", "--level", "--engine", "--t0", "--bounds", "--label"}
    | {"--dialect", "--jobs", "--silence", "--option", "--json", "--benchmarks", "--messages"},
    "hunt": {
        "--adapter",
        "--engine",
        "--runs",
        "--faults",
        "--seed",
        "--static",
        "--t0",
        "--bounds",
        "--late",
    }
    | {"--silence", "--option", "--json", "--rdf"},
    "witness": {"--triples"},
    "shrink": {"--origin"},
}
ELSEWHERE = {
    "--base",
    *("--junit", "--known", "--null"),
    *("--reading", "--prefix"),
    "--memory",
    "--verbose",
    "--out",
    "--out-format",
    "--out-terms",
    "--show",
    "--where",
    "--match",
    "--time-limit",
} | {
    "--master",
    "--in-process",
    "--runs",
    "--resume",
    "--evaluator",
    "--certify",
    "--fresh",
    "--quiet",
    "--help",
    "--report",
    "--figure",
    "--color",
}
"""What these do is tested where it is done: here everything runs in one process, once."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("options")
    copied(found)
    for name, text in FILES.items():
        (found / name).write_text(text, encoding="utf-8")
    return found


def seen(line, folder):
    """Return what a command line does: code, texts, and what becomes of the files."""
    written = line.replace("MET", MET).replace("NUMBERS", NUMBERS).replace("MAPPED", MAPPED)
    with contextlib.chdir(folder):
        ran = lars(*shlex.split(written))
    files = {path.name: path.is_file() and path.read_text(encoding="utf-8") for path in folder.iterdir()}
    restore(folder, files)
    return ran, files


def restore(folder, files):
    """Take back what a command line did to the files; to write all of them takes as long as most commands."""
    for name in files.keys() - FILES.keys() - {"samples"}:
        shutil.rmtree(folder / name) if (folder / name).is_dir() else (folder / name).unlink()
    for name, text in FILES.items():
        if files.get(name) != text:
            (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def without(folder):
    return cache(partial(seen, folder=folder))


@pytest.mark.parametrize("line", LINES)
def test_an_option_changes_what_its_command_does(line, folder, without):
    before, option, after = re.fullmatch(r"(.*)\[(--.*)\](.*)", line).groups()
    ran, files = seen(f"{before}{option}{after}", folder)
    assert (ran, files) != without(f"{before}{after}")
    assert ran.code in (0, 1) or "--strict" in option, ran.err


# Options of `export` are in two commands; those of `watch` have tests of batches, without Spark.
@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"export", "watch"}))
def test_there_is_such_a_command_line_for_each_option(name):
    known = {option for one in COMMANDS[name].params for option in one.opts if option.startswith("--")}
    shown = {re.search(r"\[(--(?:no-)?[\w-]+)", line)[1] for line in LINES if line.split()[0] == name}
    shown |= {"--diagnosis"} if "--no-diagnosis" in shown else set()
    assert known - shown - ELSEWHERE - ELSEWHERE_OF.get(name, set()) == set()


REFUSED = """
translate two.rq [--variant all]
translate pull.rq [--period 5]
translate pull.rq --mode push [--period 5]
translate pull.rq [--trigger any]
translate pull.rq --mode pull [--trigger any]
translate choice.lars in.nq --format asp [--assign http://e/S=http://e/p]
translate who.rq [--assign http://e/S=http://e/p]
translate who.rq --to cqels [--step 1s]
translate pull.rq [--assign http://e/S=http://e/p]
translate pull.rq --to csparql [--assign http://e/S=http://e/p]
translate pull.rq --to sparqlstream [--format asp]
translate pull.rq --to sparqlstream [--mode push]
translate pull.rq --to sparqlstream in.nq [--at 3]
translate pull.rq --format model [--bounds closed]
translate pull.rq [--trace-unit 1s]
translate pull.rq [--sort]
translate pull.rq [--at 3]
translate choice.lars [--unit 1s]
translate choice.lars [--origin 2026-01-01T00:00:00Z]
translate choice.lars [--mode push]
solve who.rq in.nq [--period 5]
solve who.rq in.nq --mode push [--period 5]
solve pull.rq in.nq [--trigger matching]
solve pull.rq in.nq --mode pull [--trigger any]
solve who.rq in.nq [--rejected kept.txt]
solve who.rq in.nq [--null n/a]
solve who.rq short.csv --prefix ex=http://e/ [--null n/a]
agree pull.rq in.nq --period 2 [--null n/a]
solve who.rq in.nq --in-process [--master local]
solve who.rq in.nq --as cqels [--master local]
solve made.rq in.nq --as cqels --as-stream http://e/T [--json]
solve who.rq in.nq [--models 2]
solve choice.lars in.nq [--as cqels]
solve choice.lars in.nq [--period 2]
explain who.rq in.nq 'ans(a)' --at 1 [--period 5]
explain who.rq in.nq 'ans(a)' --at 1 [--model 1]
explain pull.rq in.nq 'ans(a)' --at 1 [--trigger matching]
explain samples/slide 'ans(ann)' --at 1 [--period 5]
explain choice.lars in.nq a --at 1 [--bounds closed]
check who.rq in.nq --at 1 --answer b.atoms [--period 5]
check pull.rq in.nq --at 1 --answer b.atoms --mode pull [--trigger any]
agree samples/slide [--assign http://example.org/door=http://example.org/entered]
agree samples/slide/query.cqels.rq samples/slide/door.trig [--assign http://e/S=http://e/p]
agree --schema [--full]
agree --schema [--json]
agree samples/slide [--rejected kept.txt]
agree samples/slide --in-process [--master local]
judge --fields [--json]
judge samples/judged/met/case.json [--trace-unit 1s]
run --schema [--jobs 2]
generate h.nq [--delay 3s]
generate h.nq --in-process [--master local]
fmt choice.lars --check [--write]
export --read in.nq --legend in.nq [--clock 1s]
export who.rq in.nq --to asp --out made [--rejected kept.txt]
agree samples/slide [--out-format csv]
agree samples/slide [--out-terms short]
agree samples/slide --out o --out-format markdown [--out-terms short]
solve who.rq in.nq [--out-format csv]
solve who.rq in.nq [--runs]
solve who.rq in.nq --as cqels --out made [--runs]
"""


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_an_option_that_would_say_nothing_is_refused_with_where_it_would(line, folder):
    before, option, after = re.fullmatch(r"(.*)\[(--.*)\](.*)", line).groups()
    ran, files = seen(f"{before}{option}{after}", folder)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert option.split()[0] in ran.err
    assert re.search("requires?|cannot combine|accepted|expected|says itself|give one", ran.err)
    assert files.keys() <= {*FILES, "samples"}


@pytest.mark.parametrize("name", ABOUT)
def test_the_situations_name_options_that_there_are(name):
    known = {option for command in COMMANDS.values() for one in command.params for option in one.opts}
    found = ABOUT[name].idle
    assert {option for one in found for option in one.names} <= known


def test_the_library_refuses_a_keyword_that_would_say_nothing():
    query = "SELECT ?x { STREAM <http://e/S> [NOW] { ?x <http://e/p> ?y } }"
    with pytest.raises(LarsError, match=r"^period= requires mode=\"pull\""):
        api.solve(query, "1: striple(<http://e/a>, <http://e/p>, 1, <http://e/S>)\n", mode="push", period=2)
