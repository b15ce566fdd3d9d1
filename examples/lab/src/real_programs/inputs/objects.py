# Objects and buffers go round a ring and through collective calls.
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
right, left = (rank + 1) % ranks, (rank - 1) % ranks

words = world.bcast({"rounds": 50, "size": 4096} if rank == 0 else None)
block, arrived = bytearray([rank]) * words["size"], bytearray(words["size"])
for number in range(words["rounds"]):
    requests = [world.Irecv(arrived, left, number), world.Isend(block, right, number)]
    MPI.Request.Waitall(requests)
    block, arrived = arrived, block
    named = world.sendrecv(("from", rank, number), right, source=left)
    assert named == ("from", left, number)

pairs = world.Split(rank % 2, rank)
halves = world.gather((pairs.size, pairs.allreduce(rank), block[0]))
pairs.Free()
if rank == 0:
    print(halves)
