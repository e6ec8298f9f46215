"""A whole table to rows of numbers: what each column is for, how loud it is, how it is kept."""
