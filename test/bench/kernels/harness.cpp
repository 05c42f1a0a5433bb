//===- harness.cpp - Kernels of Loom and of OpenCL in one process ---------===//
//
//   harness KERNELS.so KERNELS.cl REPETITIONS
//
// Runs each kernel of kernels.loom, the same in OpenCL C, and of two of them a form written by hand
// with vectors, turn by turn, and prints a line of JSON for each with the least time of each in
// nanoseconds and whether the results have the same bits. Without an OpenCL device the times of
// OpenCL are missing.
//
//===----------------------------------------------------------------------===//
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace {

using Entry = void (*)(const void *, int64_t, int64_t, const int64_t *, const int64_t *);
using Bytes = std::vector<uint8_t>;

/// An argument of a kernel: a buffer by its number, or a scalar by its bits.
struct Argument {
  int buffer = -1;
  uint64_t bits = 0;
  unsigned bytes = 8;
};

struct Problem {
  std::string name, what;
  std::vector<Bytes> inputs; ///< what buffers hold before each run
  int output;
  std::vector<Argument> arguments;
  int64_t groups[3], size[3];
  double tolerance = 0; ///< relative, of floats; zero asks for the same bits
  std::function<void(std::vector<Bytes> &)> byHand;
};

Argument buffer(int number) { return {number, 0, 0}; }
Argument number(int64_t value) { return {-1, static_cast<uint64_t>(value), 8}; }
Argument number(float value) {
  Argument argument = {-1, 0, 4};
  std::memcpy(&argument.bits, &value, 4);
  return argument;
}

uint32_t randomState = 12345;
uint32_t nextRandom() {
  randomState = randomState * 1664525u + 1013904223u;
  return randomState >> 8;
}
Bytes floats(size_t count, float low, float high) {
  Bytes bytes(count * 4);
  auto *values = reinterpret_cast<float *>(bytes.data());
  for (size_t i = 0; i < count; ++i)
    values[i] = low + (high - low) * (nextRandom() / 16777216.0f);
  return bytes;
}

//===----------------------------------------------------------------------===//
// By hand
//===----------------------------------------------------------------------===//

typedef float Floats __attribute__((vector_size(32)));
typedef float LooseFloats __attribute__((vector_size(32), aligned(4)));
typedef int32_t Ints __attribute__((vector_size(32)));
typedef int32_t LooseInts __attribute__((vector_size(32), aligned(4)));

/// Eight vectors of columns at a time.
void rowSumByHand(const float *in, float *out, int64_t rows, int64_t columns) {
  for (int64_t column = 0; column < columns; column += 64) {
    Floats sums[8] = {};
    for (int64_t row = 0; row < rows; ++row)
      for (int i = 0; i < 8; ++i)
        sums[i] += *reinterpret_cast<const LooseFloats *>(in + row * columns + column + i * 8);
    for (int i = 0; i < 8; ++i)
      *reinterpret_cast<LooseFloats *>(out + column + i * 8) = sums[i];
  }
}

bool any(Ints mask) {
  for (int i = 0; i < 8; ++i)
    if (mask[i])
      return true;
  return false;
}

void divergeByHand(const float *in, const int32_t *counts, float *out, int64_t count) {
  for (int64_t i = 0; i < count; i += 16) {
    Floats a[2];
    Ints end[2], active[2];
    for (int h = 0; h < 2; ++h) {
      a[h] = *reinterpret_cast<const LooseFloats *>(in + i + h * 8);
      end[h] = *reinterpret_cast<const LooseInts *>(counts + i + h * 8);
      active[h] = end[h] > 0;
    }
    for (int32_t j = 1; any(active[0] | active[1]); ++j)
      for (int h = 0; h < 2; ++h) {
        Floats less = a[h] * 0.5f - 0.125f, more = a[h] * a[h] + (0.3f + a[h] * 1.5f);
        Floats next = a[h] > 1.0f ? less : more;
        a[h] = active[h] ? next : a[h];
        active[h] = end[h] > j;
      }
    for (int h = 0; h < 2; ++h)
      *reinterpret_cast<LooseFloats *>(out + i + h * 8) = a[h];
  }
}

//===----------------------------------------------------------------------===//
// The problems
//===----------------------------------------------------------------------===//

float *asFloats(Bytes &bytes) { return reinterpret_cast<float *>(bytes.data()); }

std::vector<Problem> problems() {
  std::vector<Problem> list;
  auto rowSum = [&](int64_t rows, int64_t columns) {
    Problem p = {"row_sum",
                 std::to_string(rows) + "x" + std::to_string(columns),
                 {floats(rows * columns, -1, 1), Bytes(columns * 4)},
                 1,
                 {buffer(0), buffer(1), number(rows), number(columns)},
                 {(columns + 127) / 128, 1, 1},
                 {128, 1, 1},
                 0,
                 {}};
    p.byHand = [=](std::vector<Bytes> &b) {
      rowSumByHand(asFloats(b[0]), asFloats(b[1]), rows, columns);
    };
    list.push_back(p);
  };
  rowSum(1024, 1024);
  int64_t n = 65549;
  list.push_back({"saxpy",
                  std::to_string(n),
                  {floats(n, -1, 1), floats(n, -1, 1)},
                  1,
                  {number(1.5f), buffer(0), buffer(1), number(n)},
                  {(n + 255) / 256, 1, 1},
                  {256, 1, 1},
                  0,
                  {}});
  n = 1 << 20;
  list.push_back({"tree",
                  std::to_string(n),
                  {floats(n, -1, 1), Bytes(n / 256 * 4)},
                  1,
                  {buffer(0), buffer(1), number(n)},
                  {n / 256, 1, 1},
                  {256, 1, 1},
                  0,
                  {}});
  n = 1024;
  list.push_back({"transpose",
                  "1024x1024",
                  {floats(n * n, -1, 1), Bytes(n * n * 4)},
                  1,
                  {buffer(0), buffer(1), number(n), number(n)},
                  {n / 32, n / 32, 1},
                  {32, 8, 1},
                  0,
                  {}});
  n = 65536;
  Bytes trips(n * 4);
  for (int64_t i = 0; i < n; ++i)
    reinterpret_cast<int32_t *>(trips.data())[i] = nextRandom() % 64;
  Problem diverge = {"diverge",
                     "65536, 0 to 63 trips",
                     {floats(n, 0, 2), trips, Bytes(n * 4)},
                     2,
                     {buffer(0), buffer(1), buffer(2), number(n)},
                     {n / 256, 1, 1},
                     {256, 1, 1},
                     0,
                     {}};
  diverge.byHand = [=](std::vector<Bytes> &b) {
    divergeByHand(asFloats(b[0]), reinterpret_cast<int32_t *>(b[1].data()), asFloats(b[2]), n);
  };
  list.push_back(diverge);
  n = 512;
  list.push_back({"matmul",
                  "512",
                  {floats(n * n, -1, 1), floats(n * n, -1, 1), Bytes(n * n * 4)},
                  2,
                  {buffer(0), buffer(1), buffer(2), number(n)},
                  {n / 16, n / 16, 1},
                  {16, 16, 1},
                  0,
                  {}});
  int64_t rows = 512, columns = 1000;
  list.push_back({"softmax",
                  "512x1000",
                  {floats(rows * columns, -4, 4), Bytes(rows * columns * 4)},
                  1,
                  {buffer(0), buffer(1), number(rows), number(columns)},
                  {rows, 1, 1},
                  {64, 1, 1},
                  1e-5,
                  {}});
  rows = 4096;
  int64_t words = 256;
  list.push_back({"byte_dot",
                  "4096x1024",
                  {floats(rows * words, -1, 1), floats(words, -1, 1), Bytes(rows * 4)},
                  2,
                  {buffer(0), buffer(1), buffer(2), number(rows), number(words)},
                  {rows / 64, 1, 1},
                  {64, 1, 1},
                  0,
                  {}});
  return list;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

double nanoseconds(const std::function<void()> &run) {
  auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

void runLoom(Entry entry, const Problem &p, std::vector<Bytes> &buffers) {
  std::vector<uint64_t> block;
  for (const Argument &a : p.arguments)
    block.push_back(a.buffer >= 0 ? reinterpret_cast<uintptr_t>(buffers[a.buffer].data()) : a.bits);
  entry(block.data(), 0, p.groups[0] * p.groups[1] * p.groups[2], p.groups, p.size);
}

/// OpenCL's first device, when there is one.
class OpenCL {
public:
  explicit OpenCL(const char *path) {
    cl_platform_id platform;
    cl_device_id device;
    cl_uint count = 0;
    if (clGetPlatformIDs(1, &platform, &count) || !count ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &count) || !count)
      return;
    std::ifstream file(path);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const char *source = text.c_str();
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue = clCreateCommandQueue(context, device, 0, nullptr);
    program = clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
    isThere = clBuildProgram(program, 1, &device, "-cl-std=CL1.2", nullptr, nullptr) == CL_SUCCESS;
    if (!isThere)
      std::fprintf(stderr, "the OpenCL program does not build\n");
  }

  bool isThere = false;

  double run(const Problem &p, std::vector<Bytes> &buffers) {
    cl_kernel kernel = clCreateKernel(program, p.name.c_str(), nullptr);
    std::vector<cl_mem> memory;
    for (Bytes &bytes : buffers)
      memory.push_back(clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                      bytes.size(), bytes.data(), nullptr));
    for (size_t i = 0; i < p.arguments.size(); ++i) {
      const Argument &a = p.arguments[i];
      if (a.buffer >= 0)
        clSetKernelArg(kernel, i, sizeof(cl_mem), &memory[a.buffer]);
      else
        clSetKernelArg(kernel, i, a.bytes, &a.bits);
    }
    size_t global[3], local[3];
    for (int d = 0; d < 3; ++d) {
      local[d] = p.size[d];
      global[d] = p.groups[d] * p.size[d];
    }
    double time = nanoseconds([&] {
      clEnqueueNDRangeKernel(queue, kernel, 3, nullptr, global, local, 0, nullptr, nullptr);
      clFinish(queue);
    });
    clEnqueueReadBuffer(queue, memory[p.output], CL_TRUE, 0, buffers[p.output].size(),
                        buffers[p.output].data(), 0, nullptr, nullptr);
    for (cl_mem m : memory)
      clReleaseMemObject(m);
    clReleaseKernel(kernel);
    return time;
  }

private:
  cl_context context;
  cl_command_queue queue;
  cl_program program;
};

bool agree(const Problem &p, const Bytes &a, const Bytes &b) {
  if (!p.tolerance)
    return a == b;
  auto *x = reinterpret_cast<const float *>(a.data());
  auto *y = reinterpret_cast<const float *>(b.data());
  for (size_t i = 0; i < a.size() / 4; ++i)
    if (!(std::abs(x[i] - y[i]) <= p.tolerance * std::abs(x[i])))
      return false;
  return true;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: harness KERNELS.so KERNELS.cl REPETITIONS\n");
    return 2;
  }
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  OpenCL opencl(argv[2]);
  int status = 0;
  for (const Problem &p : problems()) {
    auto entry = reinterpret_cast<Entry>(dlsym(library, p.name.c_str()));
    double best[3] = {1e30, 1e30, 1e30};
    std::vector<Bytes> results[3];
    for (int repetition = 0; repetition < std::atoi(argv[3]); ++repetition) {
      for (auto &buffers : results)
        buffers = p.inputs;
      best[0] = std::min(best[0], nanoseconds([&] { runLoom(entry, p, results[0]); }));
      if (opencl.isThere)
        best[1] = std::min(best[1], opencl.run(p, results[1]));
      if (p.byHand)
        best[2] = std::min(best[2], nanoseconds([&] { p.byHand(results[2]); }));
    }
    std::printf("{\"kernel\":\"%s\",\"size\":\"%s\",\"loom_ns\":%.0f", p.name.c_str(),
                p.what.c_str(), best[0]);
    if (opencl.isThere)
      std::printf(",\"opencl_ns\":%.0f,\"opencl_agrees\":%s", best[1],
                  agree(p, results[0][p.output], results[1][p.output]) ? "true" : "false");
    if (p.byHand)
      std::printf(",\"hand_ns\":%.0f,\"hand_agrees\":%s", best[2],
                  agree(p, results[0][p.output], results[2][p.output]) ? "true" : "false");
    std::printf("}\n");
    std::fflush(stdout);
  }
  return status;
}
