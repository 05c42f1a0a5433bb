//===- Status.h - Status codes of a compilation -----------------*- C++ -*-===//
//
// The codes that reports and the launch interface share. Number and name of each are part of the
// report format.
//
//===----------------------------------------------------------------------===//
#ifndef LOOM_REPORT_STATUS_H
#define LOOM_REPORT_STATUS_H

#include "loom/Report/CompileReport.h"
#include "llvm/ADT/StringRef.h"

namespace loom::report {

enum class StatusCode {
  Ok = 0,
  Cancelled = 1,
  Unknown = 2,
  InvalidArgument = 3,
  DeadlineExceeded = 4,
  NotFound = 5,
  AlreadyExists = 6,
  PermissionDenied = 7,
  ResourceExhausted = 8,
  FailedPrecondition = 9,
  Aborted = 10,
  OutOfRange = 11,
  Unimplemented = 12,
  Internal = 13,
  Unavailable = 14,
  DataLoss = 15,
  Unauthenticated = 16,
  Deferred = 17,
  Incompatible = 18,
};

/// `FAILED_PRECONDITION`; empty for a number that is no status code.
llvm::StringRef statusName(int code);

/// The status of a report with the name that belongs to `code`.
Status makeStatus(StatusCode code);

} // namespace loom::report

#endif // LOOM_REPORT_STATUS_H
