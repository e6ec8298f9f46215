"""linkwise cluster: files in, labels out, and a summary of what happened."""

import csv
import json
import os
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler

import linkwise as lw

QUICK = ("--method", "pck-means")


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def labels_in(path):
    return [int(row[1]) for row in read(path)[1:]]


def told(run, *args):
    """Run with --json and return what was told."""
    return json.loads(run("cluster", *args, "--json").stdout)


def heights_and_weights(path="people.csv"):
    return np.array([[float(row[1]), float(row[2])] for row in read(path)[1:]])


def test_labels_are_those_of_the_estimator(run, people):
    run("cluster", people, "-k", 2, *QUICK, "-o", "out.csv")
    X = StandardScaler().fit_transform(heights_and_weights())
    expected = lw.PCKMeans(n_clusters=2, random_state=0).fit_predict(X)
    assert read("out.csv") == [["id", "label"], *([str(i), str(k)] for i, k in enumerate(expected))]


def test_the_default_method_writes_margins_too(run, people):
    run("cluster", people, "-k", 2, "--id", "name", "-o", "out.csv")
    X = StandardScaler().fit_transform(heights_and_weights())
    model = lw.SequentialClustering(n_clusters=2, random_state=0).fit(X)
    rows = read("out.csv")
    assert rows[0] == ["id", "label", "margin"]
    assert [row[0] for row in rows[1:]] == list("abcdefghijkl")
    assert [int(row[1]) for row in rows[1:]] == model.labels_.tolist()
    assert np.array_equal(np.array([row[2] for row in rows[1:]], dtype=np.float32), model.margins_)


def test_links_by_id_are_obeyed(run, people, write):
    write("said.csv", "i,j,kind", "a,l,same", "a,b,different", "b,c,different")
    args = (people, "-k", 2, "--id", "name", "--links", "said.csv", "--method", "cop-kmeans")
    result = told(run, *args, "-o", "out.csv")
    label = dict(read("out.csv")[1:])
    assert label["a"] == label["l"] != label["b"]
    assert label["b"] != label["c"]
    assert result["links"] == {
        "must": {"given": 1, "kept": 1},
        "cannot": {"given": 2, "kept": 2},
        "withdrawn": 0,
        "set_aside": 0,
    }


def test_links_by_row_number_are_obeyed(run, people, write):
    write("said.csv", "i,j,kind", "0,11,same", "0,1,different")
    args = (people, "-k", 2, "--links", "said.csv", "--method", "cop-kmeans", "-o", "out.npy")
    run("cluster", *args)
    labels = np.load("out.npy")
    assert labels[0] == labels[11] != labels[1]


def test_labels_by_id_are_obeyed(run, people, write):
    write("some.csv", "id,label", "a,odd", "l,odd", "b,even")
    args = (people, "-k", 2, "--id", "name", "--labels", "some.csv", "-o", "out.csv")
    run("cluster", *args, "--method", "constrained-kmeans")
    label = dict(read("out.csv")[1:])
    assert label["a"] == label["l"] != label["b"]


def test_links_and_labels_add_up(run, people, write):
    write("said.csv", "i,j,kind", "0,11,same")
    write("some.csv", "id,label", "2,x", "3,y")
    args = (people, "-k", 2, "--links", "said.csv", "--labels", "some.csv", "-o", "out.csv")
    links = told(run, *args, "--method", "cop-kmeans")["links"]
    assert (links["must"]["given"], links["cannot"]["given"]) == (1, 1)
    label = dict(read("out.csv")[1:])
    assert label["0"] == label["11"]
    assert label["2"] != label["3"]


def test_labels_written_can_be_read_as_labels(run, people):
    run("cluster", people, "-k", 2, *QUICK, "--id", "name", "-o", "out.csv")
    args = ("--id", "name", "--labels", "out.csv", "--method", "constrained-kmeans")
    run("cluster", people, "-k", 2, *args, "-o", "again.csv")
    assert read("again.csv") == read("out.csv")


