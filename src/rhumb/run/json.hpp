#pragma once
/// Writing JSON: objects with members in the order they were added. Numbers keep every digit; what JSON cannot say (an
/// infinity, NaN) becomes null; bytes that are not UTF-8 become the replacement character, so the text is always valid.

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::run {

class Json {
public:
  Json& add(const std::string& key, double value);
  Json& add(const std::string& key, long value);
  Json& add(const std::string& key, int value) { return add(key, static_cast<long>(value)); }
  Json& add(const std::string& key, const std::string& value);
  Json& add(const std::string& key, const char* value) { return add(key, std::string(value)); }
  Json& add(const std::string& key, std::span<const double> values);
  Json& add(const std::string& key, std::span<const long> values);
  Json& add(const std::string& key, std::span<const std::string> values);
  Json& add(const std::string& key, const Json& object);
  Json& add_flag(const std::string& key, bool value);

  bool empty() const { return members_.empty(); }
  /// The object over several lines, members indented by two blanks, with a line end.
  std::string text() const;

private:
  std::string indented(int depth) const;

  struct Member {
    std::string key;
    std::string text;          ///< of a value that is no object
    std::vector<Json> objects; ///< the value when it is one: one entry
  };
  std::vector<Member> members_;
};

/// The text between quotes, with the quotes.
std::string json_quoted(const std::string& text);
/// A number with all its digits, or null.
std::string json_number(double value);

} // namespace rhumb::run
