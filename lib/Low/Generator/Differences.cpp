//===- Differences.cpp - What LLVM's tables do not say --------------------===//
#include "Differences.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace loom::lowgen {

const char *whyNotOffered(StringRef name, StringRef pseudo) {
  // The reference leaves these two out (specification, section "Register classes").
  if (name.starts_with("v_fma_dx9_zero_f32") || name.starts_with("v_fmac_dx9_zero_f32"))
    return "not part of Low";
  if (name.contains("pad_s_nop"))
    return "a pseudo instruction of the assembler";
  if (name.starts_with("image_") || name.starts_with("exp") || name.starts_with("v_interp") ||
      name.starts_with("lds_param") || name.starts_with("lds_direct") ||
      name.starts_with("ds_param") || name.starts_with("ds_direct"))
    return "graphics";
  return nullptr;
}

std::string immediateName(StringRef printed) {
  // What follows a parenthesis or bracket is the value.
  StringRef word = printed.take_while([](char c) { return isAlnum(c) || c == '_'; });
  return StringSwitch<StringRef>(word)
      .Cases({"glc", "slc", "dlc", "sc0", "sc1", "nt", "th", "scope"}, "cpol")
      .Case("mul", "omod")
      .Cases({"quad_perm", "row_newbcast", "row_shl", "row_share"}, "dpp_ctrl")
      .Case("sendmsg", "message")
      .Case("instid0", "delay")
      .Case("gpr_idx", "mode")
      .Case("depctr_sa_sdst", "depctr")
      // The counters of one instruction are one number.
      .Cases({"vmcnt", "expcnt", "lgkmcnt"}, "counters")
      .Default(word)
      .str();
}

bool isFixedImmediate(StringRef name) {
  // GDS needs memory that compute kernels do not own, TFE a second result.
  return name == "gds" || name == "tfe" || name == "lds";
}

bool isRequiredImmediate(StringRef name) {
  return name == "dpp_ctrl" || name == "message" || name == "hwreg" || name == "delay" ||
         name == "depctr" || name == "counters";
}

std::pair<int64_t, int64_t> knownRange(StringRef name, StringRef set) {
  int64_t max =
      StringSwitch<int64_t>(name)
          .Cases({"clamp", "matrix_a_reuse", "matrix_b_reuse", "matrix_a_scale", "matrix_b_scale",
                  "r128", "fi"},
                 1)
          .Cases({"dst_unused", "matrix_a_scale_fmt", "matrix_b_scale_fmt"}, 2)
          .Case("omod", 3)
          .Cases({"matrix_a_fmt", "matrix_b_fmt"}, 4)
          .Cases({"dst_sel", "src0_sel", "src1_sel"}, 6)
          .Case("neg", 7)
          .Cases({"mode", "row_mask", "bank_mask"}, 15)
          .Case("format", 127)
          .Case("bitop3", 255)
          // Quad permutations up to 0xff, then shifts, rotations and broadcasts of rows.
          .Case("dpp_ctrl", 0x16f)
          // sc0 1, nt 2, sc1 16 of CDNA; glc 1, slc 2, dlc 4 of RDNA3; th in bits 0..2 and scope in
          // bits 3 and 4 since RDNA4 (ISA manuals, memory instruction fields).
          .Case("cpol", set.contains("cdna")    ? 19
                        : set.contains("rdna3") ? 7
                                                : 31)
          .Cases({"delay", "depctr", "message", "hwreg", "counters"}, 0xffff)
          .Default(0);
  return {0, max};
}

