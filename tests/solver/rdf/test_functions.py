"""The values of SPARQL operators and functions against SPARQL 1.1, Section 17; what pyoxigraph does."""

import pyoxigraph as ox
import pytest

from lars.language.formulas import Call
from lars.language.terms import XSD, Iri, Literal
from solver.rdf import evaluate
from tests.solver.rdf.expressions import X, Y, read, rows, term

# expression | ?x | ?y | the term or error
RESULTS = r"""
?x | "01"^^xsd:integer | - | "01"^^xsd:integer
IF(true, ?x, ?y) | "01"^^xsd:integer | "1"^^xsd:integer | "01"^^xsd:integer
COALESCE(?y, ?x) | "1.50"^^xsd:decimal | - | "1.50"^^xsd:decimal
STR(?x) | "01"^^xsd:integer | - | "01"
STR(?x) | _:a | - | error
STR(?x) | <x:a> | - | "x:a"
CONCAT(STR(?x), STR(?y)) | "01"^^xsd:integer | "1e0"^^xsd:double | "011e0"
CONCAT(?x, ?y) | "a"@en | "b"@en | "ab"@en
CONCAT(?x, ?y) | "a"@en | "b" | "ab"
CONCAT(?x, ?y) | "a" | "1"^^xsd:integer | error
DATATYPE(?x) | "1"^^xsd:byte | - | <http://www.w3.org/2001/XMLSchema#byte>
STRDT(?x, ?y) | "01" | <http://www.w3.org/2001/XMLSchema#integer> | "01"^^xsd:integer
STRDT(?x, ?y) | "01" | <http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> | error
STRDT(?x, ?y) | "01"@en | <http://www.w3.org/2001/XMLSchema#integer> | error
STRLANG(?x, ?y) | "a" | "EN" | "a"@en
IRI(?x) | "x:a" | - | <x:a>
IRI(?x) | "a" | - | error
?x + ?y | "1"^^xsd:byte | "02"^^xsd:integer | "3"^^xsd:integer
?x + ?y | "1"^^xsd:integer | "0.5"^^xsd:decimal | "1.5"^^xsd:decimal
?x + ?y | "1"^^xsd:integer | "0.5"^^xsd:double | "1.5E0"^^xsd:double
?x * ?y | "1.5"^^xsd:float | "2"^^xsd:integer | "3.0E0"^^xsd:float
?x * ?y | "9223372036854775807"^^xsd:integer | "2"^^xsd:integer | "18446744073709551614"^^xsd:integer
?x / ?y | "1"^^xsd:integer | "4"^^xsd:integer | "0.25"^^xsd:decimal
?x / ?y | "1"^^xsd:integer | "0"^^xsd:integer | error
?x / ?y | "1"^^xsd:double | "0"^^xsd:integer | "INF"^^xsd:double
?x / ?y | "0"^^xsd:double | "0"^^xsd:double | "NaN"^^xsd:double
?x - ?y | "1" | "0"^^xsd:integer | error
-?x | "-1.50"^^xsd:decimal | - | "1.5"^^xsd:decimal
ABS(?x) | "-1"^^xsd:byte | - | "1"^^xsd:integer
ROUND(?x) | "-2.5"^^xsd:decimal | - | "-2"^^xsd:decimal
ROUND(?x) | "2.5"^^xsd:double | - | "3.0E0"^^xsd:double
CEIL(?x) | "10.5"^^xsd:decimal | - | "11"^^xsd:decimal
FLOOR(?x) | "-10.5"^^xsd:decimal | - | "-11"^^xsd:decimal
CEIL(?x) | "-INF"^^xsd:double | - | "-INF"^^xsd:double
xsd:integer(?x) | " 07 " | - | "7"^^xsd:integer
xsd:integer(?x) | "-1.9"^^xsd:decimal | - | "-1"^^xsd:integer
xsd:integer(?x) | "99999999999999999999" | - | "99999999999999999999"^^xsd:integer
xsd:integer(?x) | "NaN"^^xsd:double | - | error
xsd:integer(?x) | "1"@en | - | error
xsd:integer(?x) | "1.5" | - | error
xsd:string(?x) | "01"^^xsd:integer | - | "1"
xsd:string(?x) | "1.5e30"^^xsd:double | - | "1.5E30"
xsd:string(?x) | "1.0E2"^^xsd:double | - | "100"
xsd:string(?x) | <x:a> | - | "x:a"
xsd:string(TIMEZONE(?x)) | "2020-01-01T00:00:00-05:30"^^xsd:dateTime | - | "-PT5H30M"
xsd:string(?x) | "PT36H"^^xsd:dayTimeDuration | - | "P1DT12H"
xsd:string(?x) | "2020"^^xsd:gYear | - | "2020"
xsd:string(?x) | "x"^^xsd:gYear | - | error
xsd:string(?x) | "x:a b"^^xsd:anyURI | - | "x:a b"
xsd:string(?x) | "a  b"^^xsd:normalizedString | - | "a  b"
xsd:string(?x) | "a b"^^xsd:token | - | "a b"
xsd:string(?x) | "a  b"^^xsd:token | - | error
xsd:string(?x) | "x"^^<x:own> | - | error
xsd:string(?x) | "a"@en | - | error
xsd:boolean(?x) | "0.0"^^xsd:decimal | - | "false"^^xsd:boolean
xsd:boolean(?x) | "1" | - | "true"^^xsd:boolean
xsd:double(?x) | "true"^^xsd:boolean | - | "1.0E0"^^xsd:double
xsd:decimal(?x) | "0.7e-2"^^xsd:float | - | "0.007000000216066837310791015625"^^xsd:decimal
xsd:decimal(?x) | "1e22"^^xsd:double | - | "10000000000000000000000"^^xsd:decimal
xsd:decimal(?x) | "0.1"^^xsd:float | - | "0.100000001490116119384765625"^^xsd:decimal
xsd:integer(?x) | "1e23"^^xsd:double | - | "99999999999999991611392"^^xsd:integer
xsd:float(?x) | "0.1"^^xsd:double | - | "1.0E-1"^^xsd:float
xsd:dateTime(?x) | "2020-01-01T00:00:00Z" | - | "2020-01-01T00:00:00Z"^^xsd:dateTime
xsd:dateTime(?x) | "yesterday" | - | error
YEAR(?x) | "2011-01-10T14:45:13.815-05:00"^^xsd:dateTime | - | "2011"^^xsd:integer
SECONDS(?x) | "2011-01-10T14:45:13.815-05:00"^^xsd:dateTime | - | "13.815"^^xsd:decimal
TZ(?x) | "2011-01-10T14:45:13.815-05:00"^^xsd:dateTime | - | "-05:00"
YEAR(?x) | "12345678901234567890-12-31T24:00:00"^^xsd:dateTime | - | "12345678901234567891"^^xsd:integer
YEAR(?x) | "-12345678901234567890-02-28"^^xsd:date | - | "-12345678901234567890"^^xsd:integer
DAY(?x) | "12345678901234567888-02-29T00:00:00-05:00"^^xsd:dateTime | - | "29"^^xsd:integer
YEAR(?x) | "12345678901234567890-02-29T00:00:00"^^xsd:dateTime | - | error
TZ(?x) | "12345678901234567888-02-29T00:00:00-05:00"^^xsd:dateTime | - | "-05:00"
HOURS(?x) | "12345678901234567888-02-29"^^xsd:date | - | error
SECONDS(?x) | "14:45:13.12345678901234567890Z"^^xsd:time | - | "13.1234567890123456789"^^xsd:decimal
MINUTES(?x) | "2011-01-10T14:45:13.12345678901234567890Z"^^xsd:dateTime | - | "45"^^xsd:integer
YEAR(?x) | "14:45:13.5"^^xsd:time | - | error
xsd:date(?x) | "98765432109876-12-31T24:00:00Z"^^xsd:dateTime | - | "98765432109877-01-01Z"^^xsd:date
xsd:dateTime(?x) | "-98765432109876-02-28"^^xsd:date | - | "-98765432109876-02-28T00:00:00"^^xsd:dateTime
STRLEN(STR(xsd:time(?x))) | "2011-01-10T14:45:13.1234567890123456789Z"^^xsd:dateTime | - | "29"^^xsd:integer
xsd:dateTime(?x) | "14:45:13.1234567890123456789Z"^^xsd:time | - | error
TIMEZONE(?x) | "2011-01-10T14:45:13"^^xsd:dateTime | - | error
STRLEN(?x) | "a😀" | - | "2"^^xsd:integer
SUBSTR(?x, 4) | "foobar"@en | - | "bar"@en
STRBEFORE(?x, ?y) | "abc"@en | "z" | ""
STRAFTER(?x, ?y) | "abc"@en | "b" | "c"@en
MD5(?x) | "abc" | - | "900150983cd24fb0d6963f7d28e17f72"
REPLACE(?x, "b", "Z") | "abab" | - | "aZaZ"
REPLACE(?x, "(b)", "[$1x]") | "abc" | - | "a[bx]c"
REPLACE(?x, "(b)", ?y) | "abc" | "$12" | "ab2c"
REPLACE(?x, "b", ?y) | "abc" | "\\\\$1" | "a\\c"
REPLACE(?x, "b", ?y) | "abc" | "\\$1" | "a$1c"
REPLACE(?x, "b", ?y) | "abc" | "$" | error
REPLACE(?x, "x*", "-") | "abc" | - | error
ROUND(?x) | "-2.5"^^xsd:double | - | "-2.0E0"^^xsd:double
ROUND(?x) | "-0.4"^^xsd:float | - | "-0.0E0"^^xsd:float
CEIL(?x) | "-0.5"^^xsd:decimal | - | "0"^^xsd:decimal
CEIL(?x) | "-1.5"^^xsd:double | - | "-1.0E0"^^xsd:double
xsd:long(?x) | "-1.9"^^xsd:double | - | "-1"^^xsd:long
xsd:byte(?x) | " 0100 " | - | "100"^^xsd:byte
xsd:byte(?x) | "200"^^xsd:integer | - | error
xsd:nonNegativeInteger(?x) | "-1" | - | error
xsd:unsignedInt(?x) | "true"^^xsd:boolean | - | "1"^^xsd:unsignedInt
xsd:date(?x) | "2020-02-29T23:00:00-05:00"^^xsd:dateTime | - | "2020-02-29-05:00"^^xsd:date
xsd:date(?x) | "2020-02-30" | - | error
xsd:dateTime(?x) | "2020-02-29"^^xsd:date | - | "2020-02-29T00:00:00"^^xsd:dateTime
xsd:dateTime(?x) | "10:00:00"^^xsd:time | - | error
xsd:time(?x) | "2020-02-29T23:00:00Z"^^xsd:dateTime | - | "23:00:00Z"^^xsd:time
xsd:time(?x) | "25:00:00" | - | error
xsd:long(?x) | "2020-02-29"^^xsd:date | - | error
# fn:substring: positions are rounded and may lie outside
SUBSTR(?x, 1.5, 2.6) | "12345" | - | "234"
SUBSTR(?x, 0, 3) | "12345" | - | "12"
SUBSTR(?x, 5, -3) | "12345" | - | ""
SUBSTR(?x, -3, 5) | "12345" | - | "1"
SUBSTR(?x, ?y, 3) | "12345" | "NaN"^^xsd:double | ""
SUBSTR(?x, -42, ?y) | "12345" | "INF"^^xsd:double | "12345"
SUBSTR(?x, ?y, 1e0 / 0) | "12345" | "-INF"^^xsd:double | ""
SUBSTR(?x, ?y) | "12345" | "-INF"^^xsd:double | "12345"
SUBSTR(?x, ?y) | "12345" | "INF"^^xsd:double | ""
SUBSTR(?x, ?y) | "12345" | "NaN"^^xsd:double | ""
SUBSTR(?x, ?y) | "12345" | "2" | error
SUBSTR(?x, 2) | "1"^^xsd:integer | - | error
SUBSTR(?x, 2, 1) | "a😀b"@en | - | "😀"@en
UCASE(?x) | "straße"@de | - | "STRASSE"@de
STRBEFORE(?x, "") | "abc"@en | - | ""@en
STRAFTER(?x, ?y) | "abc" | "b"@en | error
STRLANG(?x, "en") | "a"@en | - | error
ENCODE_FOR_URI(?x) | "Los Angeles é~" | - | "Los%20Angeles%20%C3%A9~"
CONCAT() | - | - | ""
COALESCE() | - | - | error
TIMEZONE(?x) | "2020-01-01T00:00:00-08:30"^^xsd:dateTime | - | "-PT8H30M"^^xsd:dayTimeDuration
TIMEZONE(?x) | "2020-01-01T00:00:00Z"^^xsd:dateTime | - | "PT0S"^^xsd:dayTimeDuration
TZ(?x) | "2020-01-01T00:00:00"^^xsd:dateTime | - | ""
HOURS(?x) | "2020-01-01"^^xsd:date | - | error
# XPath's regular expressions
REGEX(?x, "^[a-z-[aeiou]]$") | "a" | - | "false"^^xsd:boolean
REGEX(?x, "^[a-z-[aeiou]]$") | "b" | - | "true"^^xsd:boolean
REGEX(?x, "^[^a-z-[0-9]]$") | "1" | - | "false"^^xsd:boolean
REGEX(?x, "^[^a-c-[^x-z]]$") | "x" | - | "true"^^xsd:boolean
REGEX(?x, "^\\i\\c*$") | "_é-1" | - | "true"^^xsd:boolean
REGEX(?x, "^\\I[\\c]$") | "1a" | - | "true"^^xsd:boolean
REGEX(?x, "") | "a" | - | "true"^^xsd:boolean
REGEX(?x, "^\\p{IsBasicLatin}$") | "a" | - | "true"^^xsd:boolean
REGEX(?x, "^\\P{IsBasicLatin}$") | "a" | - | "false"^^xsd:boolean
REGEX(?x, "^[\\p{IsGreek}]$") | "α" | - | "true"^^xsd:boolean
REGEX(?x, "\\p{IsNowhere}") | "a" | - | error
REGEX(?x, "\\w") | "_" | - | "false"^^xsd:boolean
REGEX(?x, "^[\\w]\\W$") | "é_" | - | "true"^^xsd:boolean
REGEX(?x, "\\s") | "\\u00A0" | - | "false"^^xsd:boolean
REGEX(?x, "\\bab") | "ab" | - | error
REGEX(?x, "(?i)AB") | "ab" | - | error
REGEX(?x, "(?P<n>a)") | "a" | - | error
REGEX(?x, "^(?:ab)+?$") | "abab" | - | "true"^^xsd:boolean
REGEX(?x, "a*+") | "a" | - | error
REGEX(?x, "^a{2}{3}$") | "aaaaaa" | - | error
REGEX(?x, "^a{2,}?[*+]{2}$") | "aa*+" | - | "true"^^xsd:boolean
REGEX(?x, "\\p{Greek}") | "α" | - | error
REGEX(?x, "^\\p{Ll}{2}$") | "ab" | - | "true"^^xsd:boolean
REGEX(?x, "[[:alpha:]]") | "a" | - | error
REGEX(?x, "[]a]") | "a" | - | error
REGEX(?x, "[a--b]") | "b" | - | error
REGEX(?x, "^[+--]{3}$") | "+,-" | - | "true"^^xsd:boolean
REGEX(?x, "^[a-]+$") | "-a" | - | "true"^^xsd:boolean
REGEX(?x, "^\\(\\?i\\)[(?i)]$") | "(?i)?" | - | "true"^^xsd:boolean
REGEX(?x, "^\\i") | "1a" | - | "false"^^xsd:boolean
REGEX(?x, "a # [ ]b", "x") | "a# b" | - | "true"^^xsd:boolean
REGEX(?x, "a.b", "s") | "a\nb" | - | "true"^^xsd:boolean
REGEX(?x, "^b", "m") | "a\nb" | - | "true"^^xsd:boolean
REGEX(?x, "^\\p{Lu}$", "i") | "a" | - | "false"^^xsd:boolean
REGEX(?x, "^b\\p{Lu}$", "i") | "BA" | - | "true"^^xsd:boolean
REGEX(?x, "^[\\p{Lu}x-z]+$", "i") | "AXzY" | - | "true"^^xsd:boolean
REGEX(?x, "^[\\p{Lu}x-z]$", "i") | "a" | - | "false"^^xsd:boolean
REGEX(?x, "^[^\\p{Lu}x-z]$", "i") | "Z" | - | "false"^^xsd:boolean
REGEX(?x, "^[^\\p{Lu}x-z]$", "i") | "a" | - | "true"^^xsd:boolean
REGEX(?x, "^[\\p{L}-[\\p{Lu}q]]$", "i") | "q" | - | "false"^^xsd:boolean
REGEX(?x, "^[\\p{L}-[\\p{Lu}Q]]$", "i") | "a" | - | "true"^^xsd:boolean
REGEX(?x, "^[\\p{Nd}\\--\\]]$", "i") | "a" | - | "true"^^xsd:boolean
REGEX(?x, "^\\p{IsBasicLatin}$", "i") | "\u017F" | - | "false"^^xsd:boolean
REGEX(?x, "^\\i$", "i") | "\u00B5" | - | "false"^^xsd:boolean
REGEX(?x, "^(a)\\1[\\d]$", "i") | "aA1" | - | "true"^^xsd:boolean
REPLACE(?x, "(\\p{Lu})(b)", "$2$1", "i") | "aBAb" | - | "aBbA"
REGEX(?x, "a.b") | "a\rb" | - | "false"^^xsd:boolean
REGEX(?x, "a[.]b|a.b", "s") | "a\rb" | - | "true"^^xsd:boolean
REGEX(?x, "A.B", "iq") | "a.b" | - | "true"^^xsd:boolean
REGEX(?x, "a b", "qx") | "a b" | - | "true"^^xsd:boolean
REGEX(?x, "a", "z") | "a" | - | error
REGEX(?x, "[&&]{2}") | "&&" | - | "true"^^xsd:boolean
REGEX(?x, "^(.)\\1$") | "aa" | - | "true"^^xsd:boolean
REGEX(?x, "^(.)\\1$") | "aa\n" | - | "false"^^xsd:boolean
REGEX(?x, "^(A)\\1$", "i") | "aa" | - | "true"^^xsd:boolean
REGEX(?x, "(\\1") | "aa" | - | error
REGEX(?x, "^(a)(?:b)\\10+$") | "aba00" | - | "true"^^xsd:boolean
REGEX(?x, "^\\(([(])\\10$") | "(((0" | - | "true"^^xsd:boolean
REGEX(?x, "(a)(b)\\31") | "ab" | - | error
REGEX(?x, "(\\w+)\\s\\1") | "the the cat" | - | "true"^^xsd:boolean
REGEX(?x, "(\\W)\\1") | "a--" | - | "true"^^xsd:boolean
REGEX(?x, "^(\\p{Lu}[\\w\\]])\\1$") | "A]A]" | - | "true"^^xsd:boolean
REGEX(?x, "^(\\p{IsGreek})\\1$", "i") | "Ωω" | - | "true"^^xsd:boolean
REGEX(?x, "^([a-z-[aeiou]])\\1$", "i") | "Bb" | - | "true"^^xsd:boolean
REGEX(?x, "^([a-z-[aeiou]])\\1$", "i") | "Ee" | - | "false"^^xsd:boolean
REGEX(?x, "([\\w-[\\w]])\\1") | "aa" | - | "false"^^xsd:boolean
REGEX(?x, "(\\p{Xx})\\1") | "aa" | - | error
REGEX(?x, "(\\p{L}[z-a-[b]])\\1") | "aa" | - | error
REGEX(?x, "^\\w{1,300}$") | "aaaaa" | - | "true"^^xsd:boolean
REGEX(?x, "^(\\w{60}){60}$") | "aaaaa" | - | "false"^^xsd:boolean
REGEX(?x, "(a)[\\1]") | "a1" | - | error
REGEX(?x, "(a)\\1") | <x:a> | - | error
REPLACE(?x, "(.)\\1", ?y) | "aabc"@en | "<$1$10\\$>" | "<aa0$>bc"@en
REPLACE(?x, "B", "$0$0", "i") | "abc" | - | "abbc"
REPLACE(?x, ".", "$1", "q") | "a.c" | - | "a$1c"
"""


