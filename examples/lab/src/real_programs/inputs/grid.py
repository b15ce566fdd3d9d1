# A square grid as a graph, in the format of Scotch.
SIDE = 40

places = [(row, column) for row in range(SIDE) for column in range(SIDE)]
near = [(-1, 0), (1, 0), (0, -1), (0, 1)]
neighbors = [[(row + down) * SIDE + column + across for down, across in near
              if 0 <= row + down < SIDE and 0 <= column + across < SIDE] for row, column in places]
print(f"0\n{len(places)} {sum(map(len, neighbors))}\n0 000")
for those in neighbors:
    print(len(those), *those)
