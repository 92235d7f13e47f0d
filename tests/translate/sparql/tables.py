"""Makes the tables by which queries are parsed from the grammars, by lark.

`python -m tests.translate.sparql.tables` writes the .json beside each .lark of translate anew, and with names
behind it those of these grammars; syntax_tree.py there says what they hold. A grammar names in its first line
that which it stands behind, whose rules it extends and overrides; one whose name begins with _ is no language
of its own.
"""

import json
import re
import sys

from lark import Lark
from lark.parsers.lalr_analysis import Shift

from tests.packs import ROOT

GRAMMARS = sorted(path for path in (ROOT / "translate").rglob("*.lark") if not path.name.startswith("_"))


def text_of(grammar):
    """Return the text of a grammar, behind those that it names."""
    text = grammar.read_text("utf-8")
    first = text.partition("\n")[0]
    before = first.removeprefix("// behind ") if first.startswith("// behind ") else None
    return text if before is None else text_of(grammar.parent / before) + text


OVERRIDDEN = re.compile(r"^%override\s+(to_stream|block|merged):", re.MULTILINE)


def check_kept_words(text):
    """Raise ValueError if a grammar overrides a rule without its `!`, although the reader reads its words."""
    if name := OVERRIDDEN.search(text):
        raise ValueError(f"the reader reads the words of {name[1]}; write %override !{name[1]}")


def check_names_of_tokens(text):
    """Raise ValueError if a keyword has the name of a declared token: lark takes the two for one token."""
    declared = {name for line in re.findall(r"(?m)^%declare (.*)", text) for name in line.split()}
    words = {word.upper() for word in re.findall(r'"(\w+)"', text)}
    if both := sorted(declared & words):
        raise ValueError(
            f"the keyword {both[0]} has the name of a declared token; give the token another name"
        )


def made(grammar):
    """Return the text of the tables of a grammar."""
    check_kept_words(text_of(grammar))
    check_names_of_tokens(text_of(grammar))
    parser = Lark(text_of(grammar), parser="lalr", lexer="basic", strict=False)
    table = parser.parser.parser._parse_table
    texts = {terminal.name: terminal.pattern.value for terminal in parser.terminals}
    rules = sorted(parser.rules, key=lambda rule: (rule.origin.name, str(rule.expansion)))
    origins = {name: str(number) for number, name in enumerate(sorted({rule.origin.name for rule in rules}))}
    numbers = {rule: number for number, rule in enumerate(rules)}
    rows = {
        state: {
            origins.get(symbol) or texts.get(symbol) or symbol.lower(): action
            for symbol, action in row.items()
        }
        for state, row in table.states.items()
    }
    rows[table.end_states["start"]]["$end"] = Shift, table.end_states["start"]
    # lark numbers states anew in each run: here by how they are reached.
    order = {table.start_states["start"]: 0}
    for state in (reached := list(order)):
        for _, (action, argument) in sorted(rows[state].items()):
            if action is Shift and argument not in order:
                order[argument] = len(order)
                reached.append(argument)
    states = [_row(rows[state], order, numbers) for state in reached]
    shapes = [[origins[rule.origin.name], *_shape(rule)] for rule in rules]
    return (
        json.dumps({"rules": shapes, "states": states}, separators=(",", ":"))
        .replace("],[", "],\n[")
        .replace(",{", ",\n{")
        + "\n"
    )


def _row(row, order, numbers):
    named = {
        symbol: order[argument] if action is Shift else -1 - numbers[argument]
        for symbol, (action, argument) in sorted(row.items())
    }
    alone = set(named.values())
    return alone.pop() if len(alone) == 1 and max(alone) < 0 else named


def _shape(rule):
    left_out = [
        part.is_term and part.filter_out and not rule.options.keep_all_tokens for part in rule.expansion
    ]
    alone = "1" if rule.options.expand1 and not rule.alias else ""
    name = rule.alias or rule.options.template_source or rule.origin.name
    return None if name.startswith("_") else name, alone + "".join("-" if out else "=" for out in left_out)


if __name__ == "__main__":
    for one in GRAMMARS:
        if not sys.argv[1:] or one.stem in sys.argv[1:]:
            one.with_suffix(".json").write_text(made(one), "utf-8")
