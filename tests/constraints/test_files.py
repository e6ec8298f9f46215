"""Links and labels survive every file format, and mistakes are named by file and line."""

import csv
import gzip
import json

import numpy as np
import pyarrow as pa
import pytest
from drawn_links import links
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import feather

from linkwise.constraints import Links, PartialLabels
from linkwise.errors import InvalidInput
from linkwise.files.csv_writer import disarmed, rearmed

SKIP = " Leave such entries out with skip_unknown=True."
NAME = " Name them with left=, right= and kind=."
BOTH = " Give ids= if rows go by id, or leave such entries out with skip_unknown=True."
SUFFIXES = [".csv", ".json", ".parquet"]
quick = settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
any_weight = st.floats(0, allow_nan=False, allow_infinity=False)
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)


def ids_for(n):
    kinds = (text, st.integers(-(2**70), 2**70), st.one_of(text, st.integers(0, 9)))
    lists = [st.lists(k, min_size=n, max_size=n, unique_by=lambda name: str(name)) for k in kinds]
    return st.one_of(st.none(), *lists)


@pytest.mark.parametrize("suffix", SUFFIXES)
@quick
@given(data=st.data())
def test_links_come_back_exactly(tmp_path, suffix, data):
    given_links = data.draw(links())
    weight = [data.draw(any_weight) for _ in given_links.weight]
    given_links = Links(len(given_links), given_links.must, given_links.cannot, weight)
    ids = data.draw(ids_for(len(given_links)))
    path = tmp_path / f"answers{suffix}"
    given_links.write(path, ids)
    assert Links.read(path, len(given_links), ids) == given_links


@pytest.mark.parametrize("suffix", SUFFIXES)
@quick
@given(data=st.data())
def test_labels_come_back_exactly(tmp_path, suffix, data):
    readable = st.sampled_from(["a", "b c", 'x"y', "ä,ö", "line\nbreak", "\r", " "])
    kind = data.draw(st.sampled_from([st.integers(0, 2**60), readable, st.floats(0.1, 0.9)]))
    labels = PartialLabels(data.draw(st.lists(st.one_of(st.none(), kind), max_size=6)))
    ids = data.draw(ids_for(len(labels)))
    path = tmp_path / f"labels{suffix}"
    labels.write(path, ids)
    back = PartialLabels.read(path, len(labels), ids)
    assert back == labels
    assert back.classes.dtype.kind == labels.classes.dtype.kind or not labels.n_known


@pytest.mark.parametrize("suffix", [".json", ".parquet"])
def test_typed_formats_keep_text_that_looks_like_numbers(tmp_path, suffix):
    labels = PartialLabels(["1", None, "2"])
    labels.write(tmp_path / f"labels{suffix}")
    back = PartialLabels.read(tmp_path / f"labels{suffix}", 3)
    assert back.classes.tolist() == ["1", "2"]


def test_json_keeps_labels_of_mixed_kinds(tmp_path):
    labels = PartialLabels(["1", 1, None, True, 2.5, ""])
    labels.write(tmp_path / "labels.json")
    assert PartialLabels.read(tmp_path / "labels.json", 6) == labels


