//===- FragmentPrograms.cpp - Kernels of matrix fragments -----------------===//
#include "FragmentPrograms.h"

namespace loom::test {

std::string FragmentType::vector(int64_t lanes) const {
  return "vector<" + std::to_string(elements(lanes)) + "x" + element.name + ">";
}

std::string FragmentType::extents() const {
  std::string text = "[";
  if (shape.blocks != 1)
    text += "blocks(" + std::to_string(shape.blocks) + "), ";
  return text + std::to_string(shape.rows) + ", " + std::to_string(shape.columns) + "]";
}

std::string FragmentType::view() const {
  std::string text = std::to_string(kTiles) + "x";
  if (shape.blocks != 1)
    text += std::to_string(shape.blocks) + "x";
  return "view<" + text + std::to_string(shape.rows) + "x" + std::to_string(shape.columns) + "x" +
         element.name + ">";
}

std::string FragmentType::origin() const {
  return shape.blocks != 1 ? "[%tile, 0, 0, 0]" : "[%tile, 0, 0]";
}

const char *FragmentType::role() const {
  return part == FragmentPart::Lhs ? "lhs" : part == FragmentPart::Rhs ? "rhs" : "result";
}

std::string fragmentKernel(const std::string &name, int64_t lanes, const std::string &parameters,
                           const std::string &body) {
  return "kernel.def export(\"" + name + "\") @" + name + R"(() {
  %one = index.constant 1 : index
  %two = index.constant 2 : index
  %size = index.constant )" +
         std::to_string(2 * lanes) + R"( : index
  kernel.launch.config workgroups(%two, %one, %one) workgroup_size(%size, %one, %one) : index
} launch()" +
         parameters + R"() {
  %base = index.constant 0 : offset
  %two = index.constant 2 : index
  %group = kernel.workgroup.id<x> : index
  %subgroup = kernel.subgroup.id : index
  %lane = kernel.subgroup.lane.id : index
  %tile = index.madd %group, %two, %subgroup : index
)" + body +
         "  kernel.return\n}\n";
}

void launchTiles(const x86::CompiledKernels &kernels, const std::string &name, int64_t lanes,
                 const Arguments &arguments) {
  launchSized(kernels, name, kTiles / 2, {2 * lanes, 1, 1}, arguments);
}

} // namespace loom::test
