//===- NearDims.h - Bounded searches for dynamic dims -----------*- C++ -*-===//
//
// loom::getDynamicDims follows chains of operations up to the one that fills a type. Verifier and
// printer have a PendingDimsScope and walk a chain once; what rewrites a program cannot keep one,
// since values come and go, and would walk all of the chain for each operation of it.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_IR_NEARDIMS_H
#define LOOM_IR_NEARDIMS_H

namespace loom {

/// While it is open, and no PendingDimsScope is, the searches of this thread pass `steps` values in
/// all and find nothing behind them. For one question whose answer may be "not known", such as
/// whether an extent is zero: what is zero is replaced from the beginning of a chain to its end, so
/// the answer is near. Extents that were not found must not be compared.
class NearDimsScope {
public:
  explicit NearDimsScope(unsigned steps);
  ~NearDimsScope();
  NearDimsScope(const NearDimsScope &) = delete;
  /// Counts a value that a search passes; false when it may not pass more.
  static bool step();

private:
  unsigned left;
  NearDimsScope *outer;
};

} // namespace loom

#endif // LOOM_IR_NEARDIMS_H
