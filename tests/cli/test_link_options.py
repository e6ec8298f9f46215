"""Links as people have them: other columns, names that are not there."""

import json


def test_links_with_other_columns_are_checked_and_used(run, people, write):
    write("said.csv", "person,other,verdict,sure", "a,b,Same,2", "b,c,must-link,1", "a,c,no,1")
    columns = ["--link-columns", "person,other,verdict,sure"]
    found = json.loads(run("check", "said.csv", *columns, "--json", code=1).stdout)
    assert (found["must"], found["cannot"], found["consistent"]) == (2, 1, False)
    told = run(
        "cluster", people, "-k", 2, "--id", "name", "--links", "said.csv", *columns, "-o", "c.csv"
    ).stdout
    assert "links kept" in told or "link kept" in told
    assert "contradiction" in told
    assert "links.conflicts()" not in told


def test_three_or_four_columns_are_named(misused, write):
    write("said.csv", "a,b", "0,1")
    assert "is not three columns, or four" in misused("check", "said.csv", "--link-columns", "a,b")


def test_all_unknown_names_are_refused_at_once_or_skipped(run, refused, people, write):
    write("said.csv", "i,j,kind", "a,b,same", "A,zoe,same", "q,b,different")
    call = ["cluster", people, "-k", 2, "--id", "name", "--links", "said.csv", "-o", "c.csv"]
    assert refused(*call) == (
        "said.csv: 3 names are not among the 12 ids: 'A' (line 3; like 'a'), 'zoe' (line 3), "
        "'q' (line 4). Leave such entries out with --skip-unknown."
    )
    told = run(*call, "--skip-unknown").stdout
    assert "1 of 1 link kept" in told
    assert (
        "Note: said.csv: 2 of 3 entries were skipped because they name rows that are not there: "
        "'A', 'zoe', 'q'." in told
    )
    write("labels.csv", "id,label", "a,x", "nobody,y")
    call = ["cluster", people, "-k", 2, "--id", "name", "--labels", "labels.csv", "-o", "c.csv"]
    assert "Leave such entries out with --skip-unknown." in refused(*call)
    assert "1 of 1 label kept." in run(*call, "--skip-unknown").stdout


def test_ids_are_advised_in_words_of_the_command(refused, people, write):
    write("said.csv", "i,j,kind", "a,b,same")
    call = ["cluster", people, "-k", 2, "--links", "said.csv", "-o", "c.csv"]
    assert refused(*call).endswith(
        "Name the column of ids with --id, or leave such entries out with --skip-unknown."
    )
    assert refused("check", "said.csv", "--data", people).endswith(
        "Name the column of ids with --id, or leave such entries out with --skip-unknown."
    )


def test_a_session_skips_what_it_does_not_know(run, refused, people, write):
    run("session", "create", "s", people, "-k", 2, "--id", "name", "--partitions", 4)
    write("said.csv", "i,j,kind", "a,b,yes", "a,zoe,same", "b,c,?")
    assert "'zoe' is not among the 12 ids." in refused("session", "import", "s", "said.csv")
    told = run("session", "import", "s", "said.csv", "--skip-unknown")
    assert "Note: said.csv: 1 of 3 entries is unsure and was skipped." in told.stderr
    assert "Note: said.csv: 1 of 2 entries was skipped because" in told.stderr
    assert len(json.loads(run("session", "history", "s", "--json").stdout)) >= 1
    run("session", "answer", "s", "a", "b", "must-link")
