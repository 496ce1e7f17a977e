import numpy as np

from carozero.samples import symmetry


def test_quarter_turn_and_transpose_as_array_operations():
    size = 6
    board = np.arange(size**2).reshape(size, size)  # indexed [y, x]
    for s in range(8):
        want = np.rot90(board.T if s >= 4 else board, -(s % 4))
        got = symmetry.apply(board.reshape(1, -1), np.array([s]), size)
        np.testing.assert_array_equal(got[0], want.reshape(-1))


def test_apply_moves_each_row_by_its_own_symmetry():
    size, random = 5, np.random.default_rng(1)
    cells = random.integers(0, 100, (40, 3, size**2))
    symmetries = random.integers(0, 8, 40)
    moved = symmetry.apply(cells, symmetries, size)
    for row, s in enumerate(symmetries):
        for cell in range(size**2):
            image = symmetry.transform(size, s, cell)
            np.testing.assert_array_equal(moved[row, :, image], cells[row, :, cell])
