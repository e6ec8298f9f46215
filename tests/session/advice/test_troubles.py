import itertools
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits

from linkwise import Links
from linkwise.cluster.sequential.answers import CONFIRMED
from linkwise.cluster.sequential.solution import FIRST_ANSWERS
from linkwise.session import Columns, Entry, Session
from linkwise.session.advice.troubles import MAX_TROUBLES, find_suspects, find_troubles
from linkwise.session.state.statements import RowSet, Statements


def settled(session, event):
    """Undo an event, and tell how many troubles are left; then put it back."""
    undo = session.undo(event)
    left = len(session.conflicts())
    session.undo(undo.seq)
    return left


def test_statements_that_agree_are_no_trouble(session):
    session.answer(0, 1, "same")
    session.answer(1, 2, "different")
    assert session.conflicts() == []


def test_a_contradiction_is_told_in_words_and_any_of_its_events_settles_it(session):
    session.answer(3, 5, "same")
    session.answer(5, 8, "same")
    session.answer(8, 3, "different")
    (trouble,) = session.conflicts()
    assert trouble.sentence == (
        "row 3 and row 8 were said to be different (event 3), but these pairs were said to be the "
        "same: row 3 and row 5 (event 1), row 5 and row 8 (event 2)."
    )
    assert trouble.events == [1, 2, 3]
    assert trouble.proposal == 3
    assert [settled(session, event) for event in trouble.events] == [0, 0, 0]


def test_what_was_said_twice_is_not_settled_by_taking_back_one(session):
    session.answer(0, 1, "same")
    session.answer(1, 0, "same")
    session.answer(0, 1, "different")
    (trouble,) = session.conflicts()
    assert trouble.events == [3]
    session.answer(0, 1, "different")
    (trouble,) = session.conflicts()
    assert trouble.events == []
    assert trouble.sentence.endswith("No single event settles it: withdraw one after the other.")
    session.undo(trouble.proposal)
    (trouble,) = session.conflicts()
    session.undo(trouble.proposal)
    assert session.conflicts() == []


def test_contradictions_that_hang_together_are_worked_out_once(monkeypatch):
    left_out, without = [], Statements.without
    monkeypatch.setattr(Statements, "without", lambda s, e: left_out.append(e) or without(s, e))
    i, j = np.triu_indices(20, k=1)
    none, everything = np.zeros(len(i), dtype=bool), RowSet(1, None, np.arange(20))
    said = Statements(60, np.arange(2, 2 + len(i)), i, j, none, (everything,))
    troubles = find_troubles(said, 3, str)
    assert len(troubles) == MAX_TROUBLES
    assert all(trouble.events == [1] for trouble in troubles)
    assert left_out.count(1) == 1


def test_a_second_chain_is_not_overlooked(session):
    for i, j in [(0, 1), (1, 4), (0, 2), (2, 4)]:
        session.answer(i, j, "same")
    session.answer(0, 4, "different")
    (trouble,) = session.conflicts()
    assert trouble.events == [5]


def test_a_row_of_two_names_is_a_trouble(session):
    session.label([4, 5], "cat")
    session.label([5, 6], "dog")
    troubles = session.conflicts()
    assert troubles
    for event in troubles[0].events:
        assert settled(session, event) == 0


def test_a_single_row_of_two_names_is_a_trouble_too(session):
    session.label([4], "cat")
    session.label([4], "dog")
    (trouble,) = session.conflicts()
    assert trouble.sentence == (
        "row 4 was labelled 'cat' and 'dog' (events 1, 2). Neither name counts there until one of "
        "them is withdrawn."
    )
    assert trouble.events == [1, 2]
    assert [settled(session, event) for event in (1, 2)] == [0, 0]


def test_following_the_proposals_ends(session):
    rng = np.random.default_rng(3)
    for _ in range(40):
        i, j = (int(row) for row in rng.choice(9, 2, replace=False))
        session.answer(i, j, ["same", "different"][int(rng.integers(2))])
    for step in itertools.count():
        troubles = session.conflicts()
        if not troubles:
            break
        session.undo(troubles[0].proposal)
    assert 0 < step <= 40