def test_parquet_goes_in_and_out(run, people):
    X = heights_and_weights()
    table = {"number": np.arange(12), "height": X[:, 0], "weight": X[:, 1], "town": ["Oslo"] * 12}
    pq.write_table(pa.table(table), "people.parquet")
    run("cluster", "people.parquet", "-k", 2, *QUICK, "--id", "number", "-o", "out.parquet")
    run("cluster", people, "-k", 2, *QUICK, "-o", "out.csv")
    out = pq.read_table("out.parquet").to_pydict()
    assert list(out) == ["id", "label"]
    assert out["id"] == list(range(12))
    assert [str(label) for label in out["label"]] == [row[1] for row in read("out.csv")[1:]]


def test_tables_are_standardised_and_arrays_are_not(run, people):
    X = heights_and_weights()
    np.save("people.npy", X)
    assert told(run, people, "-k", 2, *QUICK, "-o", "a.npy")["standardised"] is True
    assert told(run, "people.npy", "-k", 2, *QUICK, "-o", "b.npy")["standardised"] is False
    raw = lw.PCKMeans(n_clusters=2, random_state=0).fit_predict(X)
    assert np.array_equal(np.load("b.npy"), raw)
    assert not np.array_equal(np.load("a.npy"), raw)


def test_standardising_can_be_asked_for_and_refused(run, people):
    np.save("people.npy", heights_and_weights())
    run("cluster", people, "-k", 2, *QUICK, "-o", "a.npy")
    run("cluster", "people.npy", "-k", 2, *QUICK, "--standardise", "-o", "b.npy")
    assert np.array_equal(np.load("a.npy"), np.load("b.npy"))
    run("cluster", people, "-k", 2, *QUICK, "--no-standardise", "-o", "c.npy")
    run("cluster", "people.npy", "-k", 2, *QUICK, "-o", "d.npy")
    assert np.array_equal(np.load("c.npy"), np.load("d.npy"))


def test_features_are_chosen_by_name(run, people):
    by_height = told(run, people, "-k", 2, *QUICK, "--features", "height", "-o", "a.npy")
    dropped = told(run, people, "-k", 2, *QUICK, "--drop", "weight", "-o", "b.npy")
    assert by_height["features"] == dropped["features"] == ["height"]
    assert by_height["sizes"] == [6, 6]
    assert np.array_equal(np.load("a.npy"), np.load("b.npy"))


def test_sparse_rows_are_read_and_scaled_without_filling_them(run):
    X = np.array([[1.0, 0], [2, 0], [0, 30], [0, 50]])
    sp.save_npz("rows.npz", sp.csr_array(X))
    run("cluster", "rows.npz", "-k", 2, *QUICK, "--standardise", "-o", "out.npy")
    labels = np.load("out.npy")
    assert labels[0] == labels[1] != labels[2] == labels[3]


def test_sparse_rows_are_refused_where_the_method_cannot_read_them(run, refused):  # noqa: ARG001
    sp.save_npz("rows.npz", sp.csr_array(np.eye(4)))
    said = refused("cluster", "rows.npz", "-k", 2, "--method", "mpck-means", "-o", "out.npy")
    assert said == "the method mpck-means does not read sparse rows. Choose another one."


def test_the_same_seed_gives_the_same_labels(run, people):
    for out in ("a.csv", "b.csv"):
        run("cluster", people, "-k", 3, *QUICK, "--seed", 5, "-o", out)
    assert read("a.csv") == read("b.csv")


def test_json_tells_everything(run, people, write):
    write("said.csv", "i,j,kind", "0,6,same", "6,2,same", "0,2,different", "3,9,different")
    began = time.monotonic()
    result = told(run, people, "-k", 2, *QUICK, "--links", "said.csv", "-o", "out.csv")
    assert 0 < result.pop("seconds") <= time.monotonic() - began
    labels = labels_in("out.csv")
    assert result.pop("sizes") == np.bincount(labels).tolist()
    told(run, people, "-k", 2, *QUICK, "-o", "told_nothing.csv")
    expected = lw.scores.nmi(labels_in("told_nothing.csv"), labels)
    assert result.pop("agreement_without_knowledge") == expected
    links = result.pop("links")
    assert (links["must"]["given"], links["cannot"]["given"]) == (2, 2)
    assert links["set_aside"] == 0
    assert result.pop("labels") == {"given": 0, "kept": 0}
    assert result == {
        "data": "people.csv",
        "rows": 12,
        "features": ["height", "weight"],
        "grouped_by": "height and weight (numbers)",
        "roles": {"name": "id", "height": "number", "weight": "number", "town": "ignored"},
        "left_out": {
            "name": "no two rows share a value",
            "town": 'every row has the same value, "Oslo"',
        },
        "unusable": [],
        "encoding": "utf-8",
        "standardised": True,
        "method": "pck-means",
        "n_clusters": 2,
        "seed": 0,
        "classes": [[], []],
        "contradictions": 1,
        "notes": [],
        "written": "out.csv",
    }


