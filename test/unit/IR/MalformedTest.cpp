//===- MalformedTest.cpp - Operations that no program can spell -----------===//
//
// The text cannot say these things, bytecode that another program wrote can: each is refused by its
// verifier. The operations are spelled in MLIR's generic form.
//
//===----------------------------------------------------------------------===//
#include "loom/IR/Diagnostics.h"
#include "loom/IR/Loom.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace mlir;
using namespace loom;

namespace {

struct Malformed {
  const char *name, *generic, *message;
};

class MalformedTest : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedTest, IsRefused) {
  DialectRegistry registry;
  registerLoomDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string shown;
  llvm::raw_string_ostream os(shown);
  DiagnosticEngineScope diagnostics(&context, os);
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(GetParam().generic, config);
  ASSERT_TRUE(module) << shown;
  EXPECT_TRUE(failed(verifyModule(*module)));
  EXPECT_THAT(shown, testing::HasSubstr(GetParam().message));
}

/// A function around operations on %i (index), %o (offset), %f (f32) and %c (i1).
#define LOOM_IN_FUNCTION(body)                                                                     \
  "\"loom_func.def\"() ({\n"                                                                       \
  "^bb0(%i: index, %o: !loom.offset, %f: f32, %c: i1):\n" body                                     \
  "\"loom_func.return\"() : () -> ()\n"                                                            \
  "}) {sym_name = \"f\", result_types = []} : () -> ()"

