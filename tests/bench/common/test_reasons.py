from linkwise.bench.common.methods import methods
from linkwise.bench.common.reasons import FAMILIES, family_of, reasons
from linkwise.bench.common.writing import OURS


def test_everybody_who_may_be_first_is_of_one_family():
    assert [name for name in methods() if family_of(name) is None] == [OURS]
    listed = [name for family in FAMILIES for name in family.methods]
    assert len(listed) == len(set(listed))


def test_reasons_are_counted_and_the_most_frequent_comes_first():
    lost = [("iris", "COBRAS"), ("iris", "ITML + k-means"), ("wine", "RCA + k-means")]
    first, second = reasons(lost)
    assert first.startswith(
        "- **One linear map** (ITML + k-means, RCA + k-means; 2 of 3 cells: iris, wine). Features"
    )
    assert second.startswith("- **Pieces** (COBRAS; 1 of 3 cells: iris). Classes")
    assert reasons([]) == []