def test_the_summary_is_readable(run, people, write):
    write("said.csv", "i,j,kind", "a,b,same", "a,l,different")
    args = ("--features", "height", "--id", "name", "--links", "said.csv", "-o", "out.csv")
    shown = run("cluster", people, "-k", 2, *QUICK, *args).stdout.splitlines()
    assert shown[-1].startswith("Took ")
    assert shown[-1].endswith(" s. Labels are in out.csv.")
    assert [line.rstrip() for line in shown[:-1]] == [
        "people.csv: 12 rows, grouped by height (number).",
        "Every column was given mean 0 and spread 1 (--no-standardise: not).",
        "",
        "PCKMeans with 2 clusters, seed 0:",
        " cluster   rows    share",
        "─────────────────────────",
        "       0      6   50.0 %",
        "       1      6   50.0 %",
        "",
        "2 of 2 links kept (1 of 1 must, 1 of 1 cannot).",
        "Agreement with the same method told nothing: NMI 1.000 (1 is no change).",
    ]


def test_clusters_are_shown_with_the_labels_of_their_rows(run, people, write):
    write("named.csv", "id,label", "a,small", "b,small", "c,low", "l,tall")
    args = ("--features", "height", "--id", "name", "--labels", "named.csv")
    call = ("cluster", people, "-k", 2, "--method", "partition-kmeans", *args)
    found = json.loads(run(*call, "--json").stdout)["classes"]
    assert sorted(found) == [["small", "low"], ["tall"]]
    shown = run(*call).stdout.splitlines()
    lines = [line.rstrip() for line in shown]
    assert " cluster   rows    share   labelled" in lines
    assert sum(line.endswith(" %   small, low") for line in lines) == 1
    assert sum(line.endswith(" %   tall") for line in lines) == 1


def test_of_more_than_three_labels_in_a_cluster_three_are_shown(run, people, write):
    write("one.csv", "id,label", "a,s", "b,t", "c,u", "d,v")
    shown = run(
        "cluster", people, "-k", 1, "--id", "name", "--method", "lsc", "--labels", "one.csv"
    )
    assert "100.0 %   s, t, u and 1 more" in shown.stdout


def test_a_file_without_links_is_said_to_hold_none(run, people, write):
    write("said.csv", "i,j,kind")
    shown = run("cluster", people, "-k", 2, *QUICK, "--links", "said.csv").stdout
    assert "\nThere is no link in the file of links.\n" in shown
    assert "0 of 0" not in shown


def test_without_an_output_the_summary_says_how_to_keep_the_labels(run, people):
    before = sorted(os.listdir())
    last = run("cluster", people, "-k", 2, *QUICK).stdout.splitlines()[-1]
    assert last.endswith(" s. To keep the labels, add -o FILE.")
    assert told(run, people, "-k", 2, *QUICK)["written"] is None
    assert sorted(os.listdir()) == before


def test_the_summary_names_what_was_left_out_and_what_contradicts(run, people, write):
    write("said.csv", "i,j,kind", "0,1,same", "1,2,same", "0,2,different")
    shown = run("cluster", people, "-k", 2, *QUICK, "--links", "said.csv", "-o", "out.csv").stdout
    assert shown.splitlines()[0] == (
        "people.csv: 12 rows, grouped by height and weight (numbers). Left out: name (no two rows "
        'share a value), town (every row has the same value, "Oslo").'
    )
    assert "1 contradiction among them: linkwise check shows which.\n" in shown


def test_the_summary_tells_when_the_first_line_was_data(run, write):
    write("t.csv", *(f"{k % 2},{k * k}" for k in range(10)))
    shown = run("cluster", "t.csv", "-k", 2, *QUICK, "-o", "out.csv").stdout.splitlines()
    assert shown[:2] == [
        "t.csv: 10 rows, grouped by 0 and 1 (numbers).",
        "The first line holds numbers, so it was read as data, not as names.",
    ]