std::string nameSuffix(StringRef pseudo, StringRef mnemonic) {
  std::string suffix;
  bool buffer = pseudo.starts_with("BUFFER") || pseudo.starts_with("TBUFFER");
  bool scalarLoad = pseudo.starts_with("S_LOAD") || pseudo.starts_with("S_BUFFER_LOAD");
  if (pseudo.contains("_SADDR"))
    suffix += "_saddr";
  if (pseudo.contains("_SVS"))
    suffix += "_svs";
  if (pseudo.starts_with("SCRATCH") && pseudo.ends_with("_ST"))
    suffix += "_st";
  if (scalarLoad && pseudo.contains("_SGPR_IMM"))
    suffix += "_sgpr_imm";
  else if (scalarLoad && pseudo.contains("_SGPR"))
    suffix += "_sgpr";
  for (StringRef mode : {"_OFFEN", "_IDXEN", "_BOTHEN", "_ADDR64", "_OFFSET"})
    if (buffer && pseudo.contains(mode))
      suffix += mode.lower();
  if (buffer && (pseudo.ends_with("_LDS") || pseudo.contains("_LDS_")))
    suffix += "_lds";
  if (pseudo.contains("_RTN") && !mnemonic.contains("_rtn"))
    suffix += "_rtn";
  if (pseudo.contains("_TFE"))
    suffix += "_tfe";
  // Operand formats of scaled matrix products, in the pseudo's name only: `_f8_f4`.
  size_t formats = pseudo.find("F8F6F4_f");
  if (formats != StringRef::npos)
    suffix += pseudo.substr(formats + strlen("F8F6F4"), strlen("_f8_f4")).str();
  // A matrix product of CDNA accumulates in either half of the register file.
  if (pseudo.starts_with("V_MFMA") || pseudo.starts_with("V_SMFMAC"))
    suffix += pseudo.contains("vgprcd") ? "" : "_agpr";
  if (pseudo.contains("_dpp8"))
    suffix += "_dpp8";
  else if (pseudo.contains("_dpp"))
    suffix += "_dpp";
  else if (pseudo.contains("_sdwa"))
    suffix += "_sdwa";
  if (pseudo.contains("_e64_dpp"))
    suffix.insert(suffix.find("_dpp"), "_e64");
  return suffix;
}

unsigned preference(StringRef pseudo, StringRef mnemonic, bool readsM0) {
  unsigned rank = 0;
  // The long encoding takes any register file in any place; the back end shortens it. A move of a
  // literal is the exception: only the short one holds it on every family.
  bool move = mnemonic == "v_mov_b32";
  if (pseudo.contains("_e32") != move)
    rank += 100;
  if (pseudo.contains("_t16"))
    rank += 10; // halves of registers have no class of their own
  if (pseudo.contains("_w64"))
    rank += 1000;
  if (readsM0)
    rank += 30;
  if (pseudo.contains("_mac_"))
    rank += 8;
  if (pseudo.contains("threeaddr"))
    rank += 4;
  if (pseudo.contains("_exact") || pseudo.contains("VBUFFER") || pseudo.contains("_TIED") ||
      pseudo.contains("_ec") || pseudo.contains("_mode") || pseudo.contains("_sideeffects"))
    rank += 4;
  return rank;
}

static Entry handEntry(StringRef name, StringRef opcode, ArrayRef<Operand> results,
                       ArrayRef<Operand> operands) {
  Entry entry;
  entry.name = name.str();
  entry.opcode = opcode.str();
  entry.results = results.vec();
  entry.operands = operands.vec();
  return entry;
}

static Operand operand(uint16_t classes, unsigned units, unsigned slot) {
  Operand result;
  result.classes = classes;
  result.units = units;
  result.slot = slot;
  return result;
}

void addHandEntries(Table &table) {
  // A move between registers; `v_mov_b32` is the form that takes a number.
  Entry copy = handEntry("v_mov_b32_copy", "V_MOV_B32_e32", {operand(1 << VGPR, 1, 0)},
                         {operand(1 << VGPR | 1 << SGPR, 1, 1)});
  copy.uses = ImplicitRegister::Exec;
  table.entries[copy.name] = copy;
  // The apertures are read as 64 bits: a 32-bit read gives zero. The source is a fixed register.
  for (auto [name, source] : {std::pair("s_mov_b64_shared_base", "$SRC_SHARED_BASE"),
                              std::pair("s_mov_b64_private_base", "$SRC_PRIVATE_BASE")}) {
    Entry base = handEntry(name, "S_MOV_B64", {operand(1 << SGPR, 2, 0)}, {});
    Immediate fixed;
    fixed.name = source;
    fixed.slot = 1;
    fixed.fixed = true;
    base.immediates.push_back(fixed);
    table.entries[name] = base;
  }
}

} // namespace loom::lowgen
