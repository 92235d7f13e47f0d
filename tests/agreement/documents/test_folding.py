"""Tables for readers: as wide as the page at most, and no line ends inside an interval or a term."""

import pytest

from agreement.documents.outputs import plain, table, table_text, told_apart

WINDOWS = ("(2026-05-04T08:00:19Z, 2026-05-04T08:00:39Z]", "(08:00:19, 08:00:39]", "(16, 24]")
TERMS = ("http://example.org/stations/central", "b2", "rayban-and-other-products")
PROSE = "pull still sees it, but no input made push evaluate\nthen it expired"
WIDTHS = (40, 60, 80, 100)


def judged(windows=WINDOWS):
    title = "windows on 2026-05-04 (UTC), time in units of 1s"
    rows = ((str(number), window, " ".join(TERMS), PROSE, "x") for number, window in enumerate(windows))
    return table(title, ("from", "window", "row", "problem", ""), rows)


@pytest.mark.parametrize("width", [50, *WIDTHS[1:]])
def test_no_line_is_wider_than_the_page_nor_ends_inside_an_interval_or_term(width):
    text = table_text(judged(), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert {one: text.count(one) for one in (*WINDOWS, *TERMS) if text.count(one) < 1} == {}
    assert text.splitlines() == [line.rstrip() for line in text.splitlines()]


@pytest.mark.parametrize("width", WIDTHS)
def test_every_word_is_there_at_every_width(width):
    words = table_text(judged(), width=width).replace("│", " ").split()
    assert {word for word in PROSE.split() if words.count(word.strip(":")) < len(WINDOWS)} == set()


def test_a_table_that_has_room_stands_side_by_side_and_else_its_rows_are_lines():
    wide, narrow = table_text(judged(WINDOWS[2:]), width=140), table_text(judged(WINDOWS[2:]), width=50)
    assert "┃ from ┃ window   ┃" in wide
    assert narrow.splitlines() == [
        "windows on 2026-05-04 (UTC), time in units of 1s",
        "from 0 · window (16, 24] · x",
        "  row: http://example.org/stations/central b2",
        "    rayban-and-other-products",
        "  problem: pull still sees it, but no input made",
        "    push evaluate",
        "    then it expired",
    ]


def test_a_table_is_the_same_drawn_twice_at_other_widths():
    found = judged()
    first = table_text(found, width=100)
    table_text(found, width=60)
    assert table_text(found, width=100) == first


def test_a_word_longer_than_the_page_is_folded():
    text = table_text(table(None, ["row"], [["x" * 100]]), width=60)
    assert max(map(len, text.splitlines())) <= 60
    assert text.count("x") == 100


def test_numbers_and_long_terms_are_told_as_what_they_are():
    assert [plain(number) for number in (-0.0, -0.0001, -0.5, float("inf"))] == ["0", "0", "-0.5", "inf"]
    one, other = (f'"{"a" * 1500}{end}"' for end in "xy")
    (mine,), (yours,) = told_apart([(one, None)], [(other, None)])
    assert (mine, yours) == ('(…aaaaaaaaaax", -)', '(…aaaaaaaaaay", -)')


def test_of_three_long_terms_two_that_differ_only_later_get_different_texts():
    one, two, three = (
        f'"{"x" * 9000}{early}{"y" * 9000}{late}{"z" * 9000}"' for early, late in ("A1", "B1", "B2")
    )
    shown, others = told_apart([(one,), (two,)], [(three,)])
    assert len({*shown, *others}) == 3
