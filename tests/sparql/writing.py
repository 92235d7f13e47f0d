"""Random queries as text, and their data as TriG."""

from typing import assert_never

from tests.sparql.syntax import (
    XSD,
    Aggregate,
    Alternative,
    Bind,
    Blank,
    Dataset,
    E,
    Exists,
    Filter,
    Group,
    InGraph,
    Inverse,
    Iri,
    Literal,
    Minus,
    Negated,
    Op,
    Optional,
    Repeated,
    Select,
    Sequence,
    Triples,
    Union,
    Values,
    Var,
)

PREFIXES = f"PREFIX : <{E}> PREFIX xsd: <{XSD}>\n"
INFIX = ("=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "&&", "||")


def write_query(query):
    select = query.select
    match query.form:
        case "ASK":
            head = "ASK "
        case "CONSTRUCT":
            head = f"CONSTRUCT {{ {steps(query.template)} }} WHERE "
        case _:
            return PREFIXES + write_select(select)
    return PREFIXES + head + group(select.where) + modifiers(select)


def write_select(select):
    listed = " ".join(map(item, select.items)) or "*"
    head = f"SELECT {select.duplicates} {listed} " if select.duplicates else f"SELECT {listed} "
    return head + group(select.where) + modifiers(select)


def modifiers(select):
    text = ""
    if select.keys:
        text += " GROUP BY " + " ".join(map(group_key, select.keys))
    if select.having:
        text += " HAVING " + " ".join(f"({expression(part)})" for part in select.having)
    if select.order:
        text += " ORDER BY " + " ".join(order_key(key) for key in select.order)
    if select.limit is not None:
        text += f" LIMIT {select.limit}"
    if select.offset:
        text += f" OFFSET {select.offset}"
    return text + ("" if select.values is None else " " + part(select.values))


def item(one):
    return (
        term(one.variable)
        if one.expression is None
        else f"({expression(one.expression)} AS {term(one.variable)})"
    )


def group_key(key):
    return f"({expression(key.expression)})" if key.variable is None else item(key)


def order_key(key):
    return f"{'DESC' if key.descending else 'ASC'}({expression(key.expression)})"


def group(one):
    return f"{{ {' '.join(map(part, one.parts))} }}" if one.parts else "{}"


def part(one):
    match one:
        case Triples(listed):
            return steps(listed)
        case Group():
            return group(one)
        case Optional(inner):
            return f"OPTIONAL {group(inner)}"
        case Union(groups):
            return " UNION ".join(map(group, groups))
        case Minus(inner):
            return f"MINUS {group(inner)}"
        case Filter(condition):
            return f"FILTER ({expression(condition)})"
        case Bind(value, variable):
            return f"BIND ({expression(value)} AS {term(variable)})"
        case Values(names, rows):
            table = " ".join(
                f"({' '.join('UNDEF' if cell is None else term(cell) for cell in row)})" for row in rows
            )
            return f"VALUES ({' '.join(map(term, names))}) {{ {table} }}"
        case InGraph(name, inner):
            return f"GRAPH {term(name)} {group(inner)}"
        case Select():
            return f"{{ {write_select(one)} }}"
        case _:
            assert_never(one)


def steps(listed):
    return " ".join(f"{term(one.subject)} {verb(one.verb)} {term(one.object)} ." for one in listed)


def verb(one):
    return term(one) if isinstance(one, Var) else path(one)


def path(one):
    match one:
        case Iri():
            return term(one)
        case Inverse(inner):
            return f"^{nested(inner)}"
        case Sequence(left, right):
            return f"{nested(left)}/{nested(right)}"
        case Alternative(left, right):
            return f"{nested(left)}|{nested(right)}"
        case Repeated(inner, often):
            return f"{nested(inner)}{often}"
        case Negated(forward, backward):
            return f"!({'|'.join((*map(term, forward), *(f'^{term(iri)}' for iri in backward)))})"
        case _:
            assert_never(one)


def nested(one):
    return path(one) if isinstance(one, Iri | Negated) else f"({path(one)})"


def expression(one):
    match one:
        case Op(name, (left, right)) if name in INFIX:
            return f"({expression(left)} {name} {expression(right)})"
        case Op("!" | "NEG" as name, (inner,)):
            return f"({'!' if name == '!' else '- '}({expression(inner)}))"
        case Op("IN" | "NOT IN" as name, (left, *options)):
            return f"({expression(left)} {name} ({', '.join(map(expression, options))}))"
        case Op(name, arguments):
            return f"{name}({', '.join(map(expression, arguments))})"
        case Exists(inner, negated):
            return f"{'NOT ' if negated else ''}EXISTS {group(inner)}"
        case Aggregate(function, argument, distinct, separator):
            inside = "*" if argument is None else expression(argument)
            end = f'; SEPARATOR="{separator}"' if function == "GROUP_CONCAT" and separator != " " else ""
            return f"{function}({'DISTINCT ' if distinct else ''}{inside}{end})"
        case _:
            return term(one)


def term(one):
    match one:
        case Var(name):
            return f"?{name}"
        case Blank(label):
            return f"_:{label}"
        case Iri(value):
            return f":{value[len(E) :]}" if value.startswith(E) else f"<{value}>"
        case Literal(lexical, _, str(language)):
            return f'"{lexical}"@{language}'
        case Literal(lexical, datatype):
            if datatype == XSD + "string":
                return f'"{lexical}"'
            short = f"xsd:{datatype[len(XSD) :]}" if datatype.startswith(XSD) else term(Iri(datatype))
            return lexical if short == "xsd:integer" and lexical.isdecimal() else f'"{lexical}"^^{short}'
        case _:
            assert_never(one)


def write_dataset(dataset: Dataset):
    listed = [" ".join(map(term, triple)) + " ." for triple in sorted(dataset.default, key=repr)]
    for name, triples in dataset.named.items():
        inside = " ".join(" ".join(map(term, triple)) + " ." for triple in sorted(triples, key=repr))
        listed.append(f"{term(name)} {{ {inside} }}")
    return "\n".join(listed)