def test_the_files_look_as_documented(tmp_path):
    links = Links(4, must=[(0, 1)], cannot=[(2, 3)])
    links.write(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "i,j,kind\n0,1,must\n2,3,cannot\n"
    links.write(tmp_path / "a.json", ids=["w", "x", "y", "z"])
    assert json.loads((tmp_path / "a.json").read_text()) == {
        "format": "linkwise links",
        "version": 1,
        "n_samples": 4,
        "rows": "ids",
        "must": [["w", "x"]],
        "cannot": [["y", "z"]],
        "weight": None,
    }
    Links(2, must=[(0, 1)], weight=[0.1]).write(tmp_path / "b.csv", ids=[10, 20])
    assert (tmp_path / "b.csv").read_text() == "i,j,kind,weight\n10,20,must,0.1\n"
    labels = PartialLabels(["cat", None, "dog"])
    labels.write(tmp_path / "d.csv", ids=["x", "y", "z"])
    assert (tmp_path / "d.csv").read_text() == "id,label\nx,cat\nz,dog\n"
    labels.write(tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_text() == "row,label\n0,cat\n2,dog\n"


def test_people_may_write_csv_their_own_way(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(
        "\ufeffwho,kind,j, i,weight\r\nann,same,1,0,\r\n\r\nbob,different ,2,0,2.5\r\n",
        encoding="utf-8",
    )
    assert Links.read(path, 3) == Links(3, [(0, 1)], [(0, 2)], [1, 2.5])
    assert Links.read(str(path), 3, ids=np.array([0, 1, 2])) == Links.read(path, 3)


def refused(read, *args, **kwargs):
    with pytest.raises(InvalidInput) as error:
        read(*args, **kwargs)
    return str(error.value)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", " is empty."),
        ("0,1,must\n", " line 1: the columns must be i, j, kind, got '0', '1', 'must'." + NAME),
        ("i,j,kind\n0,1,must\n0,2\n", " line 3: 2 values for 3 columns."),
        ("i,j,kind\n0,4,must\n", " line 2: row 4 points outside the 4 rows (0 to 3)." + SKIP),
        ("i,j,kind\n-1,2,must\n", " line 2: row -1 points outside the 4 rows (0 to 3)." + SKIP),
        (
            "i,j,kind\n0,1,must\n\n0,x7,must\n",
            " line 4: 'x7' is not a row number." + BOTH,
        ),
        (
            "i,j,kind\n0,1.5,must\n",
            " line 2: '1.5' is not a row number." + BOTH,
        ),
        ("i,j,kind\n2,2,must\n", " line 2: '2' is linked to itself."),
        (
            "i,j,kind\n0,1,maybe\n",
            " line 2: kind 'maybe' says neither same nor different. Write 'same', 'different' or "
            "'unsure'.",
        ),
        (
            "i,j,kind,weight\n0,1,must,-1\n",
            " line 2: weight '-1' must be a finite number >= 0.",
        ),
        (
            "i,j,kind,weight\n0,1,must,much\n",
            " line 2: weight 'much' must be a finite number >= 0.",
        ),
        ("i,j,kind,weight\n0,1,must,nan\n", " line 2: weight 'nan' must be a finite number >= 0."),
        (
            b"i,j,kind\n0,\xff\x00,must\n",
            " is not text in UTF-8, UTF-16 (with its mark) or Windows-1252. Save it as UTF-8.",
        ),
    ],
)
def test_mistakes_in_a_csv_file_are_named_by_line(tmp_path, content, complaint):
    path = tmp_path / "answers.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert refused(Links.read, path, 4) == f"answers.csv{complaint}"


def test_an_unknown_id_is_named_by_line(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("i,j,kind\nx1,x2,must\nx7,x1,cannot\n")
    ids = [f"x{k}" for k in (1, 2, 3)]
    message = "answers.csv line 3: 'x7' is not among the 3 ids." + SKIP
    assert refused(Links.read, path, 3, ids) == message


LINKS = {"format": "linkwise links", "version": 1}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ('{\n"format": ', " line 2: not valid JSON (Expecting value)."),
        ("[]", ': expected a JSON object with "format": "linkwise links".'),
        (
            LINKS | {"version": 2},
            ": version 2 is unknown; this linkwise reads version 1. A newer linkwise may open it.",
        ),
        (LINKS | {"version": None}, ": version None is unknown; this linkwise reads version 1."),
        (LINKS | {"n_samples": 60}, " describes 60 rows, but n_samples=4."),
        (LINKS | {"rows": "ids"}, " names rows by ids: give ids= to read it."),
        (LINKS | {"must": [[0, 1], [2]]}, " must[1]: [2] is not a pair."),
        (
            LINKS | {"must": [[0, 1]], "cannot": [[0, 2], [1, 9]]},
            " cannot[1]: row 9 points outside the 4 rows (0 to 3)." + SKIP,
        ),
        (LINKS | {"must": [[0, 1], [2, 2]]}, " must[1]: 2 is linked to itself."),
        (
            LINKS | {"must": [[0, True]]},
            " must[0]: True is not a row number." + BOTH,
        ),
        (LINKS | {"must": [[0, 1]], "weight": [1, 2]}, ": 2 weights for 1 links."),
        (
            LINKS | {"must": [[0, 1]], "weight": [True]},
            " must[0]: weight True must be a finite number >= 0.",
        ),
    ],
)
def test_mistakes_in_a_json_file_are_named_by_entry(tmp_path, content, complaint):
    path = tmp_path / "answers.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    assert refused(Links.read, path, 4) == f"answers.json{complaint}"


