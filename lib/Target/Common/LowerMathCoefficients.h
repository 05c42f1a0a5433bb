//===- LowerMathCoefficients.h - Numbers of LowerMath.cpp -------*- C++ -*-===//
//
// Written by test/support/math_coefficients.py, which says how they are found. Coefficients of
// polynomials begin with the constant one.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_TARGET_COMMON_LOWERMATHCOEFFICIENTS_H
#define LOOM_LIB_TARGET_COMMON_LOWERMATHCOEFFICIENTS_H

#include <cstdint>

namespace loom::lowering::coefficients {

namespace f32 {

/// ln(2); products of the first part with an exponent are exact.
inline constexpr double ln2[] = {0x1.62e4000000000p-1, 0x1.7f7d1c0000000p-20,
                                 0x1.ef357a0000000p-45};
/// log10(2), likewise.
inline constexpr double log10Of2[] = {0x1.3440000000000p-2, 0x1.3509f80000000p-18,
                                      -0x1.80433c0000000p-44};
/// ln(2) in full parts.
inline constexpr double ln2Full[] = {0x1.62e4300000000p-1, -0x1.05c6100000000p-29};
/// 1 / ln(2).
inline constexpr double log2OfE[] = {0x1.7154760000000p+0, 0x1.4ae0c00000000p-26};
/// 1 / ln(10).
inline constexpr double log10OfE[] = {0x1.bcb7b20000000p-2, -0x1.5b235e0000000p-27};
/// 2/3.
inline constexpr double twoThirds[] = {0x1.5555560000000p-1, -0x1.5555560000000p-26};
/// 1/3.
inline constexpr double third[] = {0x1.5555560000000p-2, -0x1.5555560000000p-27};
/// pi/2.
inline constexpr double halfPi[] = {0x1.921fb60000000p+0, -0x1.777a5c0000000p-25,
                                    -0x1.ee59da0000000p-50};
/// pi/4; products of the first part with 2, 3 and 4 are exact.
inline constexpr double quarterPi[] = {0x1.921fb00000000p-1, 0x1.5110b40000000p-23};
/// 2 pi.
inline constexpr double twoPi[] = {0x1.921fb60000000p+2, -0x1.777a5c0000000p-23};
/// sqrt(1/2).
inline constexpr double rootHalf[] = {0x1.6a09e60000000p-1, 0x1.9fcef40000000p-27};

/// (exp(r) - 1 - r) / r^2 of r up to ln(2)/2.
inline constexpr double exp[] = {0x1.fffffc0000000p-2, 0x1.5554920000000p-3, 0x1.5558ee0000000p-5,
                                 0x1.1239d40000000p-7, 0x1.6a25f80000000p-10};
/// (2 atanh(s) - 2 s) / s^3 of s^2 = z, s up to (sqrt(2) - 1) / (sqrt(2) + 1).
inline constexpr double log[] = {0x1.55557a0000000p-1, 0x1.995f4c0000000p-2, 0x1.31d60c0000000p-2};
/// the same from the second term on: (2 atanh(s) - 2 s - 2/3 s^3) / s^5.
inline constexpr double logTail[] = {0x1.9999980000000p-2, 0x1.24936e0000000p-2,
                                     0x1.c65b320000000p-3, 0x1.8e98340000000p-3};
/// (sin(r) - r) / r^3 of r^2 = z, r up to pi/4.
inline constexpr double sin[] = {-0x1.5555460000000p-3, 0x1.1107660000000p-7,
                                 -0x1.994fe40000000p-13};
/// (cos(r) - 1 + r^2 / 2) / r^4 of r^2 = z, r up to pi/4.
inline constexpr double cos[] = {0x1.55554a0000000p-5, -0x1.6c0c9c0000000p-10,
                                 0x1.9a067e0000000p-16};
/// (atan(t) - t) / t^3 of t^2 = z, t up to tan(pi/8).
inline constexpr double atan[] = {-0x1.55554a0000000p-2, 0x1.9991ea0000000p-3,
                                  -0x1.23ba680000000p-3, 0x1.b231460000000p-4,
                                  -0x1.f32aa00000000p-5};
/// (asin(s) - s) / s^3 of s^2 = z, s up to 1/2.
inline constexpr double asin[] = {0x1.5555c60000000p-3, 0x1.33025a0000000p-4, 0x1.74763c0000000p-5,
                                  0x1.8c61fe0000000p-6, 0x1.5948a80000000p-5};
/// (erf(x) - x) / x of x^2 = z, x up to 1.
inline constexpr double erf[] = {
    0x1.06eba80000000p-3, -0x1.8127460000000p-2,  0x1.ce2f0a0000000p-4,  -0x1.b829d60000000p-6,
    0x1.562aec0000000p-8, -0x1.bcd59a0000000p-11, 0x1.d8aa3e0000000p-14, -0x1.44ac720000000p-17};
/// exp(x^2) erfc(x) (1 + 2 x) of t = (x - 3) / (x + 3), x from 1/2 on.
inline constexpr double erfc[] = {
    0x1.40c5220000000p+0,  -0x1.15c0840000000p-3,  -0x1.85a18a0000000p-5, 0x1.0983560000000p-3,
    -0x1.e8894c0000000p-4, 0x1.17ccde0000000p-4,   -0x1.85c2020000000p-6, 0x1.489c780000000p-9,
    0x1.0033880000000p-9,  -0x1.6bd2c40000000p-11, -0x1.87f6dc0000000p-13};

} // namespace f32

namespace f64 {

/// ln(2); products of the first part with an exponent are exact.
inline constexpr double ln2[] = {0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45,
                                 0x1.f97b57a079a19p-103};
/// log10(2), likewise.
inline constexpr double log10Of2[] = {0x1.34413509f7800p-2, 0x1.fef311f12b358p-46,
                                      0x1.6f922f04d5a62p-102};
/// ln(2) in full parts.
inline constexpr double ln2Full[] = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
/// 1 / ln(2).
inline constexpr double log2OfE[] = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
/// 1 / ln(10).
inline constexpr double log10OfE[] = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
/// 2/3.
inline constexpr double twoThirds[] = {0x1.5555555555555p-1, 0x1.5555555555555p-55};
/// 1/3.
inline constexpr double third[] = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
/// pi/2.
inline constexpr double halfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                    -0x1.f1976b7ed8fbcp-110};
/// pi/4; products of the first part with 2, 3 and 4 are exact.
inline constexpr double quarterPi[] = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
/// 2 pi.
inline constexpr double twoPi[] = {0x1.921fb54442d18p+2, 0x1.1a62633145c07p-52};
/// sqrt(1/2).
inline constexpr double rootHalf[] = {0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55};

/// (exp(r) - 1 - r) / r^2 of r up to ln(2)/2.
inline constexpr double exp[] = {
    0x1.000000000000ap-1,  0x1.55555555554fap-3,  0x1.55555555508bep-5,  0x1.1111111127ad2p-7,
    0x1.6c16c1841e55ap-10, 0x1.a01a012a98818p-13, 0x1.a0199a27b9880p-16, 0x1.71df24ef1646cp-19,
    0x1.28ad5c8a112f2p-22, 0x1.ad7fd5ca1da71p-26};
/// (2 atanh(s) - 2 s) / s^3 of s^2 = z, s up to (sqrt(2) - 1) / (sqrt(2) + 1).
inline constexpr double log[] = {0x1.555555555558bp-1, 0x1.9999999981c6dp-2, 0x1.24924940840ebp-2,
                                 0x1.c71c530ce5bc2p-3, 0x1.74660f1a8b520p-3, 0x1.39a6220c54e6fp-3,
                                 0x1.2edc4e8d1d72ap-3};
/// the same from the second term on: (2 atanh(s) - 2 s - 2/3 s^3) / s^5.
inline constexpr double logTail[] = {
    0x1.9999999999998p-2, 0x1.2492492492b73p-2, 0x1.c71c71c5fa908p-3, 0x1.745d17ff9c73fp-3,
    0x1.3b136ea24be09p-3, 0x1.111f1b2153259p-3, 0x1.de6e5e0d87fd7p-4, 0x1.e950c0d4c6112p-4};
/// (sin(r) - r) / r^3 of r^2 = z, r up to pi/4.
inline constexpr double sin[] = {-0x1.5555555555549p-3,  0x1.111111110f8ccp-7,
                                 -0x1.a01a019c19dc8p-13, 0x1.71de357dd19aep-19,
                                 -0x1.ae5e6a6cb5130p-26, 0x1.5d94180074869p-33};
/// (cos(r) - 1 + r^2 / 2) / r^4 of r^2 = z, r up to pi/4.
inline constexpr double cos[] = {0x1.555555555554ep-5,  -0x1.6c16c16c1551dp-10,
                                 0x1.a01a019d009f7p-16, -0x1.27e4f83cc7e9ap-22,
                                 0x1.1eea0b44b7e75p-29, -0x1.8fbd8843b6b98p-37};
/// (atan(t) - t) / t^3 of t^2 = z, t up to tan(pi/8).
inline constexpr double atan[] = {
    -0x1.5555555555555p-2, 0x1.99999999996fep-3, -0x1.2492492479d28p-3, 0x1.c71c71b91652cp-4,
    -0x1.745d14f1c5336p-4, 0x1.3b13728c6f08cp-4, -0x1.110cacad33c4dp-4, 0x1.e17605195cf1cp-5,
    -0x1.ab953b539b527p-5, 0x1.71468105973d6p-5, -0x1.12f9276119b2bp-5, 0x1.f4c8a0ffb7e28p-7};
/// (asin(s) - s) / s^3 of s^2 = z, s up to 1/2.
inline constexpr double asin[] = {
    0x1.55555555553e7p-3, 0x1.33333333671aap-4, 0x1.6db6db4640580p-5,  0x1.f1c72b376eeaep-6,
    0x1.6e8a08d301e32p-6, 0x1.1c6ad341e841cp-6, 0x1.c7103d7891efbp-7,  0x1.8e5617ea8748dp-7,
    0x1.af2557448994cp-8, 0x1.3dde60681d972p-6, -0x1.06cee9bff57d7p-6, 0x1.047823ad68fb8p-5};
/// (erf(x) - x) / x of x^2 = z, x up to 1.
inline constexpr double erf[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379e7p-2,  0x1.ce2f21a042be2p-4,  -0x1.b82ce31288b47p-6,
    0x1.565bcd0e6a2f2p-8,  -0x1.c02db40035fe5p-11, 0x1.f9a326f7ae238p-14, -0x1.f4d25bf9daae1p-17,
    0x1.b9e6c39136037p-20, -0x1.5f73c3df93ea4p-23, 0x1.fcbb331d10ad7p-27, -0x1.517ce9b404733p-30,
    0x1.9a10008ff998cp-34, -0x1.b40ef3fbfbceap-38, 0x1.3c01b9a51008fp-42};
/// exp(x^2) erfc(x) (1 + 2 x) of t = (x - 3) / (x + 3), x from 1/2 on.
inline constexpr double erfc[] = {
    0x1.40c522d7e4987p+0,  -0x1.15c084bb9e8f3p-3,  -0x1.85a15c58aa610p-5,  0x1.098366a5b46e2p-3,
    -0x1.e88b803a48985p-4, 0x1.17ca2877f0421p-4,   -0x1.8574c40c136e5p-6,  0x1.4b884e46770f4p-9,
    0x1.ef1bdd8601694p-10, -0x1.98db519391e6ap-11, -0x1.b91295039482cp-14, 0x1.065a47f745a56p-13,
    0x1.4c2f43530b208p-18, -0x1.513e20873817fp-16, -0x1.896591c6a1487p-21, 0x1.d25634d868947p-19,
    0x1.814c8d59a3cecp-22, -0x1.4d5f66c064042p-21, -0x1.331b8c99514edp-23, 0x1.ce201cb3f6374p-24,
    0x1.61c09aab48b85p-25, -0x1.304142c7e5ca4p-26, -0x1.ce889f37c44e4p-28, 0x1.517b7ef03779dp-29};

} // namespace f64

/// The binary places of 2/pi, 32 in a word, behind 32 zeros.
inline constexpr uint32_t twoOverPi[] = {
    0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5,
    0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff,
    0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7,
    0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046};

} // namespace loom::lowering::coefficients

#endif // LOOM_LIB_TARGET_COMMON_LOWERMATHCOEFFICIENTS_H
