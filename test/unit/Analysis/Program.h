//===- Program.h - Small programs for tests of analyses ---------*- C++ -*-===//
#ifndef LOOM_TEST_UNIT_ANALYSIS_PROGRAM_H
#define LOOM_TEST_UNIT_ANALYSIS_PROGRAM_H

#include "loom/IR/Diagnostics.h"
#include "loom/IR/Loom.h"
#include "loom/IR/SourceInfo.h"
#include "loom/Text/Text.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

namespace loom::test {

/// A parsed and verified module whose values are found by the names in the text.
class Program {
public:
  explicit Program(const std::string &text) : errors(message), scope(&context, errors) {
    mlir::DialectRegistry registry;
    registerLoomDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = parseSourceText(text, "test.loom", &context);
    EXPECT_TRUE(module && mlir::succeeded(verifyModule(*module))) << message;
  }

  /// The body of a kernel with the given parameters, `where` clause included.
  static std::string kernel(const std::string &parameters, const std::string &body,
                            const std::string &size = "32") {
    return "kernel.def @k() {\n"
           "  %unit = index.constant 1 : index\n"
           "  %width = index.constant " +
           size +
           " : index\n"
           "  kernel.launch.config workgroups(%unit, %unit, %unit) "
           "workgroup_size(%width, %unit, %unit) : index\n"
           "} launch" +
           parameters + " {\n" + body + "\n  kernel.return\n}\n";
  }

  /// The first value of that name.
  mlir::Value value(llvm::StringRef name) {
    mlir::Value found;
    module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      for (mlir::Region &region : op->getRegions())
        for (mlir::Block &block : region)
          for (mlir::Value argument : block.getArguments())
            if (!found && getValueName(argument) == name)
              found = argument;
      for (mlir::Value result : op->getResults())
        if (!found && getValueName(result) == name)
          found = result;
    });
    EXPECT_TRUE(found) << name.str();
    return found;
  }

  /// The operation that defines the value of that name.
  mlir::Operation *at(llvm::StringRef name) { return value(name).getDefiningOp(); }

  mlir::MLIRContext context;
  std::string message;
  llvm::raw_string_ostream errors;
  DiagnosticEngineScope scope;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace loom::test

#endif // LOOM_TEST_UNIT_ANALYSIS_PROGRAM_H
