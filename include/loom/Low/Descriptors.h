//===- Descriptors.h - The instructions that Low text can name --*- C++ -*-===//
//
// A descriptor set lists the instructions of one target representation under Loom's own names. Each
// descriptor says which LLVM instruction the name stands for, its register operands in the order of
// the assembly text, its immediates with defaults and ranges, and its effects.
//
// The AMDGPU and x86 tables are generated at build time from LLVM's own tables (lib/Low/Generator)
// and hold what LLVM's assembler accepted; this library links neither back end. Three concepts:
//
//  - register class: `amdgpu.vgpr`, counted in units of a fixed width. Values of physical state
//    (`amdgpu.scc`) have a class too, but are never allocated: a program hands them from the
//    instruction that writes the state to the one that reads it.
//  - literal operand: a register operand in whose place an integer may stand.
//  - family set: the intersection of the sets of a family's members. What is written against it
//    works on each of them.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LOW_DESCRIPTORS_H
#define LOOM_LOW_DESCRIPTORS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace loom {

enum class DescriptorFamily : uint8_t { AMDGPU, SPIRV, X86 };

/// "amdgpu", "spirv", "x86".
llvm::StringRef stringifyFamily(DescriptorFamily family);

struct RegisterClassInfo {
  /// Name as the text writes it: `amdgpu.vgpr`.
  const char *name;
  /// Bits of one unit; 0 for classes of a virtual machine, whose values have no size.
  uint16_t unitBits;
  /// Units that one value may have: what can be allocated of the class, or the size of the state.
  uint16_t limit;
  /// Physical state: handed from writer to reader, never allocated.
  bool isState;
};

/// What a value of a virtual register class means: `reg<spirv.id : f32>`.
enum class LowValueType : uint8_t { None, I1, I8, I16, I32, I64, F16, BF16, F32, F64 };
/// "f32"; empty for None.
llvm::StringRef stringifyLowValueType(LowValueType type);

/// Whether an integer may stand in the place of a register operand, and which.
enum class LiteralKind : uint8_t {
  None,
  Inline, ///< -16..64: what fits the operand's own field
  Full,   ///< any 32 bits
};

/// Which part of a 32-bit register an operand is about.
enum class RegisterPart : uint8_t {
  Whole,
  Low,  ///< bits 0..15
  High, ///< bits 16..31
};

struct DescriptorOperand {
  /// Slot of what the LLVM instruction does not list as an operand, such as SCC.
  static constexpr uint8_t kImplicitSlot = 255;

  /// Bit i: class i of the set. The lowest one is the class of an inferred result.
  uint16_t classes;
  uint8_t units;
  /// Operand number in the LLVM instruction.
  uint8_t slot;
  /// The result whose register this operand shares, or -1.
  int8_t tied;
  LiteralKind literal;
  LowValueType valueType;
  /// Of a use: the part that is read. Of a result: the part that is written, where the rest keeps
  /// what the tied operand has; that operand is the last one and may be left out, and the result is
  /// partly written then.
  RegisterPart part;
};

struct DescriptorImmediate {
  uint32_t nameOffset;
  uint8_t slot;
  bool isFloat;
  /// Has no default.
  bool required;
  /// Cannot be chosen: the instruction always carries the default.
  bool fixed;
  int64_t defaultValue, min, max;

  llvm::StringRef getName() const;
};

/// Bits of Descriptor::effects.
namespace DescriptorEffect {
enum : uint16_t {
  Loads = 1,
  Stores = 2,
  SideEffects = 4, ///< more than memory: counters, messages, waits
  Branches = 8,    ///< leaves the block; not offered as an instruction
  Convergent = 16, ///< involves other lanes
  WritesExec = 32, ///< changes which lanes are active
};
} // namespace DescriptorEffect

/// Bits of Descriptor::implicitDefs and implicitUses.
namespace ImplicitRegister {
enum : uint8_t {
  SCC = 1,
  VCC = 2,
  Exec = 4,
  M0 = 8,
  Mode = 16,
  FlatScratch = 32,
  Flags = 64,
  Other = 128
};
} // namespace ImplicitRegister

