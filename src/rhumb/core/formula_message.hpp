#pragma once
/// How a mistake in a formula is shown.

#include <string>
#include <string_view>
#include <vector>

namespace rhumb::core::formula {

/// Throws BadInput: the reason, the text around `position` (in bytes), and a caret below it. Characters that a terminal
/// cannot show are replaced.
[[noreturn]] void reject(std::string_view source, std::string_view text, std::size_t position,
                         const std::string& reason);

/// What a reader would call the character that begins at `position`: "'&'", "the byte 0x00".
std::string character_at(std::string_view text, std::size_t position);

/// "'sine' is not known here, did you mean 'sin'? There are x, t, ..."
std::string unknown_name(const std::string& name, const std::vector<std::string>& variables,
                         const std::vector<std::string>& others);

} // namespace rhumb::core::formula
