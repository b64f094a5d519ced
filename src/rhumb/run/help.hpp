#pragma once
/// What -help prints: every option that was declared, in groups, with unit, default and range.

#include <rhumb/core/options.hpp>
#include <string>
#include <vector>

namespace rhumb::run {

/// An option that another case of the driver reads: "with -problem delay".
struct OptionElsewhere {
  std::string condition;
  core::Declared option;
};

/// With a word, only the lines that hold it.
std::string help_text(const std::string& app, const core::Options& options, const std::string& word = "",
                      const std::vector<OptionElsewhere>& elsewhere = {});

} // namespace rhumb::run
