"""What is known elsewhere comes in, once, and what was said here goes out and comes back."""

import json
import shutil

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from linkwise import Links, PartialLabels
from linkwise.cli import main
from linkwise.errors import ConstraintWarning, InvalidInput, UnknownRows
from linkwise.session import Columns, Session

N = 60
#: Nested more deeply than anybody reads.
DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture(scope="module")
def named_template(tmp_path_factory):
    """A closed session of twelve rows that have ids, and its data file."""
    home = tmp_path_factory.mktemp("named")
    lines = [f"{name},{k // 6 * 9 + k % 6 * 0.1}" for k, name in enumerate("abcdefghijkl")]
    (home / "people.csv").write_text("name,height\n" + "\n".join(lines) + "\n")
    columns = Columns(id="name")
    made = Session.create(home / "s", home / "people.csv", 2, columns=columns, n_partitions=10)
    made.close()
    return home


@pytest.fixture
def named(named_template, tmp_path):
    shutil.copytree(named_template / "s", tmp_path / "named")
    with Session.open(tmp_path / "named") as session:
        yield session


def standing(session):
    return [(e.kind, e.payload, e.who) for e in session.history() if e.undone_by is None]


def test_links_come_in_once(session):
    links = Links(N, must=[(0, 1)], cannot=[(2, 3)])
    first = session.import_(links, who="file")
    assert [(e.payload["i"], e.payload["j"], e.payload["verdict"]) for e in first] == [
        (0, 1, "same"),
        (2, 3, "different"),
    ]
    again = session.import_(links, who="file")
    assert [e.repeated for e in again] == [True, True]
    assert session.seq == 2


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    pairs=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans(), st.sampled_from([1.0, 2.0])),
        max_size=6,
    )
)
def test_links_that_came_in_go_out_as_they_were(template, tmp_path_factory, pairs):
    unique = {(min(i, j), max(i, j), must): w for i, j, must, w in pairs if i != j}
    must = [(i, j) for i, j, same in unique if same]
    cannot = [(i, j) for i, j, same in unique if not same]
    weight = [unique[i, j, True] for i, j in must] + [unique[i, j, False] for i, j in cannot]
    links = Links(N, must=must, cannot=cannot, weight=weight)
    home = tmp_path_factory.mktemp("trip")
    shutil.copytree(template, home / "s")
    with Session.open(home / "s") as session:
        session.import_(links)
        session.import_(links)
        session.export(home / "out.csv", "links")
    assert Links.read(home / "out.csv", N) == links


def test_what_was_undone_stays_undone_when_it_comes_again(session):
    links = Links(N, must=[(0, 1)])
    event = session.import_(links)[0]
    session.undo(event.seq)
    assert session.import_(links)[0].repeated
    assert standing(session)[:1] != [("answer", event.payload, "")]


def test_labels_come_in_as_one_event_for_each_class(session):
    labels = PartialLabels.of_rows({0: "x", 1: "x", 30: "y"}, N)
    events = session.import_(labels)
    assert [(e.kind, e.payload) for e in events] == [
        ("label", {"rows": [0, 1], "name": "x"}),
        ("label", {"rows": [30], "name": "y"}),
    ]
    session.import_(labels)
    assert session.seq == 2


def test_more_classes_than_clusters_are_refused_and_nothing_is_recorded(session):
    labels = PartialLabels.of_rows({k: f"name {k}" for k in range(4)}, N)
    with pytest.raises(InvalidInput, match="would have no cluster"):
        session.import_(labels)
    assert session.seq == 0


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_files_of_links_and_labels_are_told_apart(session, tmp_path, ending):
    Links(N, must=[(4, 5)]).write(tmp_path / f"links.{ending}")
    PartialLabels.of_rows({7: "x"}, N).write(tmp_path / f"labels.{ending}")
    assert session.import_(tmp_path / f"links.{ending}")[0].kind == "answer"
    assert session.import_(str(tmp_path / f"labels.{ending}"))[0].kind == "label"


def test_files_name_rows_as_the_data_do(named, tmp_path):
    path = tmp_path / "links.csv"
    path.write_text("i,j,kind\na,c,same\nb,l,different\n")
    events = named.import_(path)
    assert [(e.payload["i"], e.payload["j"]) for e in events] == [(0, 2), (1, 11)]
    path.write_text("i,j,kind\na,nobody,same\n")
    with pytest.raises(InvalidInput, match="'nobody' is not among the 12 ids"):
        named.import_(path)


