//===- Dialects.h - All dialects of the language ----------------*- C++ -*-===//
#ifndef LOOM_DIALECT_DIALECTS_H
#define LOOM_DIALECT_DIALECTS_H

#include "loom/Dialect/Buffer/Buffer.h"
#include "loom/Dialect/Check/Check.h"
#include "loom/Dialect/Config/Config.h"
#include "loom/Dialect/Encoding/Encoding.h"
#include "loom/Dialect/Func/Func.h"
#include "loom/Dialect/Index/Index.h"
#include "loom/Dialect/Kernel/Kernel.h"
#include "loom/Dialect/Low/Low.h"
#include "loom/Dialect/Module/Module.h"
#include "loom/Dialect/SCF/SCF.h"
#include "loom/Dialect/Sanitizer/Sanitizer.h"
#include "loom/Dialect/Scalar/Scalar.h"
#include "loom/Dialect/Target/Target.h"
#include "loom/Dialect/Template/Template.h"
#include "loom/Dialect/Vector/Vector.h"
#include "loom/Dialect/View/View.h"

#endif // LOOM_DIALECT_DIALECTS_H
