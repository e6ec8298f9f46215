"""Whether features of texts, tables and pictures are good enough to group by, and quick to make.

    python benchmarks/features.py texts      the words' directions, sparse words, and k-means
    python benchmarks/features.py tables     a mixed table and each of its blocks alone
    python benchmarks/features.py pictures   digits as PNG files and as pixels
    python benchmarks/features.py speed      seconds and memory for many rows

Every table is printed as it stands in ``docs/features.md``. The set "ohscal" is left out where it
is not at hand.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from PIL import Image
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.preprocessing import normalize

import linkwise as lw
from features_data import Ints, mixed_table, short_texts
from linkwise.features import ImageFeatures, TableFeatures
from linkwise.scores import nmi

SEEDS = range(3)
N_TEXTS, N_ROWS = 3000, 2000
ASKED = (50, 100)
MEGABYTE = 1e6

Rows = NDArray[np.float32]


def header(*names: str) -> None:
    """Print the head of a table in Markdown."""
    print("|", " | ".join(names), "|")
    print("|", " | ".join(["---"] + ["---:"] * (len(names) - 1)), "|")


def line(name: str, figures: Sequence[float], form: str = ".3f") -> None:
    """Print a row of a table."""
    print("|", " | ".join([name, *(format(x, form) for x in figures)]), "|", flush=True)


def k_means(X: Rows, y: Ints, seed: int) -> float:
    """Return NMI of scikit-learn's k-means, best of ten starts."""
    n_clusters = len(np.unique(y))
    return nmi(y, KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(X))


def fitted(X: Rows | sp.csr_array, y: Ints, seed: int) -> lw.SequentialClustering:
    """Return a model that nothing was said to."""
    return lw.SequentialClustering(len(np.unique(y)), random_state=seed).fit(X)


def after_answers(model: lw.SequentialClustering, y: Ints) -> list[float]:
    """Return NMI on rows in no link after so many answers to the model's own questions."""
    found = []
    for _ in range(max(ASKED) // 10):
        pairs = model.query(10)
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        model.update(lw.Links(len(y), must=pairs[same], cannot=pairs[~same]))
        if model.links_.n_links in ASKED:
            free = np.setdiff1d(np.arange(len(y)), model.links_.linked_rows)
            found.append(nmi(y[free], model.labels_[free]))
    return found


def text_sets() -> dict[str, Callable[[int], tuple[object, sp.csr_array, Ints]]]:
    """Return, by name, functions from a seed to texts (or None), TF-IDF and topics."""

    def made_up(share: float) -> Callable[[int], tuple[object, sp.csr_array, Ints]]:
        def make(seed: int) -> tuple[object, sp.csr_array, Ints]:
            texts, y = short_texts(N_TEXTS, topic_share=share, seed=seed)
            weigh = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
            return texts, weigh.fit_transform(texts), y

        return make

    def ohscal(seed: int) -> tuple[object, sp.csr_array, Ints]:
        data = lw.datasets.load("ohscal")
        rows = np.random.default_rng(seed).permutation(data.X.shape[0])[:N_TEXTS]
        tfidf = TfidfTransformer(sublinear_tf=True).fit_transform(sp.csr_array(data.X)[rows])
        _, y = np.unique(data.y[rows], return_inverse=True)
        return None, tfidf, y

    sets = {"made up, clear": made_up(0.35), "made up": made_up(0.25)}
    if "ohscal" in lw.datasets.available():
        sets["ohscal"] = ohscal
    return sets


def texts() -> None:
    """Print NMI on texts, without answers and with."""
    told = [f"{n} answers" for n in ASKED]
    header("texts", "k-means on LSA", "sparse TF-IDF", "LSA", *told)
    everything = []
    for name, make in text_sets().items():
        runs = []
        for seed in SEEDS:
            raw, tfidf, y = make(seed)
            if raw is None:
                lsa = normalize(TruncatedSVD(100, random_state=seed).fit_transform(tfidf))
            else:
                lsa = TableFeatures().fit_transform(pd.DataFrame({"text": raw}))
            model = fitted(lsa, y, seed)
            alone = nmi(y, model.labels_)
            sparse = nmi(y, fitted(tfidf, y, seed).labels_)
            runs.append([k_means(lsa, y, seed), sparse, alone, *after_answers(model, y)])
        everything.append(np.mean(runs, axis=0))
        line(name, everything[-1])
    line("mean", np.mean(everything, axis=0))


def tables() -> None:
    """Print NMI of whole tables, and of the best block alone."""
    header("tables", "numbers", "categories", "dates", "best of these", "everything")
    everything = []
    for clear in (0.5, 0.75, 1.0):
        runs = []
        for seed in SEEDS:
            frame, y, blocks = mixed_table(N_ROWS, clear=clear, seed=seed)
            parts = [frame[columns] for columns in blocks.values()]
            found = [
                nmi(y, fitted(TableFeatures().fit_transform(part), y, seed).labels_)
                for part in [*parts, frame]
            ]
            runs.append([*found[:-1], max(found[:-1]), found[-1]])
        everything.append(np.mean(runs, axis=0))
        line(f"clear {clear}", everything[-1])
    line("mean", np.mean(everything, axis=0))


def pictures() -> None:
    """Print NMI of digits as files and as pixels."""
    digits = load_digits()
    header("digits", "k-means", "SequentialClustering")
    with tempfile.TemporaryDirectory() as folder:
        for k, picture in enumerate(digits.images):
            Image.fromarray((picture * 15.9).astype(np.uint8)).save(Path(folder) / f"{k:04d}.png")
        rows = ImageFeatures().fit_transform(folder)
    for name, X in {"pixels": digits.data, "PNG files": rows}.items():
        found = [
            [k_means(X, digits.target, s), nmi(digits.target, fitted(X, digits.target, s).labels_)]
            for s in SEEDS
        ]
        line(name, np.mean(found, axis=0))


class Watch:
    """Seconds and the largest memory of what happens inside."""

    def __enter__(self) -> Watch:
        self.before = self.most = self._now()
        self.running = True
        self.thread = threading.Thread(target=self._look)
        self.thread.start()
        self.start, self.start_cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *failure: object) -> None:
        self.seconds = time.perf_counter() - self.start
        self.cpu = time.process_time() - self.start_cpu
        self.running = False
        self.thread.join()

    def _look(self) -> None:
        while self.running:
            self.most = max(self.most, self._now())
            time.sleep(0.005)

    @staticmethod
    def _now() -> int:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * 4096