def test_labels_stay_labels_beside_links(run, people, write):
    write("said.csv", "i,j,kind", "0,1,same", "0,11,different")
    write("some.csv", "row,label", "0,x", "3,x", "11,y")
    args = (people, "-k", 2, "--links", "said.csv", "--labels", "some.csv", "-o", "out.csv")
    result = told(run, *args)
    assert result["labels"] == {"given": 3, "kept": 3}
    assert result["links"]["must"] == {"given": 1, "kept": 1}
    assert result["links"]["cannot"] == {"given": 1, "kept": 1}
    shown = run("cluster", *args).stdout
    assert "3 of 3 labels kept.\n2 of 2 links kept (1 of 1 must, 1 of 1 cannot).\n" in shown


def test_more_classes_than_clusters_are_refused(refused, people, write):
    write("some.csv", "row,label", "0,x", "3,y", "11,z")
    for more in ((), ("--links", "said.csv")):
        write("said.csv", "i,j,kind", "0,1,same")
        said = refused("cluster", people, "-k", 2, "--labels", "some.csv", *more, "-o", "out.csv")
        assert said == (
            "SequentialClustering(n_clusters=2): the labels name 3 classes. Ask for at least that "
            "many clusters."
        )


def test_what_is_set_aside_is_counted_and_noted(run):
    X, y = load_digits(return_X_y=True)
    np.save("rows.npy", X[:300])
    lw.Links.sample(y[:300], 600, noise=0.2, random_state=1).write("said.csv")
    args = ("rows.npy", "-k", 10, "--links", "said.csv", "-o", "out.npy")
    result = told(run, *args)
    n_aside = result["links"]["set_aside"]
    assert n_aside > 1
    (note,) = result["notes"]
    assert f"{n_aside} of 600 answers are probably wrong and were set aside" in note
    shown = run("cluster", *args).stdout
    assert f"{n_aside} of them set aside, because probably wrong.\n" in shown
    assert f"Note: {note}\n" in shown


def test_without_knowledge_the_summary_says_so(run, people):
    shown = run("cluster", people, "-k", 2, *QUICK, "-o", "out.csv").stdout
    assert "No links or labels were given.\n" in shown


def test_links_that_were_left_out_are_told_in_words_of_the_command_line(run, people, write):
    write("said.csv", "i,j,kind", "0,1,same", "1,2,same", "0,2,different")
    args = (people, "-k", 2, "--links", "said.csv", "--method", "constrained-linkage")
    assert told(run, *args)["notes"] == []
    shown = run("cluster", *args).stdout
    assert "2 of 3 links kept" in shown
    assert "1 contradiction among them: linkwise check shows which.\n" in shown


def test_warnings_become_notes(run, people, write):
    write("said.csv", "i,j,kind", "0,1,same", "1,2,same", "0,2,unsure")
    args = (people, "-k", 2, "--links", "said.csv", "-o", "out.csv")
    note = "said.csv: 1 of 3 entries is unsure and was skipped."
    assert told(run, *args)["notes"] == [note]
    assert f"Note: {note}\n" in run("cluster", *args).stdout
    assert "Note:" not in run("cluster", *args, "--quiet").stdout


def test_a_missing_table_is_refused(refused):
    assert refused("cluster", "no.csv", "-k", 2, "-o", "out.csv") == (
        "no.csv: no such file or directory."
    )


def test_what_helps_is_told_with_the_flags_that_a_command_has(refused, write):
    write("t.csv", "a,b", "1,2", "3,inf")
    gap = 't.csv row 1: column "b" is inf. Fill it in, remove the row, or leave the column out'
    for call in (
        ("cluster", "t.csv", "-k", 2, "-o", "o.csv"),
        ("session", "create", "s", "t.csv", "-k", 2),
    ):
        assert refused(*call) == f'{gap} with --drop "b".'
    np.savez("t.npz", data=np.zeros((2, 2)))
    assert refused("cluster", "t.npz", "-k", 2, "-o", "o.csv") == (
        't.npz has no array "X", it has data. Name one with --array.'
    )


