"""Advising: what a session asks next, what it doubts, what the answers say as a whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from threading import Lock

from linkwise.cluster.sequential.follow import Proposal
from linkwise.cluster.sequential.sequential import SequentialClustering
from linkwise.errors import InvalidInput
from linkwise.session.advice.clicks import Clicks
from linkwise.session.advice.dealing import SECOND_OPINION, Desk, second_opinions
from linkwise.session.advice.looks import FIRST, Look, Looks, Weighed, look_at
from linkwise.session.advice.people import People, last_verdicts, measure_people
from linkwise.session.advice.progress import Progress, measure_progress
from linkwise.session.advice.questions import (
    DRAW_EVERY,
    QUESTION_KINDS,
    WHY_AGAIN,
    Question,
    ask,
    ask_choices,
    ask_groups,
    draw_pair,
    guess,
    pairs_since,
)
from linkwise.session.advice.troubles import (
    Suspicion,
    Trouble,
    asked_once,
    find_suspects,
    find_troubles,
    find_vain_joins,
    suspicion_of,
)
from linkwise.session.data.description import Description
from linkwise.session.events.event import Event
from linkwise.session.events.speaking import RowName
from linkwise.session.state.history import History
from linkwise.session.state.labelling import Labelling
from linkwise.session.state.statements import known_pairs
from linkwise.session.state.views import Views
from linkwise.validation import require_number

#: Who says how many clusters there are where the number follows the answers.
FOLLOWING = "linkwise"


class Advising(ABC):
    """Questions, troubles and progress of a session."""

    _about: Description
    _history: History
    _views: Views
    _desk: Desk
    _clicks: Clicks
    _looks: Looks
    _weighing: Lock
    _weighed: Weighed | None = None

    @property
    @abstractmethod
    def n_clusters(self) -> int: ...

    @property
    @abstractmethod
    def grouped_by(self) -> str: ...

    @abstractmethod
    def recluster(self, n_clusters: int, *, who: str = "", key: str | None = None) -> Event: ...

    @abstractmethod
    def _number(self, row: RowName) -> int: ...

    @abstractmethod
    def _called(self, row: int) -> str: ...

    def query(
        self,
        n: int = 1,
        strategy: str = "auto",
        skip: Iterable[tuple[RowName, RowName]] = (),
        fresh: bool = True,
        *,
        who: str | None = None,
        overlap: float = 0.0,
        kind: str = "pair",
        asked: int | None = None,
        formerly: str | None = None,
    ) -> list[Question]:
        """Return up to ``n`` questions worth asking, the most useful first.

        Parameters
        ----------
        n : int
            How many questions.
        strategy : str
            One of ``session.strategies``, by which pairs are chosen.
        skip : iterable of pairs of rows
            Pairs not to ask about now; a row twice is a row not to be placed now.
        fresh : bool
            Whether to wait for a view of all answers. False asks by the last view that was
            computed, leaving out the pairs answered since.
        who : str or None
            Who is to answer. The questions are theirs for ten minutes: others who say who they are
            get other ones.
        overlap : float
            Share of the questions, 0 to 1, that are second opinions: pairs that others have told
            and ``who`` has not.
        kind : {"pair", "choice", "groups", "auto"}
            "pair": are these two the same? "choice": with which of up to five does this row
            belong? "groups": are these groups of rows, two or three, one thing? "auto": the big
            ones first: groups while there are any, then choices, then pairs.
        asked : int or None
            How many questions they have been asked so far. Then every tenth is a pair drawn at
            random, and a pair whose answer is doubted is asked about once more.
        formerly : str or None
            What they were called before they said who they are. The questions that this name was
            given are theirs.
        """
        require_number("query", "overlap", overlap, low=0, high=1)
        if kind not in (*QUESTION_KINDS, "auto"):
            raise InvalidInput(
                f"kind is {kind!r}, expected one of {', '.join(QUESTION_KINDS)} and auto."
            )
        view, labelling, model = self._views.current(fresh)
        state = labelling.state
        skipped = {(int(self._number(i)), int(self._number(j))) for i, j in skip}
        skipped = {(min(pair), max(pair)) for pair in skipped}
        skipped |= pairs_since(self._history.read(view.seq) if view.seq < self._history.seq else [])

        def choose(n: int, unwanted: set[tuple[int, int]]) -> list[Question]:
            found: list[Question] = []
            if kind in ("groups", "auto"):
                found += ask_groups(model, view, state, n, unwanted)
            if kind in ("choice", "auto") and len(found) < n:
                found += ask_choices(model, view, state, n - len(found), unwanted)
            if kind in ("pair", "auto") and len(found) < n:
                found += ask(model, view, state, n - len(found), strategy, unwanted, self._called)
            return found if asked is None else self._with_checks(found, n, unwanted, asked, who)

        with self._desk.lock:
            if who is not None and formerly is not None:
                self._desk.hand_over(formerly, who)
            held, again = {} if who is None else self._desk.others(who), []
            owed = 0 if who is None else self._desk.second_opinions_owed(who, n, overlap)
            if who is not None and owed:
                said = last_verdicts(self._history.read())
                told = second_opinions(said, who, owed, held, skipped)
                again = [Question(i, j, guess(view.labels, i, j), SECOND_OPINION) for i, j in told]
            others = choose(n - len(again), skipped | held.keys()) if n > len(again) else []
            if who is not None:
                self._desk.deal(who, [*again, *others])
            self._desk.remember_drawn(others)
            return [*again, *others]

    def _with_checks(
        self,
        questions: list[Question],
        n: int,
        unwanted: set[tuple[int, int]],
        asked: int,
        who: str | None,
    ) -> list[Question]:
        """Put in a doubted answer to look at again, and every tenth time a pair drawn at random."""
        view, labelling, model = self._views.current(fresh=False)
        with self._history.lock:
            n_drawn = int(self._history.log.drawn(self._history.seq).sum())
        doubted = [] if self._is_early else self._doubted(labelling, model)
        settled = unwanted | {(i, j) for i, j in labelling.state.unsure.tolist()}
        once = [s for s in doubted if not s.asked_again and (s.i, s.j) not in settled]
        chosen = self._desk.ask_again(who or "", asked, [(s.i, s.j) for s in once])
        found = [
            Question(s.i, s.j, guess(view.labels, s.i, s.j), WHY_AGAIN, again=s.event)
            for s in once
            if (s.i, s.j) == chosen
        ]
        rest, taken = iter(questions), set(unwanted)
        for number in range(asked + len(found) + 1, asked + n + 1):
            drawn = None
            if number % DRAW_EVERY == 0:
                drawn = draw_pair(view, taken | known_pairs(labelling.state.statements), n_drawn)
                n_drawn += 1
            question = drawn or next(rest, None)
            if question is not None:
                found.append(question)
                taken.add(question.pair)
        return found

    def people(self) -> People:
        """Return who answered, how far they agree where they told the same pairs, and weights."""
        return measure_people(self._history.read())

    def conflicts(self) -> list[Trouble]:
        """Return the contradictions among what was said, in words."""
        state = self._history.state()
        troubles = find_troubles(
            state.statements, state.n_clusters, self._called, self._suspicion_of
        )
        if state.statements.names and any(change.effect.joins for change in state.changes):
            _, labelling, _ = self._views.current()
            troubles += find_vain_joins(labelling)
        return troubles

    def suspects(self) -> list[Suspicion]:
        """Return the answers that are probably wrong, the most suspicious first.

        :meth:`query` asks about each of them once more; they do not count meanwhile, and hold once
        they are said again. There are none while, by the last :meth:`weigh`, another number of
        clusters, or other columns, would explain the answers better: then it is not the answers
        that are wrong.
        """
        _, labelling, model = self._views.current()
        return self._doubted(labelling, model)

    @property
    def _is_early(self) -> bool:
        """Whether there are too few answers to doubt any of them."""
        return self._clicks.count()[0] < FIRST

    def _doubted(self, labelling: Labelling, model: SequentialClustering) -> list[Suspicion]:
        weighed = self._weighed
        if weighed is not None and (weighed.proposal is not None or not weighed.settled):
            return []
        with self._history.lock:
            once = asked_once(self._history.log)
        said = labelling.state.statements
        return find_suspects(said, model, self._called, once)

    def propose_k(self) -> Proposal | None:
        """Return another number of clusters that the answers speak for at present, or None.

        :meth:`weigh` tells what lasts; :meth:`recluster` takes a number, as an event that can be
        undone.
        """
        _, _, model = self._views.current()
        proposal: Proposal | None = model.propose_k()
        return proposal

    def weigh(self) -> Weighed:
        """Return what the answers say about the clustering as a whole; takes some seconds.

        It is looked at after every five answers, later on less often, and what lasts over the last
        looks counts. :meth:`progress` goes by the last time this was asked. Inside
        ``run_options(cancel=...)`` it can be stopped, and goes on from there the next time.
        """
        with self._weighing:
            self._weighed = self._looks.take(self.n_clusters)
            return self._weighed

    @property
    def weighed(self) -> Weighed | None:
        """What :meth:`weigh` returned last, without looking again."""
        return self._weighed

    def to_weigh(self) -> bool:
        """Tell whether answers have come in that :meth:`weigh` would look at."""
        return self._looks.is_behind(self.n_clusters)

    def _number_after(self, seq: int) -> int:
        return self._history.state(seq).number

    def _look(self, seq: int, answers: int) -> Look:
        """Look at the first ``seq`` events."""
        state, model = self._views.unanswered(seq)
        return look_at(state, answers, model, self._clicks.halves(seq))

    @property
    def follows(self) -> bool:
        """Whether the number of clusters follows the answers.

        It does in a session made with "auto", until somebody says a number or undoes one.
        """
        with self._history.lock:
            said = [self._history.event(seq) for seq in self._history.log.numberings()]
        own = all(event.who == FOLLOWING and event.undone_by is None for event in said)
        return self._about.follows and own

    def follow(self) -> Event | None:
        """Take the number that the answers speak for by :meth:`weigh`, if this session follows it.

        The service and the command line do this by themselves. It is an event like any other; once
        it is undone, nothing is followed any more.
        """
        proposal = self.weigh().proposal if self.follows else None
        return None if proposal is None else self.recluster(proposal.k, who=FOLLOWING)

    def outliers(self, share: float = 0.01) -> list[int]:
        """Return the rows that are farthest from everything, the farthest first.

        :meth:`nowhere` says of rows that they belong to no cluster.
        """
        _, _, model = self._views.current()
        return [int(row) for row in model.outliers(share)]

    def progress(self) -> Progress:
        """Return what the answers so far have done."""
        clicks = self._clicks.count()  # which reads the history, before it is locked
        with self._history.lock:
            log = self._history.log
            return measure_progress(
                log,
                log.n,
                clicks,
                list(self._views.moved),
                self._weighed,
                self.grouped_by,
                self.n_clusters,
            )

    def _suspicion_of(self, event: int) -> float:
        """Return the probability that what an event says is wrong, as far as the model knows."""
        _, labelling, model = self._views.current()
        return suspicion_of(labelling.state.statements, model, event)
