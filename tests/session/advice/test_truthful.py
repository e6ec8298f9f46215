"""Somebody who tells the truth is never accused, and sees soon that it helps."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from linkwise.session import Columns, Entry, Session


@pytest.fixture
def digits(tmp_path):
    """Digits that are not told apart well without answers, so that there is something to gain."""
    X, y = load_digits(return_X_y=True)
    X, y, pictures = X[240:480], y[240:480], Columns(image_shape=(8, 8))
    with Session.create(tmp_path / "s", X, 10, columns=pictures, n_partitions=20) as session:
        yield session, y


def told(question, truth):
    """Return what somebody says of a pair, of a choice or of groups, as the page sends it."""
    if question.kind != "groups":
        rows = question.among or (question.j,)
        return [answer(question.i, j, truth) for j in rows]
    things = {}
    for group in filter(None, (question.one, question.other, question.third)):
        its = np.bincount(truth[list(group)]).argmax()
        things.setdefault(its, []).extend(row for row in group if truth[row] == its)
    together = [Entry("together", {"rows": rows}) for rows in things.values() if len(rows) > 1]
    apart = [
        pair for a, b in combinations(things.values(), 2) for pair in zip(a[:5], b, strict=False)
    ]
    return together + 2 * [answer(i, j, truth) for i, j in apart]


def answer(i, j, truth):
    verdict = "same" if truth[i] == truth[j] else "different"
    return Entry("answer", {"i": i, "j": j, "verdict": verdict})


@pytest.mark.parametrize("kind", ["pair", "auto"])
def test_a_hundred_truthful_answers_accuse_nobody_and_ten_big_ones_help_already(digits, kind):
    session, truth = digits
    agreement, asked_again = [adjusted_rand_score(truth, session.labels())], []
    for number in range(100):
        found = session.query(1, kind=kind, asked=number)
        if not found:
            break  # everything worth asking is told
        question = found[0]
        if question.again is not None:
            asked_again.append((number, question.pair))
        said = enumerate(told(question, truth))
        session.append([replace(entry, key=f"{number}#{place}") for place, entry in said])
        assert session.suspects() == []
        agreement.append(adjusted_rand_score(truth, session.labels()))
    assert len({pair for _, pair in asked_again}) == len(asked_again)  # asked twice at most
    numbers = [number for number, _ in asked_again]
    assert all(number >= 20 for number in numbers)
    assert all(later - one >= 5 for one, later in pairwise(numbers))  # other questions in between
    assert session.conflicts() == []
    if kind == "auto":  # big questions first; ten single pairs move little
        assert agreement[10] > agreement[0] + 0.05
    assert agreement[-1] > agreement[0] + 0.05


def test_ten_truthful_answers_help_visibly_on_the_demo(tmp_path):
    """All digits, as `linkwise studio` without data shows them, big questions first."""
    X, y = load_digits(return_X_y=True)
    with Session.create(tmp_path / "s", X, 10, columns=Columns(image_shape=(8, 8))) as session:
        before = adjusted_rand_score(y, session.labels())
        for number in range(10):
            (question,) = session.query(1, kind="auto", asked=number)
            said = enumerate(told(question, y))
            session.append([replace(entry, key=f"{number}#{place}") for place, entry in said])
            assert session.suspects() == []
        assert adjusted_rand_score(y, session.labels()) > before + 0.03
