"""Pictures: every function draws what it was told, into any axes, and complains in words."""

import builtins
import inspect

import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import linkwise as lw
from linkwise.errors import InvalidInput, MissingExtra
from linkwise.plot import canvas, clusters, memberships

X = np.array([[0.0, 0], [1, 0], [0, 1], [9, 9], [8, 9], [9, 8]])
LABELS = np.array([0, 0, 0, 1, 1, -1])
LINKS = lw.Links(6, must=[(0, 1), (2, 3)], cannot=[(0, 3), (3, 4)])


@pytest.fixture
def ax():
    return Figure().add_subplot()


class Told:
    """What a fitted model has to show."""

    labels_ = LABELS
    links_ = LINKS
    memberships_ = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])


class Doubted:
    """An answer that is probably wrong."""

    i, j, kind, suspicion = 0, 3, "must", 0.9


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


DRAWN = {
    "agreement": lambda ax: lw.plot.agreement([0, 1], [0.5, 0.6], ax=ax),
    "choice_of_k": lambda ax: lw.plot.choice_of_k(lw.choose_k(np.repeat(X, 8, 0)), ax=ax),
    "clusters": lambda ax: lw.plot.clusters(X, LABELS, LINKS, ax=ax),
    "confusion": lambda ax: lw.plot.confusion(list("aabbba"), LABELS, ax=ax),
    "memberships": lambda ax: lw.plot.memberships(Told.memberships_, ax=ax),
    "suspicion": lambda ax: lw.plot.suspicion([], ax=ax),
}


@pytest.mark.parametrize("name", lw.plot.__all__)
def test_what_is_drawn_goes_into_the_axes_given_and_can_be_saved(name, ax, tmp_path):
    assert DRAWN[name](ax) is ax
    ax.figure.savefig(tmp_path / "picture.png", dpi=30)
    assert (tmp_path / "picture.png").stat().st_size > 1000


@pytest.mark.parametrize("name", lw.plot.__all__)
def test_without_axes_there_is_a_new_figure_and_without_matplotlib_a_sentence(name, monkeypatch):
    from matplotlib import pyplot

    made = DRAWN[name](None)
    assert isinstance(made, Axes)
    pyplot.close(made.figure)
    assert inspect.signature(getattr(lw.plot, name)).parameters["ax"].default is None
    real = builtins.__import__

    def without(module, *args, **kwargs):
        if module.split(".")[0] == "matplotlib":
            raise ImportError(module)
        return real(module, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra) as caught:
        DRAWN[name](None)
    assert str(caught.value) == 'The picture needs matplotlib: pip install "linkwise[plot]"'


def segments(ax):
    return {
        (str(lines.get_linestyle()[0][1] is not None), tuple(lines.get_colors()[0][:3].round(2))): {
            tuple(map(tuple, segment.tolist())) for segment in lines.get_segments()
        }
        for lines in ax.collections
        if hasattr(lines, "get_segments") and lines.get_segments()
    }


def test_links_join_their_rows_and_broken_ones_are_red(ax):
    clusters(X, LABELS, LINKS, names=["low", "high"], ax=ax)
    assert legend(ax) == ["low", "high", "same", "different", "same, broken", "different, broken"]
    found = segments(ax)
    red, grey = (1.0, 0.0, 0.0), (0.35, 0.35, 0.35)
    assert found["False", grey] == {((0, 0), (1, 0))}
    assert found["True", grey] == {((0, 0), (9, 9))}
    assert found["False", red] == {((0, 1), (9, 9))}
    assert found["True", red] == {((9, 9), (8, 9))}


def test_of_very_many_links_the_broken_ones_are_drawn(ax):
    rows = np.random.default_rng(0).normal(size=(60, 2))
    labels = np.zeros(60, dtype=int)
    pairs = [(i, j) for i in range(60) for j in range(i)]
    clusters(rows, labels, lw.Links(60, must=pairs[:-10], cannot=pairs[-10:]), ax=ax)
    drawn = segments(ax)
    assert sum(map(len, drawn.values())) <= 400
    assert len(drawn["True", (1.0, 0.0, 0.0)]) == 10


def test_a_model_tells_its_links_and_rows_may_have_many_features(ax):
    wide = np.column_stack((X, X[:, ::-1] / 2))
    clusters(wide, Told(), ax=ax)
    assert "same, broken" in legend(ax)
    places = ax.collections[0].get_offsets()
    clusters(sp.csr_array(wide), Told(), lw.Links(6), ax=(other := Figure().add_subplot()))
    assert legend(other) == ["0", "1"]
    assert np.allclose(np.abs(other.collections[0].get_offsets()), np.abs(places), atol=1e-6)


def test_rows_that_moved_are_outlined(ax):
    clusters(X, LABELS, moved=[True] + [False] * 5, ax=ax)
    plain, outlined = ax.collections[:2]
    assert (len(plain.get_offsets()), len(outlined.get_offsets())) == (5, 1)


