# Configuration of the lit tests: programs in .loom text and small .test scripts.
import os
import shutil

import lit.formats

config.name = "loom"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".loom", ".test"]
config.excludes = ["Inputs", "unit", "bench", "fuzz", "programs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.loom_build_dir, "test", "lit")

tools = os.path.join(config.loom_build_dir, "bin")
config.environment["PATH"] = os.pathsep.join([tools, config.llvm_tools_dir, os.environ["PATH"]])
config.substitutions += [
    ("%examples", os.path.join(config.loom_source_dir, "examples")),
    ("%source_dir", config.loom_source_dir),
    ("%bin", tools),
    ("%llvm", config.llvm_tools_dir),
    ("%python", shutil.which("python3") or "python3"),
]

# The seed programs, where they lie beside the repository, are compiled and run as they stand.
seeds = os.environ.get("LOOM_SEED_PROGRAMS",
                       os.path.join(config.loom_source_dir, "..", "shared", "seeds", "programs"))
if os.path.isdir(seeds):
    config.available_features.add("seeds")
    config.substitutions.append(("%seeds", os.path.abspath(seeds)))