@pytest.mark.parametrize(("text", "x", "y", "expected"), rows(RESULTS))
def test_result_is_what_section_17_says(text, x, y, expected):
    found = evaluate(read(text), {X: term(x), Y: term(y)})
    assert found == (None if expected == "error" else term(expected))


BASE = Literal("http://example.org/a/b?c#d")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"e"', "<http://example.org/a/e>"),
        ('"../e#f"', "<http://example.org/e#f>"),
        ('""', "<http://example.org/a/b?c>"),
        ('"//e.org"', "<http://e.org>"),
        ('"x:y"', "<x:y>"),
        ("<x:z>", "<x:z>"),
        ('"a b"', "error"),
        ('"e"@en', "error"),
        ('"1"^^xsd:integer', "error"),
    ],
)
def test_iri_resolves_a_text_against_the_base(text, expected):
    found = evaluate(Call("IRI", (X, BASE)), {X: term(text)})
    assert found == (None if expected == "error" else term(expected))


def test_a_base_that_is_no_iri_is_an_error_where_it_is_needed():
    found = [evaluate(Call("IRI", (X, Literal("b"))), {X: term(text)}) for text in ('"e"', "<x:z>")]
    assert found == [None, Iri("x:z")]


def oxigraph(text, **binding):
    variables = {ox.Variable(name): value for name, value in binding.items()}
    listed = " ".join(f"?{name}" for name in binding)
    (solution,) = ox.Store().query(f"SELECT {listed} ({text} AS ?result) {{}}", substitutions=variables)
    return solution["result"]


