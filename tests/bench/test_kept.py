import json

from linkwise.bench import Kept, kept


def counted(calls, value):
    def compute():
        calls.append(value)
        return value

    return compute


def test_what_is_kept_is_computed_once_by_whoever_opens_the_file(tmp_path):
    path, calls = tmp_path / "figures.jsonl", []
    first = Kept(path)
    assert first.figure(("iris", 1), counted(calls, [0.5])) == [0.5]
    assert first.figure(("iris", 1), counted(calls, [0.9])) == [0.5]
    assert Kept(path).figure(("iris", 1), counted(calls, [0.9])) == [0.5]
    assert Kept(path).figure(("iris", "1"), counted(calls, 0.7)) == 0.7  # another thing
    assert calls == [[0.5], 0.7]


def test_without_a_file_nothing_outlasts_the_object():
    calls = []
    for _ in range(2):
        Kept().figure(("iris",), counted(calls, 1))
    assert calls == [1, 1]


def test_a_figure_that_was_cut_off_is_computed_again(tmp_path):
    path, calls = tmp_path / "figures.jsonl", []
    for name in ("a", "b"):
        Kept(path).figure((name,), lambda: 1)
    path.write_text(path.read_text(encoding="utf-8")[:-5], encoding="utf-8")
    assert Kept(path).figure(("b",), counted(calls, 2)) == 2
    lines = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()[::2]]
    assert [(line["of"], line["figure"]) for line in lines] == [(["a"], 1), (["b"], 2)]
    assert calls == [2]


def test_figures_say_which_commit_computed_them(tmp_path, monkeypatch):
    path = tmp_path / "figures.jsonl"
    for name, version in (("a", "old"), ("b", "new"), ("c", "new")):
        monkeypatch.setattr(kept, "commit", lambda version=version: version)
        Kept(path).figure((name,), lambda: 1)
    assert Kept(path).commits == ["old", "new"]
