//===- AddressPrograms.cpp - Random programs that compute addresses -------===//
#include "AddressPrograms.h"
#include "llvm/ADT/Twine.h"
#include <limits>
#include <random>
#include <vector>

using namespace llvm;

namespace loom::test {
namespace {

constexpr int64_t least32 = std::numeric_limits<int32_t>::min();
constexpr int64_t greatest32 = std::numeric_limits<int32_t>::max();

/// An integer with the interval that its signed value lies in. For a wide value whose interval is
/// not known, it is larger than what 32 bits hold.
struct Value {
  std::string name;
  bool wide;
  int64_t least, greatest;

  std::string type() const { return wide ? "i64" : "i32"; }
};

constexpr int64_t far = int64_t(1) << 60;

class Writer {
public:
  Writer(uint64_t seed, const std::string &name) : random(seed), name(name) {}

  std::string run() {
    text = "define amdgpu_kernel void @" + name +
           "(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %a, i32 %b, i64 %c, i32 %x) {\n";
    enter("entry");
    line("%lane = call range(i32 0, 64) i32 @llvm.amdgcn.workitem.id.x()");
    scope = {{"%lane", false, 0, 63},
             {"%a", false, 0, 100},
             {"%b", false, -50, 50},
             {"%c", true, 0, 1000},
             {"%x", false, least32, greatest32}};
    statements(3);
    line("ret void");
    return text + "}\n";
  }

private:
  unsigned below(unsigned bound) { return unsigned(random() % bound); }
  bool chance(unsigned percent) { return below(100) < percent; }
  void line(const Twine &what) { text += ("  " + what + "\n").str(); }
  std::string fresh(const char *prefix) { return prefix + std::to_string(counter++); }
  void enter(const std::string &label) {
    text += label + ":\n";
    block = label;
  }
  Value define(bool wide, int64_t least, int64_t greatest, const Twine &what) {
    Value value = {fresh("%v"), wide, least, greatest};
    line(value.name + " = " + what);
    return value;
  }

  /// A value of the scope; recent ones, which are the counters around, are more likely.
  Value pick() {
    unsigned fromEnd = std::min(below(scope.size()), below(scope.size()));
    return scope[scope.size() - 1 - fromEnd];
  }

  /// The flags that a result within [least, greatest] may carry; some of them are left out.
  std::string flags(const Value &left, int64_t rightLeast, int64_t least, int64_t greatest) {
    std::string result;
    bool nonNegative = left.least >= 0 && rightLeast >= 0 && least >= 0;
    if (nonNegative && greatest <= greatest32 && chance(75))
      result += " nuw";
    if (least >= least32 && greatest <= greatest32 && chance(75))
      result += " nsw";
    return result;
  }

  Value narrow(unsigned depth);
  Value wide(unsigned depth);
  Value arithmetic(Value left, Value right);
  void access();
  void statements(unsigned depth);
  void loop(unsigned depth);
  void condition(unsigned depth);

