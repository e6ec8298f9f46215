"""Search, columns of all rows, and what sets a cluster apart."""

from datetime import datetime, timedelta

import numpy as np
import pytest

from linkwise.errors import InvalidInput
from linkwise.session import Columns, Session
from linkwise.session.data.display import Row
from linkwise.session.data.looking import column_values, diverse, rounded, sets_apart


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A session of cheap red things and dear blue ones."""
    folder = tmp_path_factory.mktemp("shop")
    lines = ["name,price,colour,about"]
    for i in range(60):
        dear = i % 2
        about = "shiny new lamp" if dear else "old wooden chair"
        colour = "blue" if dear else "red"
        lines.append(f"thing-{i:02d},{100 * dear + i % 7},{colour},{about} number {i}")
    (folder / "shop.csv").write_text("\n".join(lines) + "\n")
    columns = Columns(id="name", text="about")
    with Session.create(
        folder / "s", folder / "shop.csv", 2, columns=columns, n_partitions=10
    ) as s:
        yield s


@pytest.mark.parametrize(
    ("text", "rows"), [("thing-07", [7]), ("LAMP number 3", [3, 31, 33, 35, 37, 39]), ("xyz", [])]
)
def test_rows_are_found_by_id_text_and_field(shop, text, rows):
    assert shop.search(text) == rows


def test_a_search_ends_at_its_limit(shop):
    assert shop.search("red", 3) == [0, 2, 4]


def test_a_column_of_categories_has_one_code_each(shop):
    found = shop.column("colour")
    assert (found.kind, found.legend) == ("category", ["red", "blue"])
    assert found.codes.tolist() == [i % 2 for i in range(60)]


def test_a_column_of_numbers_is_a_scale(shop):
    found = shop.column("price")
    assert found.kind == "number"
    assert found.codes.min() == 0
    assert found.codes.max() == 254
    assert found.codes[1] > found.codes[0]


@pytest.mark.parametrize("way", ["%Y-%m-%d", "%d.%m.%Y", "%Y-%m-%dT%H:%M"])
def test_a_column_of_dates_is_a_scale(way):
    days = [datetime(2020, 1, 1) + timedelta(days=7 * i) for i in range(60)]
    said = [{"when": None if i == 3 else day.strftime(way)} for i, day in enumerate(days)]
    rows = [Row(i, i, fields, None, False, 0, 1.0) for i, fields in enumerate(said)]
    found = column_values(lambda some: [rows[i] for i in some], range(60), "when")
    assert (found.kind, found.legend) == ("number", ["2020-01-05", "2021-02-12"])
    assert (found.codes[0], found.codes[3], found.codes[59]) == (0, 255, 254)
    assert (np.diff(found.codes[4:].astype(int)) >= 0).all()


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        (
            [f"2021-03-05T{k // 6:02d}:{k % 6}0" for k in range(60)],
            ["2021-03-05 00:05", "2021-03-05 09:44"],
        ),
        ([100_000 + k / 1000 for k in range(60)], ["100000", "100000.1"]),
        ([0.0] * 1000 + [float(k) for k in range(1, 15)], ["0", "3.87"]),
        ([0.0] * 5000 + [float(k) for k in range(1, 15)], ["0", "0"]),
    ],
)
def test_the_ends_of_a_scale_are_told_apart_where_they_differ(values, ends):
    rows = [Row(i, i, {"it": value}, None, False, 0, 1.0) for i, value in enumerate(values)]
    found = column_values(lambda some: [rows[i] for i in some], range(len(rows)), "it")
    assert (found.kind, found.legend) == ("number", ends)


@pytest.mark.parametrize(
    ("number", "words"),
    [(1994.6, "1995"), (1234567.8, "1234568"), (-25000.4, "-25000"), (5.10001, "5.1"), (0.0, "0")],
)
def test_numbers_are_written_as_people_do(number, words):
    assert rounded(number) == words


def test_a_column_that_is_not_there_is_refused(shop):
    with pytest.raises(InvalidInput, match="no column is called 'weight'"):
        shop.column("weight")


def test_a_cluster_is_described_by_what_sets_it_apart(shop):
    dear = int(shop.labels()[1])
    page = shop.describe_cluster(dear)
    assert page.size == len(page.rows) == 30
    assert set(page.examples) <= set(page.rows)
    told = " ".join(page.apart)
    assert "price is high" in told
    assert "colour is blue in 100 %, elsewhere in 0 %" in told
    assert "lamp" in told
    assert page.names


def test_a_name_that_two_columns_propose_is_proposed_once():
    fields = [
        {"paid": "yes" if i < 30 else "no", "sent": "yes" if i < 30 else "no"} for i in range(60)
    ]
    rows = [Row(i, i, told, None, False, 0, 1.0) for i, told in enumerate(fields)]
    apart, names = sets_apart(lambda some: [rows[i] for i in some], np.arange(30), 60)
    assert len(apart) == 2
    assert names == ["yes"]


def test_of_words_that_tell_as_much_the_longer_ones_make_the_name():
    texts = [("the parcel was late", "no password")[i % 2] for i in range(20)]
    rows = [Row(i, i, {}, text, False, 0, 1.0) for i, text in enumerate(texts)]
    apart, names = sets_apart(lambda some: [rows[i] for i in some], np.arange(0, 20, 2), 20)
    assert apart == ["words: parcel, late, was, the"]
    assert names == ["parcel, late"]


def test_the_rows_of_a_cluster_come_in_parts(shop):
    cluster = shop.view().clusters[0]
    whole = shop.describe_cluster(cluster.number)
    assert len(whole.rows) == whole.size == cluster.size
    parts = [shop.describe_cluster(cluster.number, 3, after).rows for after in (0, 3)]
    assert parts == [whole.rows[:3], whole.rows[3:6]]
    assert shop.describe_cluster(cluster.number, after=whole.size).rows == []


def test_examples_are_unlike_each_other():
    blocks = np.array([[0, 0, 0, 1, 1, 2]] * 3, dtype=np.uint8)
    assert {blocks[0, k] for k in diverse(blocks, 3)} == {0, 1, 2}
    assert len(diverse(blocks, 9)) == 6


def test_the_neighbours_of_a_row_are_told_with_why_it_is_there(shop):
    around = shop.around("thing-01", 5)
    assert len(around.neighbours) == 5
    assert all(row % 2 == 1 for row in around.neighbours)
    assert around.why.startswith("5 of the 5 rows most like it are in cluster")


def test_the_table_holds_all_columns_and_shares_that_sum_to_one(shop, tmp_path):
    import csv

    shop.export(tmp_path / "table.csv", "table")
    with (tmp_path / "table.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:6] == ["name", "price", "colour", "about", "cluster", "cluster name"]
    for row in rows:
        told = [value for name, value in row.items() if name.startswith("share of")]
        assert max(map(len, told)) <= len("0.1234")  # as people write them
        shares = [float(value) for value in told]
        assert sum(shares) == pytest.approx(1.0, abs=0.001)
