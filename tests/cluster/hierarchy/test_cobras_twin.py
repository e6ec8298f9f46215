"""COBRAS against a second one, written with sets of rows and no cleverness."""

from itertools import combinations, product

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from linkwise import COBRAS
from linkwise.cluster.hierarchy import cobras as module


def spread(X, rows):
    return np.square(X[rows] - X[rows].mean(axis=0)).sum()


def best_split(X, rows, n_parts):
    """Return the k-means optimum among all divisions of a line into pieces."""
    ranked = sorted(rows, key=lambda row: X[row, 0])
    cuts = combinations(range(1, len(ranked)), min(n_parts, len(ranked)) - 1)
    divisions = [np.split(np.array(ranked), cut) for cut in cuts]
    best = min(divisions, key=lambda parts: sum(spread(X, part) for part in parts))
    return [frozenset(part.tolist()) for part in best]


class Twin:
    """Super-instances are sets of rows, clusters are lists of super-instances."""

    def __init__(self, X, truth, budget):
        self.X, self.truth, self.budget = X, truth, budget
        self.said, self.questions = {}, []
        self.in_order = [frozenset(range(len(X)))]
        self.clusters = [list(self.in_order)]

    def middle(self, rows):
        return self.X[sorted(rows)].mean(axis=0)

    def example(self, rows):
        return min(sorted(rows), key=lambda row: np.linalg.norm(self.X[row] - self.middle(rows)))

    def known(self, i, j):
        """Follow answers from row to row: 1 and -1 are what they entail, 0 is nothing."""
        if self.linked(i, j):
            return 1
        enemies = [pair for pair, sign in self.said.items() if sign < 0]
        both_ways = [*enemies, *(pair[::-1] for pair in enemies)]
        return -1 if any(self.linked(i, a) and self.linked(b, j) for a, b in both_ways) else 0

    def linked(self, i, j):
        reached, new = {i}, {i}
        while new:
            new = {
                b
                for pair, sign in self.said.items()
                for a, b in (pair, pair[::-1])
                if sign > 0 and a in new and b not in reached
            }
            reached |= new
        return j in reached

    def ask(self, some, others):
        pair = tuple(sorted((self.example(some), self.example(others))))
        known = self.known(*pair)
        if known == 0 and len(self.questions) < self.budget:
            self.questions.append(pair)
            self.said[pair] = known = 1 if self.truth[pair[0]] == self.truth[pair[1]] else -1
        return known

    def run(self):
        while len(self.questions) < self.budget:
            able = [part for part in self.in_order if len(part) > 1]
            if not able:
                return
            before = list(self.in_order), [list(cluster) for cluster in self.clusters]
            self.split(max(able, key=len))
            while self.merge_once():
                pass
            if len(self.questions) == self.budget and len(before[0]) > 1:
                self.in_order, self.clusters = before

    def split(self, part):
        level, rows = 1, part
        while len(rows) > 1:
            one, other = best_split(self.X, rows, 2)
            level *= 2
            if self.ask(one, other) >= 0:
                break
            rows = max((one, other), key=len)
        pieces = best_split(self.X, part, max(level, 2))
        at = self.in_order.index(part)
        self.in_order = self.in_order[:at] + self.in_order[at + 1 :] + pieces
        for cluster in self.clusters:
            if part in cluster:
                cluster.remove(part)
        self.clusters = [cluster for cluster in self.clusters if cluster]
        self.clusters += [[piece] for piece in pieces]

    def merge_once(self):
        """Merge the nearest two clusters that belong together, if there are any."""

        def apart(a, b):
            return min(np.linalg.norm(self.middle(p) - self.middle(q)) for p, q in product(a, b))

        for a, b in sorted(combinations(self.clusters, 2), key=lambda two: apart(*two)):
            known = {self.known(self.example(p), self.example(q)) for p, q in product(a, b)} - {0}
            assert len(known) <= 1  # the examples of a cluster belong together
            if not known:
                p, q = min(
                    product(a, b),
                    key=lambda two: np.linalg.norm(self.middle(two[0]) - self.middle(two[1])),
                )
                known = {self.ask(p, q)}
            if known == {1}:
                self.clusters.remove(b)
                a.extend(b)
                return True
        return False

    def labels(self):
        found = np.empty(len(self.X), dtype=int)
        for number, cluster in enumerate(self.clusters):
            found[sorted(frozenset().union(*cluster))] = number
        return found


@pytest.mark.parametrize("seed", range(12))
def test_it_asks_and_answers_like_its_twin(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    X = rng.choice(1000, size=(14, 1), replace=False).astype(float)  # so that sums are exact
    truth = rng.integers(0, 3, 14) if seed % 2 else (X[:, 0] > 600).astype(int)
    budget = int(rng.integers(3, 30))
    asked = []

    def answer(i, j):
        asked.append((i, j))
        return bool(truth[i] == truth[j])

    def split(X, rows, n_parts, rng):  # noqa: ARG001
        return [np.array(sorted(part)) for part in best_split(X, rows.tolist(), n_parts)]

    monkeypatch.setattr(module, "split_rows", split)
    model = COBRAS(n_questions=budget, random_state=0).fit(X, ask=answer)
    twin = Twin(X, truth, budget)
    twin.run()
    assert asked == twin.questions
    assert adjusted_rand_score(twin.labels(), model.labels_) == 1.0
    assert model.n_clusters_ == len(twin.clusters)