def test_a_json_file_by_number_is_not_read_by_id(tmp_path):
    Links(2, must=[(0, 1)]).write(tmp_path / "a.json")
    message = refused(Links.read, tmp_path / "a.json", 2, ids=[0, 1])
    assert message == "a.json names rows by numbers: read it without ids=."


def test_mistakes_in_a_parquet_file_are_named_by_entry(tmp_path):
    path = tmp_path / "answers.parquet"
    Links(4, must=[(0, 1)], cannot=[(1, 3)]).write(path)
    assert refused(Links.read, path, 3) == (
        "answers.parquet entry 1: row 3 points outside the 3 rows (0 to 2)." + SKIP
    )
    PartialLabels(["a"]).write(path)
    assert refused(Links.read, path, 3) == (
        "answers.parquet: the columns must be i, j, kind, got 'row', 'label'." + NAME
    )
    path.write_text("not parquet")
    assert refused(Links.read, path, 3) == (
        "answers.parquet is not a Parquet file linkwise can read."
    )


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["a", "b"], "ids has 2 values for 3 rows."),
        (["a", "b", "a"], "ids[2] = 'a' is also ids[0]. Every row needs an id of its own."),
        ([1, "1", 2], "ids[1] = '1' is also ids[0]. Every row needs an id of its own."),
        (3, "ids must be the id of each row, got 3. n_samples says how many rows there are."),
        ("name", "ids must be the id of each row, got 'name'."),
        (["a", 1.5, "b"], "ids[1] = 1.5 must be text or a whole number."),
        (["a", None, "b"], "ids[1] = None must be text or a whole number."),
        ([0, True, 2], "ids[1] = True must be text or a whole number."),
    ],
)
def test_ids_name_every_row_once(tmp_path, ids, message):
    assert refused(Links(3).write, tmp_path / "a.csv", ids) == message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "row,label\n0,a\n1,b\n0,c\n",
            "labels.csv line 4: '0' is labelled 'c', but 'a' at labels.csv line 2.",
        ),
        ("row,name\n0,a\n", "labels.csv line 1: the columns must be label, got 'row', 'name'."),
        ("name,label\n0,a\n", "labels.csv: the columns must be row, label, got 'name', 'label'."),
        ("row,label\n7,a\n", "labels.csv line 2: row 7 points outside the 3 rows (0 to 2)." + SKIP),
    ],
)
def test_mistakes_in_a_file_of_labels_are_named_by_line(tmp_path, content, message):
    path = tmp_path / "labels.csv"
    path.write_text(content)
    assert refused(PartialLabels.read, path, 3) == message


