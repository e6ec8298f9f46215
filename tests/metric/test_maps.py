"""What every linear map promises."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import linkwise as lw
from linkwise import Links, PartialLabels

MAPS = [getattr(lw.metric, name) for name in lw.metric.__all__]


@pytest.fixture(params=MAPS, ids=lambda cls: cls.__name__)
def map_class(request):
    return request.param


def known(y, step=2):
    return PartialLabels(np.where(np.arange(len(y)) % step == 0, y, -1))


def test_nothing_known_leaves_all_distances_as_they_are(map_class, stretched):
    X, _ = stretched
    for nothing in (None, Links(80), np.full(80, -1), Links(80, must=[(0, 1)], weight=[0])):
        components = map_class().fit(X, constraints=nothing).components_
        assert_allclose(components.T @ components, np.eye(2), atol=1e-12)


def test_the_feature_that_varies_inside_groups_is_damped(map_class, stretched):
    X, y = stretched
    if map_class.__name__ in ("DCA", "SDML"):
        pytest.skip("looks at how far apart groups are, too")
    components = map_class().fit(X, constraints=known(y)).components_
    loud, telling = np.linalg.norm(components, axis=0)
    assert telling > 1.5 * loud


def test_scale_and_shift_of_the_rows_do_not_change_the_map(map_class, stretched):
    X, y = stretched
    first = map_class().fit(X, constraints=known(y)).components_
    second = map_class().fit(1000 * X - 7, constraints=known(y)).components_
    assert_allclose(second.T @ second, first.T @ first, rtol=1e-3, atol=1e-6)


def test_the_same_knowledge_gives_the_same_map(map_class, stretched):
    X, y = stretched
    model = map_class().fit(X, constraints=known(y))
    twin = clone(model).fit(X, constraints=known(y))
    assert_array_equal(twin.components_, model.components_)


def test_order_and_direction_of_pairs_are_irrelevant(map_class, stretched):
    X, y = stretched
    links = known(y).to_links()
    turned = Links(80, must=links.must[::-1, ::-1], cannot=links.cannot[::-1, ::-1])
    assert_array_equal(
        map_class().fit(X, constraints=turned).components_,
        map_class().fit(X, constraints=links).components_,
    )


def test_copies_of_one_row_teach_nothing(map_class):
    X = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [3.0, 0.0]])
    components = map_class().fit(X, constraints=["a", "a", None, None]).components_
    assert_allclose(components.T @ components, np.eye(2), atol=1e-12)
    components = map_class().fit(X, constraints=["a", "a", "b", None]).components_
    assert np.isfinite(components).all()


def test_one_feature_is_enough(map_class):
    X = np.array([[0.0], [1.0], [5.0], [6.0], [9.0]])
    model = map_class().fit(X, constraints=["a", "a", "b", "b", None])
    assert model.transform(X).shape == (5, 1)
    assert np.isfinite(model.components_).all()
    assert model.components_[0, 0] != 0


def test_more_features_than_rows_are_no_trouble(map_class):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 30))
    model = map_class().fit(X, constraints=np.repeat([0, 1, 2], 4))
    assert np.isfinite(model.components_).all()


def test_float32_stays_float32(map_class, stretched):
    X, y = stretched
    model = map_class().fit(X.astype(np.float32), constraints=known(y))
    assert model.components_.dtype == np.float32
    assert model.transform(X.astype(np.float32)).dtype == np.float32


def test_a_pipeline_carries_the_knowledge_to_the_map(map_class, stretched):
    X, y = stretched
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(
            map_class().set_fit_request(constraints=True), KMeans(2, n_init=5, random_state=0)
        )
        model.fit(X, constraints=known(y))
    Z = map_class().fit_transform(X, constraints=known(y))
    assert_array_equal(model[-1].labels_, KMeans(2, n_init=5, random_state=0).fit(Z).labels_)


def test_a_senseless_weight_of_the_plain_metric_is_refused(map_class, stretched):
    with pytest.raises(ValueError, match=rf"^{map_class.__name__}\(ridge=-1\): ridge must be "):
        map_class(ridge=-1).fit(stretched[0])


@parametrize_with_checks([cls() for cls in MAPS])
def test_scikit_learn_accepts_the_map(estimator, check):
    check(estimator)
