#ifndef LOOM_DIALECT_VECTOR_VECTOROPS_TD
#define LOOM_DIALECT_VECTOR_VECTOROPS_TD

include "loom/Dialect/Vector/VectorAccess.td"
include "loom/Dialect/Vector/VectorConstruct.td"
include "loom/Dialect/Vector/VectorFragment.td"
include "loom/Dialect/Vector/VectorLanewise.td"
include "loom/Dialect/Vector/VectorMemory.td"
include "loom/Dialect/Vector/VectorReduce.td"
include "loom/Dialect/Vector/VectorTables.td"

#endif // LOOM_DIALECT_VECTOR_VECTOROPS_TD
