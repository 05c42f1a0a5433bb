// The kernels of kernels.loom in OpenCL C.
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void
row_sum(__global const float *restrict input, __global float *restrict output, long rows,
        long columns) {
  size_t column = get_global_id(0);
  if (column < columns) {
    float sum = 0.0f;
    for (long row = 0; row < rows; ++row)
      sum += input[row * columns + column];
    output[column] = sum;
  }
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
saxpy(float a, __global const float *restrict x, __global float *restrict y, long count) {
  size_t i = get_global_id(0);
  if (i < count)
    y[i] = a * x[i] + y[i];
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
tree(__global const float *restrict input, __global float *restrict output, long count) {
  __local float tile[256];
  size_t item = get_local_id(0), i = get_global_id(0);
  tile[item] = i < count ? input[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 0; step < 8; ++step) {
    size_t distance = 128 >> step;
    if (item < distance)
      tile[item] = tile[item] + tile[item + distance];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0)
    output[get_group_id(0)] = tile[0];
}

__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void
transpose(__global const float *restrict input, __global float *restrict output, long width,
          long height) {
  __local float tile[32 * 33];
  size_t lx = get_local_id(0), ly = get_local_id(1);
  size_t left = get_group_id(0) * 32, top = get_group_id(1) * 32, x = left + lx, ox = top + lx;
  for (int j = 0; j < 32; j += 8)
    if (top + ly + j < height && x < width)
      tile[(ly + j) * 33 + lx] = input[(top + ly + j) * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = 0; j < 32; j += 8)
    if (left + ly + j < width && ox < height)
      output[(left + ly + j) * height + ox] = tile[lx * 33 + ly + j];
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
diverge(__global const float *restrict input, __global const int *restrict counts,
        __global float *restrict output, long count) {
  size_t i = get_global_id(0);
  if (i < count) {
    float a = input[i];
    int end = counts[i];
    for (int j = 0; j < end; ++j)
      if (a > 1.0f)
        a = a * 0.5f - 0.125f;
      else
        a = a * a + (0.3f + a * 1.5f);
    output[i] = a;
  }
}

__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void
matmul(__global const float *restrict a, __global const float *restrict b,
       __global float *restrict c, long n) {
  __local float as[256], bs[256];
  size_t lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  float sum = 0.0f;
  for (long k = 0; k < n; k += 16) {
    as[ly * 16 + lx] = a[y * n + k + lx];
    bs[ly * 16 + lx] = b[(k + ly) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int q = 0; q < 16; ++q)
      sum += as[ly * 16 + q] * bs[q * 16 + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[y * n + x] = sum;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
softmax(__global const float *restrict input, __global float *restrict output, long rows,
        long columns) {
  __local float tile[64];
  size_t item = get_local_id(0), row = get_group_id(0);
  float largest = -3.40282347e+38f;
  for (long c = item; c < columns; c += 64)
    largest = input[row * columns + c] > largest ? input[row * columns + c] : largest;
  tile[item] = largest;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 0; step < 6; ++step) {
    size_t distance = 32 >> step;
    if (item < distance)
      tile[item] = tile[item + distance] > tile[item] ? tile[item + distance] : tile[item];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float peak = tile[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  float part = 0.0f;
  for (long c = item; c < columns; c += 64) {
    float power = exp(input[row * columns + c] - peak);
    output[row * columns + c] = power;
    part += power;
  }
  tile[item] = part;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 0; step < 6; ++step) {
    size_t distance = 32 >> step;
    if (item < distance)
      tile[item] = tile[item] + tile[item + distance];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float total = tile[0];
  for (long c = item; c < columns; c += 64)
    output[row * columns + c] = output[row * columns + c] / total;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
byte_dot(__global const char4 *restrict weights, __global const char4 *restrict values,
         __global int *restrict output, long rows, long words) {
  size_t row = get_global_id(0);
  if (row < rows) {
    int sum = 0;
    for (long k = 0; k < words; ++k) {
      char4 w = weights[k * rows + row], v = values[k];
      sum += w.x * v.x + w.y * v.y + w.z * v.z + w.w * v.w;
    }
    output[row] = sum;
  }
}
