//===- FloatText.h - How the language writes its numbers --------*- C++ -*-===//
#ifndef LOOM_SUPPORT_FLOATTEXT_H
#define LOOM_SUPPORT_FLOATTEXT_H

#include "llvm/Support/raw_ostream.h"

namespace loom {

/// Writes a finite `number` with the fewest digits that read back as the same double: as `120.0`
/// from 1e-6 up to below 1e16, as `1e+16` outside. There is always a `.` or an exponent.
void writeFloat(llvm::raw_ostream &os, double number);

} // namespace loom

#endif // LOOM_SUPPORT_FLOATTEXT_H
