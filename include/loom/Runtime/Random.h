//===- Random.h - The generator behind random tensors -----------*- C++ -*-===//
#ifndef LOOM_RUNTIME_RANDOM_H
#define LOOM_RUNTIME_RANDOM_H

#include <cstdint>

namespace loom::runtime {

/// xoroshiro128** with the rotations 24, 16 and 37 (Blackman and Vigna, "Scrambled Linear
/// Pseudorandom Number Generators", 2018). Its two state words are the first two outputs of
/// splitmix64 (Steele, Lea and Flood, 2014) that starts at the seed. Never all zero: splitmix64
/// maps distinct states to distinct outputs.
class Xoroshiro128 {
public:
  explicit Xoroshiro128(uint64_t seed) : state{splitMix(seed), splitMix(seed)} {}

  /// 64 random bits.
  uint64_t next() {
    uint64_t first = state[0], second = state[1] ^ state[0];
    state[0] = rotate(first, 24) ^ second ^ (second << 16);
    state[1] = rotate(second, 37);
    return rotate(first * 5, 7) * 9;
  }

  /// A number in [0, 1): the upper 53 of 64 random bits as a fraction.
  double nextUnit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
  static uint64_t rotate(uint64_t x, unsigned by) { return x << by | x >> (64 - by); }
  static uint64_t splitMix(uint64_t &counter) {
    uint64_t z = counter += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

  uint64_t state[2];
};

} // namespace loom::runtime

#endif // LOOM_RUNTIME_RANDOM_H