const Malformed kCases[] = {
    {"KernelWithoutRegions", R"("loom_kernel.def"() ({}, {}) {sym_name = "k"} : () -> ())",
     "a kernel has a configuration and a body [STRUCTURE/006]"},
    {"ConfigurationOfTwoBlocks",
     R"("loom_kernel.def"() ({
          "loom_kernel.return"() : () -> ()
        ^more:
          "loom_kernel.return"() : () -> ()
        }, {
          "loom_kernel.return"() : () -> ()
        }) {sym_name = "k"} : () -> ())",
     "a launch configuration is one block; 'scf' operations choose inside of it [STRUCTURE/006]"},
    {"HeaderNames",
     R"("loom_func.decl"() {sym_name = "f", arg_types = [f32], arg_names = [], result_types = []}
        : () -> ())",
     "a header has one name for each parameter and result [STRUCTURE/013]"},
    {"HeaderExtents",
     R"("loom_func.decl"() {sym_name = "f", arg_types = [!loom.vector<[-9223372036854775808], f32>],
        arg_names = ["v"], result_types = []} : () -> ())",
     "in the header has no value [STRUCTURE/013]"},
    {"HeaderExtentOfNoParameter",
     R"("loom_func.decl"() {sym_name = "f", arg_types = [f32], arg_names = ["v"],
        extent_names = ["k"], result_types = []} : () -> ())",
     "an extent that a header names itself is one of a parameter [STRUCTURE/013]"},
    {"BodyWithoutExtent",
     R"("loom_func.def"() ({
        ^bb0(%v: !loom.vector<[-9223372036854775808], f32>):
          "loom_func.return"() : () -> ()
        }) {sym_name = "f", extent_names = ["k"], extents = array<i64: 1>, result_types = []}
        : () -> ())",
     "a body has an index for each extent that its header names itself [STRUCTURE/013]"},
    {"CallWithoutExtents", R"(module {
        "loom_func.decl"() {sym_name = "g", arg_types = [!loom.vector<[-9223372036854775808], f32>],
          arg_names = ["v"], extent_names = ["k"], extents = array<i64: 1>, result_types = []}
          : () -> ()
        "loom_func.def"() ({
        ^bb0(%v: !loom.vector<[-9223372036854775808], f32>):
          "loom_func.call"(%v) {callee = @g} : (!loom.vector<[-9223372036854775808], f32>) -> ()
          "loom_func.return"() : () -> ()
        }) {sym_name = "f", result_types = []} : () -> ()
        })",
     "the callee names an extent %k, but where that of the argument comes from is not visible here "
     "[TYPE/001]"},
    {"ConfigEncoding",
     R"("loom_config.def"() {sym_name = "c", value = 1 : i64,
        value_type = !loom.encoding<1>} : () -> ())",
     "the value has to be an encoding [TYPE/005]"},
    {"LoopWithoutInduction", LOOM_IN_FUNCTION(R"("loom_scf.for"(%i, %i, %i) ({
          "loom_scf.yield"() : () -> ()
        }) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (index, index, index) -> ()
        )"),
     "the body of 'scf.for' has no induction value [STRUCTURE/007]"},
    {"LoopWithTwoUnrolls", LOOM_IN_FUNCTION(R"("loom_scf.for"(%i, %i, %i, %i) ({
        ^bb0(%v: index):
          "loom_scf.yield"() : () -> ()
        }) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1>, full_unroll}
          : (index, index, index, index) -> ()
        )"),
     "unroll and unroll(%factor) exclude each other [STRUCTURE/014]"},
    {"LoopTie", LOOM_IN_FUNCTION(R"("loom_scf.for"(%i, %i, %i) ({
        ^bb0(%v: index):
          "loom_scf.yield"() : () -> ()
        }) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, ties = array<i64: 0>}
          : (index, index, index) -> ()
        )"),
     "'ties' has 1 value for 0 results [STRUCTURE/013]"},
    {"LookupWidth", LOOM_IN_FUNCTION(R"(%r = "loom_scf.lookup"(%i, %f, %f) {keys = array<i64>}
          : (index, f32, f32) -> f32
        )"),
     "the table of 'scf.lookup' is not of one width [STRUCTURE/013]"},
    {"LookupCell",
     LOOM_IN_FUNCTION(R"(%r = "loom_scf.lookup"(%i, %i) {keys = array<i64>} : (index, index) -> f32
        )"),
     "column 0 of 'scf.lookup' has type f32, but row 0 has index [TYPE/001]"},
    {"LoopBounds", LOOM_IN_FUNCTION(R"("loom_scf.for"(%i, %o, %i) ({
        ^bb0(%v: index):
          "loom_scf.yield"() : () -> ()
        }) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (index, !loom.offset, index) -> ()
        )"),
     "the bounds, the step and the induction value of 'scf.for' share one type, but there are "
     "index and offset [TYPE/001]"},
    {"Strides", LOOM_IN_FUNCTION(R"(%r = "loom_encoding.layout.strided"() {
          static_strides = array<i64: -9223372036854775808>} : () -> !loom.encoding<1>
        )"),
     "0 stride values for 1 place in the list of strides [STRUCTURE/013]"},
    {"DefineKeys", LOOM_IN_FUNCTION(R"(%r = "loom_encoding.define"() {keys = ["scale"],
          spec = #loom.encoding<"encoding.i8", {}>} : () -> !loom.encoding<2>
        )"),
     "0 values for 1 parameter name [STRUCTURE/013]"},
    {"Indices",
     LOOM_IN_FUNCTION(R"(%w = "loom_func.call"() {callee = @v} : () -> !loom.view<[4], f32>
        %r = "loom_view.load"(%w) {static_indices = array<i64: -9223372036854775808>}
          : (!loom.view<[4], f32>) -> f32
        )"),
     "0 index values for 1 place in the index list [STRUCTURE/013]"},
    {"LowEntry",
     R"("loom_low.func.def"() ({
          "loom_low.return"() : () -> ()
        ^entry:
          "loom_low.br"()[^entry] : () -> ()
        }) {sym_name = "l", descriptor_set = "amdgpu.gfx11.generic.core", result_types = []}
        : () -> ()
        "loom_low.func.def"() ({
        ^entry:
          "loom_low.br"()[^entry] : () -> ()
        }) {sym_name = "m", descriptor_set = "amdgpu.gfx11.generic.core", result_types = []}
        : () -> ())",
     "the first block of 'low.func.def' cannot be branched to [STRUCTURE/029]"},
    {"ExtentFromInside",
     LOOM_IN_FUNCTION(R"(%b = "loom_func.call"() {callee = @b} : () -> !loom.buffer
        %r = "loom_scf.if"(%c) ({
          %n = "loom_index.constant"() {value = 4 : index} : () -> index
          %v = "loom_buffer.view"(%b, %o, %n) : (!loom.buffer, !loom.offset, index)
            -> !loom.view<[-9223372036854775808], f32>
          "loom_scf.yield"(%v) : (!loom.view<[-9223372036854775808], f32>) -> ()
        }, {
          %n = "loom_index.constant"() {value = 4 : index} : () -> index
          %v = "loom_buffer.view"(%b, %o, %n) : (!loom.buffer, !loom.offset, index)
            -> !loom.view<[-9223372036854775808], f32>
          "loom_scf.yield"(%v) : (!loom.view<[-9223372036854775808], f32>) -> ()
        }) {extents = array<i64: 0>} : (i1) -> !loom.view<[-9223372036854775808], f32>
        )"),
     "' is defined inside of a region; yield it beside the value and name that result"},
    {"LowAssume",
     R"("loom_low.func.def"() ({
        ^bb0(%a: !loom.reg<"amdgpu.vgpr", 1>):
          %r = "loom_low.assume"(%a) {predicates = [], operandSegmentSizes = array<i32: 1, 0>}
            : (!loom.reg<"amdgpu.vgpr", 1>) -> !loom.reg<"amdgpu.vgpr", 2>
          "loom_low.return"() : () -> ()
        }) {sym_name = "l", descriptor_set = "amdgpu.gfx11.generic.core", result_types = []}
        : () -> ())",
     "the results of 'low.assume' are its operands [TYPE/001]"},
    {"LowNames",
     R"("loom_low.func.decl"() {sym_name = "l", descriptor_set = "amdgpu.gfx11.generic.core",
        arg_types = [!loom.reg<"amdgpu.vgpr", 1>], arg_names = [], result_types = []} : () -> ())",
     "0 parameter names but 1 type [STRUCTURE/013]"},
    {"BarrierScope", LOOM_IN_FUNCTION(R"("loom_kernel.barrier"() {space = 2 : i32, scope = 3 : i32,
          ordering = 3 : i32} : () -> ()
        )"),
     "the scope of a barrier is subgroup or workgroup, not device [STRUCTURE/014]"},
};

INSTANTIATE_TEST_SUITE_P(Generic, MalformedTest, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Malformed> &info) {
                           return info.param.name;
                         });

} // namespace
