#include <rhumb/core/options.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <petscsys.h>

namespace rhumb::core {

namespace {
[[noreturn]] void reject(const std::string& name, const std::string& text, const std::string& wanted) {
  if (text.empty()) throw BadInput(fmt::format("option -{} needs a value: {}", name, wanted));
  throw BadInput(fmt::format("option -{} {}: {}", name, text, wanted));
}

void reject_outside(const std::string& name, const std::string& text, double value, const Range& range) {
  if (!range.contains(value)) reject(name, text, fmt::format("out of range, must be {}", range.text()));
}

double real_of(const std::string& name, const std::string& text, const Range& range) {
  const auto value = parse_real(text);
  if (!value) reject(name, text, "a number is wanted");
  reject_outside(name, text, *value, range);
  return *value;
}

long integer_of(const std::string& name, const std::string& text, const Range& range) {
  const auto value = parse_integer(text);
  if (!value) reject(name, text, "an integer is wanted");
  reject_outside(name, text, static_cast<double>(*value), range);
  return *value;
}

const char* text_of(bool value) {
  return value ? "true" : "false";
}

/// The shared shape of `reals` and `integers`: every part must be good.
template <class Number, class Parse>
std::vector<Number> list_of(const std::string& name, const std::string& texts, const Parse& parse, const Range& range) {
  std::vector<Number> values;
  for (const auto& text : split_at_commas(texts)) values.push_back(parse(name, text, range));
  if (values.empty()) reject(name, texts, "numbers between commas are wanted");
  return values;
}
} // namespace

bool Range::contains(double value) const {
  return (low_open ? value > low : value >= low) && value <= high;
}

std::string Range::text() const {
  const bool below = low > -std::numeric_limits<double>::infinity();
  const bool above = high < std::numeric_limits<double>::infinity();
  if (below && above) return fmt::format("{}{:g} ... {:g}", low_open ? "> " : "", low, high);
  if (below) return fmt::format("{} {:g}", low_open ? ">" : ">=", low);
  if (above) return fmt::format("<= {:g}", high);
  return {};
}

/// PETSc's own form of the options. PETSc records which of them were read.
class PetscDatabase {
public:
  PetscDatabase() { check(PetscOptionsCreate(&options_)); }
  ~PetscDatabase() { PetscOptionsDestroy(&options_); }
  PetscDatabase(const PetscDatabase&) = delete;
  PetscDatabase& operator=(const PetscDatabase&) = delete;

  void set(const FileValue& given) {
    check(PetscOptionsSetValue(options_, ("-" + given.name).c_str(),
                               given.value.empty() ? nullptr : given.value.c_str()));
  }
  bool has_read(const std::string& name) const {
    PetscBool used = PETSC_FALSE;
    check(PetscOptionsUsed(options_, name.c_str(), &used));
    return used == PETSC_TRUE;
  }
  void push() {
    check(PetscOptionsPush(options_));
    active_ = true;
  }
  void pop() {
    PetscOptionsPop();
    active_ = false;
  }
  bool active() const { return active_; }

private:
  PetscOptions options_ = nullptr;
  bool active_ = false;
};

Options::Options(const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) set(name, value);
}

Options::Options(int argc, const char* const* argv) {
  for (const auto& [name, value] : option_pairs({argv, argv + argc})) set(name, value);
}

Options::Options(const Options& other) : given_(other.given_), declared_(other.declared_) {}

Options& Options::operator=(const Options& other) {
  if (this != &other) *this = Options(other);
  return *this;
}

Options Options::with(const std::string& name, const std::string& value) const {
  Options copy(*this);
  copy.set(name, value);
  return copy;
}

Options Options::with(const std::string& name, double value) const {
  return with(name, fmt::format("{}", value));
}

void Options::set(const std::string& name, const std::string& value) {
  given_[to_lower(name)] = Given{{name, value, ""}};
  petsc_.reset();
}

void Options::erase(const std::string& name) {
  given_.erase(to_lower(name));
  petsc_.reset();
}

void Options::add(const std::vector<FileValue>& values, bool for_petsc) {
  std::map<std::string, const FileValue*> seen;
  for (const auto& value : values) {
    const auto [first, is_new] = seen.emplace(to_lower(value.name), &value);
    if (!is_new)
      throw BadInput(
          fmt::format("{}: {} is given twice, first at {}", value.location, value.name, first->second->location));
    given_.try_emplace(to_lower(value.name), Given{value, for_petsc});
  }
  petsc_.reset();
}

void Options::add_file_values(const std::vector<FileValue>& values) {
  add(values, false);
}

void Options::add_solver_values(const std::vector<FileValue>& values) {
  add(values, true);
}

std::vector<FileValue> Options::undeclared() const {
  std::vector<FileValue> out;
  for (const auto& [name, given] : given_) {
    const auto same = [&](const Declared& declared) { return to_lower(declared.name) == name; };
    if (std::ranges::none_of(declared_, same)) out.push_back(given.value);
  }
  return out;
}

std::vector<FileValue> Options::unread() const {
  std::vector<FileValue> out;
  for (const auto& [name, given] : given_)
    if (!given.read && !(given.for_petsc && petsc_ && petsc_->has_read(given.value.name))) out.push_back(given.value);
  return out;
}

