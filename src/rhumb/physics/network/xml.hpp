#pragma once
/// As much XML as tables of data need: elements, attributes, comments. Text between elements is skipped; document types
/// and entities of one's own are rejected, so a file can ask for nothing but memory of its own size.

#include <string>
#include <vector>

namespace rhumb::network {

struct Element {
  std::string name; ///< without its namespace
  int line = 0;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Element> children;

  /// Null where there is none.
  const Element* child(const std::string& child_name) const;
  const std::string* attribute(const std::string& attribute_name) const;
};

/// The root element. `file` is for messages. Throws core::BadInput with the line.
Element parse_xml(const std::string& text, const std::string& file);

} // namespace rhumb::network
