#pragma once
/// C code of programs: what every such file begins with. Program::c_code writes the functions.

#include <string>

namespace rhumb::text {

/// Includes, helper functions and the struct that functions are called with (CompiledCall).
std::string c_prelude();

} // namespace rhumb::text
