#pragma once
/// What -help prints: every option that was declared, with unit, default and range.

#include <rhumb/core/options.hpp>
#include <string>

namespace rhumb::run {

std::string help_text(const std::string& app, const core::Options& options);

} // namespace rhumb::run
