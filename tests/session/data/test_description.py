"""``session.json`` from anywhere is a description or a sentence, nothing else."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linkwise.errors import LinkwiseError
from linkwise.session import describe
from linkwise.session.data.description import read_description

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_value_of_any_field(template, tmp_path, data):
    about = json.loads((template / "session.json").read_text())
    spot = about
    key = data.draw(st.sampled_from(sorted(about)))
    if isinstance(about[key], dict) and about[key] and data.draw(st.booleans()):
        spot = about[key]
        key = data.draw(st.sampled_from(sorted(spot)))
    if data.draw(st.booleans()):
        spot[key] = data.draw(values)
    else:
        del spot[key]
    (tmp_path / "session.json").write_text(json.dumps(about))
    said = None
    try:
        found = read_description(tmp_path)
        summary = describe(tmp_path)
    except LinkwiseError as error:
        said = str(error)
    else:
        assert 1 <= summary.n_clusters <= 65_535
        assert found.data.path.parent == tmp_path or not found.data.copied
    assert said is None or said.endswith(".")


def test_a_copy_of_the_data_lies_in_the_folder(template, tmp_path):
    about = json.loads((template / "session.json").read_text())
    about["data"]["path"] = "../elsewhere.npy"
    (tmp_path / "session.json").write_text(json.dumps(about))
    with pytest.raises(LinkwiseError, match="is damaged: data is"):
        read_description(tmp_path)
