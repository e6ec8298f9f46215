"""``python -m linkwise``: the command line where ``linkwise`` is not on the path."""

from linkwise.cli import main

if __name__ == "__main__":
    main(prog_name="linkwise")
