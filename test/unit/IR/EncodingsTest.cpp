// What schemas say, and what layouts reach.
#include "loom/IR/Encodings.h"
#include "FoldFixture.h"
#include "llvm/ADT/StringExtras.h"

using namespace loom;
using namespace loom::test;
using namespace mlir;

namespace {

class Encodings : public ::testing::Test, protected FoldFixture {
protected:
  using Params = std::initializer_list<std::pair<StringRef, Attribute>>;
  EncodingAttr encoding(StringRef family, Params params = {}) {
    NamedAttrList entries;
    for (auto [name, value] : params)
      entries.append(name, value);
    return EncodingAttr::get(&context, builder().getStringAttr(family),
                             entries.getDictionary(&context));
  }
  Attribute word(StringRef text) { return builder().getStringAttr(text); }
  Attribute number(int64_t value) { return builder().getI64IntegerAttr(value); }
  std::string keys(EncodingAttr schema) { return llvm::join(requiredAuxiliaryKeys(schema), " "); }
  std::optional<int64_t> span(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
    Attribute layout =
        encoding("encoding.layout.strided", {{"strides", builder().getDenseI64ArrayAttr(strides)}});
    return getElementSpan(
        ViewType::get(&context, shape, Float32Type::get(&context), layout, uint64_t(0)));
  }
};

TEST_F(Encodings, RequiredKeys) {
  EXPECT_EQ(keys(encoding("encoding.f16")), "");
  EXPECT_EQ(keys(encoding("encoding.i8", {{"scale_topology", word("row")},
                                          {"scale_operands", number(3)},
                                          {"scale_group_elements", number(8)},
                                          {"affine", word("scale_plus_bias")},
                                          {"codebook", word("dynamic_table_operand")},
                                          {"sparsity", word("csr")}})),
            "scale secondary_scale scale2 bias codebook sparsity");
  EXPECT_EQ(keys(encoding("encoding.u4", {{"affine", word("scale_plus_zero_point")}})),
            "zero_point");
  EXPECT_EQ(keys(encoding("encoding.u4", {{"scale_topology", word("runtime_amax_derived")},
                                          {"scale_operands", number(0)},
                                          {"scale_group_elements", number(1)}})),
            "amax");
  EXPECT_EQ(keys(encoding("ggml.q4_0")), "scale");
  EXPECT_EQ(keys(encoding("ggml.q5_k")), "scale secondary_scale minimum");
  EXPECT_EQ(keys(encoding("ggml.q8_1_x4")), "scale sum_correction");
  // Neither an incomplete schema nor a layout needs any.
  EXPECT_EQ(keys(encoding("encoding.i8", {{"scale_operands", number(1)}})), "");
  EXPECT_EQ(keys(encoding("encoding.layout.dense")), "");
}

TEST_F(Encodings, DescriptionsHaveDefaults) {
  std::optional<SchemaInfo> info =
      describeSchema(encoding("encoding.i8", {{"rounding", word("finite_only|nearest_even")},
                                              {"scale_topology", word("group_1d")},
                                              {"scale_operands", number(1)},
                                              {"scale_group_elements", number(32)}}));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->elementFormat, "i8");
  EXPECT_EQ(info->payloadPacking, "dense_lanes");
  EXPECT_EQ(info->payloadElements, 1);
  EXPECT_EQ(info->affine, "none");
  EXPECT_EQ(llvm::join(info->rounding, " "), "nearest_even finite_only");
  EXPECT_EQ(info->scaleGroupShape, SmallVector<int64_t>({32}));
  info = describeSchema(encoding("ggml.q6_k"));
  ASSERT_TRUE(info && info->record);
  EXPECT_EQ(info->record->elements, 256u);
  EXPECT_EQ(info->record->bytes, 210u);
  EXPECT_EQ(info->affine, "super_scale_times_subscale");
  EXPECT_FALSE(describeSchema(encoding("encoding.operand")));
  EXPECT_FALSE(describeSchema(encoding("encoding.nothing")));
}

TEST_F(Encodings, OneSpellingForOneMeaning) {
  EncodingAttr shortName = encoding("encoding.f16", {{"affine", word("none")}});
  EncodingAttr generic =
      encoding("encoding.operand", {{"element_format", word("f16")},
                                    {"payload_elements", number(1)},
                                    {"payload_packing", word("dense_lanes")},
                                    {"zero_scale_fallback", builder().getBoolAttr(false)}});
  EXPECT_EQ(normalizeEncoding(shortName), normalizeEncoding(generic));
  EXPECT_NE(normalizeEncoding(shortName), normalizeEncoding(encoding("encoding.bf16")));
}

TEST_F(Encodings, SpansOfLayouts) {
  EXPECT_EQ(span({8, 16}, {1, 8}), 128);
  EXPECT_EQ(span({8, 16}, {32, 1}), 7 * 32 + 15 + 1);
  EXPECT_EQ(span({8, 16}, {0, 0}), 1);
  EXPECT_EQ(span({8, 0}, {16, 1}), 0);
  EXPECT_EQ(span({}, {}), 1);
  EXPECT_EQ(span({3, 2}, {int64_t(1) << 62, 1}), std::nullopt);
  EXPECT_EQ(span({ShapedType::kDynamic}, {1}), std::nullopt);
  EXPECT_EQ(span({4, 4}, {1}), std::nullopt);
}

} // namespace