def numeral(lexical, kind="integer"):
    return ox.Literal(lexical, datatype=ox.NamedNode(XSD + kind))


def test_the_defects_of_pyoxigraph_that_make_us_compute_operators_are_still_there():
    """When one of these fails, pyoxigraph has changed: look whether it can do more of the work."""
    true, false = ox.Literal(True), ox.Literal(False)
    iri = ox.NamedNode("x:a")
    assert oxigraph("STR(?x)", x=numeral("01")) == ox.Literal("1")
    assert oxigraph("DATATYPE(?x)", x=numeral("1", "byte")) == ox.NamedNode(XSD + "integer")
    assert oxigraph("?x <= ?y", x=iri, y=iri) == true
    assert oxigraph("?x = ?y", x=numeral("0.1", "decimal"), y=numeral("0.1", "double")) == false
    assert oxigraph("?x = ?y", x=numeral("NaN", "double"), y=numeral("NaN", "double")) == true
    assert oxigraph("?x > ?y", x=numeral("9" * 20), y=numeral("1")) is None
    assert oxigraph("isNumeric(?x)", x=numeral("1200", "byte")) == true
    assert oxigraph("SUBSTR(?x, 1.5)", x=ox.Literal("abc")) is None
    assert oxigraph('REGEX(?x, "[a-z-[aeiou]]")', x=ox.Literal("a")) == true
    assert oxigraph('REGEX(?x, "(a)\\\\1")', x=ox.Literal("aa")) is None
    assert oxigraph('REGEX(?x, "[ ]", "x")', x=ox.Literal(" ")) is None
    assert oxigraph('REPLACE(?x, "(b)", "$1x")', x=ox.Literal("abc")) == ox.Literal("ac")


