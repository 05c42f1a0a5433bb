// The row sum of examples/row-sum as an OpenCL C programmer writes it. UNROLL is the factor of the
// pragma; without it the loop stands as it is.
#define STRINGIFY(x) #x
#define PRAGMA(x) _Pragma(STRINGIFY(x))

__attribute__((reqd_work_group_size(32, 1, 1))) kernel void
row_sum(long row_count, global const float *restrict matrix, global float *restrict sums) {
  int rows = (int)row_count;
  __builtin_assume(rows >= 0 && rows <= 128);
  uint column = __builtin_amdgcn_workitem_id_x();
  float sum = 0.0f;
#ifdef UNROLL
  PRAGMA(unroll UNROLL)
#else
  PRAGMA(nounroll)
#endif
  for (int row = 0; row < rows; ++row)
    sum += matrix[row * 32 + column];
  sums[column] = sum;
}
