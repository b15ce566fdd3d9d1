"""Calls MPI_Barrier from every kind of place there is in Python, and says which: function, file and line.

In front of every call, on its line, stands at(), which says where it is called from. What rank 0 prints is the truth.
"""

import os
import sys
import threading

import mpi4py

mpi4py.rc.thread_level = "serialized"
from mpi4py import MPI

comm = MPI.COMM_WORLD


def at():
    frame = sys._getframe(1)
    code = frame.f_code
    name = getattr(code, "co_qualname", code.co_name)
    if comm.rank == 0:
        print(f"{name} ({os.path.basename(code.co_filename)}:{frame.f_lineno})")


def function():
    at(); comm.Barrier()
    at(); comm.Barrier()
    for _ in range(3):
        at(); comm.Barrier()


class Class:
    def method(self):
        at(); comm.Barrier()

    @staticmethod
    def static_method():
        at(); comm.Barrier()


def generator():
    at(); comm.Barrier()
    yield
    at(); comm.Barrier()


async def coroutine():
    at(); comm.Barrier()


def with_a_name_that_is_not_ascii_Größe_漢字():
    at(); comm.Barrier()


def decorated(wrapped):
    def wrapper(*arguments):
        at(); comm.Barrier()
        return wrapped(*arguments)
    return wrapper


@decorated
def inner():
    at(); comm.Barrier()


def deep(levels):
    if levels:
        return deep(levels - 1)
    at(); comm.Barrier()


at(); comm.Barrier()
function()
Class().method()
Class.static_method()
list(generator())
try:
    coroutine().send(None)
except StopIteration:
    pass
with_a_name_that_is_not_ascii_Größe_漢字()
inner()
deep(300)
(lambda: (at(), comm.Barrier()))()
[(at(), comm.Barrier()) for _ in range(2)]
list((at(), comm.Barrier()) for _ in range(2))
# A module's own code is freed when it has run, and leaves its memory to the next.
for part in range(10):
    exec(compile("at(); comm.Barrier()", f"part_{part}.py", "exec"))
thread = threading.Thread(target=function)
thread.start()
thread.join()
