from linkwise.session import Columns
from linkwise.session.data.file import Placed, read_data, shown_columns


def test_a_column_that_counts_the_rows_is_shown_as_numbers_and_one_of_text_is_not(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("n,height,says\n1,1.6,counts\n2,1.7,counts\n3,1.8,counts\n")
    found = shown_columns(path, Columns(), read_data(Placed(path, copied=False), Columns()))
    assert {column["name"]: column["type"] for column in found} == {
        "n": "number",
        "height": "number",
        "says": "text",
    }
