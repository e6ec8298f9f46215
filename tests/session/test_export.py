import csv

import pyarrow.parquet as pq
import pytest

from linkwise.errors import InvalidInput
from linkwise.session import Columns, Session


def read(path):
    if path.suffix == ".parquet":
        return [{k: str(v) for k, v in row.items()} for row in pq.read_table(path).to_pylist()]
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("name,x\n" + "".join(f'"p, {k}",{k % 4}\n' for k in range(12)))
    with Session.create(
        tmp_path / "s", path, 2, columns=Columns(id="name"), n_partitions=5
    ) as session:
        session.answer(0, 4, "same", who="ann")
        session.label([1, 2], "=cmd()", who="bob")
        session.undo(1)
        session.rename(0, "first")
        yield session


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_labels_are_written_with_ids_names_and_margins(named, tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    named.export(path, raw=True)
    rows, view = read(path), named.view()
    names = {cluster.number: cluster.name for cluster in view.clusters}
    assert [row["id"] for row in rows] == [f"p, {k}" for k in range(12)]
    assert [int(row["cluster"]) for row in rows] == view.labels.tolist()
    assert [row["name"] for row in rows] == [names[label] for label in view.labels.tolist()]
    assert max(abs(float(r["margin"]) - m) for r, m in zip(rows, view.margins, strict=True)) < 1e-6


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_answers_are_written_with_who_when_and_whether_they_stand(named, tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    named.export(path, "answers", raw=True)
    first, second = read(path)
    event = named.history()[0]
    assert first == {
        "event": "1",
        "when": event.when,
        "who": "ann",
        "kind": "answer",
        "verdict": "same",
        "ids": '["p, 0", "p, 4"]',
        "name": "",
        "undone": "True",
    }
    assert (second["kind"], second["name"], second["undone"]) == ("label", "=cmd()", "False")


def test_a_file_is_replaced_whole_or_not_at_all(named, tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")
    with pytest.raises(InvalidInput) as caught:
        named.export(path, "everything")
    assert str(caught.value) == (
        "what is 'everything', expected one of labels, table, answers, links, names, history."
    )
    with pytest.raises(InvalidInput) as caught:
        named.export(tmp_path / "out.txt")
    assert str(caught.value) == "out.txt: use a file that ends in .csv or .parquet."
    assert path.read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.csv", "s", "t.csv"]
