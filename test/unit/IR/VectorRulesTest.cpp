// What only a program that is not read from text can get wrong: there the types of operands follow
// from those that are written.
#include "FoldFixture.h"
#include "mlir/IR/Diagnostics.h"
#include <gmock/gmock.h>

namespace loom::test {
namespace {
using namespace mlir;
using ::testing::HasSubstr;

class VectorRules : public ::testing::Test, protected FoldFixture {
protected:
  Type vector(ArrayRef<int64_t> shape, Type element) {
    return loom::VectorType::get(&context, shape, element);
  }
  NamedAttribute named(StringRef name, Attribute value) {
    return builder().getNamedAttr(name, value);
  }
  NamedAttribute segments(ArrayRef<int32_t> sizes) {
    return named("operandSegmentSizes", builder().getDenseI32ArrayAttr(sizes));
  }
  NamedAttribute literals(StringRef name, ArrayRef<int64_t> values) {
    return named(name, builder().getDenseI64ArrayAttr(values));
  }
  /// What the verifier says about `op`.
  static std::string problem(Operation *op) {
    std::string message;
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diag) {
      message += diag.str();
      return success();
    });
    bool refused = failed(op->getName().verifyInvariants(op));
    EXPECT_EQ(refused, !message.empty());
    return message;
  }

  Type f32 = builder().getF32Type(), f64 = builder().getF64Type();
  Type four = vector({4}, f32), open = vector({ShapedType::kDynamic}, f32);
};

TEST_F(VectorRules, LiteralsHaveTheTypeOfTheLanes) {
  Attribute one = builder().getI32IntegerAttr(1);
  EXPECT_THAT(problem(make("vector.constant", {}, four, named("value", one))),
              HasSubstr("lanes of 'f32' cannot hold a literal of type 'i32'"));
  Attribute half = builder().getF32FloatAttr(0.5);
  EXPECT_EQ(problem(make("vector.constant", {}, four, named("value", half))), "");
  EXPECT_THAT(problem(make("vector.constant", {}, open, named("value", half))),
              HasSubstr("a constant owns no extents that are values"));
}

TEST_F(VectorRules, ScalarsHaveTheTypeOfTheLanes) {
  EXPECT_EQ(problem(make("vector.splat", {f32}, four)), "");
  EXPECT_THAT(problem(make("vector.splat", {f64}, four)), HasSubstr("a splat of f64 cannot make"));
  EXPECT_THAT(problem(make("vector.from_elements", {f64}, vector({1}, f32))),
              HasSubstr("an element of type f64 cannot be a lane of"));
  EXPECT_THAT(problem(make("vector.iota", {integer(32), integer(32)}, vector({4}, integer(64)))),
              HasSubstr("lanes of 'i64' cannot count from a base of type 'i32'"));
}

TEST_F(VectorRules, OperationsOwnAnOperandPerExtent) {
  Type view = ViewType::get(&context, {4}, f32);
  NamedAttribute origin = literals("static_indices", {0});
  EXPECT_THAT(problem(make("vector.load", {view}, open, {origin, segments({1, 0, 0})})),
              HasSubstr("'vector.load' owns 0 extents for 1 place in its type"));
  Type index = builder().getIndexType();
  EXPECT_EQ(problem(make("vector.load", {view, index}, open, {origin, segments({1, 0, 1})})), "");
  EXPECT_THAT(problem(make("vector.bitcast", {four}, open)),
              HasSubstr("'vector.bitcast' has 0 extents for 1 dynamic dimension"));
}

TEST_F(VectorRules, ListsHaveTheirLengths) {
  NamedAttribute axis = named("axis", builder().getI64IntegerAttr(0));
  EXPECT_THAT(problem(make("vector.concat", {}, four, {axis, segments({0, 0})})),
              HasSubstr("'vector.concat' needs one vector at least"));
  NamedAttribute role = named("role", FragmentRoleAttr::get(&context, FragmentRole::lhs));
  EXPECT_THAT(problem(make("vector.fragment", {four}, four,
                           {role, literals("static_shape", {4}), segments({1, 0, 0, 0})})),
              HasSubstr("a matrix has two extents, or three with blocks"));
  EXPECT_THAT(problem(make("vector.fragment", {four, four}, four,
                           {role, literals("static_shape", {4, 4}), segments({1, 0, 1, 0})})),
              HasSubstr("1 auxiliary operand for 0 keys"));
}

TEST_F(VectorRules, AReductionGivesWhatItBeginsWith) {
  NamedAttribute kind = named("kind", CombiningKindAttr::get(&context, CombiningKind::addf));
  EXPECT_THAT(problem(make("vector.reduce", {four, f32}, f64, kind)),
              HasSubstr("a reduction that begins with 'f32' cannot give 'f64'"));
}

} // namespace
} // namespace loom::test
