//===- HostCode.h - Evaluating scalar programs on the host ------*- C++ -*-===//
//
// Launch configurations and reference functions run on the host: operations of `scalar` and `index`
// on scalars, structured control flow, configuration values, assumptions, and calls of functions. A
// block is decoded once into steps over bit patterns and then run as often as there are values.
// Operations without a step of their own are evaluated by their folder: one definition serves the
// compiler and the host.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_LIB_CHECK_HOSTCODE_H
#define LOOM_LIB_CHECK_HOSTCODE_H

#include "loom/Dialect/Func/Func.h"
#include "loom/Runtime/Scalar.h"
#include "llvm/ADT/MapVector.h"
#include <functional>
#include <memory>

namespace loom::check {

/// Why something has no value. Kinds:
///  - `unsupported_op`: an operation that the host does not evaluate
///  - `not_computable`: an operation that has no result for these values (overflow, division by
///    zero)
///  - `violated_assumption`: values contradict what an assumption or a `where` clause states
///  - `failed`: a `func.fail`
///  - `no_end`: more steps, or calls within calls, than the host takes
struct HostProblem {
  std::string kind;
  mlir::Location location;
  std::string message;
};

class HostCode {
public:
  struct Options {
    /// Ends the message about an operation: "is not computed in a launch configuration".
    llvm::StringRef refusal = "is not evaluated on the host";
    /// Refuses functions whose results do not follow from IEEE 754.
    bool exactOnly = false;
    /// Steps that one run takes at most.
    uint64_t maxSteps = uint64_t(1) << 26;
  };

  explicit HostCode(Options options);
  ~HostCode();

  /// The first operation of `block`, or of what it calls, that cannot be evaluated.
  std::optional<HostProblem> findUnsupported(mlir::Block &block);
  std::optional<HostProblem> findUnsupported(FuncDefOp function);

  /// Runs a block with these arguments up to its terminator. `results` receives the bits of the
  /// terminator's operands.
  std::optional<HostProblem> run(mlir::Block &block, llvm::ArrayRef<uint64_t> arguments,
                                 llvm::SmallVectorImpl<uint64_t> &results);
  /// Runs a function, whose parameters and results are scalars.
  std::optional<HostProblem> call(FuncDefOp function, llvm::ArrayRef<uint64_t> arguments,
                                  llvm::SmallVectorImpl<uint64_t> &results);

private:
  friend class HostDecoder;
  struct Frame;
  struct Body;
  using Step = std::function<bool(Frame &)>;

  Body &bodyOf(mlir::Block &block);
  /// Runs a function whose arguments and results are slots of `caller`; false after a problem.
  bool enter(FuncDefOp function, Frame &caller, llvm::ArrayRef<unsigned> arguments,
             llvm::ArrayRef<unsigned> results);

  Options options;
  /// Decoded bodies of functions and configurations, by block.
  llvm::MapVector<mlir::Block *, std::unique_ptr<Body>> bodies;
};

/// Evaluates the functions of a module by name. Decoded functions are kept.
class HostFunctions {
public:
  explicit HostFunctions(mlir::ModuleOp module) : module(module), code(HostCode::Options()) {}

  /// Why calls of the function cannot be evaluated: it is nowhere defined, has parameters that are
  /// not scalars, or does what the host does not. Nothing when they can.
  std::optional<std::string> refuse(llvm::StringRef name);
  /// Calls a function that is not refused. The error begins with the place in the source.
  llvm::Error call(llvm::StringRef name, llvm::ArrayRef<uint64_t> arguments,
                   llvm::SmallVectorImpl<uint64_t> &results);

private:
  FuncDefOp find(llvm::StringRef name);

  mlir::ModuleOp module;
  HostCode code;
  llvm::StringMap<FuncDefOp> functions;
};

/// "%count", or "a value" when it has no name.
std::string authorName(mlir::Value value);

} // namespace loom::check

#endif // LOOM_LIB_CHECK_HOSTCODE_H