def test_colours_of_the_first_clusters_never_change():
    few, many = canvas.colours(3), canvas.colours(47)
    assert np.array_equal(few, many[:3])
    assert len({tuple(colour) for colour in many[:20].tolist()}) == 20
    assert len({tuple(c) for c in canvas.colours_of(np.array([0, 1, -1])).tolist()}) == 3


def test_clusters_stand_below_the_class_they_match(ax):
    truth = ["cat", "cat", "dog", "dog", "eel", None]
    lw.plot.confusion(truth, [7, 7, 2, 2, 7, 7], names={2: "dogs", 7: "others"}, ax=ax)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["others", "dogs"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["cat", "dog", "eel"]
    assert sorted(text.get_text() for text in ax.texts) == ["1", "2", "2"]
    shares = np.asarray(ax.images[0].get_array())
    assert shares.tolist() == [[1, 0], [0, 1], [1, 0]]


def test_shares_are_stacked_to_their_sum(ax):
    memberships(Told(), names=["a", "b"], ax=ax)
    assert legend(ax) == ["a", "b"]
    tops = [patch.get_data() for patch in ax.patches]
    assert np.allclose(tops[-1].values, 1)
    assert tops[1].values.tolist() == [0.9, 0.6, 0.8]  # the share of the own cluster, surest first
    many = np.full((5000, 2), 0.5)
    memberships(many, ax=(other := Figure().add_subplot()))
    assert len(other.patches[0].get_data().values) == 2000


def test_the_most_suspicious_answers_are_named(ax):
    rng = np.random.default_rng(0)
    rows = np.concatenate((rng.normal(0, 1, (20, 2)), rng.normal(9, 1, (20, 2))))
    said = lw.Links(40, must=[(0, 1), (20, 21)], cannot=[(0, 20)])
    model = lw.SequentialClustering(2, n_partitions=5, random_state=0).fit(rows, constraints=said)
    ids = [f"r{k}" for k in range(40)]
    lw.plot.suspicion(model, most=2, ids=ids, ax=ax)
    first = model.suspects_[0]
    word = "same" if first.kind == "must" else "different"
    assert ax.get_yticklabels()[0].get_text() == f"r{first.i} – r{first.j}: {word}"
    assert ax.get_title() == "2 of 3 answers"
    assert [bar.get_width() for bar in ax.patches] == [s.suspicion for s in model.suspects_[:2]]


def test_a_curve_may_have_gaps(ax):
    lw.plot.agreement([0, 5], {"all": [0.1, 0.2], "rest": [0.1, None]}, score="ARI", ax=ax)
    assert np.isnan(ax.lines[1].get_ydata()[1])
    assert ax.get_ylabel() == "ARI"


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (
            lambda: lw.plot.clusters(X, LABELS[:3]),
            "plot.clusters: X has shape (6, 2) for 3 labels: give one row per label.",
        ),
        (
            lambda: lw.plot.clusters(X, list("aabbcc")),
            "plot.clusters: labels must be one whole number per row, or a fitted model, "
            "got <U1 of shape (6,).",
        ),
        (
            lambda: lw.plot.clusters(X, LABELS, lw.Links(5)),
            "plot.clusters: the links describe 5 rows, there are 6.",
        ),
        (
            lambda: lw.plot.confusion(["a"], LABELS),
            "plot.confusion: truth is about 1 rows and labels about 6.",
        ),
        (
            lambda: lw.plot.agreement([1, 2], {"all": [0.5]}),
            "plot.agreement: 1 scores of all for 2 steps.",
        ),
        (
            lambda: lw.plot.memberships([0.5, 0.5]),
            "plot.memberships: shares must be numbers >= 0 of shape (n_samples, n_clusters), or a "
            "model with memberships_, got shape (2,).",
        ),
        (
            lambda: lw.plot.suspicion([], most=0),
            "plot.suspicion(most=0): most must be a whole number >= 1.",
        ),
        (
            lambda: lw.plot.suspicion(lw.PCKMeans(2)),
            "plot.suspicion: suspects must be a fitted SequentialClustering or its suspects_, got "
            "PCKMeans.",
        ),
        (
            lambda: lw.plot.suspicion([3]),
            "plot.suspicion: suspects must be a fitted SequentialClustering or its suspects_, got "
            "list.",
        ),
        (
            lambda: lw.plot.suspicion([Doubted()], ids=["a", "b"]),
            "plot.suspicion: ids has 2 values, and an answer is about row 3: give one id per row.",
        ),
        (
            lambda: lw.plot.memberships(lw.PCKMeans(2).fit(X)),
            "plot.memberships: shares must be numbers >= 0 of shape (n_samples, n_clusters), or a "
            "model with memberships_, got PCKMeans.",
        ),
        (
            lambda: lw.plot.choice_of_k(lw.PCKMeans(2)),
            "plot.choice_of_k: choice must be what choose_k returns, got PCKMeans.",
        ),
        (
            lambda: lw.plot.clusters(X, lw.PCKMeans(2)),
            "plot.clusters: this PCKMeans is not fitted yet. Call fit first.",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, complaint):
    from matplotlib import pyplot

    with pytest.raises(InvalidInput) as caught:
        call()
    pyplot.close("all")
    assert str(caught.value) == complaint
