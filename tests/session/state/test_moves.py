"""How many rows moved, remembered beyond a sudden end."""

from linkwise.session.state.moves import FILE, Moves


def test_moves_are_there_without_any_goodbye(tmp_path):
    Moves(tmp_path, 0).add(3, 17)
    assert Moves(tmp_path, 5).moved == [(3, 17)]


def test_moves_after_the_last_event_are_not_believed(tmp_path):
    Moves(tmp_path, 0).add(3, 17)
    assert Moves(tmp_path, 2).moved == []


def test_a_damaged_file_begins_anew(tmp_path):
    (tmp_path / FILE).write_text("{")
    assert Moves(tmp_path, 5).moved == []
