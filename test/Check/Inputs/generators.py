"""Compares the files that generators.loom has written with what the reference says they hold.

  generators.py FOLDER

Everything is computed here anew: the random generator from its publication, conversions to narrow
floats by trying every pattern of the format.
"""
import bisect
import fractions
import math
import os
import struct
import sys

import npy

MASK = 2**64 - 1


def splitmix(state):
    z = (state + 0x9e3779b97f4a7c15) & MASK
    following = z
    z = ((z ^ z >> 30) * 0xbf58476d1ce4e5b9) & MASK
    z = ((z ^ z >> 27) * 0x94d049bb133111eb) & MASK
    return following, z ^ z >> 31


def xoroshiro(seed):
    seed, a = splitmix(seed & MASK)
    seed, b = splitmix(seed)

    def rotate(x, by):
        return (x << by | x >> (64 - by)) & MASK

    while True:
        yield (rotate(a * 5 & MASK, 7) * 9) & MASK
        b ^= a
        a, b = rotate(a, 24) ^ b ^ (b << 16 & MASK), rotate(b, 37)


def pattern_value(bits, exponent_bits, mantissa_bits, finite):
    """The number of a pattern as a fraction; None for NaN; an infinity as a float."""
    bias = 2**(exponent_bits - 1) - 1
    sign = -1 if bits >> (exponent_bits + mantissa_bits) else 1
    exponent = bits >> mantissa_bits & (2**exponent_bits - 1)
    mantissa = bits & (2**mantissa_bits - 1)
    if exponent == 2**exponent_bits - 1 and (not finite or mantissa == 2**mantissa_bits - 1):
        return None if finite or mantissa else sign * math.inf
    if exponent == 0:
        return sign * fractions.Fraction(mantissa, 2**mantissa_bits) * fractions.Fraction(2)**(1 - bias)
    return sign * (1 + fractions.Fraction(mantissa, 2**mantissa_bits)) * fractions.Fraction(2)**(exponent - bias)


class Narrow:
    def __init__(self, exponent_bits, mantissa_bits, finite):
        self.sign = 1 << (exponent_bits + mantissa_bits)
        self.table = []
        for bits in range(self.sign):
            value = pattern_value(bits, exponent_bits, mantissa_bits, finite)
            if isinstance(value, fractions.Fraction):
                self.table.append((value, bits))

    def encode(self, number):
        exact = fractions.Fraction(abs(number))
        # None of the tests comes near the largest number. Ties go to the even pattern.
        at = bisect.bisect(self.table, (exact, 0))
        near = self.table[max(at - 1, 0):at + 1]
        value, bits = min(near, key=lambda row: (abs(row[0] - exact), row[1] & 1))
        return bits | (self.sign if math.copysign(1, number) < 0 else 0)


FORMATS = {"f8E4M3": (Narrow(4, 3, True), "B", "|V1"), "f8E5M2": (Narrow(5, 2, False), "B", "|V1"),
           "bf16": (Narrow(8, 7, False), "H", "<V2")}


def encode(kind, numbers):
    if kind in FORMATS:
        narrow, code, descr = FORMATS[kind]
        return descr, struct.pack(f"<{len(numbers)}{code}", *map(narrow.encode, numbers))
    code, descr = {"i8": ("b", "|i1"), "i16": ("h", "<i2"), "i32": ("i", "<i4"), "i64": ("q", "<i8"),
                   "index": ("q", "<i8"), "offset": ("Q", "<u8"), "f16": ("e", "<f2"),
                   "f32": ("f", "<f4"), "f64": ("d", "<f8")}[kind]
    return descr, struct.pack(f"<{len(numbers)}{code}", *numbers)


def draw_floats(seed, low, high, count):
    numbers = xoroshiro(seed)
    return [low + (next(numbers) >> 11) * 2.0**-53 * (high - low) for _ in range(count)]


def draw_integers(seed, low, high, count):
    numbers = xoroshiro(seed)
    return [low + next(numbers) % (high - low + 1) for _ in range(count)]


FLOATS = ["f8E4M3", "f8E5M2", "f16", "bf16", "f32", "f64"]
INTEGERS = ["i8", "i16", "i32", "i64", "index", "offset"]
EXPECTED = {}
for kind in FLOATS:
    EXPECTED[f"iota_{kind}"] = kind, (5, 7), [-2.0 + 0.375 * (i % 12) for i in range(35)]
    EXPECTED[f"fill_{kind}"] = kind, (3,), [-0.3] * 3
    EXPECTED[f"uniform_{kind}"] = kind, (4, 25), draw_floats(11, -2.0, 2.0, 100)
for kind in INTEGERS:
    EXPECTED[f"iota_{kind}"] = kind, (5, 7), [3 + 2 * (i % 12) for i in range(35)]
    EXPECTED[f"fill_{kind}"] = kind, (3,), [101] * 3
    EXPECTED[f"uniform_{kind}"] = kind, (4, 25), draw_integers(11, 3, 99, 100)
EXPECTED["down_i8"] = "i8", (256,), [127 - i for i in range(256)]
EXPECTED["powers_i8"] = "i8", (50,), draw_integers(-5, -128, 127, 50)
EXPECTED["all_i64"] = "i64", (9,), [n - 2**63 for n in
                                    [draw for draw, _ in zip(xoroshiro(2**63 - 1), range(9))]]


def main():
    folder = sys.argv[1]
    files = sorted(name[:-4] for name in os.listdir(folder) if name.endswith(".npy"))
    assert files == sorted(EXPECTED), set(files) ^ set(EXPECTED)
    for name, (kind, shape, numbers) in EXPECTED.items():
        expected = encode(kind, numbers)
        descr, found_shape, data = npy.read(os.path.join(folder, f"{name}.npy"))
        assert found_shape == shape, (name, found_shape)
        assert descr == expected[0], (name, descr)
        assert data == expected[1], (name, data.hex(), expected[1].hex())
    print(f"{len(EXPECTED)} files are as they should be")


main()
