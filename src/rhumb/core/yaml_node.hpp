#pragma once
/// YAML nodes that know where they stand: every complaint names the file, the line and what was being read.

#include <string>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace rhumb::core {

class YamlNode {
public:
  YamlNode(std::string file, const YAML::Node& node, std::string subject = "")
      : file_(std::move(file)), node_(node), subject_(std::move(subject)) {}

  /// The same place, said to be about something: "reaction `H + O2 <=> O + OH`".
  YamlNode about(std::string subject) const { return {file_, node_, std::move(subject)}; }

  bool has(const std::string& key) const;
  /// The entry; refuses a map without it.
  YamlNode at(const std::string& key) const;
  YamlNode at(std::size_t i) const;
  std::size_t size() const { return node_.size(); }
  bool is_map() const { return node_.IsMap(); }
  bool is_list() const { return node_.IsSequence(); }
  bool is_text() const { return node_.IsScalar(); }

  /// A number that is written as one: a text in quotes is refused, and so is one with a unit.
  double real(const std::string& what) const;
  std::string text(const std::string& what) const;
  bool flag(const std::string& what) const;
  std::vector<YamlNode> items(const std::string& what) const;
  std::vector<std::pair<std::string, YamlNode>> entries(const std::string& what) const;
  /// Refuses a key that is none of these, with the nearest.
  void only(const std::vector<std::string>& keys) const;

  [[noreturn]] void reject(const std::string& message) const;

private:
  std::string file_;
  YAML::Node node_;
  std::string subject_;
};

/// The whole file; `what` names its kind in messages: "a mechanism". Throws BadInput where it cannot be read or is no
/// YAML.
YamlNode load_yaml(const std::string& file, const std::string& what);

} // namespace rhumb::core
