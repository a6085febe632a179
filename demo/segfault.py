"""Assembles the rows of a scanned slide from the tiles that a cache holds in memory."""

import ctypes

TILE_BYTES = 64 * 64 * 3
ROWS, COLUMNS = 4, 4


def fill_cache():
    """The cache maps (row, column) to a tile; the scanner skipped the last tile of row 2."""
    tiles = {}
    for row in range(ROWS):
        for column in range(COLUMNS):
            if (row, column) != (2, 3):
                tiles[row, column] = ctypes.create_string_buffer(TILE_BYTES)
    return tiles


def decode_tile(tiles, row, column):
    pixels = ctypes.create_string_buffer(TILE_BYTES)
    ctypes.memmove(pixels, tiles.get((row, column)), TILE_BYTES)
    return pixels.raw


def read_row(tiles, row):
    pixels = b""
    for column in range(COLUMNS):
        pixels += decode_tile(tiles, row, column)
    return pixels


def export_slide(tiles):
    for row in range(ROWS):
        print("row {}: {} bytes".format(row, len(read_row(tiles, row))), flush=True)


if __name__ == "__main__":
    export_slide(fill_cache())
