"""linkwise cluster with what people bring: texts, pictures, messy tables, streams."""

import csv
import gzip
import io
import json

import numpy as np
import openpyxl
import pytest
from click.testing import CliRunner
from PIL import Image

from linkwise.cli import main
from linkwise.cli.options import ROLES
from linkwise.cli.streams import DASH, brought
from linkwise.features.tables import roles

QUICK = ("--method", "pck-means")
PARCEL = ["Päckchen", "Lieferung", "verspätet", "beschädigt", "Zusteller", "angekommen"]
LOGIN = ["Passwort", "Anmeldung", "zurücksetzen", "Konto", "gesperrt", "löschen"]
#: Two things people write about, in turns.
SENTENCES = [
    " ".join(np.random.default_rng(k).permutation(LOGIN if k % 2 else PARCEL)[:4])
    for k in range(40)
]


def labels_in(path):
    with open(path, newline="", encoding="utf-8") as file:
        return {row["id"]: int(row["label"]) for row in csv.DictReader(file)}


def told(run, *args):
    return json.loads(run("cluster", *args, *QUICK, "--json", "-o", "out.csv").stdout)


def parts_the_sentences():
    """Tell whether the labels part parcels from passwords."""
    labels = list(labels_in("out.csv").values())
    return len(set(labels[::2])) == len(set(labels[1::2])) == 1 and len(set(labels)) == 2


@pytest.fixture
def tickets(write):
    """Forty tickets with gaps, dates, categories and an id; row 7 says nothing at all."""
    lines = [
        f"T{100 + k},{text},2026-{k % 12 + 1:02d}-01,{'mail' if k % 2 else ''},{k * k % 7}"
        for k, text in enumerate(SENTENCES)
    ]
    lines[7] = "T107,,,n/a,"
    return write("tickets.csv", "ticket,message,opened,channel,replies", *lines)


def test_the_roles_are_those_of_the_features():
    assert ROLES == roles.ROLES


def test_sentences_in_latin_1_are_grouped_by_what_they_say(run, tmp_path):
    text = "".join(f"{sentence};1,5\n" for sentence in SENTENCES)
    (tmp_path / "s.csv").write_bytes(f"Satz;Gewicht\n{text}".encode("latin-1"))
    found = told(run, "s.csv", "-k", 2, "--by", "Satz")
    assert parts_the_sentences()
    assert (found["grouped_by"], found["encoding"]) == ("Satz (text)", "cp1252")
    shown = run("cluster", "s.csv", "-k", 2, *QUICK, "-o", "out.csv").stdout.splitlines()
    assert shown[1] == (
        "The text is not in UTF-8, so it was read as Windows-1252 (Western European); "
        "--encoding names another."
    )


def test_an_encoding_can_be_told(run, tmp_path, refused):
    (tmp_path / "s.txt").write_bytes("\n".join(["Ёлка и снег", "Кот"] * 5).encode("cp1251"))
    found = told(run, "s.txt", "-k", 2, "--encoding", "cp1251", "--as", "line=text")
    assert found["encoding"] is None
    assert refused("cluster", "s.txt", "-k", 2, "--encoding", "utf8", "-o", "o.csv") == (
        "s.txt line 1: the text is not in utf8. Name another encoding."
    )
    (tmp_path / "s.csv").write_bytes(b"a\x81\x00\n")
    assert refused("cluster", "s.csv", "-k", 2, "-o", "o.csv") == (
        "s.csv is not text in UTF-8, UTF-16 (with its mark) or Windows-1252. Save it as UTF-8, or "
        "name its encoding with --encoding."
    )


def test_a_ticket_table_is_grouped_by_all_of_it_and_the_summary_says_so(run, tickets):
    found = told(run, tickets, "-k", 2, "--id", "ticket")
    assert found["grouped_by"] == (
        "replies (number), channel (category), opened (date) and message (text)"
    )
    assert found["unusable"] == ["T107"]
    labels = labels_in("out.csv")
    assert labels["T107"] == -1
    assert set(labels.values()) == {-1, 0, 1}
    assert sum(found["sizes"]) == 39
    shown = run("cluster", tickets, "-k", 2, *QUICK, "-o", "out.csv").stdout.splitlines()
    assert shown[0].startswith("tickets.csv: 40 rows, grouped by replies (number), channel (")
    assert shown[0].endswith("Left out: ticket (no two rows share a value).")
    assert "1 row has nothing to group by and gets the label -1: row 7." in shown


def test_links_about_rows_that_cannot_be_used_are_no_obstacle(run, tickets, write):
    write("said.csv", "i,j,kind", "T107,T100,same", "T100,T101,different")
    args = ("--id", "ticket", "--links", "said.csv", "--method", "cop-kmeans")
    found = json.loads(run("cluster", tickets, "-k", 2, *args, "--json", "-o", "out.csv").stdout)
    assert found["links"]["must"]["given"] == 0
    labels = labels_in("out.csv")
    assert labels["T100"] != labels["T101"]


