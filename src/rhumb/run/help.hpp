#pragma once
/// What -help prints: every option that was declared, in groups, with unit, default and range.

#include <rhumb/core/options.hpp>
#include <string>

namespace rhumb::run {

/// With a word, only the lines that hold it.
std::string help_text(const std::string& app, const core::Options& options, const std::string& word = "");

} // namespace rhumb::run
