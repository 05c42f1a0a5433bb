"""Writes a program with a chain of vectors whose extents are values: vector_chain.py LENGTH ROWS

The first vector tells what the extents are, all others have them from the one before. ROWS is a
number, which makes an extent a constant, or 'unknown', which makes it a parameter.
"""
import sys

length, known = int(sys.argv[1]), sys.argv[2]
rows, columns = "%rows" if known == "unknown" else "%fixed", "%columns"
print("func.def @chain(%x: f32, %rows: index, %columns: index) -> (f32) {")
if known != "unknown":
    print(f"  %fixed = index.constant {known} : index")
print(f"  %turned_0 = vector.splat %x : vector<[{rows}]x[{columns}]xf32>")
for i in range(length):
    before = f"vector<[{rows}]x[{columns}]xf32>"
    rows, columns = columns, rows
    print(f"  %value_{i} = vector.negf %turned_{i} : {before}")
    print(f"  %turned_{i + 1} = vector.transpose<[1, 0]> %value_{i} : "
          f"{before} -> vector<[{rows}]x[{columns}]xf32>")
print("  %zero = scalar.constant 0.0 : f32")
print(f"  %sum = vector.reduce<addf> %turned_{length}, %zero : "
      f"vector<[{rows}]x[{columns}]xf32>, f32")
print("  func.return %sum : f32\n}")
