"""CSV that every reader reads alike, and no spreadsheet runs."""

import csv
import io

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from linkwise.cli import main
from linkwise.files.csv_writer import FORMULA, disarmed, rearmed, write_csv
from linkwise.tables import read_row_names

ODD = ["a\rb", "a\r\nb", "a\nb", "a,b", "a;b", "a|b", "a\tb", 'a"b', '"', " a ", "a\u2028b", "\x0b"]


def written(path, columns, **options):
    write_csv(path, columns, **options)
    return path.read_bytes().decode()


def cells(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def test_plain_cells_are_plain(tmp_path):
    columns = {"id": ["a", 7, None], "x": [0.1, -2, True]}
    assert written(tmp_path / "t.csv", columns) == "id,x\r\na,0.1\r\n7,-2\r\n,True\r\n"


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_what_could_break_a_row_is_quoted(tmp_path, odd):
    text = written(tmp_path / "t.csv", {odd: [odd], "b": [1]})
    assert cells(text) == [[odd, "b"], [odd, "1"]]
    assert text.startswith('"')


texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00")) | st.text("'=-+1a@\t")


@given(st.lists(texts))
def test_any_text_is_read_back(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    text = written(path, {"a": texts, "b": [1] * len(texts)}, raw=True)
    assert [row[0] for row in cells(text)[1:]] == texts
    safe = written(path, {"a": texts, "b": [1] * len(texts)})
    found = [row[0] for row in cells(safe)[1:]]
    assert [rearmed(cell) for cell in found] == texts
    assert not any(cell.startswith(FORMULA) and disarmed(cell) != cell for cell in found)


@pytest.mark.parametrize("formula", ["=cmd|' /C calc'!A0", "+1+1", "-x", "@SUM(A1)", "\t=1", "＝1"])
def test_formulas_are_disarmed_and_numbers_are_not(formula):
    assert disarmed(formula) == f"'{formula}"
    assert rearmed(disarmed(formula)) == formula
    assert [disarmed(number) for number in ("-1", "+1.5e3", "-.5")] == ["-1", "+1.5e3", "-.5"]


def test_the_command_line_disarms_unless_programs_are_to_read_it(tmp_path):
    names = ["=cmd()", "a\rb", "-7", "b;c"]
    write_csv(tmp_path / "t.csv", {"name": names, "x": [1, 2, 9, 8]}, raw=True)
    out = tmp_path / "out.csv"

    def run(*more):
        call = ["cluster", tmp_path / "t.csv", "-k", 2, "--id", "name", "-o", out, "-q", *more]
        result = CliRunner().invoke(main, [str(word) for word in call])
        assert result.exit_code == 0, result.output
        return [row[0] for row in cells(out.read_bytes().decode())[1:]]

    assert run() == ["'=cmd()", "a\rb", "-7", "b;c"]
    assert run("--raw") == names
    assert read_row_names(out, "id") == (4, names)
