//===- RowSumProgram.cpp - The row sum as the lowering emits it -----------===//
#include "RowSumProgram.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <deque>
#include <vector>

using namespace llvm;

namespace loom::test {
namespace {

/// One row's loads, one SSA name a stream.
using Record = std::vector<std::string>;

/// Writes the program block by block. Values that a block defines only further down, behind the phi
/// that uses them, have names that are known beforehand.
class Writer {
public:
  explicit Writer(const RowSumShape &shape)
      : shape(shape), queueSize(shape.depth - 1), index(shape.wideIndex ? "i64" : "i32"),
        rowBytes(shape.vectorWidth * 4 * (shape.adjacentRows ? 1 : shape.lanes)),
        laneBytes(shape.vectorWidth * 4 * (shape.adjacentRows ? 64 : 1)) {
    payload =
        shape.vectorWidth == 1 ? "float" : "<" + std::to_string(shape.vectorWidth) + " x float>";
  }

  std::string run();

private:
  enum Operation { Address = 1, Load = 2, Add = 3 };

  void line(const Twine &text) { out += ("  " + text + "\n").str(); }
  void label(StringRef name) { out += (name + ":\n").str(); }
  std::string fresh() { return "%t" + std::to_string(counter++); }
  std::string at(Operation operation) const {
    return shape.locations ? ", !dbg !" + std::to_string(10 + operation) : "";
  }
  std::string define(const Twine &value, const std::string &name = "") {
    std::string result = name.empty() ? fresh() : name;
    line(result + " = " + value);
    return result;
  }

  Record load(const std::string &row, unsigned ahead, const std::vector<std::string> &names = {});
  std::string consume(std::string sum, const Record &record, const std::string &name = "");
  std::string compare(const Twine &predicate, const std::string &left, const Twine &right);
  std::string recordName(const Twine &prefix, unsigned row, unsigned stream) {
    return ("%" + prefix + Twine(row) + "." + Twine(stream)).str();
  }
  void phi(const Twine &type, const std::string &name, const std::string &first,
           const std::string &firstBlock, const std::string &second,
           const std::string &secondBlock) {
    line(name + " = phi " + type + " [ " + first + ", %" + firstBlock + " ], [ " + second + ", %" +
         secondBlock + " ]");
  }

  void header();
  void steadyLoop();
  void remainderLoop();
  void drain();
  void serialLoop();
  void result();

