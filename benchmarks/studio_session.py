"""A hundred truthful answers to the studio's questions, on digits, on texts and on a mixed table.

Whoever answers knows the classes and tells the truth; rows that do not fit their group are taken
out of it, as one would on the page. Printed, for the big questions first and for pairs alone: how
well clusters and classes agree (adjusted Rand index), how many answers were asked about again, how
many were listed under "Second look" at any time, how many rows moved with the last ten changes,
what the page advised, and each time that it began or ceased to propose another number of clusters.

    python benchmarks/studio_session.py            print the tables
    python benchmarks/studio_session.py --write    and put them into docs/studio.md
    python benchmarks/studio_session.py --quick    ask less, of fewer rows
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from features_data import mixed_table, short_texts
from linkwise.session import Columns, Entry, Session

#: Pairs that stand for two things being different, said twice as on the page, which confirms them.
PAIRS_APART = 5
LOOKS = (0, 10, 20, 50, 100)
GUIDE = Path(__file__).resolve().parents[1] / "docs" / "studio.md"
BEGIN, END = "<!-- printed by benchmarks/studio_session.py -->", "<!-- end of what was printed -->"
KINDS = {"auto": "big questions first", "pair": "pairs alone"}


def truthful(question, y):
    """Return what somebody says who knows the classes, as entries; one question is one deed."""
    if question.kind == "groups":
        return about_groups(question, y)
    rows = question.among or (question.j,)
    return [
        Entry("answer", {"i": question.i, "j": j, "verdict": verdict(y, question.i, j)})
        for j in rows
    ]


def one_click(entries, number):
    """Give the entries of one answer keys that begin alike, as the page does."""
    return [replace(entry, key=f"{number}#{place}") for place, entry in enumerate(entries)]


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
    return said + 2 * [Entry("answer", {"i": i, "j": j, "verdict": "different"}) for i, j in apart]


def verdict(y, i, j):
    """Return the truth about two rows."""
    return "same" if y[i] == y[j] else "different"


def run(session, y, kind, n_questions):
    """Ask and answer; yields a line of the table at each look."""
    again, listed, shown, changes = 0, 0, None, []
    for number in range(n_questions + 1):
        found = session.query(1, kind=kind, asked=number, who="somebody")
        is_last = number == n_questions or not found
        proposal = session.weigh().proposal
        if (proposal and proposal.k) != shown:
            shown = proposal and proposal.k
            changes.append(f"{shown or 'none'} after {number} questions")
        if number in LOOKS or is_last:
            yield look(session, y, number, again, listed)
        if is_last:
            break
        again += found[0].again is not None
        session.append(one_click(truthful(found[0], y), number))
        listed = max(listed, sum(one.asked_again for one in session.suspects()))
    yield ""
    yield f"Another number of clusters that was proposed: {', '.join(changes) or 'none'}."


def look(session, y, number, again, listed):
    """Return what there is to see after so many questions, as a line of a table."""
    session.view()
    told, links = session.progress(), session.model.links_.n_links
    agreement = adjusted_rand_score(y, session.labels())
    moved = sum(rows for _, rows in told.moved[-10:])
    counts = f"{agreement:.2f} | {again} | {listed} | {moved}"
    return f"| {number} | {links} | {counts} | {told.hint} |"


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


def tables(quick):
    """Yield the lines of all tables as they come about."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, data, columns, y, k in sets(quick, folder):
            for kind, words in KINDS.items():
                yield f"**{name}**, {len(y)} rows, {k} clusters, {words}:\n"
                yield "| questions | links | agreement | asked again | listed | moved | advice |"
                yield "|---|---|---|---|---|---|---|"
                at = folder / f"{name}-{kind}".replace(" ", "-")
                options = {"n_partitions": 50 if quick else 200, "columns": columns}
                with Session.create(at, data, k, **options) as session:
                    yield from run(session, np.asarray(y), kind, 20 if quick else 100)
                yield ""


def write(lines):
    """Put the lines between their marks into the guide."""
    before, rest = GUIDE.read_text().split(BEGIN)
    _, after = rest.split(END)
    GUIDE.write_text("\n".join([before + BEGIN, "", *lines, END + after]))


def main():
    """Print the tables, and write them where that is wanted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--write", action="store_true")
    told = parser.parse_args()
    lines = []
    for line in tables(told.quick):
        print(line, flush=True)
        lines.append(line)
    if told.write:
        write(lines)


if __name__ == "__main__":
    main()
