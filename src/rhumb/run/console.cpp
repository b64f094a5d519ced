#include <rhumb/run/console.hpp>

#include <cstdio>

namespace rhumb::run {

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0) std::fflush(stdout);
}

void print_error(const std::string& app, const std::string& message) {
  std::fflush(stdout); // so that the message comes after what was said before
  std::fputs((app + ": " + message + "\n").c_str(), stderr);
}

} // namespace rhumb::run