def test_rows_are_called_by_their_ids(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("name,x\n" + "".join(f"p{k},{k % 4}\n" for k in range(12)))
    with Session.create(
        tmp_path / "s", path, 2, columns=Columns(id="name"), n_partitions=5
    ) as session:
        session.answer(0, 1, "same")
        session.answer(0, 1, "different")
        assert session.conflicts()[0].sentence == (
            "p0 and p1 were said to be different (event 2), but these pairs were said to be the "
            "same: p0 and p1 (event 1)."
        )


def test_many_rows_of_two_names_are_told_once_and_shortly(session):
    session.label(list(range(10)), "cat")
    session.label([3, 20], "cat")
    session.label(list(range(3, 10)), "dog")
    (trouble,) = session.conflicts()
    assert trouble.sentence == (
        "row 3, row 4, row 5, row 6, row 7 and 2 more were labelled 'cat' and 'dog' (events 1, 2, "
        "3). Neither name counts there until one of them is withdrawn."
    )
    assert trouble.events == [3]
    assert settled(session, 3) == 0


def test_a_merge_that_names_speak_against_is_a_trouble(session):
    rows = [cluster.exemplars[0] for cluster in session.view().clusters]
    session.merge([0, 1])
    session.label([rows[0]], "cat")
    assert session.conflicts() == []
    session.label([rows[1]], "dog")
    (trouble,) = session.conflicts()
    assert trouble.sentence == (
        "event 1 makes one cluster of rows that are called 'cat' and 'dog'. It has no effect as "
        "long as they have different names."
    )
    assert (trouble.events, trouble.proposal) == ([1], 1)
    assert settled(session, 1) == 0


def test_names_without_a_cluster_are_a_trouble():
    sets = tuple(RowSet(seq, name, np.arange(seq)) for seq, name in enumerate("abc", 1))
    sets = tuple(one._replace(rows=one.rows + 10 * one.seq) for one in sets)
    none = np.empty(0, dtype=np.int64)
    said = Statements(60, none, none, none, none.astype(bool), sets)
    assert find_troubles(said, 3, str) == []
    (trouble,) = find_troubles(said, 2, str)
    assert trouble.sentence == (
        "there are 3 names and only 2 clusters, so rows called 'a' (event 1) have no cluster of "
        "their own. Split a cluster, which adds one, or withdraw a name."
    )
    assert trouble.events == [1]


class Doubter:
    """A model with an opinion about its links, of which the last may be confirmed."""

    def __init__(self, n_links, suspicion, n_facts=0, cluster=1):
        weight = np.where(np.arange(n_links) < n_links - n_facts, 1.0, CONFIRMED)
        self.links_ = Links(60, must=[(0, k) for k in range(1, n_links + 1)], weight=weight)
        self.suspicion_ = np.full(n_links, 0.1)
        self.suspicion_[4] = suspicion
        self.labels_ = np.where(np.arange(60) == 5, cluster, 0)

    def suspects(self, once=frozenset()):
        n = self.links_.n_links
        pairs = self.links_.must.T
        said = Statements(60, np.arange(1, n + 1), *pairs, np.ones(n, dtype=bool), ())
        return find_suspects(said, self, lambda row: f"row {row}", once)


def test_what_is_more_likely_wrong_than_right_is_told_not_to_count():
    (doubted,) = Doubter(FIRST_ANSWERS + 1, 0.5).suspects()
    assert (doubted.event, doubted.i, doubted.j, doubted.verdict) == (5, 0, 5, "same")
    assert not doubted.holds
    assert doubted.sentence == (
        "row 0 and row 5 were said to be the same (event 5). The other answers speak against it, "
        "so it does not count for now."
    )
    assert Doubter(FIRST_ANSWERS + 1, 0.49).suspects() == []


def test_whether_the_rows_are_where_a_doubted_answer_says_is_told():
    (doubted,) = Doubter(FIRST_ANSWERS + 1, 0.9, cluster=0).suspects()
    assert doubted.holds


def test_whether_a_doubted_pair_was_asked_about_again_is_told():
    assert [one.asked_again for one in Doubter(FIRST_ANSWERS + 1, 0.9).suspects({(0, 5)})] == [
        False
    ]
    (doubted,) = Doubter(FIRST_ANSWERS + 1, 0.9).suspects({(0, 6)})
    assert doubted.asked_again is True


def test_few_answers_beside_many_facts_are_not_doubted():
    assert Doubter(50, 1.0, n_facts=20).suspects() == []
    assert len(Doubter(51, 1.0, n_facts=20).suspects()) == 1


def test_rows_that_were_put_together_are_told_as_such_and_not_as_pairs_nobody_saw(session):
    session.answer(0, 1, "different")
    session.answer(2, 3, "different")
    session.together([0, 1, 2, 3])
    first, second = session.conflicts()
    assert first.sentence == (
        "row 0 and row 1 were said to be different (event 1), but these were put together: "
        "4 rows (event 3)."
    )
    assert (first.rows, second.rows) == ([0, 1], [2, 3])


def test_nobody_is_doubted_among_the_first_answers():
    assert Doubter(FIRST_ANSWERS, 1.0).suspects() == []


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """A session about digits; of six hundred answers one in five is wrong."""
    X, y = load_digits(return_X_y=True)
    said = Links.sample(y[:600], 600, noise=0.2, random_state=1)
    with Session.create(
        tmp_path_factory.mktemp("digits") / "s", X[:600], 10, n_partitions=50
    ) as session:
        for pairs, verdict in ((said.must, "same"), (said.cannot, "different")):
            session.append(
                [Entry("answer", {"i": i, "j": j, "verdict": verdict}) for i, j in pairs.tolist()]
            )
        yield session, y[:600]


def test_suspects_are_mostly_wrong_and_the_worst_comes_first(digits):
    session, y = digits
    suspects = session.suspects()  # without a warning, which would be an error here
    wrong = [(y[one.i] == y[one.j]) != (one.verdict == "same") for one in suspects]
    assert len(suspects) >= 10
    assert np.mean(wrong) > 0.8
    doubts = [one.suspicion for one in suspects]
    assert doubts == sorted(doubts, reverse=True)
    assert min(doubts) >= 0.5


def test_a_suspect_that_is_said_again_holds(digits):
    session, _ = digits
    first = session.suspects()[0]
    held = {"same": True, "different": False}[first.verdict]
    again = session.answer(first.j, first.i, first.verdict)
    assert all((one.i, one.j) != (first.i, first.j) for one in session.suspects())
    assert (session.labels()[first.i] == session.labels()[first.j]) == held
    session.undo(again.seq)
    assert session.suspects()[0] == replace(first, asked_again=True)
