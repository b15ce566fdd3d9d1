# Calls MPI through a layer with two callers, a method and recursion; rank 0 prints "COUNT path" for each.
from collections import Counter

from mpi4py import MPI

stated = Counter()


def layer(path):
    stated[path + " > layer > MPI_Barrier"] += 1
    MPI.COMM_SELF.Barrier()


def solver():
    layer("<module> > solver")


def check():
    layer("<module> > check")


class Halo:
    def exchange(self):
        layer("<module> > Halo.exchange")


def descend(levels, path):
    path += " > descend"
    if levels > 1:
        descend(levels - 1, path)
    else:
        layer(path)


for turn in range(50):
    solver()
    check()
    Halo().exchange()
    descend(turn % 5 + 1, "<module>")
for path, calls in stated.items() if MPI.COMM_WORLD.rank == 0 else []:
    print(calls, path)
