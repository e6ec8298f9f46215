"""Workbooks: one sheet, with the types its cells have."""

import datetime
import sys

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwise.errors import InvalidFile, MissingExtra
from linkwise.files.arrow import read_arrow
from linkwise.tables import Choice, read_table


@pytest.fixture
def sheet(tmp_path):
    """Write rows to a workbook and read them back."""

    def read(*rows):
        return write(tmp_path / "t.xlsx", rows)

    return read


def write(path, rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return read_arrow(path)


def test_columns_have_the_types_of_their_cells(sheet):
    day = datetime.datetime(2026, 5, 1, 12, 30)
    t = sheet(
        ["nr", "price", "paid", "day", "note", "mixed", None, "last"],
        [1, 2.5, True, day, " hello ", 3.0, None, None],
        [2, None, False, None, "#N/A", "x", None, 4],
    )
    assert t.column_names == ["nr", "price", "paid", "day", "note", "mixed", "column 6", "last"]
    assert t.to_pydict() == {
        "nr": [1, 2],
        "price": [2.5, None],
        "paid": [True, False],
        "day": [day, None],
        "note": ["hello", None],
        "mixed": ["3", "x"],
        "column 6": [None, None],
        "last": [None, 4],
    }


def test_empty_rows_are_no_rows(sheet):
    assert sheet([None, None], ["a", "b"], [None, None], [1, 2], ["", " "]).num_rows == 1


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "t.xlsx has an empty first sheet."),
        ([["a", "b"]], "t.xlsx has a first row that names columns, and no other rows."),
    ],
)
def test_sheets_with_too_little_in_them_are_refused(sheet, rows, said):
    with pytest.raises(InvalidFile) as caught:
        sheet(*rows)
    assert str(caught.value) == said


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"PK\x03\x04broken"])
def test_other_files_of_that_name_are_refused(tmp_path, content):
    (tmp_path / "t.xlsx").write_bytes(content)
    with pytest.raises(InvalidFile) as caught:
        read_arrow(tmp_path / "t.xlsx")
    assert str(caught.value) == "t.xlsx is not an Excel workbook (.xlsx) linkwise can read."


def test_without_openpyxl_it_is_told_how_to_get_it(tmp_path, monkeypatch):
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtra) as caught:
        read_arrow(tmp_path / "t.xlsx")
    assert str(caught.value) == 'reading .xlsx files needs openpyxl: pip install "linkwise[tables]"'


texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1)
# a cell that begins with "=" is a formula
cells = texts.map(str.strip).filter(lambda t: t and t[0] not in "=#") | st.none()


@settings(deadline=None, max_examples=50)
@given(st.lists(cells, min_size=1, max_size=8).filter(lambda column: None not in column[-1:]))
def test_texts_come_back_as_they_were(tmp_path_factory, column):
    path = tmp_path_factory.mktemp("book") / "t.xlsx"
    t = write(path, [["a", "b"], *([text, k] for k, text in enumerate(column))])
    assert t["a"].to_pylist() == column
    assert t["b"].to_pylist() == list(range(len(column)))


def test_titles_above_a_table_and_a_margin_beside_it_are_no_part_of_it(sheet):
    t = sheet(["Prices, 2026"], [], [None, "item", "price"], [None, "pen", 2], [None, "ink", 7])
    assert t.to_pydict() == {"item": ["pen", "ink"], "price": [2, 7]}
    assert t.schema.metadata[b"note"] == (
        b'The row above the table ("Prices, 2026") is no part of it.'
    )


@pytest.mark.parametrize(
    "rows",
    [
        [["note"], ["late"], ["lost"], ["late", "again"]],  # a remark beside one column
        [[None, "price"], ["pen", "two"], ["ink", "seven"]],  # the index of a data frame
        [["price"], [2, 3], [7, 8]],  # a column that nobody named
    ],
)
def test_a_row_with_one_cell_is_not_always_a_title(sheet, rows):
    assert sheet(*rows).num_rows == len(rows) - 1


def test_the_first_sheet_that_can_be_a_table_is_read_and_the_others_are_told(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "About"
    book.active.append(["What this is"])
    for title in ("Prices", "Names"):
        page = book.create_sheet(title)
        for row in (["item", "price"], ["pen", 2], ["ink", 7]):
            page.append([*row, title])
    book.create_sheet("Empty")
    book.save(tmp_path / "t.xlsx")
    t = read_arrow(tmp_path / "t.xlsx")
    assert t.to_pydict() == {"item": ["pen", "ink"], "price": [2, 7], "Prices": ["Prices"] * 2}
    table = read_table(tmp_path / "t.xlsx", Choice())
    assert table.notes[0] == (
        'The table is the sheet "Prices"; "About", "Names" were not read. The first sheet with two '
        "rows below its header is taken."
    )
