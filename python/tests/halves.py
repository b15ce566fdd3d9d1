"""Two ranks exchange messages; rank 1 computes 20 ms more than rank 0 before each sum, so rank 0 waits for it.

Rank 0 says how often both together call what.
"""

import json
import sys
import time

import numpy
from mpi4py import MPI

ROUNDS = 25

comm = MPI.COMM_WORLD
other = 1 - comm.rank
half = numpy.full(1000, float(comm.rank))
total = numpy.empty_like(half)
for _ in range(ROUNDS):
    if comm.rank == 1:
        time.sleep(0.02)
    comm.Allreduce(half, total)
    if comm.rank == 0:
        comm.Send(half, dest=other, tag=7)
    else:
        comm.Recv(half, source=other, tag=7)
comm.Barrier()
if comm.rank == 0:
    stated = {"MPI_Allreduce": 2 * ROUNDS, "MPI_Send": ROUNDS, "MPI_Recv": ROUNDS, "MPI_Barrier": 2}
    json.dump({"calls": stated, "messages": ROUNDS, "bytes": ROUNDS * half.nbytes, "slept_s": ROUNDS * 0.02}, sys.stdout)
