"""CSV tables: what is a feature, what is left out, what is refused."""

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from linkwise.errors import InvalidInput
from linkwise.files.delimited import number, numbers
from linkwise.tables import Choice, read_row_names, read_table


@pytest.fixture
def table(tmp_path):
    """Write lines to t.csv and read them back."""

    def read(*lines, id_column=None, features=(), drop=(), text=None):
        path = tmp_path / "t.csv"
        whole = text if text is not None else "".join(f"{line}\n" for line in lines)
        path.write_bytes(whole if isinstance(whole, bytes) else whole.encode())
        return read_table(path, Choice(id_column, features, drop))

    return read


@pytest.fixture
def refusal(table):
    def read(*lines, **options):
        with pytest.raises(InvalidInput) as caught:
            table(*lines, **options)
        return str(caught.value)

    return read


def said(left_out):
    return {name: str(why) for name, why in left_out.items()}


def test_numbers_are_features_and_text_is_left_out(table):
    t = table("name,a,b", "x,1,2.5", "y,-3e2,4")
    assert t.features == ["a", "b"]
    assert t.X.tolist() == [[1, 2.5], [-300, 4]]
    assert said(t.left_out) == {"name": 'text such as "x"'}
    assert t.ids is None


def test_an_empty_column_is_left_out(table):
    assert said(table("a,b", "1,", "2,").left_out) == {"b": "it is empty"}


def test_a_column_that_counts_the_rows_is_left_out(table):
    t = table(",a,n", "0,5,1", "1,5,2", "2,7,3")
    assert t.features == ["a"]
    assert said(t.left_out) == {"column 0": "it counts the rows", "n": "it counts the rows"}


def test_a_column_that_counts_the_rows_is_used_when_asked_for(table):
    assert table("n,a", "1,5", "2,5", "3,7", features=("n",)).X.tolist() == [[1], [2], [3]]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(table, separator):
    t = table(separator.join("ab"), separator.join("12"), separator.join("34"))
    assert t.X.tolist() == [[1, 2], [3, 4]]


def test_a_first_line_of_numbers_is_data(table):
    t = table("1,2", "3,5")
    assert t.features == ["0", "1"]
    assert t.X.tolist() == [[1, 2], [3, 5]]
    assert not t.has_header
    assert table("a,1", "1,2", "3,5").has_header


def test_byte_order_mark_blank_lines_and_quotes_are_no_obstacle(table):
    t = table(text='\ufeffa,"b, c"\r\n1,"2"\r\n\r\n 3 ,4\r\n')
    assert t.features == ["a", "b, c"]
    assert t.X.tolist() == [[1, 2], [3, 4]]


def test_ids_are_text_and_no_feature(table):
    t = table("id,a", "07,1", "8,2", id_column="id")
    assert t.ids == ["07", "8"]
    assert t.features == ["a"]


def test_features_keep_the_order_asked_for(table):
    assert table("a,b,c", "1,2,3", features=("c", "a")).X.tolist() == [[3, 1]]


def test_dropped_columns_may_be_broken(table):
    assert table("a,b", "1,2", "2,oops", drop=("b",)).features == ["a"]


@pytest.mark.parametrize("n_rows", [9_999, 10_000, 10_001, 25_000])
def test_blocks_join_without_a_seam(table, n_rows):
    expected = np.random.RandomState(0).uniform(size=(n_rows, 2))
    t = table("a,b", *(f"{a!r},{b!r}" for a, b in expected.tolist()))
    assert np.array_equal(t.X, expected)


def test_a_gap_in_a_late_block_names_its_line(refusal):
    lines = [f"{k % 7},1.5" for k in range(12_000)]
    lines[11_000] = ",1.5"
    assert refusal("a,b", *lines) == (
        't.csv line 11002: column "a" has no value. '
        "Fill it in, remove the row, or leave the column out."
    )


@pytest.mark.parametrize("gap", ["", "NA", "nan", "NULL", "None", "?", " "])
def test_a_missing_value_is_refused_with_line_and_column(refusal, gap):
    assert refusal("a,b", "1,2", f"3,{gap}") == (
        't.csv line 3: column "b" has no value. '
        "Fill it in, remove the row, or leave the column out."
    )


def test_lines_are_counted_as_an_editor_does(refusal):
    assert refusal("note,a", '"two\nlines",1', "x,?", "y,3").startswith("t.csv line 4: ")


def test_text_among_numbers_is_refused(refusal):
    assert refusal("a", "1", "2", "about 3") == (
        't.csv line 4: column "a" holds numbers, but here it says "about 3". '
        "Correct it, or leave the column out."
    )


def test_infinity_is_refused(refusal):
    assert refusal("a", "5", "inf") == (
        't.csv row 1: column "a" is inf. Fill it in, remove the row, or leave the column out.'
    )


def test_text_asked_for_as_a_feature_is_refused(refusal):
    assert refusal("a,b", "1,x", features=("a", "b")) == (
        't.csv: column "b" cannot be a feature: text such as "x".'
    )


def test_a_table_of_text_is_refused(refusal):
    assert refusal("a,b", "x,y") == (
        "t.csv has no column of numbers to cluster by. "
        '"a": text such as "x". "b": text such as "y".'
    )


def test_an_unknown_column_is_refused(refusal):
    expected = 't.csv has no column "c". It has a, b.'
    assert refusal("a,b", "1,2", features=("c",)) == expected
    assert refusal("a,b", "1,2", drop=("c",)) == expected
    assert refusal("a,b", "1,2", id_column="c") == expected


