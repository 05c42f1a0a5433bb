# Finds every dependency that third_party/README.md lists, and turns Debian's LLVM and MLIR packages
# into something that can be linked statically.

list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
find_package(MLIR 22.1 REQUIRED CONFIG)
find_package(LLD 22.1 REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(fmt REQUIRED CONFIG)
find_package(Threads REQUIRED)

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# The back ends that Loom links. lld refers to the initializers of all of them; the others get an
# empty definition (lib/Target/Common/LinkedTargets.cpp).
set(LOOM_LLVM_TARGETS AMDGPU X86)

# Debian exports every MLIR and LLD library with the shared libLLVM in its link interface. Linking
# that beside the archives succeeds and registers each command-line option of LLVM twice, so each
# occurrence is replaced by the archives. test/Tools/static-link.test checks the result.
llvm_map_components_to_libnames(LOOM_LLVM_ARCHIVES
  AMDGPUCodeGen AMDGPUAsmParser AMDGPUDisassembler X86CodeGen X86AsmParser
  Analysis AsmParser BinaryFormat BitWriter Core DTLTO LTO MC ObjCopy Object Option OrcJIT
  Passes Support Target TargetParser)
add_library(loom_llvm INTERFACE)
get_target_property(extension_libs LLVMExtensions INTERFACE_LINK_LIBRARIES)
if(extension_libs)
  list(REMOVE_ITEM extension_libs Polly)
  set_target_properties(LLVMExtensions PROPERTIES INTERFACE_LINK_LIBRARIES "${extension_libs}")
endif()
target_link_libraries(loom_llvm INTERFACE ${LOOM_LLVM_ARCHIVES})
foreach(target IN LISTS MLIR_EXPORTED_TARGETS LLD_EXPORTED_TARGETS)
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "STATIC_LIBRARY")
    continue()
  endif()
  get_target_property(libs ${target} INTERFACE_LINK_LIBRARIES)
  if(libs)
    list(TRANSFORM libs REPLACE "^LLVM$" "loom_llvm")
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${libs}")
  endif()
endforeach()

# Names of the initializers that nobody defines, for LinkedTargets.cpp.
set(stubs "")
foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
  if(NOT target IN_LIST LOOM_LLVM_TARGETS)
    foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser)
      string(APPEND stubs "LOOM_UNLINKED_TARGET(LLVMInitialize${target}${part})\n")
    endforeach()
  endif()
endforeach()
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/include/loom/Target/Common/UnlinkedTargets.inc
     CONTENT "${stubs}")
