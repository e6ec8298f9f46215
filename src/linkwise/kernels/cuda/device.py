"""The GPU: find one that will do, compile for it, and say in a sentence what is in the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from linkwise.errors import MissingDevice, missing_extra
from linkwise.lazy import LazyModule

cp = LazyModule("cupy")

#: Copies that do not wait (cp.async) came with this one.
OLDEST = (8, 0)
#: Shared memory below which not even the smallest layout fits.
LEAST_SHARED = 98304


@cache
def require_device(number: int = 0) -> int:
    """Return how many bytes of shared memory a block can have on this GPU; refuse if unsuitable."""
    try:
        runtime = cp.cuda.runtime
    except ModuleNotFoundError:
        raise missing_extra('engine="cuda"', "CuPy", "gpu") from None
    try:
        n_devices = runtime.getDeviceCount()
    except runtime.CUDARuntimeError as error:
        raise MissingDevice(
            f'engine="cuda" needs an NVIDIA GPU and its driver, and finds none here ({error}). '
            'engine="cpu" gives the same result.'
        ) from None
    if not 0 <= number < n_devices:
        raise MissingDevice(
            f"Cuda(device={number}): there are {n_devices} GPUs here, counted from 0."
        )
    found = runtime.getDeviceProperties(number)
    name, version = found["name"].decode(), (found["major"], found["minor"])
    shared = int(found["sharedMemPerBlockOptin"])
    if version < OLDEST or shared < LEAST_SHARED:
        raise MissingDevice(
            f"the GPU {name} is too old: it has compute capability {version[0]}.{version[1]}, and "
            f'engine="cuda" needs {OLDEST[0]}.{OLDEST[1]}. engine="cpu" gives the same result.'
        )
    return shared


@contextmanager
def on_device(number: int) -> Iterator[None]:
    """Work on one GPU; when its memory runs out, say so and leave nothing behind."""
    require_device(number)
    with cp.cuda.Device(number):
        try:
            yield
        except cp.cuda.memory.OutOfMemoryError as error:
            cp.get_default_memory_pool().free_all_blocks()
            free, total = cp.cuda.runtime.memGetInfo()
            raise MissingDevice(
                f"the GPU has too little memory: {_gigabytes(free)} of {_gigabytes(total)} are "
                f"free ({error}). Nothing is lost; let other programs end, or use "
                'engine="cpu".'
            ) from None


def _gigabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB"


def processors() -> int:
    """Return the number of multiprocessors of the current GPU."""
    return int(cp.cuda.Device().attributes["MultiProcessorCount"])


def free_bytes() -> int:
    """Return the memory that can still be had on the current GPU."""
    free, _ = cp.cuda.runtime.memGetInfo()
    return int(free + cp.get_default_memory_pool().free_bytes())


def kernel(file: str, name: str, **defined: object) -> Any:
    """Return a function of a source file of this folder, compiled at most once in a process."""
    return _compiled(file, tuple(sorted((k, str(v)) for k, v in defined.items()))).get_function(
        name
    )


@cache
def _compiled(file: str, defined: tuple[tuple[str, str], ...]) -> Any:
    source = (Path(__file__).parent / file).read_text(encoding="utf-8")
    options = ("-std=c++17", *(f"-D{key}={value}" for key, value in defined))
    return cp.RawModule(code=source, options=options)
