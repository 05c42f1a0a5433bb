// Operations that no text can make: what only damaged bytes hold is refused all the same.
#include "FoldFixture.h"

using namespace loom;
using namespace loom::test;
using namespace mlir;

namespace {

class DamagedOperations : public ::testing::Test, protected FoldFixture {
protected:
  std::string verify(Operation *op) {
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
      message = diag.str();
      return success();
    });
    bool ok = succeeded(op->getName().verifyInvariants(op));
    EXPECT_EQ(ok, message.empty());
    return message;
  }
};

TEST_F(DamagedOperations, ConstantOfAnotherType) {
  auto constant = [&](IntegerAttr value) {
    return verify(make("scalar.constant", {}, integer(32), builder().getNamedAttr("value", value)));
  };
  EXPECT_EQ(constant(builder().getI32IntegerAttr(3)), "");
  std::string message = constant(builder().getI64IntegerAttr(3));
  EXPECT_EQ(message.find("a constant of type "), 0u);
  EXPECT_NE(message.find(" holds a literal of another type"), std::string::npos);
}

TEST_F(DamagedOperations, BitcastWithoutItsExtents) {
  Type lanes = loom::VectorType::get(&context, {4}, Float32Type::get(&context));
  Type open = loom::VectorType::get(&context, {ShapedType::kDynamic}, integer(32));
  std::string message = verify(make("vector.bitcast", {lanes}, open));
  EXPECT_EQ(message, "'vector.bitcast' has 0 extents for 1 dynamic dimension");
}

TEST_F(DamagedOperations, LanesOfAnotherShape) {
  Type four = loom::VectorType::get(&context, {4}, integer(32));
  Type open = loom::VectorType::get(&context, {ShapedType::kDynamic}, integer(32));
  EXPECT_EQ(verify(make("vector.addi", {four, four}, four)), "");
  EXPECT_NE(verify(make("vector.addi", {four, open}, four)), "");
}

} // namespace