  RowSumShape shape;
  unsigned queueSize;
  std::string index, payload, out;
  unsigned rowBytes, laneBytes, counter = 0;
  std::string before;         ///< block in front of the steady loop
  std::deque<Record> startup; ///< records that are on the way when the steady loop begins
  std::vector<Record> steady; ///< records that are on the way at the end of its body
};

Record Writer::load(const std::string &row, unsigned ahead, const std::vector<std::string> &names) {
  Record record;
  for (unsigned stream = 0; stream < shape.streams; ++stream) {
    std::string rows = row;
    if (row.empty())
      rows = std::to_string(ahead);
    else if (ahead)
      rows = define("add nuw nsw " + index + " " + row + ", " + Twine(ahead) + at(Address));
    std::string lane = shape.wideIndex ? "%lane.wide" : "%lane";
    std::string rowOffset =
        define("mul nuw nsw " + index + " " + rows + ", " + Twine(rowBytes) + at(Address));
    std::string laneOffset =
        define("mul nuw nsw " + index + " " + lane + ", " + Twine(laneBytes) + at(Address));
    std::string offset =
        define("add nuw nsw " + index + " " + rowOffset + ", " + laneOffset + at(Address));
    if (!shape.wideIndex)
      offset = define("zext nneg i32 " + offset + " to i64" + at(Address));
    std::string pointer = define("getelementptr inbounds i8, ptr addrspace(1) %in" + Twine(stream) +
                                 ", i64 " + offset + at(Address));
    record.push_back(
        define("load " + payload + ", ptr addrspace(1) " + pointer + ", align 4" + at(Load),
               names.empty() ? "" : names[stream]));
  }
  return record;
}

std::string Writer::consume(std::string sum, const Record &record, const std::string &name) {
  for (const std::string &value : record) {
    for (unsigned element = 0; element < shape.vectorWidth; ++element) {
      bool last = &value == &record.back() && element + 1 == shape.vectorWidth;
      std::string scalar = value;
      if (shape.vectorWidth > 1)
        scalar =
            define("extractelement " + payload + " " + value + ", i32 " + Twine(element) + at(Add));
      sum = define("fadd float " + sum + ", " + scalar + at(Add), last ? name : "");
    }
  }
  return sum;
}

std::string Writer::compare(const Twine &predicate, const std::string &left, const Twine &right) {
  return define("icmp " + predicate + " " + index + " " + left + ", " + right);
}

void Writer::header() {
  out += "define amdgpu_kernel void @sum_rows(i64 noundef %count64";
  for (unsigned stream = 0; stream < shape.streams; ++stream)
    out += ", ptr addrspace(1) noalias readonly align 4 %in" + std::to_string(stream);
  out += ", ptr addrspace(1) noalias align 4 %out) #0 !reqd_work_group_size !0";
  out += shape.locations ? " !dbg !2 {\n" : " {\n";
  label("entry");
  line("%lane = call range(i32 0, " + Twine(shape.lanes) + ") i32 @llvm.amdgcn.workitem.id.x()");
  if (shape.wideIndex) {
    line("%lane.wide = zext nneg i32 %lane to i64");
    line("%count = add i64 %count64, 0");
  } else {
    line("%count = trunc nuw nsw i64 %count64 to i32");
  }
  before = "entry";
  if (queueSize) {
    std::string enough = compare("uge", "%count", Twine(shape.depth));
    line("br i1 " + enough + ", label %startup, label %serial.guard");
    label("startup");
    before = "startup";
    for (unsigned row = 0; row < queueSize; ++row)
      startup.push_back(load("", row));
  }
  line("%steps = sub " + index + " %count, " + Twine(queueSize));
  if (shape.factor == 1) {
    line("%bound = add " + index + " %steps, 0");
    std::string any = compare("ugt", "%steps", "0");
    line("br i1 " + any + ", label %steady, label %" + (queueSize ? "drain" : "exit"));
    return;
  }
  line("%bound = sub " + index + " %steps, " + Twine(shape.factor - 1));
  std::string any = compare("uge", "%steps", Twine(shape.factor));
  line("br i1 " + any + ", label %steady, label %rest.guard");
}

void Writer::steadyLoop() {
  label("steady");
  phi(index, "%row", "0", before, "%row.next", "steady");
  phi("float", "%sum", "0.0", before, "%sum.next", "steady");
  // A record is carried under the name that its load gets: the last loads of the body.
  auto nameOfNext = [&](unsigned slot, unsigned stream) {
    // With fewer loads than slots, the older slots move up.
    unsigned position = slot + shape.factor;
    return position < queueSize ? recordName("queue", position, stream)
                                : recordName("issue", position - queueSize, stream);
  };
  std::deque<Record> queue;
  for (unsigned slot = 0; slot < queueSize; ++slot) {
    queue.emplace_back();
    for (unsigned stream = 0; stream < shape.streams; ++stream) {
      queue.back().push_back(recordName("queue", slot, stream));
      phi(payload, queue.back().back(), startup[slot][stream], before, nameOfNext(slot, stream),
          "steady");
    }
  }
  unsigned issued = 0;
  auto issue = [&] {
    std::vector<std::string> names;
    for (unsigned stream = 0; stream < shape.streams; ++stream)
      names.push_back(recordName("issue", issued, stream));
    queue.push_back(load("%row", queueSize + issued, names));
    ++issued;
  };
  unsigned lead = shape.lead ? shape.lead : std::max(queueSize, 1u);
  while (issued < std::min(lead, shape.factor))
    issue();
  std::string sum = "%sum";
  for (unsigned consumed = 0; consumed < shape.factor; ++consumed) {
    sum = consume(sum, queue.front(), consumed + 1 == shape.factor ? "%sum.next" : "");
    queue.pop_front();
    if (issued < shape.factor)
      issue();
  }
  steady.assign(queue.begin(), queue.end());
  line("%row.next = add nuw nsw " + index + " %row, " + Twine(shape.factor));
  std::string again = compare(shape.wideIndex ? "ult" : "samesign ult", "%row.next", "%bound");
  line("br i1 " + again + ", label %steady, label %" +
       (shape.factor > 1 ? "rest.guard" : (queueSize ? "drain" : "exit")));
}

void Writer::remainderLoop() {
  if (shape.factor == 1)
    return;
  std::string behind = queueSize ? "drain" : "exit";
  label("rest.guard");
  // The counter goes on where the steady loop stopped, so that its pointer can be taken over.
  phi(index, "%rest.begin", "0", before, "%row.next", "steady");
  phi("float", "%rest.sum", "0.0", before, "%sum.next", "steady");
  for (unsigned slot = 0; slot < queueSize; ++slot)
    for (unsigned stream = 0; stream < shape.streams; ++stream)
      phi(payload, recordName("rest", slot, stream), startup[slot][stream], before,
          steady[slot][stream], "steady");
  std::string any = compare("ult", "%rest.begin", "%steps");
  line("br i1 " + any + ", label %rest, label %" + behind);
  label("rest");
  phi(index, "%rest.row", "%rest.begin", "rest.guard", "%rest.next", "rest");
  phi("float", "%rest.acc", "%rest.sum", "rest.guard", "%rest.acc.next", "rest");
  Record oldest;
  for (unsigned slot = 0; slot < queueSize; ++slot)
    for (unsigned stream = 0; stream < shape.streams; ++stream) {
      std::string next = slot + 1 < queueSize ? recordName("turn", slot + 1, stream)
                                              : recordName("last", 0, stream);
      phi(payload, recordName("turn", slot, stream), recordName("rest", slot, stream), "rest.guard",
          next, "rest");
      if (slot == 0)
        oldest.push_back(recordName("turn", 0, stream));
    }
  std::vector<std::string> names;
  for (unsigned stream = 0; stream < shape.streams; ++stream)
    names.push_back(recordName("last", 0, stream));
  Record loaded = load("%rest.row", queueSize, names);
  consume("%rest.acc", queueSize ? oldest : loaded, "%rest.acc.next");
  line("%rest.next = add nuw nsw " + index + " %rest.row, 1");
  std::string again = compare("ult", "%rest.next", "%steps");
  line("br i1 " + again + ", label %rest, label %" + behind);
}

void Writer::drain() {
  if (!queueSize)
    return;
  label("drain");
  std::string sum = "%drain.sum";
  std::vector<Record> records(queueSize);
  if (shape.factor > 1)
    phi("float", sum, "%rest.sum", "rest.guard", "%rest.acc.next", "rest");
  else
    phi("float", sum, "0.0", before, "%sum.next", "steady");
  for (unsigned slot = 0; slot < queueSize; ++slot)
    for (unsigned stream = 0; stream < shape.streams; ++stream) {
      std::string name = recordName("drain", slot, stream);
      records[slot].push_back(name);
      if (shape.factor == 1) {
        phi(payload, name, startup[slot][stream], before, steady[slot][stream], "steady");
        continue;
      }
      std::string next = slot + 1 < queueSize ? recordName("turn", slot + 1, stream)
                                              : recordName("last", 0, stream);
      phi(payload, name, recordName("rest", slot, stream), "rest.guard", next, "rest");
    }
  for (unsigned slot = 0; slot < queueSize; ++slot)
    sum = consume(sum, records[slot], slot + 1 == queueSize ? "%drained" : "");
  line("br label %exit");
}

void Writer::serialLoop() {
  if (!queueSize)
    return;
  label("serial.guard");
  std::string any = compare("ugt", "%count", "0");
  line("br i1 " + any + ", label %serial, label %exit");
  label("serial");
  phi(index, "%serial.row", "0", "serial.guard", "%serial.next", "serial");
  phi("float", "%serial.sum", "0.0", "serial.guard", "%serial.sum.next", "serial");
  consume("%serial.sum", load("%serial.row", 0), "%serial.sum.next");
  line("%serial.next = add nuw nsw " + index + " %serial.row, 1");
  std::string again = compare("ult", "%serial.next", "%count");
  line("br i1 " + again + ", label %serial, label %exit");
}

void Writer::result() {
  label("exit");
  if (queueSize)
    line("%result = phi float [ %drained, %drain ], [ 0.0, %serial.guard ], "
         "[ %serial.sum.next, %serial ]");
  else if (shape.factor > 1)
    phi("float", "%result", "%rest.sum", "rest.guard", "%rest.acc.next", "rest");
  else
    phi("float", "%result", "0.0", before, "%sum.next", "steady");
  line("%out.lane = mul nuw nsw i32 %lane, 4");
  line("%out.offset = zext nneg i32 %out.lane to i64");
  line("%out.pointer = getelementptr inbounds i8, ptr addrspace(1) %out, i64 %out.offset");
  line("store float %result, ptr addrspace(1) %out.pointer, align 4");
  line("ret void");
  out += "}\n";
}

std::string Writer::run() {
  out = "declare i32 @llvm.amdgcn.workitem.id.x()\n";
  header();
  steadyLoop();
  remainderLoop();
  drain();
  serialLoop();
  result();
  std::string lanes = std::to_string(shape.lanes);
  out += "attributes #0 = { \"amdgpu-flat-work-group-size\"=\"" + lanes + "," + lanes + "\" }\n";
  out += "!0 = !{i32 " + lanes + ", i32 1, i32 1}\n";
  if (shape.locations)
    out += "!llvm.dbg.cu = !{!1}\n!llvm.module.flags = !{!4}\n"
           "!1 = distinct !DICompileUnit(language: DW_LANG_C, file: !3, emissionKind: NoDebug)\n"
           "!2 = distinct !DISubprogram(name: \"sum_rows\", file: !3, unit: !1, "
           "spFlags: DISPFlagDefinition)\n"
           "!3 = !DIFile(filename: \"rows.loom\", directory: \"\")\n"
           "!4 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
           "!11 = !DILocation(line: 1, scope: !2)\n"
           "!12 = !DILocation(line: 2, scope: !2)\n"
           "!13 = !DILocation(line: 3, scope: !2)\n";
  return out;
}

} // namespace

std::string rowSumProgram(const RowSumShape &shape) { return Writer(shape).run(); }

amdgpu::SourceOperations rowSumOperations() { return {"index.madd", "view.load", "scalar.addf"}; }

} // namespace loom::test
