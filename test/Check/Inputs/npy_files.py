"""Writes arrays, good ones and bad ones, into a folder: npy_files.py FOLDER."""
import os
import struct
import sys

import npy

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
FLOATS = struct.pack("<6f", 0, 1, 2, 3, 4, 5)


def write(name, *arguments, **more):
    npy.write(os.path.join(folder, name), *arguments, **more)


write("floats.npy", "<f4", (2, 3), FLOATS)
write("version2.npy", "=f4", (2, 3), FLOATS, version=2)
write("version3.npy", "<f4", (2, 3), FLOATS, version=3)
write("swapped.npy", ">f4", (2, 3), struct.pack(">6f", 0, 1, 2, 3, 4, 5))
write("quoted.npy", None, None, FLOATS,
      header="{\"shape\":(2L, 3L ,),'fortran_order' : False ,'descr':\"<f4\"}   ")
write("unsigned.npy", "<u2", (3,), struct.pack("<3H", 1, 40000, 65535))
write("bytes.npy", "|V2", (2,), b"\x80\x3f\x00\xc0")
write("small.npy", "|V1", (2,), b"\x38\xc0")
write("column.npy", "<f4", (3, 1), FLOATS[:12], fortran=True)
write("rank0.npy", "<f8", (), struct.pack("<d", 2.5))
write("empty.npy", "<f4", (0, 3), b"")

write("doubles.npy", "<f8", (2, 3), struct.pack("<6d", 0, 1, 2, 3, 4, 5))
write("structure.npy", None, None, FLOATS,
      header="{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 3)}")
write("fortran.npy", "<f4", (2, 3), FLOATS, fortran=True)
write("transposed.npy", "<f4", (3, 2), FLOATS)
write("flat.npy", "<f4", (6,), FLOATS)
write("short.npy", "<f4", (2, 3), FLOATS[:-1])
write("long.npy", "<f4", (2, 3), FLOATS + b"\0")
write("huge.npy", "<f4", (2**62, 3), FLOATS)
write("negative.npy", "<f4", (-2, 3), FLOATS)
write("magic.npy", "<f4", (2, 3), FLOATS, magic=b"\x93NUMPX")
write("future.npy", "<f4", (2, 3), FLOATS, version=4)
write("no_shape.npy", None, None, FLOATS, header="{'descr': '<f4', 'fortran_order': False}")
write("twice.npy", None, None, FLOATS, header="{'descr': '<f4', 'descr': '<f4', 'shape': (2, 3)}")
write("other_key.npy", None, None, FLOATS, header="{'order': 'C'}")
write("open.npy", None, None, FLOATS, header="{'descr': '<f4")
write("behind.npy", None, None, FLOATS,
      header="{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} + {}")
write("order.npy", None, None, FLOATS, header="{'fortran_order': 0}")
with open(os.path.join(folder, "header.npy"), "wb") as file:
    file.write(b"\x93NUMPY\x01\x00\xff\x00{'descr': '<f4'")
with open(os.path.join(folder, "prefix.npy"), "wb") as file:
    file.write(b"\x93NUMPY\x02\x00\x01")
with open(os.path.join(folder, "nothing.npy"), "wb") as file:
    pass
