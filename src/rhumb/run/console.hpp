#pragma once
/// Text for the person at the console. A console that cannot be written to (a closed pipe, a full disk behind a
/// redirection) never ends a run.

#include <string>

namespace rhumb::run {

/// To standard output, at once.
void print(const std::string& text);

/// To standard error: `app: message`.
void print_error(const std::string& app, const std::string& message);

} // namespace rhumb::run