def test_several_columns_are_asked_for(run, tickets):
    by = told(run, tickets, "-k", 2, "--by", "message,channel", "--by", "replies")
    assert by["features"] == ["message", "channel", "replies"]
    assert by["left_out"] == {}


def test_a_column_that_does_not_exist_is_refused_with_one_that_does(refused, tickets):
    assert refused("cluster", tickets, "-k", 2, "--by", "mesage", "-o", "out.csv") == (
        'tickets.csv has no column "mesage". Did you mean "message"? It has ticket, message, '
        "opened, channel, replies."
    )


def test_a_role_that_is_none_is_a_wrong_call(misused, tickets):
    call = ("cluster", tickets, "-k", 2, "-o", "out.csv", "--as")
    assert misused(*call, "message=prose") == (
        "Error: Invalid value for '--as': 'prose' is not what a column can be: number, category, "
        "date, text, picture, vector, id or ignored."
    )
    assert misused(*call, "text") == (
        "Error: Invalid value for '--as': 'text' is not of the form COLUMN=ROLE."
    )


def test_columns_of_an_array_have_no_roles(refused):
    np.save("rows.npy", np.eye(4))
    assert refused("cluster", "rows.npy", "-k", 2, "--as", "0=category", "-o", "out.csv") == (
        "rows.npy holds numbers, and its columns cannot be anything else."
    )


def test_names_with_commas_are_quoted(run, write):
    write("t.csv", '"a, b",c', *(f"{k * k},{k % 2}" for k in range(10)))
    found = told(run, "t.csv", "-k", 2, "--by", '"a, b",c')
    assert found["features"] == ["a, b", "c"]


def test_standardising_is_about_plain_numbers(refused, tickets):
    args = ("-k", 2, "--standardise", "-o", "out.csv")
    assert refused("cluster", tickets, *args) == (
        "the rows are grouped by more than plain numbers, and their parts are balanced already. "
        "Leave --standardise and --no-standardise out."
    )


def test_a_workbook_is_read_like_the_table_in_it(run, tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["nr", "message", "paid"])
    for k, sentence in enumerate(SENTENCES):
        book.active.append([7 * k, sentence, k % 3 == 0])
    book.save(tmp_path / "t.xlsx")
    found = told(run, "t.xlsx", "-k", 2, "--by", "message", "--id", "nr")
    assert found["grouped_by"] == "message (text)"
    assert parts_the_sentences()
    assert list(labels_in("out.csv"))[:3] == ["0", "7", "14"]


def test_links_may_stand_in_a_workbook(run, people, tmp_path):
    book = openpyxl.Workbook()
    for row in (["i", "j", "kind"], ["a", "l", "same"], ["a", "b", "different"]):
        book.active.append(row)
    book.save(tmp_path / "said.xlsx")
    args = ("--id", "name", "--links", "said.xlsx", "--method", "cop-kmeans", "-o", "out.csv")
    run("cluster", people, "-k", 2, *args)
    labels = labels_in("out.csv")
    assert labels["a"] == labels["l"] != labels["b"]


def test_lines_of_text_are_rows(run, write):
    write("s.txt", *SENTENCES)
    found = told(run, "s.txt", "-k", 2)
    assert found["rows"] == 40
    assert parts_the_sentences()


@pytest.fixture
def photos(tmp_path):
    """Twelve pictures, half of them blue, of several sizes."""
    (tmp_path / "photos" / "blue").mkdir(parents=True)
    rng = np.random.default_rng(0)
    for k in range(12):
        side = 10 + 3 * k
        pixels = rng.integers(0, 70, (side, side, 3), dtype=np.uint8)
        pixels[:, :, 2 if k % 2 else 0] += 150
        name = f"blue/{k:02d}.png" if k % 2 else f"{k:02d}.jpg"
        Image.fromarray(pixels).save(tmp_path / "photos" / name)
    return "photos"


def test_a_folder_of_pictures_is_grouped_by_what_they_show(run, photos):
    found = told(run, photos, "-k", 2)
    assert found["grouped_by"] == "file (picture)"
    labels = labels_in("out.csv")
    assert list(labels)[-1] == "blue/11.png"
    blue = {label for name, label in labels.items() if name.startswith("blue")}
    red = {label for name, label in labels.items() if not name.startswith("blue")}
    assert len(blue) == len(red) == 1
    assert blue != red


