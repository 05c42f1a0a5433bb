//===- Status.cpp - Status codes of a compilation -------------------------===//
#include "loom/Report/Status.h"
#include <iterator>

using namespace llvm;

namespace loom::report {

StringRef statusName(int code) {
  static constexpr StringLiteral names[] = {"OK",
                                            "CANCELLED",
                                            "UNKNOWN",
                                            "INVALID_ARGUMENT",
                                            "DEADLINE_EXCEEDED",
                                            "NOT_FOUND",
                                            "ALREADY_EXISTS",
                                            "PERMISSION_DENIED",
                                            "RESOURCE_EXHAUSTED",
                                            "FAILED_PRECONDITION",
                                            "ABORTED",
                                            "OUT_OF_RANGE",
                                            "UNIMPLEMENTED",
                                            "INTERNAL",
                                            "UNAVAILABLE",
                                            "DATA_LOSS",
                                            "UNAUTHENTICATED",
                                            "DEFERRED",
                                            "INCOMPATIBLE"};
  return code >= 0 && code < static_cast<int>(std::size(names)) ? StringRef(names[code]) : "";
}

Status makeStatus(StatusCode code) {
  return {static_cast<int>(code), statusName(static_cast<int>(code)).str()};
}

} // namespace loom::report