def test_the_rows_of_labels_are_named_by_a_column_row_or_id(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("id,label\n1,a\n")
    assert PartialLabels.read(path, 2) == PartialLabels([None, "a"])
    path.write_text("row,label\n1,a\n")
    assert PartialLabels.read(path, 2, ids=["1", "0"]) == PartialLabels(["a", None])


def test_labels_in_csv_are_numbers_if_all_of_them_are(tmp_path):
    path = tmp_path / "labels.csv"
    for said, classes in (
        (["1", "2", ""], [1, 2]),
        (["1", "2.5", ""], [1.0, 2.5]),
        (["1", "b", ""], ["1", "b"]),
        (["1", "nan", "-1"], ["1", "nan"]),
        (["1", "-1", "-1"], [1]),
    ):
        lines = "".join(f"{row},{label}\n" for row, label in enumerate(said))
        path.write_text("row,label\n" + lines)
        assert PartialLabels.read(path, 3).classes.tolist() == classes
    path.write_text("row,label\n0,a\n0,a\n1,?\n")
    assert PartialLabels.read(path, 3, unknown="?").codes.tolist() == [0, -1, -1]


def test_labels_a_format_cannot_hold_are_refused(tmp_path):
    assert refused(PartialLabels([1, "a"]).write, tmp_path / "a.parquet") == (
        "a.parquet: Parquet keeps labels of one type, these are int and str. Write a .json file."
    )
    days = PartialLabels(np.array(["2020-01-01"], dtype="datetime64[D]"))
    assert refused(days.write, tmp_path / "a.json") == (
        "a.json: labels of type date cannot be written."
    )


@pytest.mark.parametrize("name", ["a.txt", "a", "a.csv.gz"])
def test_other_endings_are_not_written(tmp_path, name):
    message = f"{name}: use a name that ends in .csv, .json or .parquet."
    assert refused(Links(3).write, tmp_path / name) == message


def test_other_endings_are_not_read(tmp_path):
    assert refused(Links.read, tmp_path / "a.txt", 3) == (
        "a.txt: use a name that ends in .csv, .tsv, .csv.gz, .tsv.gz, .json, .parquet, .feather, "
        ".arrow, .jsonl, .ndjson, .jsonl.gz, .ndjson.gz or .xlsx."
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_that_is_not_there_is_not_found(tmp_path, suffix):
    with pytest.raises(FileNotFoundError):
        Links.read(tmp_path / f"none{suffix}", 3)


def test_links_are_read_from_every_kind_of_table(tmp_path):
    columns = pa.table({"i": [0, 1], "j": [1, 2], "kind": ["must", "different"]})
    expected = Links(3, [(0, 1)], [(1, 2)])
    feather.write_feather(columns, tmp_path / "a.feather")
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(r)}\n" for r in columns.to_pylist()))
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"i,j,kind\n0,1,must\n1,2,different\n"))
    (tmp_path / "a.tsv").write_text("i\tj\tkind\n0\t1\tmust\n1\t2\tdifferent\n", "utf-16")
    for name in ("a.feather", "a.jsonl", "a.csv.gz", "a.tsv"):
        assert Links.read(tmp_path / name, 3) == expected


def test_a_spreadsheet_s_own_spelling_is_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("i;j;kind;weight\nÅse;Bo;must;2,5\nBo;Cy;cannot;1\n".encode("latin-1"))
    assert Links.read(path, 3, ["Åse", "Bo", "Cy"]) == Links(3, [(0, 1)], [(1, 2)], [2.5, 1])


ODD = st.text(alphabet="'=+-@\t1a,\n ", min_size=1, max_size=6).filter(lambda name: name.strip())


@settings(max_examples=60, deadline=None)
@given(st.lists(ODD, min_size=2, max_size=5, unique_by=str.strip))
def test_names_that_a_spreadsheet_would_run_come_back_as_they_were(tmp_path_factory, names):
    names = [name.strip() for name in names]
    path = tmp_path_factory.mktemp("odd") / "links.csv"
    links = Links(len(names), must=[(0, 1)], cannot=[(k, 0) for k in range(2, len(names))])
    links.write(path, ids=names)
    assert Links.read(path, len(names), ids=names) == links
    with path.open(newline="", encoding="utf-8") as file:
        cells = [cell for line in csv.reader(file) for cell in line[:2]]
    assert all(disarmed(rearmed(cell)) == cell for cell in cells)


def test_classes_that_a_spreadsheet_would_run_come_back_as_they_were(tmp_path):
    labels = PartialLabels(["=x", "'=x", "''=x", "@a", "'tis"])
    labels.write(tmp_path / "labels.csv")
    assert PartialLabels.read(tmp_path / "labels.csv", 5) == labels
    assert b",=x" not in (tmp_path / "labels.csv").read_bytes()
