#include <rhumb/core/options.hpp>

#include <rhumb/core/check.hpp>
#include <rhumb/core/failure.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <petscsys.h>

namespace rhumb::core {

namespace {
[[noreturn]] void refuse(const std::string& name, const std::string& word, const std::string& wanted) {
  if (word.empty()) throw BadInput(fmt::format("option -{} needs a value: {}", name, wanted));
  throw BadInput(fmt::format("option -{} {}: {}", name, word, wanted));
}

void refuse_outside(const std::string& name, const std::string& word, double value, const Range& range) {
  if (!range.contains(value)) refuse(name, word, fmt::format("out of range, must be {}", range.text()));
}

double real_of(const std::string& name, const std::string& word, const Range& range) {
  const auto value = parse_real(word);
  if (!value) refuse(name, word, "a number is wanted");
  refuse_outside(name, word, *value, range);
  return *value;
}

long integer_of(const std::string& name, const std::string& word, const Range& range) {
  const auto value = parse_integer(word);
  if (!value) refuse(name, word, "an integer is wanted");
  refuse_outside(name, word, static_cast<double>(*value), range);
  return *value;
}

const char* word_of(bool value) {
  return value ? "true" : "false";
}

/// The shared shape of `reals` and `integers`: every part must be good.
template <class Number, class Parse>
std::vector<Number> list_of(const std::string& name, const std::string& words, const Parse& parse, const Range& range) {
  std::vector<Number> values;
  for (const auto& word : split_at_commas(words)) values.push_back(parse(name, word, range));
  if (values.empty()) refuse(name, words, "numbers between commas are wanted");
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

Declared& Options::declare(const std::string& name, const About& about, Shape shape, const std::string& standard,
                           const std::string& range) const {
  const Declared fresh{name, about, shape, standard, range, standard, false};
  const auto known = std::ranges::find(declared_, name, &Declared::name);
  if (known == declared_.end()) return declared_.emplace_back(fresh);
  return *known = fresh;
}

double Options::real(const std::string& name, double standard, const About& about, const Range& range) const {
  Declared& option = declare(name, about, Shape::number, fmt::format("{}", standard), range.text());
  const auto word = find(name);
  if (!word) return standard;
  const double value = real_of(name, *word, range);
  option.given = true;
  option.value = fmt::format("{}", value);
  return value;
}

long Options::integer(const std::string& name, long standard, const About& about, const Range& range) const {
  Declared& option = declare(name, about, Shape::number, fmt::format("{}", standard), range.text());
  const auto word = find(name);
  if (!word) return standard;
  const long value = integer_of(name, *word, range);
  option.given = true;
  option.value = fmt::format("{}", value);
  return value;
}

bool Options::flag(const std::string& name, bool standard, const About& about) const {
  Declared& option = declare(name, about, Shape::flag, word_of(standard), "true|false");
  const auto word = find(name);
  if (!word) return standard;
  const auto value = parse_flag(*word);
  if (!value) refuse(name, *word, "true or false is wanted");
  option.given = true;
  option.value = word_of(*value);
  return *value;
}

std::string Options::word(const std::string& name, const std::string& standard, const About& about) const {
  Declared& option = declare(name, about, Shape::word, standard, "");
  const auto value = find(name);
  if (!value) return standard;
  if (value->empty()) refuse(name, *value, "a word is wanted");
  option.given = true;
  option.value = *value;
  return *value;
}

std::string Options::choice(const std::string& name, const std::string& standard, const std::vector<std::string>& words,
                            const About& about) const {
  Declared& option = declare(name, about, Shape::word, standard, fmt::format("{}", fmt::join(words, "|")));
  const auto value = find(name);
  if (!value) return standard;
  if (std::ranges::find(words, *value) == words.end()) {
    const std::string meant = nearest(*value, words);
    const std::string hint = meant.empty() ? "" : fmt::format("; did you mean {}?", meant);
    refuse(name, *value, fmt::format("must be one of {}{}", fmt::join(words, ", "), hint));
  }
  option.given = true;
  option.value = *value;
  return *value;
}

std::vector<double> Options::reals(const std::string& name, const std::vector<double>& standard, const About& about,
                                   const Range& range) const {
  Declared& option = declare(name, about, Shape::numbers, fmt::format("{}", fmt::join(standard, ",")), range.text());
  const auto words = find(name);
  if (!words) return standard;
  const auto values = list_of<double>(name, *words, real_of, range);
  option.given = true;
  option.value = fmt::format("{}", fmt::join(values, ","));
  return values;
}

std::vector<long> Options::integers(const std::string& name, const std::vector<long>& standard, const About& about,
                                    const Range& range) const {
  Declared& option = declare(name, about, Shape::numbers, fmt::format("{}", fmt::join(standard, ",")), range.text());
  auto words = find(name);
  if (!words) return standard;
  std::ranges::replace(*words, 'x', ','); // 64x64 is 64,64
  const auto values = list_of<long>(name, *words, integer_of, range);
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
