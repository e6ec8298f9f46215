import json

import numpy as np
import pytest

from linkwise.bench.common import running
from linkwise.bench.common.measuring import Cell
from linkwise.bench.common.running import Plan, hopeless, read_lines, run_cells
from linkwise.errors import InvalidInput

TWO = ("k-means", "PCKMeans")


class Fake:
    """Measures nothing and notes what it was asked; some methods are slow."""

    def __init__(self, slow=()):
        self.slow, self.seen, self.closed = slow, [], 0

    def run(self, cell):
        self.seen.append(cell)
        if cell.method in self.slow:
            return cell.line("too slow", seconds=1.0)
        return cell.line("done", nmi=0.5)

    def close(self):
        self.closed += 1


@pytest.fixture(autouse=True)
def own_set(tmp_path, monkeypatch):
    """A folder of data with one tiny set."""
    folder = tmp_path / "data"
    folder.mkdir()
    np.savez(folder / "tiny.npz", X=np.eye(6), y=np.arange(6) % 2)
    monkeypatch.setenv("LINKWISE_DATA", str(folder))


def plan(tmp_path, **settings):
    chosen = {"sets": ("iris", "tiny"), "methods": TWO, "n_seeds": 2, "limit": 1.0, **settings}
    return Plan(tmp_path / "out", **chosen)


def test_a_set_in_the_folder_joins_by_itself_and_small_sets_come_first(tmp_path):
    cells = list(Plan(tmp_path, n_seeds=1).cells())
    sets = list(dict.fromkeys(cell.set for cell in cells))
    assert sets == ["tiny", "iris", "wine", "breast_cancer", "digits"]
    assert not any("(asc)" in cell.method for cell in cells)
    assert any("(asc)" in cell.method for cell in Plan(tmp_path, peers=True).cells())


def test_every_cell_becomes_one_line_and_none_is_measured_twice(tmp_path):
    first, second = Fake(), Fake()
    run_cells(plan(tmp_path), worker=lambda: first)
    assert len(first.seen) == 2 * 2 * 2 * 9
    assert first.seen == list(plan(tmp_path).cells())
    assert [Cell.of(line) for line in read_lines(plan(tmp_path).lines)] == first.seen
    run_cells(plan(tmp_path), worker=lambda: second)
    assert second.seen == []
    assert (first.closed, second.closed) == (1, 1)


def test_a_line_that_was_cut_off_is_measured_again(tmp_path):
    worker = Fake()
    run_cells(plan(tmp_path), worker=lambda: worker)
    path = plan(tmp_path).lines
    text = path.read_text(encoding="utf-8")
    path.write_text(text[:-30], encoding="utf-8")
    again = Fake()
    run_cells(plan(tmp_path), worker=lambda: again)
    assert again.seen == worker.seen[-1:]
    assert len(read_lines(path)) == len(worker.seen)


def test_who_is_too_slow_for_a_set_is_not_told_more_of_that_kind_there(tmp_path):
    worker = Fake(slow=("PCKMeans",))
    run_cells(plan(tmp_path), worker=lambda: worker)
    tried = [cell for cell in worker.seen if cell.method == "PCKMeans"]
    least = ["none", "30 links", "3 labels"]
    assert [(cell.set, cell.task) for cell in tried] == [
        (name, task) for name in ("tiny", "iris") for task in least
    ]
    lines = [line for line in read_lines(plan(tmp_path).lines) if line["method"] == "PCKMeans"]
    assert {line["status"] for line in lines} == {"too slow"}
    assert len(lines) == 36
    again = Fake()
    run_cells(plan(tmp_path), worker=lambda: again)
    assert again.seen == []


def test_too_slow_with_many_links_says_nothing_about_fewer():
    slow = [Cell("iris", "MMC", "100 links", 0)]
    said = {
        task: hopeless(Cell("iris", "MMC", task, 1), slow)
        for task in ("30 links", "100 links", "500 links, 10% wrong", "none", "20 labels")
    }
    assert said == {
        "30 links": False, "100 links": True, "500 links, 10% wrong": True,
        "none": False, "20 labels": False,
    }  # fmt: skip
    assert not hopeless(Cell("wine", "MMC", "500 links", 0), slow)
    assert not hopeless(Cell("iris", "LMNN", "500 links", 0), slow)