def test_missing_links_are_refused(refused, people):
    said = refused("cluster", people, "-k", 2, "--links", "no.csv", "-o", "out.csv")
    assert said == "no.csv: no such file or directory."


def test_a_missing_output_folder_is_refused_before_any_work(refused):
    assert refused("cluster", "no.csv", "-k", 2, "-o", "there/out.csv") == (
        "there/out.csv: there is no folder there. Make it first."
    )


def test_an_output_that_is_a_folder_is_refused(refused, tmp_path):
    (tmp_path / "out.csv").mkdir()
    assert refused("cluster", "no.csv", "-k", 2, "-o", "out.csv") == (
        "out.csv is a folder. Name a file in it."
    )


def test_more_clusters_than_rows_are_refused(refused, people):
    assert refused("cluster", people, "-k", 13, *QUICK, "-o", "out.csv") == (
        "PCKMeans(n_clusters=13): X has n_samples=12, fewer rows than clusters. "
        "Ask for at most that many."
    )


def test_a_link_to_nobody_is_refused(refused, people, write):
    write("said.csv", "i,j,kind", "a,zoe,same")
    args = ("--id", "name", "--links", "said.csv", "-o", "out.csv")
    assert refused("cluster", people, "-k", 2, *args) == (
        "said.csv line 2: 'zoe' is not among the 12 ids. "
        "Leave such entries out with --skip-unknown."
    )


def test_links_that_no_clustering_keeps_are_refused_by_a_method_that_must(refused, people, write):
    write("said.csv", "i,j,kind", "0,1,different", "1,2,different", "0,2,different")
    args = ("-k", 2, "--method", "cop-kmeans", "--links", "said.csv", "-o", "out.csv")
    assert refused("cluster", people, *args).startswith("COPKMeans: row ")


def test_links_that_contradict_are_refused_by_a_method_that_keeps_them_all(refused, people, write):
    write("said.csv", "i,j,kind", "0,1,same", "1,2,same", "0,2,different")
    args = ("-k", 2, "--method", "cop-kmeans", "--links", "said.csv")
    assert refused("cluster", people, *args) == (
        "the method cop-kmeans keeps every link, and these contradict each other. linkwise check "
        "shows where, by the names in the file, and what to withdraw."
    )


def test_by_and_drop_together_are_a_wrong_call(misused, people):
    args = ("--by", "height", "--drop", "weight", "-o", "out.csv")
    assert misused("cluster", people, "-k", 2, *args) == (
        "Error: --by and --drop exclude each other: give one of them."
    )


def test_an_unknown_kind_of_output_is_a_wrong_call(misused, people):
    assert misused("cluster", people, "-k", 2, "-o", "out.xls") == (
        "Error: Invalid value for '-o' / '--output': out.xls should end in .csv, .parquet or .npy."
    )


def test_an_unknown_method_is_a_wrong_call(misused, people):
    said = misused("cluster", people, "-k", 2, "--method", "magic", "-o", "out.csv")
    assert said.startswith("Error: Invalid value for '--method': 'magic' is not one of ")


def test_auto_finds_the_number_of_clusters(run, people):
    found = json.loads(run("cluster", people, "-k", "auto", "-o", "out.csv", "--json").stdout)
    assert found["n_clusters"] == 2
    shown = run("cluster", people, "-o", "out.csv").stdout.splitlines()
    assert shown[3] == "SequentialClustering found 2 clusters (-k says another number), seed 0:"


def test_a_method_that_needs_a_number_says_so(refused, people):
    sentence = refused("cluster", people, "-k", "auto", "-o", "out.csv", "--method", "lsc")
    assert sentence == "LSC(n_clusters='auto'): n_clusters must be a whole number >= 1."


def test_no_clusters_are_a_wrong_call(misused, people):
    assert misused("cluster", people, "-k", 0, "-o", "out.csv") == (
        "Error: Invalid value for '-k': '0' is neither a number of clusters nor \"auto\"."
    )


def test_an_empty_feature_name_is_a_wrong_call(misused, people):
    assert misused("cluster", people, "-k", 2, "--features", "height,", "-o", "out.csv") == (
        "Error: Invalid value for '--by' / '--features': 'height,' holds an empty name."
    )