@pytest.mark.parametrize(
    ("start", "length", "expected"),
    [
        ("1" + "0" * 400, None, ""),
        ("-1" + "0" * 400, None, "abc"),
        ("-1" + "0" * 400, "1" + "0" * 399 + "3", "ab"),
        ("2", "1" + "0" * 400, "bc"),
    ],
)
def test_a_position_beyond_all_doubles_selects_what_its_number_says(start, length, expected):
    numbers = [Literal(text, XSD + "integer") for text in (start, length) if text is not None]
    assert evaluate(Call("SUBSTR", (Literal("abc"), *numbers)), {}) == Literal(expected)


def test_an_infinite_start_or_length_with_an_integer_beyond_all_doubles():
    large, infinite = Literal("1" + "0" * 400, XSD + "integer"), Literal("-INF", XSD + "double")
    for start, length in ((infinite, large), (large, infinite)):
        assert evaluate(Call("SUBSTR", (Literal("abc"), start, length)), {}) == Literal("")


@pytest.mark.parametrize(
    ("pattern", "by", "expected"),
    [
        ("(a)b[((((((((((]", "$10", "a0c"),
        ("(a)b[^\\](-[(]](c)", "$22$1", "c2a"),
        ("(a)(b)(\\()(c)", "$" + "0" * 5000 + "2$" + "9" * 5000, "b" + "9" * 4999),
        ("(a)(b)\\2?\\(c", "$" + "0" * 5000 + "2$" + "9" * 5000, "b" + "9" * 4999),
    ],
)
def test_the_number_of_groups_limits_the_digits_of_a_reference(pattern, by, expected):
    text = "ab-c" if "-[" in pattern else "ab(c"
    assert evaluate(Call("REPLACE", tuple(map(Literal, (text, pattern, by)))), {}) == Literal(expected)


@pytest.mark.parametrize("text", ["[aa", "[1]=[1]"])
def test_a_bracket_as_a_character_before_any_character_is_no_class_in_a_class(text):
    pattern = r"\[(.)\1" if text == "[aa" else r"\[(.+)\]=\[\1\]"
    assert evaluate(Call("REGEX", (Literal(text), Literal(pattern))), {}).lexical == "true"


@pytest.mark.parametrize("pattern", ["x{99999999999999999999}", "(" * 60 + "a" + ")" * 60 + "\\1"])
def test_a_pattern_beyond_all_limits_is_an_error(pattern):
    assert evaluate(Call("REGEX", (Literal("a"), Literal(pattern))), {}) is None
