"""A terminal that understands kitty's pictures and sixel, as far as a test of them needs it."""

from __future__ import annotations

import re
from base64 import b64decode
from io import BytesIO
from typing import Final

from PIL import Image
from rich.cells import cell_len

PLACE: Final = "\U0010eeee"
_PART: Final = re.compile(
    r"\x1b_G(?P<kitty>[^\x1b]*)\x1b\\"
    r"|\x1bP(?P<sixel>[0-9;]*q[^\x1b]*)\x1b\\"
    r"|\x1b\[(?P<codes>[?0-9;:<>=]*)(?P<final>[@-~])"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()].|\x1b."
    r"|(?P<char>[^\x1b])",
    re.DOTALL,
)


class Cell:
    """What stands in one cell."""

    def __init__(self, text: str = " ", colour: tuple[int, ...] = ()) -> None:
        self.text = text
        self.colour = colour


class KittyTerminal:
    """Rows of cells and the pictures that were sent.

    Args:
        columns: Its width.
        rows: Its height.
        numbers: Diacritics by the number each stands for.
    """

    def __init__(self, columns: int, rows: int, numbers: list[int]) -> None:
        self.columns, self.rows = columns, rows
        self.cells = [[Cell() for _ in range(columns)] for _ in range(rows)]
        self.pictures: dict[int, Image.Image] = {}
        self.placed: dict[int, tuple[int, int]] = {}
        """Id -> columns and rows of its virtual placement."""
        self.deleted: list[int] = []
        self.sixels: list[tuple[int, int]] = []
        """Row and column of each."""
        self._numbers = {chr(code): number for number, code in enumerate(numbers)}
        self._parts: dict[int, str] = {}
        self._row = self._column = 0
        self._colour: tuple[int, ...] = ()

    def feed(self, data: str) -> None:
        """Do what a program says."""
        for part in _PART.finditer(data):
            if part["kitty"] is not None:
                self._graphics(part["kitty"])
            elif part["sixel"] is not None:
                self.sixels.append((self._row, self._column))
            elif part["final"] == "m":
                self._style(part["codes"])
            elif part["final"] in ("H", "f"):
                row, _, column = part["codes"].partition(";")
                self._row, self._column = int(row or 1) - 1, int(column or 1) - 1
            elif part["final"] == "G":
                self._column = int(part["codes"] or 1) - 1
            elif part["final"] == "J" or (part["final"] == "h" and part["codes"] == "?1049"):
                self.cells = [[Cell() for _ in range(self.columns)] for _ in range(self.rows)]
            elif part["char"]:
                self._write(part["char"])

    def _write(self, char: str) -> None:
        if char == "\n":
            self._row += 1
        elif char == "\r":
            self._column = 0
        elif char in self._numbers or not cell_len(char):
            if 0 < self._column <= self.columns and self._row < self.rows:
                self.cells[self._row][self._column - 1].text += char
        elif char >= " " and self._row < self.rows and self._column < self.columns:
            width = 1 if char == PLACE else cell_len(char)
            for column in range(self._column, min(self._column + width, self.columns)):
                self.cells[self._row][column] = Cell("", self._colour)
            self.cells[self._row][self._column].text = char
            self._column += width

    def _style(self, codes: str) -> None:
        if codes in ("", "0"):
            self._colour = ()
        elif found := re.search(r"(?:^|;)38;2;(\d+);(\d+);(\d+)", codes):
            self._colour = tuple(map(int, found.groups()))
        elif re.search(r"(?:^|;)(?:0|39)(?:;|$)", codes):
            self._colour = ()

    def _graphics(self, said: str) -> None:
        keys, _, payload = said.partition(";")
        told = dict(pair.split("=", 1) for pair in keys.split(","))
        identity = int(told.get("i", "0"))
        if told.get("a", "t") == "t":
            self._parts[identity] = self._parts.get(identity, "") + payload
            if told.get("m", "0") == "0":
                picture = Image.open(BytesIO(b64decode(self._parts.pop(identity))))
                picture.load()
                self.pictures[identity] = picture
        elif told["a"] == "p" and told.get("U") == "1":
            self.placed[identity] = (int(told["c"]), int(told["r"]))
        elif told["a"] == "d" and told.get("d") == "I":
            self.deleted.append(identity)
            self.pictures.pop(identity, None)
            self.placed.pop(identity, None)

    def shown(self) -> dict[int, list[list[tuple[int, int]]]]:
        """Return the pictures on the screen: id -> rows of (row, column) of the picture's cells.

        A stretch of a row is one list; what is cut or out of order shows in the numbers.
        """
        found: dict[int, list[list[tuple[int, int]]]] = {}
        for row in self.cells:
            here: dict[int, list[tuple[int, int]]] = {}
            for cell in row:
                if cell.text.startswith(PLACE):
                    numbers = [self._numbers[char] for char in cell.text[1:]]
                    high = numbers[2] if len(numbers) > 2 else 0
                    red, green, blue = cell.colour
                    identity = high << 24 | red << 16 | green << 8 | blue
                    here.setdefault(identity, []).append((numbers[0], numbers[1]))
            for identity, cells in here.items():
                found.setdefault(identity, []).append(cells)
        return found
