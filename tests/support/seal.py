"""The seal of a checkpoint (docs/reference/run_folder.md), so that a test can change what is behind it.

    with seal.opened(file) as stored:   # an h5py.File
        stored["numbers"].attrs["order"] = 100.0
"""

import contextlib
import struct

import h5py
import numpy

TITLE = b"rhumb checkpoint 1\n".ljust(24, b"\0")


def mix(x):
    x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return x ^ (x >> numpy.uint64(31))


def checksum(data):
    words = numpy.frombuffer(data + b"\0" * (-len(data) % 8), dtype="<u8")
    with numpy.errstate(over="ignore"):
        places = numpy.arange(len(words), dtype=numpy.uint64) + numpy.uint64(0x9E3779B97F4A7C15)
        return int(numpy.sum(mix(words ^ mix(places)), dtype=numpy.uint64))


def sealed(data):
    """The bytes with a seal that holds."""
    start = TITLE + struct.pack("<QQ", len(data), 0)
    data = start + bytes(data[len(start):])
    return TITLE + struct.pack("<QQ", len(data), checksum(data)) + data[len(start):]


def seal(file):
    file.write_bytes(sealed(file.read_bytes()))


@contextlib.contextmanager
def opened(file):
    with h5py.File(file, "r+") as stored:
        yield stored
    seal(file)
