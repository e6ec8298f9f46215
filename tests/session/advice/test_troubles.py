import itertools

import numpy as np
import pytest

from linkwise.session import Columns, Session


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
    assert trouble.sentence == "row 4 was labelled 'cat' and 'dog' (events 1, 2)."
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


@pytest.fixture
def with_a_mistake(session):
    """Sixty right answers and one wrong one, the last."""
    truth = np.repeat([0, 1, 2], 20)
    rng = np.random.default_rng(0)
    for _ in range(60):
        i, j = (int(row) for row in rng.choice(60, 2, replace=False))
        session.answer(i, j, "same" if truth[i] == truth[j] else "different")
    return session, session.answer(2, 33, "same").seq


def test_a_wrong_answer_is_suspected_until_it_is_confirmed(with_a_mistake):
    session, wrong = with_a_mistake
    first = session.suspects()[0]
    assert (first.event, first.i, first.j, first.verdict) == (wrong, 2, 33, "same")
    assert 0.5 <= first.suspicion <= 1
    assert first.sentence == (
        f"row 2 and row 33 were said to be the same (event {wrong}), which is wrong with a "
        f"probability of {first.suspicion:.0%}, judging by the other answers."
    )
    session.answer(33, 2, "same")
    assert all(suspect.event != wrong for suspect in session.suspects())
    assert session.labels()[2] == session.labels()[33]
