"""CSV tables: what is a feature, what is left out, what is refused."""

import gzip
import re
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

    def read(*lines, id_column=None, features=(), drop=(), text=None, roles=(), encoding=None):
        path = tmp_path / "t.csv"
        whole = text if text is not None else "".join(f"{line}\n" for line in lines)
        path.write_bytes(whole if isinstance(whole, bytes) else whole.encode())
        choice = Choice(id_column, features, drop, dict(roles))
        return read_table(path, choice, encoding=encoding)

    return read


@pytest.fixture
def refusal(table):
    def read(*lines, **options):
        with pytest.raises(InvalidInput) as caught:
            table(*lines, **options)
        return str(caught.value)

    return read


TICKETS = [
    "nr,message,channel,opened,replies",
    *(
        f"{7 * k},{text},{channel},2026-01-{k + 10},{k % 4}"
        for k, (text, channel) in enumerate(
            [("the parcel did not come", "mail"), ("i cannot log in any more", "chat")] * 6
        )
    ),
]


def roles(table):
    return {name: role.name for name, role in table.roles.items()}


def test_numbers_alone_are_taken_as_they_are(table):
    t = table("name,a,b", *(f"x{k},{k * k},2.5" for k in range(12)))
    assert t.features == ["a", "b"]
    assert t.X.tolist() == [[k * k, 2.5] for k in range(12)]
    assert t.left_out == {"name": "no two rows share a value"}
    assert t.ids is None
    assert t.made is None


def test_texts_categories_and_dates_are_grouped_by(table):
    t = table(*TICKETS)
    assert roles(t) == {
        "nr": "id",
        "message": "category",  # two texts only
        "channel": "category",
        "opened": "date",
        "replies": "number",
    }
    assert t.left_out == {"nr": "its name says so, and no two rows share a value"}
    assert t.X.shape[0] == 12
    assert np.isfinite(t.X).all()


def test_short_texts_that_all_differ_name_rows_unless_there_is_nothing_else(table):
    lines = [f"flower {k},{k * k % 7}" for k in range(12)]
    t = table("name,size", *lines)
    assert t.features == ["size"]
    assert t.left_out == {"name": "short, and no two rows share a value"}
    assert t.made is None
    assert roles(table("name", *(line.split(",")[0] for line in lines))) == {"name": "text"}
    assert roles(table("name,size", *lines, features=("name",))) == {"name": "text"}


def test_only_the_columns_asked_for_are_grouped_by(table):
    assert table(*TICKETS, features=("channel",)).features == ["channel"]
    assert table(*TICKETS, features=("nr",)).X.tolist() == [[7 * k] for k in range(12)]


def test_a_role_that_was_told_is_used(table):
    t = table(*TICKETS, features=("message",), roles={"message": "text"})
    assert roles(t) == {"message": "text"}
    t = table("zip,a", *(f"{k % 3:05d},{k * k}" for k in range(12)), roles={"zip": "category"})
    names = [str(name) for name in t.made.get_feature_names_out()]
    assert names[:3] == ["zip = 00000", "zip = 00001", "zip = 00002"]


def test_a_column_told_to_be_ignored_is_left_out_even_if_it_holds_numbers(table):
    t = table("a,b", "5,1", "5,2", "7,4", roles={"b": "ignored"})
    assert t.features == ["a"]
    assert t.left_out == {"b": "as told"}


def test_vectors_beside_the_table_are_grouped_by(table, tmp_path):
    np.save(tmp_path / "v.npy", np.arange(24.0).reshape(12, 2))
    t = table(*TICKETS, features=("v.npy", "channel"))
    assert roles(t) == {"v.npy": "vector", "channel": "category"}
    np.save(tmp_path / "v.npy", np.zeros((5, 2)))
    with pytest.raises(InvalidInput) as caught:
        table(*TICKETS, features=("v.npy",))
    assert str(caught.value) == "v.npy has 5 rows, t.csv has 12."


def test_vectors_elsewhere_are_not_reached(refusal, tmp_path):
    np.save(tmp_path.parent / "v.npy", np.zeros((12, 2)))
    assert refusal(*TICKETS, features=("../v.npy",)).startswith('t.csv has no column "../v.npy".')


def test_an_empty_column_is_left_out(table):
    assert table("a,b", "1,", "2,").left_out == {"b": "it is empty"}


def test_a_column_that_counts_the_rows_is_left_out(table):
    t = table(",a,n", "0,5,1", "1,5,2", "2,7,3")
    assert t.features == ["a"]
    assert t.left_out == {"column 0": "it counts the rows", "n": "it counts the rows"}


def test_a_column_that_counts_the_rows_is_used_when_asked_for(table):
    t = table("n,a", "1,5", "2,5", "3,7", features=("n",))
    assert t.X.tolist() == [[1], [2], [3]]
    assert t.notes == ['"n" was asked for, but looks like names of rows: it counts the rows.']


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


