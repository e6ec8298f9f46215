"""Tables in, labels out: CSV, Parquet, Feather, JSON lines, workbooks, lines, pictures, arrays."""

from linkwise.tables.choice import Choice, Table
from linkwise.tables.read import ENDINGS, read_frame, read_row_names, read_table, unread
from linkwise.tables.write import check_output, print_labels, write_labels

__all__ = [
    "ENDINGS",
    "Choice",
    "Table",
    "check_output",
    "print_labels",
    "read_frame",
    "read_row_names",
    "read_table",
    "unread",
    "write_labels",
]
