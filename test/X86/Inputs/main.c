// Launches the kernels of kernels.loom and compares with loops of its own. C and C++.
#include "kernels.h"
#include <stdio.h>
#include <string.h>

enum { LARGEST = 1000 };
static double input[LARGEST], output[LARGEST];
static int failures;

static void expect(int holds, const char *what) {
  if (holds)
    return;
  printf("failed: %s\n", what);
  ++failures;
}

// Runs the launch in two parts, the later one first: workgroups may run in any order.
static void scaleAll(const loom_launch *launch, const scale_v2_arguments *arguments) {
  int64_t middle = launch->total_workgroups / 2;
  scale_v2(arguments, middle, launch->total_workgroups, launch->workgroup_count,
           launch->workgroup_size);
  scale_v2(arguments, 0, middle, launch->workgroup_count, launch->workgroup_size);
}

static void testScale(int64_t count, bool wide) {
  loom_launch launch;
  int64_t size = wide ? 256 : 64;
  memset(&launch, 0xff, sizeof launch);
  expect(scale_v2_launch_config(count, wide, &launch) == LOOM_LAUNCH_OK, "status");
  expect(launch.workgroup_count[0] == (count + size - 1) / size, "workgroup count x");
  expect(launch.workgroup_count[1] == scale_v2_WORKGROUP_COUNT_Y, "workgroup count y");
  expect(launch.workgroup_count[2] == scale_v2_WORKGROUP_COUNT_Z, "workgroup count z");
  expect(launch.workgroup_size[0] == size, "workgroup size x");
  expect(launch.workgroup_size[1] == 1 && launch.workgroup_size[2] == 1, "workgroup size");
  expect(launch.total_workgroups == launch.workgroup_count[0], "total");
  expect(launch.subgroup_size == 16 && launch.workgroup_storage_bytes == 0, "subgroup, storage");

  scale_v2_arguments arguments;
  arguments.count = count;
  arguments.class_ = -3;
  arguments.factor = 0.1;
  arguments.input = input;
  arguments.output = output;
  for (int64_t i = 0; i < LARGEST; ++i) {
    input[i] = (double)i + 0.5;
    output[i] = -1;
  }
  scaleAll(&launch, &arguments);
  for (int64_t i = 0; i < LARGEST; ++i) {
    volatile double product = input[i] * 0.1;
    expect(output[i] == (i < count ? product - 3 : -1), "element");
  }
}

static void testRefusals(void) {
  loom_launch launch;
  launch.total_workgroups = 42;
  expect(scale_v2_launch_config(INT64_MAX, false, &launch) == LOOM_LAUNCH_NOT_COMPUTABLE,
         "overflow");
  expect(scale_v2_launch_config(-1, false, &launch) == LOOM_LAUNCH_VIOLATED_ASSUMPTION,
         "assumption");
  expect(scale_v2_launch_config(INT64_C(1) << 32, false, &launch) == LOOM_LAUNCH_INVALID_GEOMETRY,
         "too many work-items");
  expect(launch.total_workgroups == 42, "left alone");
}

struct tag_record {
  int32_t flag;
  int16_t number;
  uint16_t half;
  int64_t b, bytes;
  int32_t a, gap;
  uint16_t brain, gap2;
  float x;
};

static void testTag(void) {
  loom_launch launch;
  struct tag_record record;
  tag_0_arguments arguments;
  memset(&record, 0, sizeof record);
  memset(&arguments, 0xee, sizeof arguments);
  arguments.on = true;
  arguments.int_ = -1234;
  arguments.a = -123456;
  arguments.b = INT64_MIN + 1;
  arguments.bytes = UINT64_C(1) << 40;
  arguments.half = 0x3c01;
  arguments.brain = 0x7fc0;
  arguments.x = 1.25f;
  arguments.output = &record;
  expect(tag_0_launch_config(&launch) == LOOM_LAUNCH_OK, "status of tag");
  expect(launch.workgroup_count[0] == tag_0_WORKGROUP_COUNT_X && tag_0_WORKGROUP_COUNT_X == 2 &&
             tag_0_WORKGROUP_COUNT_Z == 3 && tag_0_WORKGROUP_SIZE_X == 4 &&
             tag_0_WORKGROUP_SIZE_Z == 2 && launch.total_workgroups == 6,
         "geometry of tag");
  tag_0(&arguments, 0, launch.total_workgroups, launch.workgroup_count, launch.workgroup_size);
  expect(record.flag == 1, "i1");
  expect(record.number == -1234 && record.a == -123456 && record.b == INT64_MIN + 1, "integers");
  expect(record.bytes == INT64_C(1) << 40, "offset");
  expect(record.half == 0x3c01 && record.brain == 0x7fc0 && record.x == 1.25f, "floats");
}

int main(void) {
  const int64_t counts[] = {0, 1, 63, 64, 65, 256, 257, LARGEST};
  loom_launch launch;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    testScale(counts[i], false);
    testScale(counts[i], true);
  }
  testRefusals();
  testTag();
  expect(nothing_launch_config(&launch) == LOOM_LAUNCH_OK, "status of nothing");
  nothing(NULL, 0, launch.total_workgroups, launch.workgroup_count, launch.workgroup_size);
  printf("%s\n", failures ? "FAILED" : "all as expected");
  return failures != 0;
}
