"""Tables in, labels out: CSV, Parquet, Feather, JSON lines and NumPy files."""

from linkwise.tables.columns import Choice, Table
from linkwise.tables.read import ENDINGS, read_columns, read_row_names, read_table
from linkwise.tables.write import check_output, write_labels

__all__ = [
    "ENDINGS",
    "Choice",
    "Table",
    "check_output",
    "read_columns",
    "read_row_names",
    "read_table",
    "write_labels",
]
