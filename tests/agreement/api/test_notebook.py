"""The notebooks among the samples run: their cells, one after the other, as Jupyter runs them."""

import ast
import contextlib
import json

import pytest

from tests.packs import SAMPLES

NOTEBOOKS = sorted((SAMPLES / "notebook").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, capsys):
    (tmp_path / "samples").symlink_to(SAMPLES)
    names = {"__name__": "__main__"}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    with contextlib.chdir(tmp_path):
        shown = [ran("".join(one["source"]), names) for one in cells if one["cell_type"] == "code"]
    assert any("<table" in html for html in shown)  # a data frame
    assert "└─" in capsys.readouterr().out  # a proof
    assert (tmp_path / "coupons.html").stat().st_size > 10_000


def ran(source, names):
    """Run a cell, and return what a notebook would show of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is None:
        return ""
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)