def test_with_a_higher_limit_who_was_too_slow_is_tried_again(tmp_path):
    run_cells(plan(tmp_path, limit=1.0), worker=lambda: Fake(slow=("PCKMeans",)))
    lower, higher = Fake(), Fake()
    run_cells(plan(tmp_path, limit=0.5), worker=lambda: lower)
    assert lower.seen == []
    run_cells(plan(tmp_path, limit=2.0), worker=lambda: higher)
    assert higher.seen == [c for c in plan(tmp_path).cells() if c.method == "PCKMeans"]
    assert {line["status"] for line in read_lines(plan(tmp_path).lines)} == {"done"}


def test_a_peer_that_was_not_there_is_run_once_it_is_installed(tmp_path):
    class Absent(Fake):
        def run(self, cell):
            self.seen.append(cell)
            return cell.line("not installed", said="no network")

    one = plan(tmp_path, sets=("tiny",), methods=("COBRAS (cobras-ts)",), n_seeds=1, peers=True)
    first, second, third = Absent(), Absent(), Fake()
    run_cells(one, worker=lambda: first)
    assert len(first.seen) == 3
    run_cells(one, worker=lambda: second)
    assert second.seen == []  # nothing has changed
    one.peers_folder.mkdir()
    record = json.dumps({"cobras-ts": "0.1.3"})
    (one.peers_folder / "installed.json").write_text(record, encoding="utf-8")
    run_cells(one, worker=lambda: third)
    assert third.seen == first.seen
    assert {line["status"] for line in read_lines(one.lines)} == {"done"}


def test_several_processes_share_the_cells(tmp_path):
    workers = []

    def worker():
        workers.append(Fake())
        return workers[-1]

    run_cells(plan(tmp_path, n_jobs=3), worker=worker)
    assert len(workers) == 3
    seen = [cell for worker in workers for cell in worker.seen]
    assert sorted(map(str, seen)) == sorted(map(str, plan(tmp_path).cells()))


def test_lines_say_by_which_commit_they_were_made(tmp_path):
    said = []
    run_cells(plan(tmp_path, n_seeds=1, sets=("tiny",)), said.append, lambda: Fake())
    lines = plan(tmp_path).lines.read_text(encoding="utf-8").splitlines()
    assert all(json.loads(line)["commit"] for line in lines)
    assert said[-1] == "tiny, k-means, 20 labels, seed 0: done, NMI 0.500 (0 of 18 left)"


def test_what_another_commit_measured_is_measured_again_where_it_is_wished(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "commit", lambda: "old")
    run_cells(plan(tmp_path, n_seeds=1), worker=lambda: Fake(slow=("PCKMeans",)))
    monkeypatch.setattr(running, "commit", lambda: "new")
    some = {"n_seeds": 1, "methods": ("PCKMeans",)}
    none, again, rest = Fake(), Fake(), Fake()
    run_cells(plan(tmp_path, **some), worker=lambda: none)
    assert none.seen == []
    run_cells(plan(tmp_path, **some, again=True), worker=lambda: again)
    assert again.seen == list(plan(tmp_path, **some).cells())  # too slow then, not now
    run_cells(plan(tmp_path, **some, again=True), worker=lambda: rest)
    assert rest.seen == []  # it goes on where it was
    lines = read_lines(plan(tmp_path).lines)
    assert {(one["method"], one["commit"]) for one in lines} == {
        ("k-means", "old"), ("PCKMeans", "new"),
    }  # fmt: skip
    assert {one["status"] for one in lines} == {"done"}


def test_unknown_names_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"^'irises' is not a set on this machine. Known: "):
        list(Plan(tmp_path, sets=("irises",)).cells())
    with pytest.raises(InvalidInput, match=r"^'kmeans' is not a method. Known: "):
        list(Plan(tmp_path, methods=("kmeans",)).cells())
    with pytest.raises(InvalidInput, match=r"^'5 links' is not a task. Known: none, 30 links, "):
        list(Plan(tmp_path, tasks=("5 links",)).cells())


def test_only_the_tasks_that_are_wished_for_are_planned(tmp_path):
    chosen = plan(tmp_path, tasks=("100 asked", "500 links, 10% wrong", "none"))
    assert {cell.task for cell in chosen.cells()} == {"none", "500 links, 10% wrong"}