  std::mt19937_64 random;
  std::string name, text, block;
  std::vector<Value> scope;
  unsigned counter = 0, stores = 0, loops = 0;
};

/// A random sum, difference or multiple.
Value Writer::arithmetic(Value left, Value right) {
  bool wide = left.wide;
  std::string opcode, operand = right.name;
  int64_t least, greatest, rightLeast = right.least;
  unsigned choice = below(4);
  int64_t factor = 1 + below(choice == 3 ? 7 : 200);
  if (choice == 0 || choice == 1) {
    opcode = choice == 0 ? "add" : "sub";
    least = choice == 0 ? left.least + right.least : left.least - right.greatest;
    greatest = choice == 0 ? left.greatest + right.greatest : left.greatest - right.least;
    if (choice == 1)
      rightLeast = right.least >= 0 && left.least >= right.greatest ? 0 : -1;
  } else {
    opcode = choice == 2 ? "mul" : "shl";
    operand = std::to_string(factor);
    rightLeast = factor;
    if (choice == 3)
      factor = int64_t(1) << factor;
    else if (chance(20))
      factor = -factor, operand = std::to_string(factor), rightLeast = factor;
    int64_t one = left.least * factor, other = left.greatest * factor;
    least = std::min(one, other), greatest = std::max(one, other);
  }
  std::string flagText = wide ? "" : flags(left, rightLeast, least, greatest);
  if (wide && (least < -far || greatest > far))
    least = -far, greatest = far;
  if (!wide && (least < least32 || greatest > greatest32))
    least = least32, greatest = greatest32;
  if (wide &&
      (left.greatest >= far || left.least <= -far || right.greatest >= far || right.least <= -far))
    least = -far, greatest = far;
  return define(wide, least, greatest,
                opcode + flagText + " " + left.type() + " " + left.name + ", " + operand);
}

Value Writer::narrow(unsigned depth) {
  if (depth == 0 || chance(20)) {
    if (chance(20)) {
      int64_t number = int64_t(below(400)) - 100;
      return {std::to_string(number), false, number, number};
    }
    Value value = pick();
    if (!value.wide)
      return value;
    if (value.least < least32 || value.greatest > greatest32)
      return define(false, least32, greatest32, "trunc i64 " + value.name + " to i32");
    std::string kind = value.least >= 0 && chance(70) ? "trunc nuw nsw" : "trunc nsw";
    return define(false, value.least, value.greatest, kind + " i64 " + value.name + " to i32");
  }
  return arithmetic(narrow(depth - 1), narrow(depth - 1));
}

Value Writer::wide(unsigned depth) {
  if (depth > 0 && chance(40)) {
    Value left = wide(depth - 1);
    // Products of unknown values would leave what the intervals can follow.
    return arithmetic(left, wide(depth - 1));
  }
  Value value = chance(80) ? narrow(3) : pick();
  if (value.wide)
    return value;
  if (value.least < 0 && chance(50)) {
    return define(true, value.least, value.greatest, "sext i32 " + value.name + " to i64");
  }
  if (value.least < 0)
    return define(true, 0, int64_t(1) << 32, "zext i32 " + value.name + " to i64");
  const char *kind = chance(60) ? "zext nneg" : chance(50) ? "zext" : "sext";
  return define(true, value.least, value.greatest, kind + (" i32 " + value.name) + " to i64");
}

void Writer::access() {
  std::string pointer = chance(70) ? "%p" : "%q";
  if (chance(20)) {
    // A base that is the same in all lanes but not in all iterations.
    Value value = pick();
    std::string test = fresh("%t"), base = fresh("%base");
    line(test + " = icmp slt " + value.type() + " " + value.name + ", " + Twine(below(4)));
    line(base + " = select i1 " + test + ", ptr addrspace(1) %p, ptr addrspace(1) %q");
    pointer = base;
  }
  for (unsigned level = 0, levels = 1 + chance(30); level < levels; ++level) {
    Value offset = wide(2);
    std::string next = fresh("%g");
    line(next + " = getelementptr " + (chance(70) ? "i8" : "float") + ", ptr addrspace(1) " +
         pointer + ", i64 " + offset.name);
    pointer = next;
  }
  // Neighbours that differ by a constant, as unrolling leaves them.
  for (unsigned copy = 0, copies = chance(30) ? 3 : 1; copy < copies; ++copy) {
    std::string address = pointer;
    if (copy) {
      address = fresh("%g");
      line(address + " = getelementptr i8, ptr addrspace(1) " + pointer + ", i64 " +
           Twine(copy * (chance(80) ? 128 : 9000)));
    }
    line("store i32 " + Twine(stores++) + ", ptr addrspace(1) " + address);
  }
}

void Writer::condition(unsigned depth) {
  std::string inside = fresh("then"), behind = fresh("join"), test = fresh("%t");
  line(test + " = icmp ult i32 " + (chance(50) ? "%lane" : "%a") + ", " + Twine(below(60)));
  line("br i1 " + test + ", label %" + inside + ", label %" + behind);
  std::vector<Value> outer = scope;
  enter(inside);
  statements(depth - 1);
  line("br label %" + behind);
  scope = outer;
  enter(behind);
}

/// A guarded, rotated loop of up to four iterations, with a counter that may start anywhere, and
/// behind it a counter that goes on where the loop stopped.
void Writer::loop(unsigned depth) {
  bool isWide = chance(30);
  static constexpr int64_t steps[] = {1, 1, 2, 4, 4, -1};
  int64_t step = steps[below(6)];
  Value start = {"0", isWide, 0, 0};
  if (chance(60))
    start = isWide ? wide(1) : narrow(1);
  if (start.least < -10000 || start.greatest > 10000)
    start = {"0", isWide, 0, 0};
  std::string limit = fresh("%n"), test = fresh("%t"), header = fresh("loop"),
              behind = fresh("join"), before = block;
  line(limit + " = and i32 " + (chance(70) ? "%a" : "%lane") + ", 3");
  line(test + " = icmp ugt i32 " + limit + ", 0");
  line("br i1 " + test + ", label %" + header + ", label %" + behind);
  std::vector<Value> outer = scope;
  int64_t reach = 4 * step;
  Value counterValue = {fresh("%i"), isWide, start.least + std::min<int64_t>(0, reach),
                        start.greatest + std::max<int64_t>(0, reach)};
  std::string next = counterValue.name + ".next", turn = fresh("%k"), latch = fresh("latch");
  enter(header);
  std::string type = start.type();
  line(counterValue.name + " = phi " + type + " [ " + start.name + ", %" + before + " ], [ " +
       next + ", %" + latch + " ]");
  line(turn + " = phi i32 [ 0, %" + before + " ], [ " + turn + ".next, %" + latch + " ]");
  scope.push_back(counterValue);
  statements(depth - 1);
  line("br label %" + latch);
  enter(latch);
  std::string flagText =
      isWide ? "" : flags(counterValue, step, counterValue.least, counterValue.greatest);
  line(next + " = add" + flagText + " " + type + " " + counterValue.name + ", " + Twine(step));
  line(turn + ".next = add nuw nsw i32 " + turn + ", 1");
  line(test + ".again = icmp ult i32 " + turn + ".next, " + limit);
  line("br i1 " + test + ".again, label %" + header + ", label %" + behind);
  scope = outer;
  enter(behind);
  counterValue.name = fresh("%i");
  line(counterValue.name + " = phi " + type + " [ " + start.name + ", %" + before + " ], [ " +
       next + ", %" + latch + " ]");
  scope.push_back(counterValue);
}

void Writer::statements(unsigned depth) {
  for (unsigned count = 1 + below(3); count > 0; --count) {
    unsigned choice = depth ? below(10) : 0;
    if (choice < 4)
      access();
    else if (choice < 8 && loops++ < 12)
      loop(depth);
    else if (depth)
      condition(depth);
  }
}

} // namespace

std::string addressProgram(uint64_t seed, const std::string &name) {
  return Writer(seed, name).run();
}

} // namespace loom::test
