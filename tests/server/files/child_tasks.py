"""What children are asked to do in the tests."""

import os
import time

import numpy as np

from linkwise.errors import Advice, InvalidFile, LinkwiseError, MissingData, Remedy


class OddError(LinkwiseError):
    """An error that only this module knows."""


def echo(path, values):
    return [str(path), values]


def who():
    return os.getpid()


def parent():
    return os.getppid()


def refuse_file(path):
    advice = (Advice(Remedy.LEAVE_COLUMN_OUT, "a"), Advice(Remedy.FILL_IN))
    raise InvalidFile(path.name, " line 3: no value.", *advice)


def refuse_data():
    raise MissingData("it is not there.")


def refuse_oddly():
    raise OddError("an odd error.")


def stumble():
    return 1 / 0


def open_nothing():
    return open("/nothing/there").read()


def crash(_):
    os.abort()


def exit_early(_):
    os._exit(0)


def say_half(_):
    for descriptor in range(3, 20):
        try:
            os.write(descriptor, b'{"result": [1, 2')
        except OSError:
            continue
    os._exit(0)


def take_memory(_, size):
    return len(np.ones(size, dtype=np.uint8))


def sleep(path):
    path.write_text(str(os.getpid()))
    time.sleep(600)
