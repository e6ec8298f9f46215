"""linkwise check: contradictions in words, and what to withdraw."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from linkwise import Links

RING = ("i,j,kind", "anna,ben,same", "ben,carl,must", "anna,carl,different")


def chain_of(length):
    """Return links that say 0 is the same as `length`, step by step, and different."""
    steps = [f"{k},{k + 1},same" for k in range(length)]
    return "i,j,kind", *steps, f"0,{length},different"


def test_links_that_agree_are_fine(run, write):
    write("said.csv", "i,j,kind", "anna,ben,same", "anna,carl,different")
    assert run("check", "said.csv").stdout == (
        "said.csv: 2 links, 1 same and 1 different.\nThey agree with each other.\n"
    )


def test_one_link_is_one(run, write):
    write("said.csv", "i,j,kind", "0,1,same")
    shown = run("check", "said.csv").stdout.splitlines()
    assert shown[0] == "said.csv: 1 link, 1 same and 0 different."
    write("twice.csv", "i,j,kind", "0,1,same", "0,1,different")
    shown = run("check", "twice.csv", "--fix", "kept.csv", code=1).stdout.splitlines()
    assert shown[-1] == "The 1 link that remains is in kept.csv."


def test_a_contradiction_is_told_with_its_chain_and_repair(run, write):
    write("said.csv", "i,j,kind,weight", "anna,ben,same,2", "ben,carl,must,5", "anna,carl,cannot,3")
    assert run("check", "said.csv", code=1).stdout.splitlines() == [
        "said.csv: 3 links, 2 same and 1 different.",
        "",
        "1 contradiction:",
        "  1. You said anna and ben are the same, ben and carl are the same, "
        "but anna and carl are different.",
        "",
        "To mend this, withdraw 1 of the links (no lighter set is enough):",
        "  anna and ben: same (weight 2)",
        "",
        "To write the links that remain to a file, add --fix FILE.",
    ]


def test_a_long_chain_is_cut_short(run, write):
    write("said.csv", *chain_of(40))
    line = run("check", "said.csv", code=1).stdout.splitlines()[3]
    assert line.startswith("  1. You said 0 and 1 are the same, 1 and 2 are the same, ")
    assert line.endswith(
        "10 and 11 are the same, and so on over 28 more pairs, 39 and 40 are the same, "
        "but 0 and 40 are different."
    )


def test_many_contradictions_are_counted_and_some_told(run, write):
    rings = [f"{3 * k + a},{3 * k + b},{kind}" for k in range(30)
             for a, b, kind in ((0, 1, "same"), (1, 2, "same"), (0, 2, "different"))]  # fmt: skip
    write("said.csv", "i,j,kind", *rings)
    shown = run("check", "said.csv", code=1).stdout
    assert "\n30 contradictions:\n" in shown
    assert "\n  20. You said " in shown
    assert "\n  21. " not in shown
    assert shown.count("  ... and 10 more (all of them with --json)\n") == 2
    assert len(json.loads(run("check", "said.csv", "--json", code=1).stdout)["withdraw"]) == 30


def test_json_tells_everything(run, write):
    write("said.csv", *RING[:2], "ben,carl,must", "anna,carl,different")
    result = json.loads(run("check", "said.csv", "--json", code=1).stdout)
    assert result.pop("withdraw")[0]["weight"] == 1
    assert result == {
        "links": "said.csv",
        "must": 2,
        "cannot": 1,
        "consistent": False,
        "contradictions": [
            {
                "different": ["anna", "carl"],
                "chain": [["anna", "ben"], ["ben", "carl"]],
                "words": "You said anna and ben are the same, ben and carl are the same, "
                "but anna and carl are different.",
            }
        ],
        "lightest": True,
        "fixed": None,
    }


def test_the_repaired_links_are_written_and_agree(run, write):
    write("said.csv", *RING, "anna,dora,different")
    shown = run("check", "said.csv", "--fix", "mended.csv", code=1).stdout
    assert shown.endswith("The 3 links that remain are in mended.csv.\n")
    again = json.loads(run("check", "mended.csv", "--json").stdout)
    assert (again["consistent"], again["must"] + again["cannot"]) == (True, 3)


def test_row_numbers_are_kept_when_the_rows_are_counted(run, write, tmp_path):
    write("said.csv", "i,j,kind", "5,9,same", "9,7,same", "5,7,different", "0,1,same")
    run("check", "said.csv", "--rows", 20, "--fix", "mended.json", code=1)
    links = Links.read(tmp_path / "mended.json", 20)
    assert links.n_links == 3
    assert set(links.linked_rows.tolist()) <= {0, 1, 5, 7, 9}


def test_ids_come_from_the_table(run, write, people):
    write("said.csv", *("i,j,kind", "a,b,same", "b,c,same", "a,c,different"))
    args = ("--data", people, "--id", "name", "--fix", "mended.csv")
    assert "You said a and b are the same" in run("check", "said.csv", *args, code=1).stdout
    run("check", "mended.csv", "--data", people, "--id", "name")


def test_parquet_links_are_checked(run):
    ring = {"i": [1, 2, 1], "j": [2, 3, 3], "kind": ["same", "same", "different"]}
    pq.write_table(pa.table(ring), "said.parquet")
    assert "but 1 and 3 are different." in run("check", "said.parquet", code=1).stdout


@pytest.mark.parametrize("ids", [None, list("pqrst")])
def test_json_links_say_themselves_what_they_are_about(run, ids, tmp_path):
    Links(5, must=[(0, 1), (1, 2)], cannot=[(0, 2)]).write(tmp_path / "said.json", ids=ids)
    shown = run("check", "said.json", "--fix", "mended.json", code=1).stdout
    names = ids or [0, 1, 2]
    assert f"but {names[0]} and {names[2]} are different." in shown
    mended = Links.read(tmp_path / "mended.json", 5, ids=ids)
    assert mended.n_links == 2


def test_labels_can_be_written_as_links_that_agree(run, tmp_path):
    Links.from_labels(np.arange(30) % 3).write(tmp_path / "said.csv")
    run("check", "said.csv", "--rows", 30)


def test_a_missing_file_is_refused(refused):
    assert refused("check", "no.csv") == "no.csv: no such file or directory."


def test_other_columns_are_refused_with_the_option_that_names_them(refused, run, write):
    write("said.csv", "from,to,kind", "1,2,same")
    assert refused("check", "said.csv") == (
        "said.csv line 1: the columns must be i, j, kind, got 'from', 'to', 'kind'. "
        "Name them with --link-columns LEFT,RIGHT,KIND."
    )
    run("check", "said.csv", "--link-columns", "from,to,kind")


def test_a_gap_is_refused(refused, write):
    write("said.csv", "i,j,kind", "anna,,same")
    assert refused("check", "said.csv") == (
        "said.csv line 2: '' is not among the 1 ids. Leave such entries out with --skip-unknown."
    )


def test_a_row_outside_the_table_is_refused(refused, write):
    write("said.csv", "i,j,kind", "0,7,same")
    assert refused("check", "said.csv", "--rows", 5) == (
        "said.csv line 2: row 7 points outside the 5 rows (0 to 4). "
        "Leave such entries out with --skip-unknown."
    )


def test_an_unknown_id_is_refused(refused, write, people):
    write("said.csv", "i,j,kind", "a,zoe,same")
    assert refused("check", "said.csv", "--data", people, "--id", "name") == (
        "said.csv line 2: 'zoe' is not among the 12 ids. "
        "Leave such entries out with --skip-unknown."
    )


def test_a_missing_folder_for_the_repair_is_refused(refused, write):
    write("said.csv", *RING)
    assert refused("check", "said.csv", "--fix", "there/mended.csv") == (
        "there/mended.csv: there is no folder there. Make it first."
    )


def test_a_json_repair_needs_to_know_the_rows(misused, write):
    write("said.csv", *RING)
    assert misused("check", "said.csv", "--fix", "mended.json") == (
        "Error: A .json file says how many rows there are: give --rows or --data."
    )


def test_rows_and_data_together_are_a_wrong_call(misused, write, people):
    write("said.csv", *RING)
    assert misused("check", "said.csv", "--rows", 3, "--data", people) == (
        "Error: --rows and --data exclude each other: give one of them."
    )


def test_an_id_column_without_a_table_is_a_wrong_call(misused, write):
    write("said.csv", *RING)
    assert misused("check", "said.csv", "--id", "name") == (
        "Error: --id and --array are about the table: give --data too."
    )


def test_another_kind_of_file_is_a_wrong_call(misused):
    assert misused("check", "said.txt") == (
        "Error: Invalid value for 'LINKS': said.txt should end in .csv, .tsv, .csv.gz, .tsv.gz, "
        ".json, .parquet, .feather, .arrow, .jsonl, .ndjson, .jsonl.gz, .ndjson.gz or .xlsx."
    )
