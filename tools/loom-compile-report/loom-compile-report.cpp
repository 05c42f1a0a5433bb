//===- loom-compile-report.cpp - Read and compare compile reports ---------===//
//
// Exit status: 0 when the view was produced, 2 for whatever kept it from being produced.
//
//===----------------------------------------------------------------------===//
#include "loom/Report/Show.h"
#include "loom/Support/CommandLine.h"
#include "loom/Support/FileIO.h"
#include "loom/Support/NearMatches.h"

using namespace llvm;
using namespace loom;

static constexpr int errorStatus = 2;

static int fail(const Twine &message) {
  errs() << "loom-compile-report: error: " << message << "\n";
  return errorStatus;
}

static Expected<report::LoadedReport> loadReport(const std::string &path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readInput(path);
  if (!buffer)
    return buffer.takeError();
  StringRef name = (*buffer)->getBufferIdentifier();
  Expected<Json> document = parseJson((*buffer)->getBuffer(), name);
  if (!document)
    return document.takeError();
  return report::fromJson(*document, name);
}

static int show(const std::string &path, const std::string &format) {
  Expected<report::LoadedReport> loaded = loadReport(path);
  if (!loaded)
    return fail(toString(loaded.takeError()));
  std::string view;
  if (format == "json")
    view = report::showJson(*loaded).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  else
    view = report::showText(*loaded);
  if (Error error = writeOutput("-", view))
    return fail(toString(std::move(error)));
  return 0;
}

int main(int argc, char **argv) {
  std::vector<std::string> arguments;
  std::string format = "text";
  CommandLine commandLine("loom-compile-report", "Reads the reports of loom-compile.");
  commandLine.setErrorStatus(errorStatus);
  commandLine.positionals(arguments, 1, 3, "show REPORT",
                          "show prints one report for reading. REPORT is a JSON report, or one row "
                          "of benchmark results around it; - reads standard input.");
  commandLine.option("format", format, "How to print the view.", {"text", "json"});
  commandLine.refused("comparison", "comparing two reports is not in this build");
  commandLine.refused("force", "comparing two reports is not in this build");
  commandLine.refused("include-experimental", "findings are not in this build");
  if (std::optional<int> status = commandLine.parse(argc, argv))
    return *status;

  const std::string &command = arguments[0];
  if (command == "diff")
    return fail("diff is not in this build: reports can be shown, not yet compared");
  if (command == "suggest")
    return fail("suggest is not in this build: reports can be shown, findings are not derived yet");
  if (command != "show")
    return fail("unknown command '" + command + "'" +
                didYouMean(command, {"show", "diff", "suggest"}));
  if (arguments.size() != 2)
    return fail("show takes one report; usage: loom-compile-report show REPORT");
  return show(arguments[1], format);
}
