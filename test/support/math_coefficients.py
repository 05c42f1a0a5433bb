#!/usr/bin/env python3
"""Writes lib/Target/Common/LowerMathCoefficients.h: the numbers of Loom's mathematical functions.

Every polynomial is the minimax approximation of its function on its interval, found by Remez'
exchange in 60 digits and rounded coefficient by coefficient. Needs mpmath (Debian: python3-mpmath);
neither the build nor the tests run it. To renew the header:

    python3 test/support/math_coefficients.py | clang-format-22 --style=file > coefficients.h

The largest error of each polynomial goes to standard error, as a power of two of the function that
it is a part of.
"""
import struct
import sys

from mpmath import mp, mpf

mp.dps = 60


def remez(function, weight, low, high, degree):
    """The polynomial with the smallest maximum of |weight * (p - function)|; and that maximum."""
    low, high = mpf(low), mpf(high)
    count = degree + 2
    points = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / (count - 1)) for i in range(count)]
    steps = 40 * count
    grid = [low + (high - low) * (1 - mp.cos(mp.pi * i / steps)) / 2 for i in range(steps + 1)]
    values = [(x, function(x), weight(x)) for x in grid]
    for _ in range(12):
        rows = mp.matrix(count, count)
        right = mp.matrix(count, 1)
        for row, x in enumerate(points):
            for column in range(degree + 1):
                rows[row, column] = x**column
            rows[row, degree + 1] = (-1) ** row / weight(x)
            right[row] = function(x)
        solution = mp.lu_solve(rows, right)
        coefficients = [solution[i] for i in range(degree + 1)]
        level = abs(solution[degree + 1])
        errors = [(w * (mp.polyval(coefficients[::-1], x) - f), x) for x, f, w in values]
        # The largest error between two changes of sign.
        peaks = []
        for error, x in errors:
            if peaks and (error >= 0) == (peaks[-1][0] >= 0):
                if abs(error) > abs(peaks[-1][0]):
                    peaks[-1] = (error, x)
            else:
                peaks.append((error, x))
        while len(peaks) > count:
            peaks.pop(0 if abs(peaks[0][0]) < abs(peaks[-1][0]) else -1)
        largest = max(abs(error) for error, _ in errors)
        if len(peaks) < count or largest < level * mpf("1.001"):
            break
        points = [x for _, x in peaks]
    return coefficients, largest


def single(x):
    """`x` rounded to f32."""
    exponent = mp.floor(mp.log(abs(x), 2)) if x else mpf(0)
    scale = mpf(2) ** (23 - exponent)
    return mp.nint(x * scale) / scale


def double(x):
    return mpf(float(x))


def upper(x, bits):
    """`x` cut after `bits` significant bits."""
    scale = mpf(2) ** (bits - 1 - mp.floor(mp.log(abs(x), 2)))
    return mp.floor(x * scale) / scale


def split(x, rounding, bits=None):
    """Two or more parts whose sum is `x`: the first has at most `bits` bits."""
    first = upper(x, bits) if bits else rounding(x)
    second = rounding(x - first)
    return first, second, rounding(x - first - second)


def erfcx(x):
    return mp.exp(x * x) * mp.erfc(x)


def series(term, z):
    """A power series in small `z`, where the closed form would cancel."""
    return mp.nsum(lambda n: term(int(n)) * z**n, [0, mp.inf]) if z else mpf(term(0))


half = mpf(1) / 2
quarter_turn = mp.pi / 4 * mpf("1.0001")
log_reach = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.0001")
atan_reach = mp.tan(mp.pi / 8) ** 2 * mpf("1.0001")
exp_reach = mp.log(2) / 2 * mpf("1.0001")
ERFC_CENTER = mpf(3)

POLYNOMIALS = [
    # name, comment, function, weight, interval, degrees of (f32, f64)
    ("exp", "(exp(r) - 1 - r) / r^2 of r up to ln(2)/2",
     lambda r: (mp.exp(r) - 1 - r) / r**2 if abs(r) > mpf(10)**-20 else half + r / 6,
     lambda r: r**2 / mp.exp(r) + mpf(10)**-4, -exp_reach, exp_reach, (4, 9)),
    ("log", "(2 atanh(s) - 2 s) / s^3 of s^2 = z, s up to (sqrt(2) - 1) / (sqrt(2) + 1)",
     lambda z: series(lambda n: mpf(2) / (2 * n + 3), z),
     lambda z: z / 2 + mpf(10)**-4, 0, log_reach, (2, 6)),
    ("logTail", "the same from the second term on: (2 atanh(s) - 2 s - 2/3 s^3) / s^5",
     lambda z: series(lambda n: mpf(2) / (2 * n + 5), z),
     lambda z: z**2 / 2 + mpf(10)**-6, 0, log_reach, (3, 7)),
    ("sin", "(sin(r) - r) / r^3 of r^2 = z, r up to pi/4",
     lambda z: series(lambda n: mpf(-1)**(n + 1) / mp.factorial(2 * n + 3), z),
     lambda z: z + mpf(10)**-3, 0, quarter_turn**2, (2, 5)),
    ("cos", "(cos(r) - 1 + r^2 / 2) / r^4 of r^2 = z, r up to pi/4",
     lambda z: series(lambda n: mpf(-1)**n / mp.factorial(2 * n + 4), z),
     lambda z: z**2 + mpf(10)**-3, 0, quarter_turn**2, (2, 5)),
    ("atan", "(atan(t) - t) / t^3 of t^2 = z, t up to tan(pi/8)",
     lambda z: series(lambda n: mpf(-1)**(n + 1) / (2 * n + 3), z),
     lambda z: z + mpf(10)**-3, 0, atan_reach, (4, 11)),
    ("asin", "(asin(s) - s) / s^3 of s^2 = z, s up to 1/2",
     lambda z: series(lambda n: mp.binomial(2 * n + 2, n + 1) / mpf(4)**(n + 1) / (2 * n + 3), z),
     lambda z: z + mpf(10)**-3, 0, mpf("0.25") * mpf("1.0001"), (4, 11)),
    ("erf", "(erf(x) - x) / x of x^2 = z, x up to 1",
     lambda z: 2 / mp.sqrt(mp.pi) * series(lambda n: mpf(-1)**n / (mp.factorial(n) * (2 * n + 1)), z) - 1,
     lambda z: mpf(1), 0, mpf("1.001"), (7, 14)),
    ("erfc", "exp(x^2) erfc(x) (1 + 2 x) of t = (x - 3) / (x + 3), x from 1/2 on",
     lambda t: erfcx(ERFC_CENTER * (1 + t) / (1 - t)) * (1 + 2 * ERFC_CENTER * (1 + t) / (1 - t)),
     lambda t: mpf(1), (half - 3 - mpf("0.001")) / (half + 3),
     (mpf("10.2"), mpf(28)), (10, 23)),
]