def wide_table(n_rows: int) -> pd.DataFrame:
    """Return 20 columns: numbers, some written with commas or missing, categories, dates."""
    rng = np.random.default_rng(0)
    columns: dict[str, object] = {f"number {k}": rng.normal(size=n_rows) for k in range(8)}
    columns |= {f"count {k}": rng.integers(1000, size=n_rows) for k in range(2)}
    for k in range(5):
        columns[f"kind {k}"] = rng.choice([f"kind {j}" for j in range(2 + 3 * k)], n_rows)
    columns["place"] = rng.choice([f"place {j}" for j in range(2000)], n_rows)
    columns["paid"] = rng.random(n_rows) < 0.5
    columns["when"] = np.datetime64("2020-01-01") + rng.integers(10**8, size=n_rows).astype("m8[s]")
    columns["price"] = [f"{x:.2f}".replace(".", ",") for x in rng.gamma(2, 10, n_rows)]
    columns["gaps"] = np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(size=n_rows))
    return pd.DataFrame(columns)


def speed() -> None:
    """Print how long features take and how much memory beyond the table."""
    header("rows", "features", "seconds", "CPU seconds", "result, MB", "most memory, MB")
    for name, frame in {
        "100,000 texts": pd.DataFrame({"text": short_texts(100_000, longest=60).texts}),
        "1,000,000 rows of 20 columns": wide_table(1_000_000),
    }.items():
        TableFeatures().fit_transform(frame[:300])
        with Watch() as watch:
            X = TableFeatures().fit_transform(frame)
        most = (watch.most - watch.before) / MEGABYTE
        figures = [X.shape[1], watch.seconds, watch.cpu, X.nbytes / MEGABYTE, most]
        line(name, figures, ".0f")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    parts = {"texts": texts, "tables": tables, "pictures": pictures, "speed": speed}
    for wanted in sys.argv[1:] or parts:
        print(f"\n{wanted}\n")
        parts[wanted]()
