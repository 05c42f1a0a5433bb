"""Reads and writes .npy files without NumPy, for tests."""
import ast
import struct


def read(path):
    """Description, shape and the bytes of the elements."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    length, = struct.unpack("<H", data[8:10])
    assert (10 + length) % 64 == 0 and data[10 + length - 1:10 + length] == b"\n"
    header = ast.literal_eval(data[10:10 + length].decode())
    assert sorted(header) == ["descr", "fortran_order", "shape"] and header["fortran_order"] is False
    return header["descr"], header["shape"], data[10 + length:]


def write(path, descr, shape, data, version=1, fortran=False, header=None, magic=b"\x93NUMPY"):
    """`header` replaces the text of the dictionary."""
    text = header if header is not None else repr(
        {"descr": descr, "fortran_order": fortran, "shape": tuple(shape)})
    prefix = 10 if version == 1 else 12
    raw = text.encode() + b" " * (-(prefix + len(text) + 1) % 64) + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(raw))
    with open(path, "wb") as file:
        file.write(magic + bytes([version, 0]) + length + raw + data)
