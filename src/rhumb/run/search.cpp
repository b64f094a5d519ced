#include <rhumb/run/search.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::run {

Condition Condition::parse(const std::string& text) {
  const auto at = text.find_first_of("=<>");
  Condition out;
  if (at != std::string::npos) out = {text.substr(0, at), text[at], text.substr(at + 1)};
  const bool ordered = out.comparison != '=';
  if (out.name.empty() || out.value.empty() || (ordered && !core::parse_real(out.value)))
    throw core::BadInput(fmt::format("option -until {}: FIGURE=WORD, FIGURE<NUMBER or FIGURE>NUMBER is wanted", text));
  return out;
}

std::optional<bool> Condition::holds(const dae::Figures& figures) const {
  const auto found = std::ranges::find(figures, name, &dae::Figures::value_type::first);
  if (found == figures.end()) {
    std::vector<std::string> names;
    for (const auto& figure : figures) names.push_back(figure.first);
    const std::string meant = core::nearest(name, names);
    throw core::BadInput(fmt::format("option -until {}: the runs have no figure {}{}", text(), name,
                                     meant.empty() ? "" : fmt::format(", did you mean {}?", meant)));
  }
  const auto wanted = core::parse_real(value);
  if (const auto* string_value = std::get_if<std::string>(&found->second)) {
    if (comparison != '=') throw core::BadInput(fmt::format("option -until {}: {} is a word", text(), name));
    return *string_value == "open" ? std::nullopt : std::optional(*string_value == value);
  }
  const auto* number = std::get_if<double>(&found->second);
  if (!number || !wanted)
    throw core::BadInput(fmt::format("option -until {}: {} is {}", text(), name, number ? "a number" : "a list"));
  if (std::isnan(*number)) return std::nullopt;
  return comparison == '<' ? *number < *wanted : comparison == '>' ? *number > *wanted : *number == *wanted;
}

Search::Search(double low, double high, double width) : width_(width), first_{low, high} {
  if (!(low < high)) throw core::BadInput(fmt::format("option -vary: the interval {:g}:{:g} is empty", low, high));
}

std::optional<std::pair<double, double>> Search::bracket() const {
  const auto differ = [](const auto& one, const auto& other) { return one.second != other.second; };
  const auto low = std::adjacent_find(tried_.begin(), tried_.end(), differ);
  if (low != tried_.end()) return std::pair(low->first, std::next(low)->first);
  return std::nullopt;
}

bool Search::finished() const {
  const auto ends = bracket();
  return ends && ends->second - ends->first <= width_ * std::max(std::abs(ends->first), std::abs(ends->second));
}

std::vector<double> Search::next(std::size_t count) const {
  std::vector<double> out;
  if (finished()) return out;
  if (const auto ends = bracket()) {
    const auto [low, high] = *ends;
    for (std::size_t i = 1; i <= count; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(count + 1);
      if (low > 0.0)
        out.push_back(count == 1 ? std::sqrt(low * high) : low * std::pow(high / low, share));
      else
        out.push_back(low + share * (high - low));
    }
    return out;
  }
  for (const double value : first_)
    if (!tried_.contains(value) && out.size() < count) out.push_back(value);
  if (first_.size() == 2 && out.empty())
    throw core::BadInput(fmt::format("the condition {} at both ends of the interval, {:g} and {:g}",
                                     tried_.begin()->second ? "holds" : "does not hold", first_[0], first_[1]));
  if (first_.size() == 2) return out;
  // A condition that holds everywhere is looked for further down, one that holds nowhere further up.
  const bool down = !tried_.empty() && tried_.begin()->second;
  double value = tried_.empty() ? first_.front() : down ? tried_.begin()->first : tried_.rbegin()->first;
  while (out.size() < count) out.push_back(value *= down ? 0.5 : 2.0);
  return out;
}

} // namespace rhumb::run