def show(value):
    return float(value).hex()


def table(name, comment, values):
    text = f"/// {comment}.\ninline constexpr double {name}[] = {{"
    line = "\n   "
    lines = []
    for value in values:
        piece = f" {show(value)},"
        if len(line) + len(piece) > 98:
            lines.append(line)
            line = "\n   "
        line += piece
    lines.append(line)
    print(text + "".join(lines).rstrip(",") + "};")


def polynomials(index, rounding):
    for name, comment, function, weight, low, high, degrees in POLYNOMIALS:
        if isinstance(high, tuple):
            top = high[index]
            high = (top - 3) / (top + 3)
        coefficients, error = remez(function, weight, low, high, degrees[index])
        print(f"{'f32' if index == 0 else 'f64'} {name}: 2^{mp.nstr(mp.log(error, 2), 4)}", file=sys.stderr)
        table(name, comment, [rounding(c) for c in coefficients])


def constants(index, rounding):
    bits = (24, 53)[index]
    # As many bits less as the number that they are multiplied with has, so that the product is
    # exact.
    exponent_bits = (8, 11)[index]
    ln2 = mp.log(2)
    table("ln2", "ln(2); products of the first part with an exponent are exact",
          split(ln2, rounding, bits - exponent_bits))
    table("log10Of2", "log10(2), likewise", split(mp.log10(2), rounding, bits - exponent_bits))
    table("ln2Full", "ln(2) in full parts", split(ln2, rounding)[:2])
    table("log2OfE", "1 / ln(2)", split(1 / ln2, rounding)[:2])
    table("log10OfE", "1 / ln(10)", split(1 / mp.log(10), rounding)[:2])
    table("twoThirds", "2/3", split(mpf(2) / 3, rounding)[:2])
    table("third", "1/3", split(mpf(1) / 3, rounding)[:2])
    table("halfPi", "pi/2", split(mp.pi / 2, rounding))
    table("quarterPi", "pi/4; products of the first part with 2, 3 and 4 are exact",
          split(mp.pi / 4, rounding, bits - 2)[:2])
    table("twoPi", "2 pi", split(2 * mp.pi, rounding)[:2])
    table("rootHalf", "sqrt(1/2)", split(mp.sqrt(half), rounding)[:2])


print("""//===- LowerMathCoefficients.h - Numbers of LowerMath.cpp -------*- C++ -*-===//
//
// Written by test/support/math_coefficients.py, which says how they are found. Coefficients of
// polynomials begin with the constant one.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERMATHCOEFFICIENTS_H
#define LOOM_LIB_TARGET_COMMON_LOWERMATHCOEFFICIENTS_H

#include <cstdint>

namespace loom::lowering::coefficients {
""")
for index, (space, rounding) in enumerate((("f32", single), ("f64", double))):
    print(f"namespace {space} {{\n")
    constants(index, rounding)
    print()
    polynomials(index, rounding)
    print(f"\n}} // namespace {space}\n")
WORDS = 37
mp.prec = 32 * WORDS + 64
digits = int(mp.floor(2 / mp.pi * mpf(2) ** (32 * WORDS)))
words = [(digits >> (32 * (WORDS - 1 - i))) & 0xFFFFFFFF for i in range(WORDS)]
print("/// The binary places of 2/pi, 32 in a word, behind 32 zeros.")
print("inline constexpr uint32_t twoOverPi[] = {")
line = "   "
for word in [0] + words:
    piece = f" 0x{word:08x},"
    if len(line) + len(piece) > 98:
        print(line)
        line = "   "
    line += piece
print(line.rstrip(",") + "};")
print("""
} // namespace loom::lowering::coefficients

#endif // LOOM_LIB_TARGET_COMMON_LOWERMATHCOEFFICIENTS_H""")
