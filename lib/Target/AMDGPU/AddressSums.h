//===- AddressSums.h - Writing sums of terms into IR ------------*- C++ -*-===//
#ifndef LOOM_LIB_TARGET_AMDGPU_ADDRESSSUMS_H
#define LOOM_LIB_TARGET_AMDGPU_ADDRESSSUMS_H

#include "LinearAddress.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/IRBuilder.h"
#include <vector>

namespace llvm {
class DominatorTree;
}

namespace loom::amdgpu {

/// Equal terms that may be added up in the same way: a sum that is computed in 32 bits for one
/// address serves another one only if that one has the same bounds.
bool sameTerms(llvm::ArrayRef<LinearTerm> a, llvm::ArrayRef<LinearTerm> b);

/// Writes sums in the narrowest form that is exact.
class SumEmitter {
public:
  SumEmitter(llvm::Function &function, const LinearAnalysis &analysis,
             const llvm::DominatorTree &dominators)
      : function(function), analysis(analysis), dominators(dominators) {}

  /// Adds scalar terms to a pointer, those of one root in 32 bits where they fit.
  llvm::Value *addTerms(llvm::Value *pointer, llvm::ArrayRef<LinearTerm> terms,
                        llvm::Instruction *place);

  /// The lanes' part of an address: i32 when that is enough, else i64. It is computed right after
  /// the last of its operands, where every access can share it.
  llvm::Value *laneOffset(llvm::ArrayRef<LinearTerm> terms);

private:
  bool fits32(llvm::ArrayRef<LinearTerm> terms) const;
  llvm::Value *emitSum32(llvm::ArrayRef<LinearTerm> terms, llvm::IRBuilderBase &builder);
  llvm::Value *emitTerm64(const LinearTerm &term, llvm::IRBuilderBase &builder);

  llvm::Function &function;
  const LinearAnalysis &analysis;
  const llvm::DominatorTree &dominators;
  std::vector<std::pair<llvm::SmallVector<LinearTerm, 2>, llvm::Value *>> laneOffsets;
};

} // namespace loom::amdgpu

#endif // LOOM_LIB_TARGET_AMDGPU_ADDRESSSUMS_H