def test_a_gap_in_a_late_block_is_one(table):
    lines = [f"{k % 7},{k % 5}.5" for k in range(12_000)]
    lines[11_000] = ",1.5"
    t = table("a,b", *lines)
    assert np.flatnonzero(t.X[:, 1]).tolist() == [11_000]
    assert t.notes == ["There is no value of a in 1 row; such rows are grouped by the others."]


@pytest.mark.parametrize("gap", ["", "NA", "nan", "NULL", "None", "?", " "])
def test_a_missing_value_is_no_obstacle(table, gap):
    t = table("a,b", "1,2", f"3,{gap}", "4,4")
    assert roles(t) == {"a": "number", "b": "number"}
    assert t.X[:, 2].astype(bool).tolist() == [False, True, False]


@pytest.mark.parametrize("gap", ["", "n/a"])
def test_numbers_with_a_decimal_comma_and_gaps_are_numbers(table, gap):
    t = table("a;b", "1,234;1", f"{gap};2", "2,345;1", "1,5;7", "1,7;7")
    assert roles(t) == {"a": "number", "b": "number"}
    whole = table("a;b", "1,234;1", "1,6;2", "2,345;1", "1,5;7", "1,7;7")
    assert t.X[0, 0] < t.X[3, 0] < t.X[4, 0] < t.X[2, 0]
    assert whole.X[0, 0] == 1.234


def test_a_column_that_is_mostly_numbers_is_told_of(table):
    t = table("a,b", *(f"{k * 1.5},{k % 3}" for k in range(10)), "on request,0", "new,1", "new,2")
    assert roles(t)["a"] == "category"
    assert t.notes == [
        '"a" holds numbers, but also values such as "on request", so it was taken for a category. '
        "With the role number, such values count as missing."
    ]
    lines = ("a,b", *(f"{k * 1.5},{k % 3}" for k in range(10)), "on request,0", "new,1", "new,2")
    told = table(*lines, roles={"a": "number"})
    assert "on request" in told.notes[-1]


def test_numbers_that_are_all_the_same_are_nothing_to_group_by(table, refusal):
    assert refusal("a,b", "1,2", "1,2", "1,2") == (
        't.csv has no column to group by. "a": every row has the same value, 1. '
        '"b": every row has the same value, 2.'
    )
    assert table("a,b", "1,2", "1,3", "1,4").features == ["a", "b"]


@pytest.mark.parametrize(
    ("lines", "roles"),
    [
        (("a,b", "1,x", "1,y", "1,z"), {"a": "number", "b": "ignored"}),
        (("t", "the same text", "the same text", "the same text"), {"t": "text"}),
        (("t,b", "one text here,7", ",7", "one text here,7"), {"b": "ignored"}),
    ],
)
def test_rows_that_are_all_alike_are_told(table, lines, roles):
    assert table(*lines, roles=roles).notes[-1] == "All rows are alike: nothing tells them apart."
    assert table("a,b", "1,2", "1,2", "1,3").notes == []


def test_rows_with_nothing_in_them_are_named(table):
    t = table("a,b", "1,x", ",", "3,y", "4,x", "?,n/a")
    assert t.unusable.tolist() == [1, 4]


def test_infinity_is_refused(refusal):
    assert refusal("a", "5", "inf") == (
        't.csv row 1: column "a" is inf. Fill it in, remove the row, or leave the column out.'
    )


def test_a_column_that_says_nothing_cannot_be_asked_for(refusal):
    assert refusal("a,b", "1,x", "2,x", features=("a", "b")) == (
        't.csv: column "b" cannot be grouped by: every row has the same value, "x".'
    )
    assert refusal("a,b", "1,", "2,", features=("b",)) == (
        't.csv: column "b" cannot be grouped by: it is empty.'
    )


def test_a_table_without_a_usable_column_is_refused(refusal):
    assert refusal("a,b,c", "1,y,", "2,y,", "3,y,") == (
        't.csv has no column to group by. "a": it counts the rows. '
        '"b": every row has the same value, "y". "c": it is empty.'
    )


def test_of_many_columns_that_cannot_be_used_the_first_are_told(refusal):
    told = refusal(",".join(f"c{k}" for k in range(100)), *[",".join(["x"] * 100)] * 2)
    assert told.startswith('t.csv has no column to group by. "c0": every row has the same value')
    assert told.endswith(' "c7": every row has the same value, "x". 92 more columns are no better.')


