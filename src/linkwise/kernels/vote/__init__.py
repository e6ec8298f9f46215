"""The vote over all rows: tables of bytes, looked up and added up."""
