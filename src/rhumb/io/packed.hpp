#pragma once
/// Values in a row of bytes, for the way between processes of one machine.

#include <rhumb/core/failure.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace rhumb::io {

class Packer {
public:
  template <class Value>
  requires std::is_arithmetic_v<Value> Packer& put(Value value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Packer& put(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
    return *this;
  }
  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

/// Reads in the order of writing. Throws core::InputOutput when there is less than expected.
class Unpacker {
public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  template <class Value>
  Value get() {
    Value value{};
    const std::string_view from = next(sizeof value);
    std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(next(get<std::uint64_t>())); }
  bool empty() const { return bytes_.empty(); }

private:
  std::string_view next(std::uint64_t size) {
    if (size > bytes_.size()) throw core::InputOutput("a message between processes ends too early");
    const std::string_view found = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return found;
  }
  std::string_view bytes_;
};

} // namespace rhumb::io
