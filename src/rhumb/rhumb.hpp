#pragma once
/// All that a program which links the library usually needs.

#include <rhumb/bdf/integrator.hpp>
#include <rhumb/core/arrays.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/options.hpp>
#include <rhumb/core/session.hpp>
#include <rhumb/dae/problem.hpp>
#include <rhumb/dae/system.hpp>
#include <rhumb/pde/box/kernel_system.hpp>
#include <rhumb/run/integrate.hpp>
#include <rhumb/run/run.hpp>
#include <rhumb/ts/register.hpp>
