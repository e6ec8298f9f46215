"""Looks at the clustering as a whole: a proposal needs evidence that lasts, and so does its end."""

from itertools import pairwise

import numpy as np
import pytest

from linkwise import run_options
from linkwise.cluster.sequential.follow import Proposal, Weighing
from linkwise.errors import Cancelled
from linkwise.session import Entry, Session, Weighed
from linkwise.session.advice.looks import Look, look_at, moments, weigh

MIDDLES = np.array([[0, 0], [0, 9], [9, 0], [9, 9]])
TRUTH = np.arange(120) % 4


def look(k, *, number=10, pairs=100, gain=30.0, both=True):
    """Return a look at so many clusters that speaks for ``k``, by both halves or by all alone."""
    proposal = None if k == number else Proposal(k, f"{k} are better", 8.0)
    found = Weighing(proposal, gain)
    return Look(1, 30, pairs, number, found, proposal if both else None)


@pytest.fixture(scope="module")
def heaps():
    return MIDDLES[TRUTH] + np.random.default_rng(1).normal(size=(120, 2))


def truths(n):
    """Return true answers, the same ones for every test."""
    pairs = np.random.default_rng(0).choice(120, (n, 2))
    return [(i, j, "same" if TRUTH[i] == TRUTH[j] else "different") for i, j in pairs.tolist()]


def test_there_is_a_look_every_five_answers_and_later_every_tenth_part():
    assert moments(19) == []
    assert moments(61) == [20, 25, 30, 35, 40, 45, 50, 55, 60]
    assert moments(90)[9:] == [66, 72, 79, 86]


@pytest.mark.parametrize(
    ("looks", "proposed"),
    [
        ([], None),
        ([11], None),
        ([11, 11], None),
        ([11, 11, 11], 11),
        ([10, 11, 9, 11, 10], None),  # now one more, now one fewer
        ([12, 10, 11, 10, 12], 11),
        ([11, 11, 11, 10, 10], 11),  # two looks do not take back what three said
        ([11, 11, 10, 10, 10], None),
    ],
)
def test_a_number_is_proposed_when_three_of_five_looks_speak_for_more_or_for_fewer(looks, proposed):
    found = weigh([look(k) for k in looks]).proposal
    assert (found and found.k) == proposed
    assert found is None or found.reason == f"{proposed} are better"


def test_whatever_the_looks_say_one_look_more_changes_the_proposal_rarely():
    said = np.random.default_rng(0).choice([9, 10, 11, 13], size=400).tolist()
    shown = [weigh([look(k) for k in said[max(0, n - 5) : n]]).proposal for n in range(5, 400)]
    numbers = [10 if one is None else one.k for one in shown]
    changes = sum(a != b for a, b in pairwise(numbers))
    raw = sum(a != b for a, b in pairwise(said[5:]))
    assert changes < raw / 2  # and real looks are less fickle than dice


def test_nothing_is_settled_while_the_last_look_found_something_better():
    assert weigh([look(10)]).settled
    assert not weigh([look(10), look(11)]).settled
    tempted = weigh([look(11, both=False)] * 5)
    assert (tempted.proposal, tempted.settled) == (None, False)
    assert weigh([]) == Weighed(0, None, True, True)


def test_few_answers_are_never_said_not_to_fit():
    assert weigh([look(10, pairs=49, gain=-20.0)]).fits
    assert not weigh([look(10, pairs=50, gain=-20.0)]).fits
    assert weigh([look(4, gain=-1.0)] * 2).fits  # another number foretells them
    assert weigh([look(10), look(10), look(10, gain=-20.0)]).fits  # one look is not enough


def test_a_number_that_one_half_of_the_clicks_speaks_for_is_not_believed(tmp_path, heaps):
    class Fickle:
        """A model for which 5 clusters are better by all answers, and by the odd clicks alone."""

        def weigh_k(self, links, labels):  # noqa: ARG002
            return Weighing(Proposal(5, "five are better", 20.0), 30.0)

        def compare_k(self, k, links, labels):  # noqa: ARG002
            return 9.0 if links.n_links == 3 else second

    with Session.create(tmp_path / "s", heaps, 4, n_partitions=5) as session:
        session.answer_many([(0, 4, "same"), (1, 5, "same"), (2, 6, "same"), (3, 7, "same")])
        session.answer(8, 12, "same")
        halves, state = session._clicks.halves(5), session._history.state(5)
        assert halves == ({1, 3, 5}, {2, 4})
        second = 1.0
        assert look_at(state, 5, Fickle(), halves).proposal is None
        second = 8.0
        found = look_at(state, 5, Fickle(), halves)
        assert (found.k, found.most, found.pairs) == (5, 50.0, 5)


def test_looks_are_the_same_whenever_they_are_taken(tmp_path, heaps):
    with Session.create(tmp_path / "s", heaps, 2, n_partitions=20) as session:
        found = []
        for said in truths(60):
            session.answer(*said)
            found.append(session.weigh())
        numbers = [2 if each.proposal is None else each.proposal.k for each in found]
        first = numbers.index(4)
        assert numbers == [2] * first + [4] * (60 - first)  # once it is said, it is not taken back
        assert 30 <= first + 1 <= 50  # after three looks at least
    with Session.open(tmp_path / "s") as session:
        assert session.weighed is None
        assert session.weigh() == found[-1]


def test_a_look_that_was_stopped_goes_on_where_it_was(tmp_path, heaps):
    with Session.create(tmp_path / "s", heaps, 2, n_partitions=20) as session:
        session.answer_many(truths(45))
        asked = iter([False] * 8)
        with run_options(cancel=lambda: next(asked, True)), pytest.raises(Cancelled):
            session.weigh()
        assert session.weighed is None
        assert session.to_weigh()
        assert session.weigh().proposal.k == 4
        assert not session.to_weigh()


def test_another_number_is_looked_at_anew(tmp_path, heaps):
    with Session.create(tmp_path / "s", heaps, 2, n_partitions=20) as session:
        session.answer_many(truths(45))
        assert session.weigh().proposal.k == 4
        taken = session.recluster(4)
        assert session.weigh() == Weighed()
        assert not session.to_weigh()
        session.undo(taken.seq)
        assert session.weigh().proposal.k == 4


def test_one_click_is_one_answer_however_many_events_it_is(tmp_path, heaps):
    def choice(click, row, among, chosen):
        return [
            Entry("answer", {"i": row, "j": j, "verdict": chosen(j)}, key=f"{click}#{k}")
            for k, j in enumerate(among)
        ]

    with Session.create(tmp_path / "s", heaps, 4, n_partitions=5) as session:
        session.append(choice("a", 0, [1, 2, 3], lambda j: "different"))  # noqa: ARG005
        two = choice("b", 4, [5, 6], lambda j: "different")  # noqa: ARG005
        together = Entry("together", {"rows": [4, 8, 12]}, key="b#2")
        session.append([*two, together])
        session.append(choice("c", 5, [9, 10], lambda j: "unsure"))  # noqa: ARG005
        session.answer(7, 11, "same")
        session.answer_many([(13, 17, "same"), (14, 18, "same")], key="program")
        session.label([20, 24], "a name is no answer")
        told = session.progress()
        assert (told.answers, told.unsure) == (6, 1)
        session.undo(7)  # the pair of a click that is still half there
        for event in (1, 2, 3):
            session.undo(event)
        assert session.progress().answers == 5
        assert session.progress().hint == "Too early to tell: give some 16 more answers."
