#include <rhumb/physics/network/xml.hpp>

#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace rhumb::network {

const Element* Element::child(const std::string& child_name) const {
  const auto found = std::ranges::find(children, child_name, &Element::name);
  return found == children.end() ? nullptr : &*found;
}

const std::string* Element::attribute(const std::string& attribute_name) const {
  for (const auto& [name_of, value] : attributes)
    if (name_of == attribute_name) return &value;
  return nullptr;
}

namespace {

class XmlParser {
public:
  XmlParser(const std::string& text, std::string file) : text_(text), file_(std::move(file)) {}

  Element parse() {
    std::vector<Element> open{Element{}}; // the document, then what is open inside
    while (find_tag()) {
      if (skip_comment() || skip_declaration()) continue;
      ++at_;
      if (peek() == '/') {
        close(open);
        continue;
      }
      Element element = read_start();
      const bool empty = peek() == '/';
      if (empty) ++at_;
      expect('>');
      if (open.size() > max_depth) reject("elements are nested too deeply");
      open.push_back(std::move(element));
      if (empty) fold(open);
    }
    if (open.size() > 1) reject(fmt::format("<{}> is never closed", open.back().name));
    if (open[0].children.size() != 1) reject("one element must hold all others");
    return std::move(open[0].children[0]);
  }

private:
  static constexpr std::size_t max_depth = 64;

  [[noreturn]] void reject(const std::string& why) const {
    throw core::BadInput(fmt::format("{}:{}: not the XML that is read here: {}", file_, line(), why));
  }
  int line() const {
    return 1 + static_cast<int>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void expect(char c) {
    if (peek() != c) reject(fmt::format("'{}' expected", c));
    ++at_;
  }
  bool find_tag() {
    at_ = std::min(text_.find('<', at_), text_.size());
    return at_ < text_.size();
  }
  void skip_space() {
    while (std::isspace(static_cast<unsigned char>(peek()))) ++at_;
  }
  bool skip_to_end_of(const char* begin, const std::string& end) {
    if (text_.compare(at_, std::string(begin).size(), begin) != 0) return false;
    const auto found = text_.find(end, at_);
    if (found == std::string::npos) reject(fmt::format("'{}' is missing", end));
    at_ = found + end.size();
    return true;
  }
  bool skip_comment() { return skip_to_end_of("<!--", "-->"); }
  bool skip_declaration() {
    if (text_.compare(at_, 2, "<!") == 0) reject("document types and CDATA are not accepted");
    return skip_to_end_of("<?", "?>");
  }

  std::string read_name() {
    const std::size_t begin = at_;
    const auto part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) ||
             (c != '\0' && std::string("_-.:").find(c) != std::string::npos);
    };
    while (part(peek())) ++at_;
    if (at_ == begin) reject("a name expected");
    return text_.substr(begin, at_ - begin);
  }
  static std::string without_namespace(const std::string& name) { return name.substr(name.find(':') + 1); }

  Element read_start() {
    Element element;
    element.name = without_namespace(read_name());
    element.line = line_of_element();
    for (skip_space(); peek() != '>' && peek() != '/' && peek() != '\0'; skip_space()) {
      const std::string name = read_name();
      skip_space();
      expect('=');
      skip_space();
      const char quote = peek();
      if (quote != '"' && quote != '\'') reject("a value in quotes expected");
      const auto end = text_.find(quote, ++at_);
      if (end == std::string::npos) reject("a quote is never closed");
      element.attributes.emplace_back(name, text_.substr(at_, end - at_));
      at_ = end + 1;
    }
    return element;
  }

  /// Counts on from the last element: counting from the beginning each time would take quadratic time.
  int line_of_element() {
    counted_line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_to_),
                                                 text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
    counted_to_ = at_;
    return counted_line_;
  }

  void close(std::vector<Element>& open) {
    ++at_;
    const std::string name = without_namespace(read_name());
    skip_space();
    expect('>');
    if (open.size() < 2 || open.back().name != name) reject(fmt::format("</{}> closes nothing", name));
    fold(open);
  }
  static void fold(std::vector<Element>& open) {
    Element done = std::move(open.back());
    open.pop_back();
    open.back().children.push_back(std::move(done));
  }

  const std::string& text_;
  std::string file_;
  std::size_t at_ = 0, counted_to_ = 0;
  int counted_line_ = 1;
};

} // namespace

Element parse_xml(const std::string& text, const std::string& file) {
  return XmlParser(text, file).parse();
}

} // namespace rhumb::network
