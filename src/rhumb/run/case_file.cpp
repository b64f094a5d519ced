#include <rhumb/run/case_file.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/core/input_file.hpp>
#include <rhumb/run/solver_options.hpp>
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <petscsys.h>
#include <sstream>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace rhumb::run {

namespace {
/// Larger files are no case files.
constexpr std::size_t max_case_size = std::size_t{1} << 20U;

/// They name files that are written or that decide where a run goes on, or start a program: the user's choice, not that
/// of a file.
constexpr std::array command_line_only{"out", "restart", "compile"};

/// A list whose items are long and have commas: each is a value of its own, with its line, `equations_1`, ...
constexpr std::string_view itemised = "equations";

/// The user's events: a map of them by name, or a list, whose items have the names 1, 2, ...
constexpr std::string_view event_list = "events";

/// A map that only groups: `box: {n: [8, 8]}` is `n: [8, 8]`.
constexpr std::string_view group = "box";

/// Stands for a comma that belongs to a formula.
constexpr char kept_comma = '\x1f';

/// YAML ends an entry of {...} and [...] at a comma, a formula has commas between the arguments of a function: those in
/// round brackets, outside quotes and comments, are kept. Columns stay what they are.
std::string keep_commas(std::string text) {
  int depth = 0;
  char quote = 0, before = '\n'; // the last character that is not a blank
  bool comment = false, blank = true;
  for (char& c : text) {
    if (c == '\n') {
      depth = 0;
      comment = false;
    } else if (!quote && !comment && c == '#' && blank) {
      comment = true;
    } else if (quote) {
      if (c == quote) quote = 0;
    } else if (!comment) {
      const bool begins =
          before == '\n' || before == ':' || before == ',' || before == '[' || before == '{' || before == '-';
      if ((c == '"' || c == '\'') && begins) quote = c;
      if (c == '(') ++depth;
      if (c == ')') depth = std::max(depth - 1, 0);
      if (c == ',' && depth > 0) c = kept_comma;
    }
    blank = c == ' ' || c == '\t' || c == '\n';
    if (!blank || c == '\n') before = c;
  }
  return text;
}

/// Turns the events of a YAML document into values, without a tree: aliases cannot multiply, and nothing recurses.
class Flattener final : public YAML::EventHandler {
public:
  explicit Flattener(const std::string& file) : file_(file) {}

