"""A hundred truthful answers to the studio's questions, on digits, on texts and on a mixed table.

Whoever answers knows the classes and tells the truth; rows that do not fit their group are taken
out of it, as one would on the page. Printed, for the big questions first and for pairs alone: how
well clusters and classes agree (adjusted Rand index), how many answers were doubted, what the page
advised, and how many rows moved with the last ten questions. Run it with
``python benchmarks/studio_session.py``; ``--quick`` asks less, of fewer rows.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from features_data import mixed_table, short_texts
from linkwise.session import Columns, Entry, Session

#: Pairs that stand for two things being different, as on the page.
PAIRS_APART = 5
LOOKS = (0, 10, 20, 50, 100)


def truthful(question, y):
    """Return what somebody says who knows the classes, as entries; one question is one deed."""
    if question.kind == "groups":
        return about_groups(question, y)
    rows = question.among or (question.j,)
    return [
        Entry("answer", {"i": question.i, "j": j, "verdict": verdict(y, question.i, j)})
        for j in rows
    ]


def about_groups(question, y):
    """Say which groups are one thing, and leave out the rows that do not fit their group."""
    things = {}
    for group in filter(None, (question.one, question.other, question.third)):
        its = Counter(y[list(group)].tolist()).most_common(1)[0][0]
        things.setdefault(its, []).extend(row for row in group if y[row] == its)
    said = [Entry("together", {"rows": rows}) for rows in things.values() if len(rows) > 1]
    apart = [
        pair
        for a, b in combinations(things.values(), 2)
        for pair in zip(a[:PAIRS_APART], b, strict=False)
    ]
    return said + [Entry("answer", {"i": i, "j": j, "verdict": "different"}) for i, j in apart]


def verdict(y, i, j):
    """Return the truth about two rows."""
    return "same" if y[i] == y[j] else "different"


def run(session, y, kind, n_questions):
    """Ask and answer; yields a line of the table at each look."""
    for number in range(n_questions + 1):
        if number in LOOKS or number == n_questions:
            yield look(session, y, number)
        if number == n_questions:
            break
        found = session.query(1, kind=kind, asked=number, who="somebody")
        if not found:
            break
        session.append(truthful(found[0], y))


def look(session, y, number):
    """Return what there is to see after so many questions."""
    session.view()
    if number:
        session.weigh()
    told = session.progress()
    agreement = adjusted_rand_score(y, session.labels())
    moved = sum(rows for _, rows in told.moved[-10:])
    return (number, told.answers, agreement, len(session.suspects()), moved, told.hint)


def sets(quick, folder):
    """Yield the name, the data, the columns, the classes and the number of clusters."""
    X, y = load_digits(return_X_y=True)
    n = 400 if quick else len(X)
    yield "digits", X[:n], Columns(image_shape=(8, 8)), y[:n], 10
    texts = short_texts(300)
    path = folder / "texts.txt"
    path.write_text("\n".join(" ".join(text.split()) for text in texts.texts) + "\n")
    yield "300 texts", path, None, texts.y, 8
    table = mixed_table(300 if quick else 600)
    path = folder / "table.csv"
    table.frame.to_csv(path, index=False)
    yield "mixed table", path, None, table.y, len(np.unique(table.y))


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, data, columns, y, k in sets(quick, folder):
            for kind in ("auto", "pair"):
                at = folder / f"{name}-{kind}".replace(" ", "-")
                print(f"\n{name}, {len(y)} rows, {k} clusters, questions: {kind}")
                print("| questions | events | agreement | doubted | moved | advice |")
                print("|---|---|---|---|---|---|")
                options = {"n_partitions": 50 if quick else 200, "columns": columns}
                with Session.create(at, data, k, **options) as session:
                    for line in run(session, np.asarray(y), kind, 20 if quick else 100):
                        number, events, agreement, doubted, moved, hint = line
                        told = f"{agreement:.2f} | {doubted} | {moved} | {hint}"
                        print(f"| {number} | {events} | {told} |", flush=True)


if __name__ == "__main__":
    main()
