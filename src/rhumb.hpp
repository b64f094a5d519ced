#pragma once
/// All that a program which links the library usually needs.

#include "bdf/integrator.hpp"
#include "core/arrays.hpp"
#include "core/check.hpp"
#include "core/failure.hpp"
#include "core/options.hpp"
#include "core/session.hpp"
#include "dae/problem.hpp"
#include "dae/system.hpp"
#include "grid/kernel_system.hpp"
#include "run/run.hpp"
#include "ts/register.hpp"
