"""One small valid recording of each format, and how a test reads a text."""

from agreement.documents.recordings import read_recording
from agreement.documents.requests import AnswersOptions

CASE = """{
 "id": "x/001-1-window",
 "engine": "csparql-0.9.7",
 "mode": "external time",
 "family": "1-window",
 "query": "REGISTER QUERY q AS SELECT ?s ?o FROM STREAM <http://e/S> [RANGE 3s STEP 1s] WHERE { ?s ?p ?o }",
 "static": ["<http://e/s1> <http://e/name> \\"one\\" ."],
 "static_graph": "urn:static",
 "notes": "",
 "stream": [
  {"t": 100, "stream": "http://e/S", "triple": "<http://e/s1> <http://e/p> <http://e/o> ."},
  {"t": 1200.5, "stream": "http://e/S", "triple": "<http://e/s1> <http://e/q> \\"x\\"@EN ."}
 ],
 "output": [
  {"t": 1001, "trigger": 1, "rows": [{"s": "<http://e/s1>", "o": null}, {"s": "<http://e/s1>"}]},
  {"t": 2001, "trigger": 1, "rows": []}
 ],
 "exceptions": [{"trigger": 0, "message": "unordered stream"}]
}
"""
CSRBENCH = """{"relations": [
 {"head": {"vars": ["s", "n"]}, "timestamp": 1000, "results": {"bindings": []}},
 {"head": {"vars": ["s", "n"]}, "timestamp": 2000, "results": {"bindings": [
  {"timestamp": 2000, "binding": {"s": {"type": "uri", "value": "http://e/a"},
   "n": {"type": "literal", "value": "4", "datatype": "http://www.w3.org/2001/XMLSchema#integer"}}}]}}
]}
"""
YABENCH = """1000
?s\t?n
1500
<http://e/a>\t"4"^^<http://www.w3.org/2001/XMLSchema#integer>
<http://e/b>\t
2500
"""
SPARQL_JSON = """{"head": {"vars": ["time", "s"]},
 "results": {"bindings": [
  {"time": {"type": "literal", "value": "1"}, "s": {"type": "bnode", "value": "b0"}},
  {"time": {"type": "literal", "value": "2.5"}, "s": {"type": "literal", "value": "x", "xml:lang": "en"}}
 ]}}
"""
SPARQL_LINES = """{"t": 1, "head": {"vars": ["s"]}, "results": {"bindings": []}}
{"t": 2, "head": {"vars": ["s"]}, "results": {"bindings": [{"s": {"type": "uri", "value": "http://e/a"}}]}}
"""
CSV = 't,s,n\r\n1,http://e/a,"say ""hi"", b"\r\n1,http://e/b,\r\n2,_:b,30\r\n'
TSV = "?t\t?s\t?n\n1\t<http://e/a>\t01\n1\t<http://e/b>\t\n2\t_:b\ttrue\n"
SOLVED = """{"t": 1, "rows": []}
{"t": 2, "rows": [{"s": {"type": "uri", "value": "http://e/a"}}, {}]}
"""
TEXTS = {
    "case": CASE,
    "csrbench": CSRBENCH,
    "yabench": YABENCH,
    "sparql-json": SPARQL_JSON,
    "sparql-lines": SPARQL_LINES,
    "csv": CSV,
    "tsv": TSV,
    "solve": SOLVED,
}
KINDS = {name: "sparql-json" if name == "sparql-lines" else name for name in TEXTS}


def read(folder, text, kind=None, name="answers", **options):
    """Return the answers that a text, or bytes, holds as a file."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_recording(path, AnswersOptions(answers_format=kind, **options))
