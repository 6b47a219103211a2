"""Reads the record of a block (tributary run --record-block PLACE --record DIR), for test benches in Python such as cocotb.

    record = Record("combinator")
    for access in record:
        await drive(access.time, access.lanes(access.request["operand0"]))
        assert await sample() == access.lanes(access.answer["sum"])

    for beat in record.beats("m"):
        got = {name: int(getattr(dut, f"m_{name}").value) for name in beat.values}
        assert not beat.differs(got)
"""
import json
import pathlib
import struct

# Element type -> format of struct; bf16 is the upper half of a float.
FORMATS = {"f64": "d", "f32": "f", "f16": "e", "i8": "b", "i16": "h", "i32": "i", "i64": "q"}


class Access:
    """One transaction: `time`, `interval` and `latency` in ps, `ticket`, and the fields of `request` and `answer` by name."""

    def __init__(self, line):
        self.time, self.ticket = line["time"], line["ticket"]
        self.request, self.answer = line["request"], line["answer"]
        self.interval, self.latency = line["interval"], line["latency"]

    @property
    def type(self):
        """Element type of the data; i8 if the request names none."""
        return self.request.get("type", self.request.get("packet.type", "i8"))

    def lanes(self, data):
        """Returns the elements of a field of data as numbers."""
        raw = bytes.fromhex(data)
        if self.type == "bf16":
            return [struct.unpack("<f", b"\0\0" + raw[i:i + 2])[0] for i in range(0, len(raw), 2)]
        return list(struct.unpack(f"<{len(raw) // struct.calcsize(FORMATS[self.type])}{FORMATS[self.type]}", raw))


class Beat:
    """A line of a channel: `edge`, the columns by name in `values`, as whole numbers, and in `masks` the bits that count."""

    def __init__(self, columns, line):
        words = line.split()
        numbers = [int(word, 10 if name == "edge" or (bits < 64 and name != "mask") else 16) for (name, bits), word in zip(columns, words, strict=True)]
        self.edge = numbers[0]
        self.values, self.masks = {}, {}
        fields = [column for column in columns[1:] if column[0] != "mask"]
        mask = numbers[-1] if columns[-1][0] == "mask" else (1 << sum(bits for _, bits in fields)) - 1
        for (name, bits), number in reversed(list(zip(fields, numbers[1:]))):
            self.values[name], self.masks[name] = number, mask & ((1 << bits) - 1)
            mask >>= bits

    def differs(self, got):
        """Returns the columns in which numbers by name differ from this beat."""
        return [name for name, value in self.values.items() if (got[name] ^ value) & self.masks[name]]


class Record:
    """A record. An iteration yields each Access, and None where the block is reset."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        header = json.loads((self.folder / "record.json").read_text())
        if header["format"] != 1:
            raise ValueError(f"{self.folder}: format {header['format']} (legal: 1)")
        self.block, self.place, self.clock_ps = header["block"], header["place"], header["clock_ps"]
        self.config, self.transactions = header["config"], header["transactions"]
        self.files = header.get("beats", {}).get("files", [])

    def __iter__(self):
        with open(self.folder / "transactions.jsonl", encoding="utf-8") as lines:
            for text in lines:
                line = json.loads(text)
                yield None if "reset" in line else Access(line)

    def beats(self, channel, unit=0):
        """Yields each Beat of a channel of the block's pins. A channel without beats has no file."""
        for file in self.files:
            if (file["channel"], file["unit"]) == (channel, unit):
                columns = [(column["name"], column["bits"]) for column in file["columns"]]
                with open(self.folder / file["file"], encoding="utf-8") as lines:
                    for line in lines:
                        yield Beat(columns, line)
