"""Programs for the session of the editor and for the bench."""

HELPER = """// Twice the input,
// rounded once.
func.def public pure @double(%x: f32) -> (f32) {
  %two = scalar.constant 2.0 : f32
  %result = scalar.mulf %x, %two : f32
  func.return %result : f32
}
"""

KERNEL = """
kernel.def export("sum_{i}") @sum_{i}() {{
  %one = index.constant 1 : index
  %lanes = index.constant 32 : index
  kernel.launch.config workgroups(%one, %one, %one) workgroup_size(%lanes, %one, %one) : index
}} launch(%row_count: index, %matrix: buffer, %sums: buffer) {{
  // At most 128 rows.
  %rows = index.assume %row_count [range(%row_count, 0, 128)] : index
  %column = kernel.workitem.id<x> : index
  %origin = index.constant 0 : offset
  %elements = buffer.view %matrix[%origin] : buffer -> view<[%rows]x32xf32>
  %results = buffer.view %sums[%origin] : buffer -> view<32xf32>
  %first = index.constant 0 : index
  %step = index.constant 1 : index
  %zero = scalar.constant 0.0 : f32
  %depth = config.get @session.depth : index
  %total = scf.for %row = [%first to %rows step %step](%sum = %zero : f32) -> (f32) pipeline(%depth) {{
    %element = view.load %elements[%row, %column] : view<[%rows]x32xf32> -> f32
    %square = scalar.mulf %element, %element : f32
    %next = scalar.addf %sum, %square : f32
    scf.yield %next : f32
  }}
  %half = scalar.constant 0.5 : f32
  %mean = scalar.mulf %total, %half : f32
  %twice = func.call pure @double(%mean) : (f32) -> (f32)
  view.store %twice, %results[%column] : f32, view<32xf32>
  kernel.return
}}
"""

HEAD = """// The depth of every loop.
config.def @session.depth = 3 : index

func.decl public pure @double(%x: f32) -> (f32)
"""


def big_program(lines):
    """A correct program in canonical form of at least so many lines."""
    per_kernel = KERNEL.count("\n")
    return HEAD + "".join(KERNEL.format(i=i) for i in range(-(-lines // per_kernel)))