def test_a_file_of_something_else_is_refused_with_what_is_wanted(session, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("x,y\n1,2\n")
    with pytest.raises(InvalidInput) as caught:
        session.import_(path)
    assert str(caught.value) == (
        "other.csv has the columns x, y. Links have i, j and kind; labels have label and row or "
        "id; answers of a session have event, when, who, kind, verdict, ids, name, undone."
    )
    with pytest.raises(InvalidInput, match="use a file that ends in"):
        session.import_(tmp_path / "other.txt")
    with pytest.raises(InvalidInput, match="describe 3 rows, the session has 60"):
        session.import_(Links(3, must=[(0, 1)]))


def test_a_session_takes_over_what_stands_in_another(session, template, tmp_path):
    session.answer(0, 1, "same", who="ann")
    session.answer(0, 1, "same", who="bob")
    taken_back = session.answer(5, 6, "same", who="ann")
    session.undo(taken_back.seq)
    session.answer(2, 50, "unsure", who="ann")
    session.label([3, 4], "x", who="ann")
    session.together([10, 11, 12])
    session.rename(0, "not taken over")
    shutil.copytree(template, tmp_path / "other")
    with Session.open(tmp_path / "other") as other:
        events = other.import_(session, who="nobody in particular")
        assert [(e.kind, e.who) for e in events] == [
            ("answer", "ann"),
            ("answer", "bob"),
            ("answer", "ann"),
            ("label", "ann"),
            ("together", "nobody in particular"),
        ]
        assert_array_equal(other.labels(), session.labels())
        other.import_(session)
        assert other.seq == 5


def test_the_folder_and_the_exported_answers_say_the_same_as_the_session(
    session, template, tmp_path
):
    session.answer(0, 1, "same", who="ann")
    session.label([3, 4], "x", who="ann")
    session.export(tmp_path / "answers.csv", "answers")
    session.export(tmp_path / "answers.parquet", "answers")
    folder = session.folder
    shutil.copytree(template, tmp_path / "other")
    with Session.open(tmp_path / "other") as other:
        assert len(other.import_(session)) == 2
        assert all(e.repeated for e in other.import_(tmp_path / "answers.csv"))
        assert all(e.repeated for e in other.import_(tmp_path / "answers.parquet"))
        session.close()
        assert all(e.repeated for e in other.import_(folder))


def test_answers_that_were_given_here_do_not_come_in_again(session, tmp_path):
    session.answer(0, 1, "same", who="ann")
    session.export(tmp_path / "answers.csv", "answers")
    assert session.import_(tmp_path / "answers.csv") == []
    assert session.import_(session) == []


def test_damaged_answers_are_refused_with_their_line(session, tmp_path):
    session.answer(0, 1, "same")
    path = tmp_path / "answers.csv"
    session.export(path, "answers")
    text = path.read_text()
    path.write_text(text.replace("1,20", "7,20", 1).replace("[0, 1]", "[0, 99]"))
    with pytest.raises(InvalidInput, match=r"answers.csv line 2: row 99 is outside the 60 rows"):
        session.import_(path)
    for ids in ("none", f'"{DEEP}"'):
        path.write_text(text.replace('"[0, 1]"', ids))
        with pytest.raises(InvalidInput, match="line 2: event and ids are not as an export writes"):
            session.import_(path)


@pytest.mark.parametrize("text", [DEEP, f'{{"labels": {DEEP}}}', f'{{"must": {DEEP}}}'])
def test_json_that_is_nested_too_deeply_is_refused(session, tmp_path, text):
    (tmp_path / "deep.json").write_text(text)
    with pytest.raises(InvalidInput, match=r"deep.json is nested too deeply"):
        session.import_(tmp_path / "deep.json")
    assert session.seq == 0


# Ways out


def command(*args, code=0):
    result = CliRunner().invoke(main, [str(arg) for arg in args])
    assert result.exit_code == code, result.output
    return result.stdout


def test_exported_links_are_read_by_check_cluster_and_python(named, named_template, tmp_path):
    named.answer("a", "b", "same")
    named.answer("a", "b", "same")
    named.answer("c", "l", "different")
    named.together(["g", "h", "i"])
    named.label(["d"], "small")
    named.label(["k"], "tall")
    path, data = tmp_path / "links.csv", named_template / "people.csv"
    named.export(path, "links")
    ids = list("abcdefghijkl")
    links = Links.read(path, 12, ids=ids)
    assert links.must.tolist() == [[0, 1], [6, 7], [7, 8]]
    assert links.cannot.tolist() == [[2, 11], [3, 10]]
    assert links.weight.tolist() == [2.0, 2.0, 2.0, 1.0, 2.0]
    found = json.loads(command("check", path, "--data", data, "--id", "name", "--json"))
    assert (found["must"], found["cannot"], found["consistent"]) == (3, 2, True)
    out = tmp_path / "clusters.csv"
    command("cluster", data, "-k", 2, "--id", "name", "--links", path, "-o", out, "-q")
    assert out.read_text().count("\n") == 13


def test_exported_names_are_read_by_cluster_and_python(named, named_template, tmp_path):
    named.label(["a", "d"], "small")
    named.label(["k"], "tall")
    path, out = tmp_path / "names.csv", tmp_path / "clusters.csv"
    named.export(path, "names")
    assert path.read_text() == "id,label\na,small\nd,small\nk,tall\n"
    data = named_template / "people.csv"
    command("cluster", data, "-k", 2, "--id", "name", "--labels", path, "-o", out, "-q")
    assert out.read_text().count("\n") == 13


# Rows by id


def test_rows_go_by_id_wherever_they_go_by_number(named):
    event = named.answer("a", "c", "same")
    assert (event.payload["i"], event.payload["j"]) == (0, 2)
    assert named.label(["b", 3], "x").payload["rows"] == [1, 3]
    assert named.together(["k", "l"]).payload["rows"] == [10, 11]
    many = named.answer_many([("a", "d", "same"), (4, "l", "different")], who="ann", key="k")
    assert [e.payload["j"] for e in many] == [3, 11]
    again = named.answer_many([("a", "d", "same"), (4, "l", "different")], who="ann", key="k")
    assert [e.repeated for e in again] == [True, True]
    assert [row.id for row in named.rows(["c", 0])] == ["c", "a"]
    asked = {(q.i, q.j) for q in named.query(3, "random")}
    names = [(named.name_of(i), named.name_of(j)) for i, j in asked]
    assert not asked & {(q.i, q.j) for q in named.query(3, "random", skip=names)}
    with pytest.raises(InvalidInput, match="no row is called 'nobody'"):
        named.answer("a", "nobody", "same")


def test_text_is_a_number_where_rows_have_no_ids(session):
    assert session.answer("3", 4, "same").payload["i"] == 3
    with pytest.raises(InvalidInput, match="'x' is not a row: rows go by their number"):
        session.answer("x", 4, "same")


# Rows that are not in the session


def test_predict_is_the_vote_where_nothing_was_said(session, blobs):
    assert_array_equal(session.predict(blobs), session.labels())


def test_predict_follows_answers_merges_and_splits(session, blobs):
    session.answer(0, 25, "different")
    session.split(0)
    session.merge([1, 2])
    free = np.setdiff1d(np.arange(N), [0, 25])
    split = session.history()[1].payload
    assert_array_equal(session.predict(blobs)[free], session.labels()[free])
    assert split["new"] in session.predict(blobs)


def test_rows_are_picked_and_scaled_as_those_of_the_session(named, tmp_path):
    pd = pytest.importorskip("pandas")
    inside = named.labels()
    rows = pd.DataFrame({"more": ["x", "y"], "height": [0.25, 9.3]})
    assert named.predict(rows).tolist() == [inside[2], inside[9]]
    assert named.predict([[0.25], [9.3]]).tolist() == [inside[2], inside[9]]
    rows.to_csv(tmp_path / "new.csv", index=False)
    assert named.predict(tmp_path / "new.csv").tolist() == [inside[2], inside[9]]
    with pytest.raises(InvalidInput, match="the rows have 2 columns, the session is about 1"):
        named.predict([[0.25, 1.0]])


def test_the_model_has_the_answers_and_goes_its_own_way(session, blobs, tmp_path):
    session.answer(0, 25, "same")
    session.label([3], "x")
    model = session.model
    assert model.links_.n_links == 1
    assert model.named_.n_known == 1
    assert_array_equal(model.labels_, session.labels())
    before = (session.folder / "model" / "ensemble" / "labels.npy").read_bytes()
    model.extend(blobs[:3]).update(Links(N + 3, must=[(0, N)]))
    assert len(model.labels_) == N + 3
    assert len(session.labels()) == N
    model.save(tmp_path / "model")
    assert (session.folder / "model" / "ensemble" / "labels.npy").read_bytes() == before


def test_a_saved_model_answers_as_the_session(session, blobs, tmp_path):
    import linkwise as lw

    session.answer(0, 25, "same")
    session.model.save(tmp_path / "model")
    twin = lw.load(tmp_path / "model")
    assert_array_equal(twin.labels_, session.labels())
    assert_array_equal(twin.predict(session.prepare(blobs)), session.predict(blobs))


def test_all_names_that_no_row_has_are_told_at_once_with_what_was_meant(named):
    def told(call, *said):
        with pytest.raises(InvalidInput) as refused:
            call(*said)
        return str(refused.value)

    assert told(named.answer, "a", "B", "same") == "no row is called 'B'. Did you mean 'b'?"
    assert told(named.label, ["x1", "a", "C"], "n") == "no row is called 'x1' or 'C' (like 'c')."
    many = told(named.answer_many, [(f"nobody {k}", "a", "same") for k in range(12)])
    assert many.startswith("no row is called 'nobody 0', 'nobody 1', ")
    assert many.endswith(", 'nobody 9' or 2 more.")
    assert named.seq == 0


def test_links_come_in_as_a_data_frame(named):
    pd = pytest.importorskip("pandas")
    said = pd.DataFrame({"i": ["a", "b"], "j": ["c", "zoe"], "kind": ["Same", "no"]})
    with pytest.raises(UnknownRows, match="the data frame's row 1: 'zoe' is not among the 12 ids"):
        named.import_(said)
    with pytest.warns(ConstraintWarning, match="1 of 2 entries was skipped"):
        (event,) = named.import_(said, skip_unknown=True)
    assert event.payload == {"i": 0, "j": 2, "verdict": "same"}
    with pytest.raises(InvalidInput, match="the data frame has no column 'i'"):
        named.import_(pd.DataFrame({"left": ["a"]}))