/// One instruction. Instances live in static tables.
class Descriptor {
public:
  /// Loom's name, which is also the mnemonic of the `asm` form.
  llvm::StringRef getName() const;
  /// The name under which the LLVM instruction appears in its MCInstrInfo: the pseudo instruction
  /// that a back end would select. Of SPIR-V: the instruction of the specification.
  llvm::StringRef getOpcodeName() const;
  llvm::ArrayRef<DescriptorOperand> results() const;
  /// Register operands, in the order of the assembly text.
  llvm::ArrayRef<DescriptorOperand> operands() const;
  llvm::ArrayRef<DescriptorImmediate> immediates() const;

  /// The immediate of that name that a program may give, or null.
  const DescriptorImmediate *findImmediate(llvm::StringRef name) const;
  /// Name of the immediate that stands in the place of operand `i`: `imm32` when it is the only
  /// operand, else `src0`, `src1` and so on.
  std::string literalName(unsigned operand) const;
  /// The literal operand of that name, or -1.
  int findLiteral(llvm::StringRef name) const;
  /// Smallest and largest integer that may stand in the place of operand `i`.
  std::pair<int64_t, int64_t> literalRange(unsigned operand) const;

  bool has(uint16_t effect) const { return effects & effect; }
  /// Reads and writes nothing but its operands.
  bool isPure() const;
  /// Whether the last operand may be left out: a result is written in part, and nothing is known of
  /// the rest.
  bool hasOptionalOperand() const;

  // The layout of the generated table.
  uint32_t nameOffset, opcodeOffset;
  uint32_t firstOperand, firstImmediate;
  uint8_t numResults, numOperands, numImmediates;
  uint8_t implicitDefs, implicitUses;
  /// This name is another one's alias.
  bool isAlias;
  uint16_t effects;
};

class DescriptorSet {
public:
  llvm::StringRef getKey() const { return key; }
  DescriptorFamily getFamily() const { return family; }
  /// True for the intersection of a family's members.
  bool isGeneric() const { return generic; }
  llvm::ArrayRef<RegisterClassInfo> classes() const {
    return llvm::ArrayRef(firstClass, numClasses);
  }
  /// All names, aliases included, sorted.
  llvm::ArrayRef<Descriptor> descriptors() const {
    return llvm::ArrayRef(firstDescriptor, numDescriptors);
  }
  /// The class of that name, or null.
  const RegisterClassInfo *findClass(llvm::StringRef name) const;
  /// The descriptor of that name, with or without the family in front (`amdgpu.v_add_f32`), or
  /// null.
  const Descriptor *find(llvm::StringRef mnemonic) const;
  /// "; did you mean 'v_add_f32'?" or nothing.
  std::string suggest(llvm::StringRef mnemonic) const;

  // The layout of the generated table.
  const char *key;
  DescriptorFamily family;
  bool generic;
  const RegisterClassInfo *firstClass;
  unsigned numClasses;
  const Descriptor *firstDescriptor;
  unsigned numDescriptors;
};

/// The set of that key, or null.
const DescriptorSet *lookupDescriptorSet(llvm::StringRef key);
llvm::ArrayRef<DescriptorSet> descriptorSets();
/// "; did you mean ...?" or nothing.
std::string suggestDescriptorSet(llvm::StringRef key);

/// The set against which code for a target row is written: ("amdgpu", "gfx1151") gives
/// `amdgpu.rdna3_5.core`. Null for a row that has none.
const DescriptorSet *descriptorSetOfRow(llvm::StringRef family, llvm::StringRef row);

/// True when `generic` is the intersection of a family that `concrete` belongs to: code written
/// against `generic` may be used by code for `concrete`.
bool isFamilyOf(const DescriptorSet &generic, const DescriptorSet &concrete);
/// isFamilyOf, or the same set.
bool satisfiesDescriptorSet(const DescriptorSet &caller, const DescriptorSet &callee);

/// A value that the hardware or the calling convention provides on entry.
struct LiveIn {
  /// `amdgpu.workitem_id.x`.
  const char *key;
  DescriptorFamily family;
  const char *registerClass;
  unsigned units;
  LowValueType valueType;
};
const LiveIn *lookupLiveIn(llvm::StringRef key);
std::string suggestLiveIn(llvm::StringRef key, DescriptorFamily family);

} // namespace loom

#endif // LOOM_LOW_DESCRIPTORS_H