def test_pictures_that_are_broken_are_named_and_get_no_cluster(run, photos, tmp_path):
    whole = (tmp_path / photos / "blue" / "11.png").read_bytes()
    (tmp_path / photos / "blue" / "cut.png").write_bytes(whole[: len(whole) // 2])
    found = told(run, photos, "-k", 2)
    assert found["unusable"] == ["blue/cut.png"]
    assert labels_in("out.csv")["blue/cut.png"] == -1
    assert found["notes"] == [
        '"file": 1 picture cannot be read and counts as missing: blue/cut.png.'
    ]


def test_where_no_picture_can_be_read_they_are_named(refused, tmp_path):
    (tmp_path / "scans").mkdir()
    for name in ("a.png", "b.png"):
        (tmp_path / "scans" / name).write_bytes(b"no picture")
    assert refused("cluster", "scans", "-k", 2, "-o", "out.csv") == (
        'scans: no row has a value in file. "file": 2 pictures cannot be read and count as '
        "missing: a.png, b.png."
    )


def test_a_column_that_was_told_to_be_what_it_is_not_is_refused(refused, tmp_path):
    lines = [f"{k % 5},a word or {k},," for k in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["replies,message,empty,", *lines]))
    assert refused("cluster", "t.csv", "-k", 2, "--as", "replies=picture") == (
        't.csv: column "replies" cannot be used as picture: no value in it is the name of a '
        "picture file that is there."
    )
    assert refused("cluster", "t.csv", "-k", 2, "--as", "empty=date") == (
        't.csv: column "empty" cannot be used as date: it is empty.'
    )


def test_who_has_no_idea_how_many_clusters_says_nothing(run, photos):
    assert told(run, photos)["n_clusters"] == 2


def test_a_table_of_pictures_finds_them_beside_it(run, photos, tmp_path):
    rows = "".join(f"{k},{k:02d}.jpg\n" for k in range(0, 12, 2))
    (tmp_path / photos / "t.csv").write_text(f"size,photo\n{rows}")
    found = told(run, "photos/t.csv", "-k", 2, "--by", "photo")
    assert found["roles"] == {"photo": "picture"}
    assert found["unusable"] == []


def test_a_folder_without_pictures_is_refused(refused, tmp_path):
    (tmp_path / "empty").mkdir()
    assert refused("cluster", "empty", "-k", 2, "-o", "out.csv") == (
        "empty is a folder without pictures: no file in it ends in .png, .jpg, .jpeg, .gif, .bmp, "
        ".webp, .tif or .tiff."
    )


def test_a_table_comes_from_stdin_and_labels_go_to_stdout(run, people, tmp_path):
    table = (tmp_path / people).read_bytes()
    run("cluster", people, "-k", 2, *QUICK, "--id", "name", "-o", "out.csv")
    for sent in (table, gzip.compress(table)):
        call = ["cluster", "-", "-k", "2", *QUICK, "--id", "name", "-o", "-"]
        result = CliRunner().invoke(main, call, input=sent)
        assert result.exit_code == 0
        assert result.stdout == (tmp_path / "out.csv").read_text()
        assert result.stderr.startswith("stdin: 12 rows, grouped by height and weight (numbers).")
        assert result.stderr.endswith(" s.\n")
    result = CliRunner().invoke(main, [*call, "--json"], input=table)
    assert json.loads(result.stderr)["written"] == "-"


@pytest.mark.parametrize(
    ("begins", "ending"),
    [
        (b"a,b\n", ".csv"),
        (b'{"a": 1}\n', ".jsonl"),
        (b"PK\x03\x04", ".xlsx"),
        (b"PAR1", ".parquet"),
        (b"ARROW1", ".arrow"),
        (b"\x93NUMPY", ".npy"),
    ],
)
def test_what_stdin_holds_is_told_by_how_it_begins(monkeypatch, begins, ending):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(begins)))
    with brought(DASH) as path:
        assert path.suffix == ending
        assert path.read_bytes() == begins
    assert not path.exists()


def test_an_empty_stdin_is_refused():
    result = CliRunner().invoke(main, ["cluster", "-", "-k", "2", "-o", "-"], input="")
    assert (result.exit_code, result.stderr) == (1, "stdin is empty.\n")


def test_stdin_is_called_so_whatever_is_wrong_with_it():
    result = CliRunner().invoke(
        main, ["cluster", "-", "-k", "2", "-o", "-"], input=b"a,b\n1,2\n3\n"
    )
    assert (result.exit_code, result.stderr) == (1, "stdin line 3: 1 value for 2 columns.\n")


def test_what_names_the_rows_is_grouped_by_when_asked_for_and_that_is_told(run, tickets):
    found = told(run, tickets, "-k", 2, "--by", "ticket,message")
    assert found["grouped_by"] == "ticket and message (texts)"
    assert found["notes"][0] == (
        '"ticket" was asked for, but looks like names of rows: no two rows share a value.'
    )
    assert not any("asked for" in note for note in told(run, tickets, "-k", 2)["notes"])