def test_an_unknown_column_is_refused(refusal):
    expected = 't.csv has no column "c". It has a, b.'
    near = 't.csv has no column "Mesage". Did you mean "message"? It has a, message.'
    assert refusal("a,message", "1,2", features=("Mesage",)) == near
    assert refusal("a,b", "1,2", roles={"c": "text"}) == expected
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
    assert refusal("a,b", "1,2", "3") == "t.csv line 3: 1 value for 2 columns."


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
    assert refusal(text="a,b") == "t.csv has a header and no rows."
    assert refusal(text='"a\nb",c') == "t.csv has a header and no rows."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_encoding_and_the_ends_of_lines_are_found(table, encoding, end):
    text = end.join(["größe,ort", "1,Århus", "3,Köln", ""])
    t = table(text=text.encode(encoding), id_column="ort")
    assert t.features == ["größe"]
    assert t.X.tolist() == [[1], [3]]
    assert t.ids == ["Århus", "Köln"]


def test_what_is_no_text_is_refused(refusal):
    assert refusal(text=b"%PDF\x00\x01\xff\xfe\x02") == (
        "t.csv is not text in UTF-8, UTF-16 (with its mark) or Windows-1252. Save it as UTF-8."
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


def test_a_comma_that_may_separate_thousands_is_not_taken_for_a_decimal_one(table):
    t = table("a;b", "1,234;1", "2,345;3", "999;7")
    assert roles(t) == {"a": "number", "b": "number"}
    assert t.X[2, 0] < t.X[0, 0] < t.X[1, 0]


def test_a_cell_may_be_long(table):
    t = table("a,b", f"1,{'x' * 200_000}", "3,y", drop=("b",))
    assert t.X.tolist() == [[1], [3]]


def test_a_row_may_be_wide(table):
    wide = ",".join([f"{'0' * 500}1"] * 10_000)  # 5 MB
    assert (table(wide, wide.replace("1", "2")).X == [[1], [2]] * np.ones(10_000)).all()


def test_a_quote_that_never_ends_is_found(refusal):
    lines = [f'{k},"x"' for k in range(9)] + ['9,"x'] + ["1,2"] * 3_000_000
    assert refusal("a,b", *lines) == (
        "t.csv line 3000011: a row of more than 4,194,304 characters is too long. "
        "Is a quote missing?"
    )


def test_another_kind_of_file_is_refused():
    with pytest.raises(InvalidInput) as caught:
        read_table(Path("t.doc"), Choice())
    assert str(caught.value) == (
        "t.doc: use a file that ends in .csv, .tsv, .csv.gz, .tsv.gz, .parquet, .feather, .arrow, "
        ".jsonl, .ndjson, .jsonl.gz, .ndjson.gz, .xlsx, .txt, .txt.gz, .npy or .npz, or a folder "
        "of pictures."
    )


@pytest.mark.parametrize(
    ("file", "advice"),
    [
        ("t.xls", "Save it as .xlsx or .csv."),
        ("T.ODS", "Save it as .xlsx or .csv."),
        ("t.csv.zip", "Unpack it first; on the page of the studio it can be uploaded as it is."),
        ("t.tar.gz", "Unpack it first."),
        ("t.json", "With an object on each line, call it .jsonl."),
    ],
)
def test_what_helps_with_another_kind_of_file_is_said(file, advice):
    with pytest.raises(InvalidInput, match=f" or a folder of pictures. {re.escape(advice)}$"):
        read_table(Path(file), Choice())


@pytest.mark.parametrize(
    ("head", "ending"), [(b"PK\x03\x04", ".xlsx"), (b"PAR1", ".parquet"), (b"\x93NUMPY", ".npy")]
)
def test_a_file_that_is_called_csv_and_is_none_is_told_by_its_beginning(tmp_path, head, ending):
    path = tmp_path / "t.csv"
    path.write_bytes(head + bytes(range(256)))
    with pytest.raises(InvalidInput) as caught:
        read_table(path, Choice())
    assert str(caught.value) == (
        f"t.csv is no text; it begins like a file that ends in {ending}. Rename it so."
    )


@pytest.mark.parametrize("encoding", ["cp1251", "utf-16-le", "shift_jis", "UTF8"])
def test_an_encoding_that_was_told_is_used(table, encoding):
    written = {"cp1251": "Ёлка", "shift_jis": "東京"}.get(encoding, "Århus")
    text = f"name;a\n{written};1\nx;3\n"
    t = table(text=text.encode(encoding), id_column="name", encoding=encoding)
    assert t.ids == [written, "x"]


def test_an_encoding_that_is_none_or_the_wrong_one_is_refused(refusal):
    said = refusal("a", "1", encoding="utf-88")
    assert said.startswith("'utf-88' is not an encoding. Usual ones: utf-8, utf-16, latin-1")
    assert refusal("a", "1", encoding="base64").startswith("'base64' is not an encoding.")
    assert refusal("a,b", "1,2", "é,2", encoding="ascii") == (
        "t.csv line 3: the text is not in ascii. Name another encoding."
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
