//===- WaitRecorder.cpp - Why the final code waits ------------------------===//
#include "WaitRecorder.h"
#include "WaitCounters.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include <map>
#include <set>
#include <tuple>

using namespace llvm;

namespace loom::amdgpu {

void WaitLog::attachMnemonics(StringRef function, const std::vector<std::string> &mnemonics) {
  if (nodeCounts.lookup(function) != mnemonics.size())
    return;
  for (report::WaitAction &action : actions) {
    if (action.function != function)
      continue;
    if (action.producerNode)
      action.producerInstruction = mnemonics[*action.producerNode];
    if (action.consumerNode)
      action.consumerInstruction = mnemonics[*action.consumerNode];
  }
}

namespace {

/// An instruction that occupies code bytes.
struct Node {
  const MachineInstr *instruction;
  unsigned block;   ///< in layout order
  unsigned ordinal; ///< in the block
  SmallVector<RequestKind, 3> requests;
  SmallVector<WaitTarget, 2> waits;
};

class WaitRecorder final : public MachineFunctionPass {
public:
  static char ID;
  WaitRecorder(WaitCounterModel model, WaitLog &log)
      : MachineFunctionPass(ID), model(model), log(log) {}

  StringRef getPassName() const override { return "Loom AMDGPU wait recorder"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override;

private:
  void readFunction(MachineFunction &function);
  bool counts(const Node &node, Counter counter) const;
  /// A request that a wait completes, and how many younger ones of its counter there are at least.
  struct Request {
    unsigned node;
    unsigned younger;
  };
  std::vector<Request> findRequests(unsigned wait, WaitTarget target) const;
  void record(unsigned wait, WaitTarget target, unsigned outstanding);
  void describeConsumer(unsigned wait, Counter counter, std::vector<Request> &requests,
                        report::WaitAction &action) const;
  void describeProducer(const std::vector<Request> &requests, report::WaitAction &action) const;
  bool touches(const MachineInstr &instruction, unsigned node, bool reads, bool sources) const;
  StringRef operationOf(const Node &node) const;

  WaitCounterModel model;
  WaitLog &log;
  const MachineFunction *function = nullptr;
  const TargetInstrInfo *instructions = nullptr;
  const TargetRegisterInfo *registers = nullptr;
  std::vector<Node> nodes;
  std::vector<unsigned> blockBegin; ///< first node of each block, and one past the last
  std::vector<SmallVector<unsigned, 2>> predecessors;
};

char WaitRecorder::ID;

void WaitRecorder::readFunction(MachineFunction &machineFunction) {
  function = &machineFunction;
  instructions = machineFunction.getSubtarget().getInstrInfo();
  registers = machineFunction.getSubtarget().getRegisterInfo();
  nodes.clear();
  blockBegin.clear();
  predecessors.clear();
  DenseMap<const MachineBasicBlock *, unsigned> positions;
  for (const MachineBasicBlock &block : machineFunction) {
    unsigned position = blockBegin.size();
    positions[&block] = position;
    blockBegin.push_back(nodes.size());
    for (const MachineInstr &instruction : block.instrs()) {
      if (instruction.isBundle() || instruction.isMetaInstruction() ||
          instructions->getInstSizeInBytes(instruction) == 0)
        continue;
      StringRef name = instructions->getName(instruction.getOpcode());
      Node node = {&instruction, position, unsigned(nodes.size()) - blockBegin.back(), {}, {}};
      if (isWait(name)) {
        for (const MachineOperand &operand : instruction.explicit_operands())
          if (operand.isImm())
            node.waits = decodeWait(model, name, operand.getImm());
      } else {
        node.requests = requestKinds(name, instruction.mayLoad(), instruction.mayStore());
      }
      nodes.push_back(std::move(node));
    }
  }
  blockBegin.push_back(nodes.size());
  for (const MachineBasicBlock &block : machineFunction) {
    predecessors.emplace_back();
    for (const MachineBasicBlock *predecessor : block.predecessors())
      predecessors.back().push_back(positions.lookup(predecessor));
  }
}

bool WaitRecorder::counts(const Node &node, Counter counter) const {
  return llvm::any_of(node.requests,
                      [&](RequestKind kind) { return counterOf(model, kind) == counter; });
}

/// Finds the requests that the wait completes, on all paths that lead to it. Going back along
/// a path, the youngest `target.count` requests may stay outstanding. Of those before an earlier
/// wait for the same counter, only as many can be left as that wait allowed.
std::vector<WaitRecorder::Request> WaitRecorder::findRequests(unsigned wait,
                                                              WaitTarget target) const {
  constexpr unsigned counterLimit = 64; // no counter holds more requests
  constexpr unsigned pathLimit = 4096;  // more paths than this are not worth an answer
  struct Path {
    unsigned end; ///< nodes before this one are looked at, backwards
    unsigned block;
    unsigned younger; ///< requests already passed
    unsigned left;    ///< requests further back that can still be outstanding
  };
  std::map<unsigned, unsigned> found; // node to the least number of younger requests
  SmallVector<Path, 8> open = {{wait, nodes[wait].block, 0, counterLimit}};
  std::set<std::tuple<unsigned, unsigned, unsigned>> seen;
  while (!open.empty()) {
    Path path = open.pop_back_val();
    for (unsigned at = path.end; at-- > blockBegin[path.block] && path.left;) {
      for (const WaitTarget &earlier : nodes[at].waits)
        if (earlier.counter == target.counter)
          path.left = std::min(path.left, earlier.count);
      if (path.left == 0 || !counts(nodes[at], target.counter))
        continue;
      if (path.younger >= target.count) {
        auto known = found.try_emplace(at, path.younger).first;
        known->second = std::min(known->second, path.younger);
      }
      ++path.younger;
      --path.left;
    }
    if (path.left == 0)
      continue;
    for (unsigned predecessor : predecessors[path.block])
      if (seen.insert({predecessor, path.younger, path.left}).second)
        open.push_back({blockBegin[predecessor + 1], predecessor, path.younger, path.left});
    if (seen.size() > pathLimit)
      return {};
  }
  std::vector<Request> requests;
  for (auto [node, younger] : found)
    requests.push_back({node, younger});
  return requests;
}

StringRef WaitRecorder::operationOf(const Node &node) const {
  const DebugLoc &location = node.instruction->getDebugLoc();
  return location ? log.operation(location.getLine()) : StringRef();
}

/// Whether `instruction` reads, or else writes, a register that the request at `node` loads, or
/// else takes its operands from.
bool WaitRecorder::touches(const MachineInstr &instruction, unsigned node, bool reads,
                           bool sources) const {
  const MachineInstr &request = *nodes[node].instruction;
  for (const MachineOperand &operand : instruction.operands()) {
    if (!operand.isReg() || !operand.getReg() || operand.isUse() != reads)
      continue;
    for (const MachineOperand &other : sources ? request.uses() : request.defs())
      if (other.isReg() && other.getReg() &&
          registers->regsOverlap(other.getReg(), operand.getReg()))
        return true;
  }
  return false;
}

/// Finds the consumer and what the wait is for. Narrows `requests` to those of the consumer.
void WaitRecorder::describeConsumer(unsigned wait, Counter counter, std::vector<Request> &requests,
                                    report::WaitAction &action) const {
  struct Reason {
    bool reads, sources;
    const char *name;
  };
  static constexpr Reason results[] = {{true, false, "amdgpu.ssa_use"},
                                       {false, false, "amdgpu.read_result_reuse"}};
  static constexpr Reason operands[] = {{false, true, "amdgpu.memory_source_reuse"}};
  action.reason = "amdgpu.unknown";
  bool atExit = true;
  for (unsigned at = wait + 1; at < blockBegin[nodes[wait].block + 1]; ++at) {
    const Node &node = nodes[at];
    for (const Reason &reason :
         counter == Counter::Translation ? ArrayRef(operands) : ArrayRef(results)) {
      std::vector<Request> touched;
      for (const Request &request : requests)
        if (touches(*node.instruction, request.node, reason.reads, reason.sources))
          touched.push_back(request);
      if (touched.empty())
        continue;
      requests = std::move(touched);
      action.consumerNode = at;
      action.consumerOperation = operationOf(node).str();
      action.reason = reason.name;
      return;
    }
    StringRef name = instructions->getName(node.instruction->getOpcode());
    if (atExit && name.starts_with("S_ENDPGM"))
      action.reason = "amdgpu.program_exit";
    else if (atExit && name.starts_with("S_BARRIER"))
      action.reason = "amdgpu.barrier";
    atExit &= isWait(name) || name.starts_with("S_NOP") || name.starts_with("S_SENDMSG");
  }
}

/// Names the youngest of `requests` when all paths agree on it, and its source operation when they
/// agree on that.
void WaitRecorder::describeProducer(const std::vector<Request> &requests,
                                    report::WaitAction &action) const {
  if (requests.empty())
    return;
  unsigned youngest = std::min_element(requests.begin(), requests.end(), [](auto &a, auto &b) {
                        return a.younger < b.younger;
                      })->younger;
  std::vector<unsigned> producers;
  for (const Request &request : requests)
    if (request.younger == youngest)
      producers.push_back(request.node);
  if (producers.size() == 1)
    action.producerNode = producers.front();
  StringRef operation = operationOf(nodes[producers.front()]);
  if (llvm::all_of(producers, [&](unsigned at) { return operationOf(nodes[at]) == operation; }))
    action.producerOperation = operation.str();
}

void WaitRecorder::record(unsigned wait, WaitTarget target, unsigned outstanding) {
  std::vector<Request> requests = findRequests(wait, target);
  const Node &node = nodes[wait];
  report::WaitAction action;
  action.function = function->getName().str();
  action.blockIndex = node.block;
  action.nodeIndex = wait;
  action.scheduledOrdinal = node.ordinal;
  action.targetCount = target.count;
  action.outstandingBefore = outstanding;
  action.outstandingAfter = std::min(outstanding, target.count);
  describeConsumer(wait, target.counter, requests, action);
  describeProducer(requests, action);
  // A counter that several kinds share is reported under the kind of the request.
  RequestKind kind = kindsOf(model, target.counter).front();
  if (!requests.empty())
    for (RequestKind candidate : nodes[requests.front().node].requests)
      if (counterOf(model, candidate) == target.counter)
        kind = candidate;
  action.counter = stringifyRequestKind(kind).str();
  action.counterId = unsigned(kind);
  log.addAction(std::move(action));
}

bool WaitRecorder::runOnMachineFunction(MachineFunction &machineFunction) {
  readFunction(machineFunction);
  log.addFunction(machineFunction.getName(), nodes.size());
  // Requests of this block that may be outstanding, by counter.
  DenseMap<unsigned, unsigned> outstanding;
  for (unsigned at = 0; at < nodes.size(); ++at) {
    const Node &node = nodes[at];
    if (node.ordinal == 0)
      outstanding.clear();
    for (const WaitTarget &target : node.waits) {
      unsigned &count = outstanding[unsigned(target.counter)];
      record(at, target, count);
      count = std::min(count, target.count);
    }
    for (RequestKind kind : node.requests)
      ++outstanding[unsigned(counterOf(model, kind))];
  }
  return false;
}

} // namespace

FunctionPass *createWaitRecorderPass(const TargetProfile &profile, WaitLog &log) {
  return new WaitRecorder(profile.waitCounters, log);
}

} // namespace loom::amdgpu