  std::vector<core::FileValue> take() { return std::move(values_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) reject(mark, "a second document");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { scalar(mark, "", anchor, ""); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { reject(mark, "an alias"); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    scalar(mark, tag, anchor, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    look_at(mark, tag, anchor);
    if (levels_.empty() || levels_.back().is_list || !levels_.back().has_key) reject(mark, "a list without a name");
    levels_.push_back({.is_list = true, .prefix = take_key(), .mark = mark});
  }
  void OnSequenceEnd() override {
    Level list = std::move(levels_.back());
    levels_.pop_back();
    if (list.prefix == itemised) return; // each item is a value already
    add(list.mark, std::move(list.prefix), std::move(list.items));
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    look_at(mark, tag, anchor);
    if (levels_.empty()) return levels_.push_back({});
    Level& level = levels_.back();
    if (level.is_list && level.prefix != event_list) reject(mark, "a map in a list");
    if (!level.is_list && !level.has_key) reject(mark, "a map as a name");
    if (level.is_list) {
      append(level, std::to_string(++level.count));
      return levels_.push_back({.prefix = fmt::format("event_{}_", level.count)});
    }
    if (level.of_events) append(level, level.key);
    const std::string name = take_key();
    if (levels_.size() == 1 && name == event_list)
      levels_.push_back({.of_events = true, .prefix = "event_", .mark = mark});
    else
      levels_.push_back({.prefix = levels_.size() == 1 && name == group ? "" : name + "_"});
  }
  void OnMapEnd() override {
    const Level map = std::move(levels_.back());
    levels_.pop_back();
    if (map.of_events) add(map.mark, std::string(event_list), map.items);
  }

private:
  struct Level {
    bool is_list = false;
    bool of_events = false; ///< the map of the user's events: its keys are their names
    bool has_key = false;   ///< of a map: the key has been seen, its value has not
    bool has_items = false;
    int count = 0;           ///< of items that are values of their own
    std::string prefix = ""; ///< of a list: its whole name
    std::string key = "";
    std::string items = "";
    YAML::Mark mark = {};
  };

  [[noreturn]] void reject(const YAML::Mark& mark, const std::string& what) const {
    throw core::BadInput(
        fmt::format("{}: {} (a case file holds names with values, lists of values, and maps of them)", at(mark), what));
  }
  std::string at(const YAML::Mark& mark) const {
    return fmt::format("{}:{}:{}", file_, mark.line + 1, mark.column + 1);
  }

  void look_at(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    if (anchor != 0) reject(mark, "an anchor");
    if (!tag.empty() && tag != "?" && tag != "!") reject(mark, "the tag " + tag);
  }

  std::string take_key() {
    Level& map = levels_.back();
    map.has_key = false;
    return map.prefix + map.key;
  }

  static void append(Level& list, const std::string& item) {
    list.items += (list.has_items ? "," : "") + item;
    list.has_items = true;
  }

  void scalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, std::string text) {
    look_at(mark, tag, anchor);
    std::ranges::replace(text, kept_comma, ',');
    const auto is_control = [](unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; };
    if (std::ranges::any_of(text, is_control)) reject(mark, "a control character");
    if (levels_.empty() && text.empty()) return; // a file of comments
    if (levels_.empty()) reject(mark, "a value without a name");
    Level& level = levels_.back();
    if (level.is_list && level.prefix == itemised) {
      add(mark, fmt::format("{}_{}", level.prefix, ++level.count), text);
    } else if (level.is_list) {
      append(level, text);
    } else if (level.has_key) {
      add(mark, take_key(), text);
    } else {
      if (text.empty()) reject(mark, "an empty name");
      if (text == "<<") reject(mark, "a merge");
      level.key = text;
      level.has_key = true;
    }
  }

  void add(const YAML::Mark& mark, std::string name, std::string value) {
    values_.push_back({std::move(name), std::move(value), at(mark)});
  }

  const std::string& file_;
  int documents_ = 0;
  std::vector<Level> levels_;
  std::vector<core::FileValue> values_;
};
} // namespace

std::vector<core::FileValue> parse_case(const std::string& text, const std::string& file) {
  if (text.find('\0') != std::string::npos || text.find(kept_comma) != std::string::npos)
    throw core::BadInput(fmt::format("{} is no text", file));
  std::istringstream stream(keep_commas(text));
  Flattener flattener(file);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(flattener)) {
    }
  } catch (const YAML::Exception& error) {
    throw core::BadInput(
        fmt::format("{}:{}:{}: no valid YAML: {}", file, error.mark.line + 1, error.mark.column + 1, error.msg));
  }
  return flattener.take();
}

std::vector<core::FileValue> read_case_file(MPI_Comm comm, const std::string& file) {
  std::string text;
  core::run_on_root(comm, [&] { text = core::read_input_file(file, max_case_size, "a case file"); });
  return parse_case(core::broadcast(comm, std::move(text)), file);
}

void take_case(const std::vector<core::FileValue>& values, core::Options& options) {
  std::vector<core::FileValue> ours;
  std::vector<core::FileValue> solvers;
  for (const auto& value : values) {
    if (std::ranges::find(command_line_only, core::to_lower(value.name)) != command_line_only.end())
      throw core::BadInput(
          fmt::format("{}: {} comes from the command line only: -{}", value.location, value.name, value.name));
    (is_solver_option(value.name) ? solvers : ours).push_back(value);
  }
  for (const auto& value : solvers) check_solver_option(value);
  options.add_file_values(ours);
  options.add_solver_values(solvers);
}

} // namespace rhumb::run
