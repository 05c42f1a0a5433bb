//===- Target.cpp - The `target`, `amdgpu` and `x86` dialects -------------===//
#include "loom/Dialect/Target/Target.h"
#include "loom/Dialect/Target/TargetRecord.h"

using namespace mlir;
#include "loom/Dialect/Target/amdgpuDialect.cpp.inc"
#include "loom/Dialect/Target/targetDialect.cpp.inc"
#include "loom/Dialect/Target/x86Dialect.cpp.inc"
#define GET_OP_CLASSES
#include "loom/Dialect/Target/TargetOps.cpp.inc"

namespace loom {

void TargetDialect::initialize() { addOperations<TargetSubgroupSizeOp>(); }
void AMDGPUDialect::initialize() { addOperations<AMDGPUTargetOp>(); }
void X86Dialect::initialize() { addOperations<X86TargetOp>(); }

void TargetSubgroupSizeOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  set(getResult(), ConstantIntRanges::fromSigned(APInt(64, 1), APInt(64, 4294967295)));
}

/// Rows of the language that name targets; not all of them can be compiled for.
static constexpr llvm::StringLiteral kAMDGPURows[] = {
    "gfx940",  "gfx941",         "gfx942",        "gfx950",        "gfx1100",        "gfx1101",
    "gfx1102", "gfx1103",        "gfx1150",       "gfx1151",       "gfx1152",        "gfx1153",
    "gfx1170", "gfx1171",        "gfx1172",       "gfx1200",       "gfx1201",        "gfx1250",
    "gfx1251", "gfx9-4-generic", "gfx11-generic", "gfx12-generic", "gfx12-5-generic"};
static constexpr llvm::StringLiteral kX86Rows[] = {"scalar", "simd128",    "avx2",
                                                   "avx512", "packed_dot", "avx512_packed_dot"};

static LogicalResult verifyRow(Operation *op, StringRef row, ArrayRef<llvm::StringLiteral> rows) {
  if (llvm::is_contained(rows, row))
    return success();
  InFlightDiagnostic diag = emitCoded(op, DiagCode::TargetUnknown, "unknown target row '");
  diag << row << "'; the rows are ";
  llvm::interleaveComma(rows, diag, [&](StringRef known) { diag << known; });
  return diag;
}

LogicalResult AMDGPUTargetOp::verify() { return verifyRow(*this, getRow(), kAMDGPURows); }
LogicalResult X86TargetOp::verify() { return verifyRow(*this, getRow(), kX86Rows); }

std::string spellRecord(Operation *record) {
  if (auto amdgpu = dyn_cast<AMDGPUTargetOp>(record))
    return ("amdgpu:" + amdgpu.getRow()).str();
  if (auto x86 = dyn_cast<X86TargetOp>(record))
    return ("x86:" + x86.getRow()).str();
  return getTextName(record).str();
}

const TargetProfile *profileOfRecord(Operation *record) {
  return isa<AMDGPUTargetOp, X86TargetOp>(record) ? lookupTargetProfile(spellRecord(record))
                                                  : nullptr;
}

} // namespace loom