std::shared_ptr<PetscDatabase> Options::make_database() const {
  auto database = std::make_shared<PetscDatabase>();
  for (const auto& [name, given] : given_)
    if (given.for_petsc) database->set(given.value);
  return database;
}

PetscOptionsScope::PetscOptionsScope(const Options& options) {
  if (!options.petsc_) options.petsc_ = options.make_database();
  // PETSc's stack is a list through the databases themselves: none can be in it twice.
  database_ = options.petsc_->active() ? options.make_database() : options.petsc_;
  database_->push();
}

PetscOptionsScope::~PetscOptionsScope() {
  database_->pop();
}

std::optional<std::string> Options::find(const std::string& name) const {
  const auto found = given_.find(to_lower(name));
  if (found == given_.end()) return std::nullopt;
  found->second.read = true;
  return found->second.value.value;
}

Declared& Options::declare(const std::string& name, const About& about, OptionType shape,
                           const std::string& default_value, const std::string& range) const {
  const Declared fresh{name, about, shape, default_value, range, default_value, false};
  const auto known = std::ranges::find(declared_, name, &Declared::name);
  if (known == declared_.end()) return declared_.emplace_back(fresh);
  return *known = fresh;
}

double Options::real(const std::string& name, double default_value, const About& about, const Range& range) const {
  Declared& option = declare(name, about, OptionType::real, fmt::format("{}", default_value), range.text());
  const auto text = find(name);
  if (!text) return default_value;
  const double value = real_of(name, *text, range);
  option.given = true;
  option.value = fmt::format("{}", value);
  return value;
}

long Options::integer(const std::string& name, long default_value, const About& about, const Range& range) const {
  Declared& option = declare(name, about, OptionType::real, fmt::format("{}", default_value), range.text());
  const auto text = find(name);
  if (!text) return default_value;
  const long value = integer_of(name, *text, range);
  option.given = true;
  option.value = fmt::format("{}", value);
  return value;
}

bool Options::flag(const std::string& name, bool default_value, const About& about) const {
  Declared& option = declare(name, about, OptionType::flag, text_of(default_value), "true|false");
  const auto text = find(name);
  if (!text) return default_value;
  const auto value = parse_flag(*text);
  if (!value) reject(name, *text, "true or false is wanted");
  option.given = true;
  option.value = text_of(*value);
  return *value;
}

std::string Options::string(const std::string& name, const std::string& default_value, const About& about) const {
  Declared& option = declare(name, about, OptionType::string, default_value, "");
  const auto value = find(name);
  if (!value) return default_value;
  if (value->empty()) reject(name, *value, "a word is wanted");
  option.given = true;
  option.value = *value;
  return *value;
}

std::string Options::choice(const std::string& name, const std::string& default_value,
                            const std::vector<std::string>& texts, const About& about) const {
  Declared& option = declare(name, about, OptionType::string, default_value, fmt::format("{}", fmt::join(texts, "|")));
  const auto value = find(name);
  if (!value) return default_value;
  if (std::ranges::find(texts, *value) == texts.end()) {
    const std::string meant = nearest(*value, texts);
    const std::string hint = meant.empty() ? "" : fmt::format("; did you mean {}?", meant);
    reject(name, *value, fmt::format("must be one of {}{}", fmt::join(texts, ", "), hint));
  }
  option.given = true;
  option.value = *value;
  return *value;
}

std::vector<double> Options::reals(const std::string& name, const std::vector<double>& default_value,
                                   const About& about, const Range& range) const {
  Declared& option =
      declare(name, about, OptionType::reals, fmt::format("{}", fmt::join(default_value, ",")), range.text());
  const auto texts = find(name);
  if (!texts) return default_value;
  const auto values = list_of<double>(name, *texts, real_of, range);
  option.given = true;
  option.value = fmt::format("{}", fmt::join(values, ","));
  return values;
}

namespace {
/// 64x64 is 64,64.
void separate_at_x(std::string& text) {
  const auto digit = [&](std::size_t i) { return text[i] >= '0' && text[i] <= '9'; };
  for (std::size_t i = 1; i + 1 < text.size(); ++i)
    if (text[i] == 'x' && digit(i - 1) && digit(i + 1)) text[i] = ',';
}
} // namespace

std::vector<long> Options::integers(const std::string& name, const std::vector<long>& default_value, const About& about,
                                    const Range& range) const {
  Declared& option =
      declare(name, about, OptionType::reals, fmt::format("{}", fmt::join(default_value, ",")), range.text());
  auto texts = find(name);
  if (!texts) return default_value;
  separate_at_x(*texts);
  const auto values = list_of<long>(name, *texts, integer_of, range);
  option.given = true;
  option.value = fmt::format("{}", fmt::join(values, ","));
  return values;
}

bool Options::given(const std::string& name) const {
  return find(name).has_value();
}

bool option_given(const std::string& name) {
  PetscBool given = PETSC_FALSE;
  check(PetscOptionsHasName(nullptr, nullptr, ("-" + name).c_str(), &given));
  return given == PETSC_TRUE;
}

} // namespace rhumb::core
