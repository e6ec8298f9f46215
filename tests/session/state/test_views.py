"""Views: as many are kept as have room; the others are computed again."""

from linkwise.session.state.views import MAX_KEPT


def test_old_views_are_let_go_and_come_back_the_same(session):
    first = session.view()
    for k in range(MAX_KEPT + 3):
        session.rename(k % 3, f"name {k}")
        session.answer(k, k + 20, "same")
        session.view()
    kept = session._views._kept
    assert len(kept) == MAX_KEPT
    assert 0 not in kept
    again = session.view(0)
    assert again.labels.tobytes() == first.labels.tobytes()
    assert again.margins.tobytes() == first.margins.tobytes()
    assert again.clusters == first.clusters


def test_views_that_are_kept_do_not_hold_what_they_came_from(session):
    for j in (1, 2, 3):
        session.answer(0, j, "same")
        session.view()
    assert all(view.labelling is None for view in session._views._kept.values())
