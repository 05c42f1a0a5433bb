# How libraries, dialects, tools and unit tests of Loom are declared.

set(LOOM_SOURCE_INCLUDE ${PROJECT_SOURCE_DIR}/include)
set(LOOM_BINARY_INCLUDE ${PROJECT_BINARY_DIR}/include)

find_program(LOOM_CCACHE ccache)
if(LOOM_CCACHE)
  # A precompiled header of gcc is cacheable only with these; see docs/internals/build.md.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${LOOM_CCACHE})
endif()
find_program(LOOM_MOLD mold)

add_library(loom_flags INTERFACE)
target_include_directories(loom_flags INTERFACE ${LOOM_SOURCE_INCLUDE} ${LOOM_BINARY_INCLUDE})
target_include_directories(loom_flags SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS}
                           ${LLD_INCLUDE_DIRS})
separate_arguments(LOOM_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(loom_flags INTERFACE NDEBUG)
target_compile_options(loom_flags INTERFACE ${LOOM_LLVM_DEFINITIONS} -Wall -Wextra
  -Wno-unused-parameter -ffunction-sections -fdata-sections
  $<$<BOOL:${LOOM_WERROR}>:-Werror>
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess -Wno-maybe-uninitialized>)
if(LOOM_MOLD)
  target_link_options(loom_flags INTERFACE -fuse-ld=mold)
endif()
target_link_options(loom_flags INTERFACE -Wl,--gc-sections -Wl,--as-needed)

# The headers that almost every translation unit over MLIR reads, compiled once.
file(WRITE ${CMAKE_BINARY_DIR}/loom_pch.cpp "")
set(LOOM_PCH_HEADERS
  <mlir/Bytecode/BytecodeOpInterface.h> <mlir/IR/Builders.h> <mlir/IR/BuiltinAttributes.h>
  <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h> <mlir/IR/Dialect.h>
  <mlir/IR/DialectImplementation.h> <mlir/IR/OpDefinition.h> <mlir/IR/OpImplementation.h>
  <mlir/IR/PatternMatch.h> <mlir/IR/SymbolTable.h> <mlir/Interfaces/ControlFlowInterfaces.h>
  <mlir/Interfaces/InferIntRangeInterface.h> <mlir/Interfaces/InferTypeOpInterface.h>
  <mlir/Interfaces/LoopLikeInterface.h> <mlir/Interfaces/SideEffectInterfaces.h>
  <llvm/ADT/StringExtras.h> <llvm/ADT/TypeSwitch.h> <map> <string> <vector>)
add_library(loom_pch OBJECT ${CMAKE_BINARY_DIR}/loom_pch.cpp)
target_link_libraries(loom_pch PRIVATE loom_flags)
target_precompile_headers(loom_pch PRIVATE ${LOOM_PCH_HEADERS})
# The same with the operations of all dialects, for libraries that use most of them in every file.
add_library(loom_dialects_pch OBJECT ${CMAKE_BINARY_DIR}/loom_pch.cpp)
target_link_libraries(loom_dialects_pch PRIVATE loom_flags)
add_dependencies(loom_dialects_pch LoomHeaders)
target_precompile_headers(loom_dialects_pch PRIVATE ${LOOM_PCH_HEADERS} <loom/Dialect/Dialects.h>)

# add_loom_library(LoomX sources... [NO_PCH | DIALECTS_PCH] [DEPENDS tablegen targets...] [LINK libraries...])
function(add_loom_library name)
  cmake_parse_arguments(arg "NO_PCH;DIALECTS_PCH" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE loom_flags)
  target_include_directories(${name} PUBLIC ${LOOM_SOURCE_INCLUDE} ${LOOM_BINARY_INCLUDE})
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
  if(arg_DIALECTS_PCH)
    target_precompile_headers(${name} REUSE_FROM loom_dialects_pch)
  elseif(NOT arg_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM loom_pch)
  endif()
endfunction()

# loom_tablegen(<td path below include/> <output path below include/> <generator> [options...]):
# collects the outputs of one tablegen target in the caller's TABLEGEN_OUTPUT.
macro(loom_tablegen td out)
  set(LLVM_TARGET_DEFINITIONS ${LOOM_SOURCE_INCLUDE}/${td})
  get_filename_component(out_dir ${LOOM_BINARY_INCLUDE}/${out} DIRECTORY)
  file(MAKE_DIRECTORY ${out_dir})
  file(RELATIVE_PATH out_relative ${CMAKE_CURRENT_BINARY_DIR} ${LOOM_BINARY_INCLUDE}/${out})
  mlir_tablegen(${out_relative} ${ARGN} EXTRA_INCLUDES ${LOOM_SOURCE_INCLUDE}
                ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
endmacro()

# add_loom_dialect(X): include/loom/Dialect/X/XOps.td and lib/Dialect/X/*.cpp become LoomX.
# The dialect's .td says `dialect = loom_<x>`; extra libraries follow LINK.
function(add_loom_dialect name)
  cmake_parse_arguments(arg "" "MNEMONIC" "LINK" ${ARGN})
  set(td loom/Dialect/${name}/${name}Ops.td)
  set(out loom/Dialect/${name}/${name})
  loom_tablegen(${td} ${out}Dialect.h.inc -gen-dialect-decls -dialect=loom_${arg_MNEMONIC})
  loom_tablegen(${td} ${out}Dialect.cpp.inc -gen-dialect-defs -dialect=loom_${arg_MNEMONIC})
  loom_tablegen(${td} ${out}Ops.h.inc -gen-op-decls -dialect=loom_${arg_MNEMONIC})
  loom_tablegen(${td} ${out}Ops.cpp.inc -gen-op-defs -dialect=loom_${arg_MNEMONIC})
  add_public_tablegen_target(Loom${name}IncGen)
  add_dependencies(LoomHeaders Loom${name}IncGen)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_loom_library(Loom${name} ${sources} DEPENDS LoomHeaders LINK LoomIR ${arg_LINK})
endfunction()

# add_loom_tool(loom-x sources... LINK libraries...)
function(add_loom_tool name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${arg_LINK} loom_flags)
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# add_loom_unittest(XTests sources... LINK libraries...): one GoogleTest program, one ctest entry.
function(add_loom_unittest name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${arg_LINK} loom_flags GTest::gtest_main GTest::gmock)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests)
  add_test(NAME unit.${name} COMMAND ${name})
endfunction()