def test_a_wide_table_names_its_first_columns_only(refusal):
    names = [f"x{k}" for k in range(25)]
    said = refusal(",".join(names), ",".join("5" * 25), features=("y",))
    assert said == f't.csv has no column "y". It has {", ".join(names[:20])} and 5 more.'


def test_columns_of_the_same_name_are_refused(refusal):
    assert refusal("a,a", "1,2") == 't.csv has 2 columns called "a". Rename them.'


def test_a_line_of_another_length_is_refused(refusal):
    assert refusal("a,b", "1,2", "3") == "t.csv line 3: 1 values for 2 columns."


def test_equal_ids_are_refused(refusal):
    assert refusal("id,a", "x,1", "y,2", "x,3", id_column="id") == (
        "t.csv column \"id\": rows 0 and 2 are both called 'x'. Every row needs an id of its own."
    )


def test_a_missing_id_is_refused(refusal):
    assert refusal("id,a", "x,1", ",2", id_column="id") == 't.csv column "id": row 1 has no id.'


def test_an_empty_file_is_refused(refusal):
    assert refusal() == "t.csv is empty."


def test_a_header_alone_is_refused(refusal):
    assert refusal("a,b") == "t.csv has a header and no rows."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_encoding_and_the_ends_of_lines_are_found(table, encoding, end):
    text = end.join(["größe,ort", "1,Århus", "3,Köln", ""])
    t = table(text=text.encode(encoding), id_column="ort")
    assert t.features == ["größe"]
    assert t.X.tolist() == [[1], [3]]
    assert t.ids == ["Århus", "Köln"]


def test_what_is_no_text_is_refused(refusal):
    assert refusal(text=b"PAR1\x00\x01\xff\xfe\x02") == (
        "t.csv is not text in UTF-8, UTF-16 (with its mark) or Latin-1. Save it as UTF-8."
    )


def test_damaged_text_is_refused_with_its_line_and_not_read_as_something_else(refusal):
    assert refusal(text="größe\n1\n".encode() + b"\xff\n") == (
        "t.csv line 3: the text is in UTF-8, but here it cannot be read. "
        "The file is damaged or was put together from several."
    )


def test_a_packed_file_is_read_and_a_cut_one_refused(tmp_path):
    path = tmp_path / "t.csv.gz"
    packed = gzip.compress(b"name;a\nx;1,5\ny;2\n" * 1)
    path.write_bytes(packed)
    t = read_table(path, Choice("name"))
    assert (t.ids, t.X.tolist()) == (["x", "y"], [[1.5], [2]])
    for content in (packed[:-9], b"name,a\nx,1\n"):
        path.write_bytes(content)
        with pytest.raises(InvalidInput) as caught:
            read_table(path, Choice())
        assert str(caught.value) == "t.csv.gz is not a gzip file, or it is cut short."


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_a_decimal_comma_is_understood_where_it_separates_nothing(table, separator):
    lines = [separator.join(cells) for cells in (("a", "b"), ("1,5", "1,234"), ("-2", "5,678"))]
    assert table(*lines).X.tolist() == [[1.5, 1.234], [-2, 5.678]]
    assert not table(f"1,5{separator}2", f"3{separator}4").has_header


def test_a_comma_that_may_separate_thousands_is_not_taken_for_a_decimal_one(table, refusal):
    assert said(table("a;b", "1,234;1", "2,345;1").left_out) == {"a": 'text such as "1,234"'}
    assert refusal("a;b", "999;0.5", "1,5;2.5").startswith(
        't.csv line 3: column "a" holds numbers, but here it says "1,5".'
    )


def test_a_cell_may_be_long(table):
    assert table("a,b", f"1,{'x' * 200_000}", "3,y").X.tolist() == [[1], [3]]


def test_a_row_may_be_wide(table):
    wide = ",".join([f"{'0' * 500}1"] * 10_000)  # 5 MB
    assert (table(wide, wide).X == np.ones((2, 10_000))).all()


def test_a_quote_that_never_ends_is_found(refusal):
    lines = [f'{k},"x"' for k in range(9)] + ['9,"x'] + ["1,2"] * 3_000_000
    assert refusal("a,b", *lines) == (
        "t.csv line 3000011: a row of more than 4,194,304 characters is too long. "
        "Is a quote missing?"
    )


def test_another_kind_of_file_is_refused():
    with pytest.raises(InvalidInput) as caught:
        read_table(Path("t.xlsx"), Choice())
    assert str(caught.value) == (
        "t.xlsx: use a file that ends in .csv, .tsv, .csv.gz, .tsv.gz, .parquet, .feather, .arrow, "
        ".jsonl, .ndjson, .npy or .npz."
    )


def test_row_names_need_no_features(tmp_path):
    (tmp_path / "t.csv").write_text("id,said\np,hello\nq,\n")
    assert read_row_names(tmp_path / "t.csv", "id") == (2, ["p", "q"])
    assert read_row_names(tmp_path / "t.csv") == (2, None)


def test_fast_and_slow_conversion_agree():
    for cell in ("1", " 2 ", "-3.5e-2", "+4", "0x10", ".5", "5.", "inf", "five", "1,5", "1.5"):
        for comma in (False, True):
            fast = numbers(pa.array([cell]), comma=comma)
            assert number(cell, comma=comma) == (None if fast is None else fast[0])


def test_numbers_in_python_s_own_spelling_are_still_read(table):
    assert table("a", "1_000", "2").X.tolist() == [[1000], [2]]
