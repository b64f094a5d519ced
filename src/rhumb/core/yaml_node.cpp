#include <rhumb/core/yaml_node.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/core/input_file.hpp>
#include <rhumb/core/strings.hpp>
#include <fmt/format.h>

namespace rhumb::core {

void YamlNode::reject(const std::string& message) const {
  const auto mark = node_.Mark();
  const std::string where = mark.is_null() ? file_ : fmt::format("{}:{}", file_, mark.line + 1);
  throw BadInput(subject_.empty() ? fmt::format("{}: {}", where, message)
                                  : fmt::format("{}: {}: {}", where, subject_, message));
}

bool YamlNode::has(const std::string& key) const {
  return node_.IsMap() && node_[key].IsDefined();
}

YamlNode YamlNode::at(const std::string& key) const {
  if (!node_.IsMap()) reject(fmt::format("a map with `{}` is wanted here", key));
  if (!node_[key].IsDefined()) reject(fmt::format("`{}` is missing", key));
  return {file_, node_[key], subject_};
}

YamlNode YamlNode::at(std::size_t i) const {
  if (!node_.IsSequence() || i >= node_.size()) reject(fmt::format("a list with an entry {} is wanted here", i + 1));
  return {file_, node_[i], subject_};
}

double YamlNode::real(const std::string& what) const {
  if (!node_.IsScalar()) reject(fmt::format("{} must be a number", what));
  if (node_.Tag() == "!") reject(fmt::format("{} is the text \"{}\", not a number: no quotes", what, node_.Scalar()));
  const auto value = parse_real(node_.Scalar());
  if (!value) reject(fmt::format("{} is `{}`, which is not a number", what, node_.Scalar()));
  return *value;
}

std::string YamlNode::text(const std::string& what) const {
  if (!node_.IsScalar()) reject(fmt::format("{} must be a text", what));
  return node_.Scalar();
}

bool YamlNode::flag(const std::string& what) const {
  const auto value = parse_flag(text(what));
  if (!value) reject(fmt::format("{} must be true or false", what));
  return *value;
}

std::vector<YamlNode> YamlNode::items(const std::string& what) const {
  if (!node_.IsSequence()) reject(fmt::format("{} must be a list", what));
  std::vector<YamlNode> all;
  for (std::size_t i = 0; i < node_.size(); ++i) all.push_back(at(i));
  return all;
}

std::vector<std::pair<std::string, YamlNode>> YamlNode::entries(const std::string& what) const {
  if (!node_.IsMap()) reject(fmt::format("{} must be a map", what));
  std::vector<std::pair<std::string, YamlNode>> all;
  for (const auto& entry : node_) all.emplace_back(entry.first.Scalar(), YamlNode{file_, entry.second, subject_});
  return all;
}

void YamlNode::only(const std::vector<std::string>& keys) const {
  for (const auto& [key, value] : entries("this")) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const auto near = nearest(key, keys);
    value.reject(fmt::format("`{}` is not understood here{}", key,
                             near.empty() ? "" : fmt::format("; did you mean `{}`?", near)));
  }
}

YamlNode load_yaml(const std::string& file, const std::string& what) {
  try {
    return {file, YAML::Load(read_input_file(file, max_text_size, what))};
  } catch (const YAML::ParserException& failure) {
    throw BadInput(
        fmt::format("{}:{}:{}: not YAML: {}", file, failure.mark.line + 1, failure.mark.column + 1, failure.msg));
  }
}

} // namespace rhumb::core
