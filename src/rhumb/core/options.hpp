#pragma once
/// Options are an object, filled from argv, a case file, a map or code; nothing about them is global. They cannot be
/// misspelt in silence: reading an option declares it, with its unit, default, range and meaning. The run layer lists
/// what was declared (-help), rejects what was given and not read (with the nearest name), and stores the effective
/// values.
///
///   flow::make_flow(comm, Options().with("re", 400).with("n", "64,64"));
///
/// PETSc's own objects (KSP, PC) read from the same object where a PetscOptionsScope says so. The values of a case file
/// are kept from PETSc unless it is said that they are for it: PETSc acts on options that no driver declares (viewers
/// start programs).

#include <rhumb/core/strings.hpp>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rhumb::core {

/// What a reader should know of an option.
struct About {
  std::string text;      ///< one line, lower case, no full stop
  std::string unit = ""; ///< "s", "K"; empty where none
};

/// Bounds of a number; a value outside is refused with the range in the message.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false; ///< low itself is refused
  static Range positive() { return {0.0, std::numeric_limits<double>::infinity(), true}; }
  static Range at_least(double low) { return {low}; }
  static Range between(double low, double high) { return {low, high}; }

  bool contains(double value) const;
  std::string text() const; ///< "> 0", ">= 1", "1 ... 5"; empty where any number will do
};

/// How a value is written, so that a file can hold a number as a number.
enum class OptionType : std::uint8_t { real, reals, flag, string };

/// One declared option with its effective value as text.
struct Declared {
  std::string name; ///< without the dash
  About about;
  OptionType shape = OptionType::string;
  std::string default_value; ///< default, as text
  std::string range;         ///< as text; empty where any
  std::string value;         ///< effective
  bool given = false;
};

/// A value as a case file gives it.
struct FileValue {
  std::string name; ///< without a dash
  std::string value;
  std::string location; ///< "case.yaml:3:5", for messages; empty where the value is of no file
};

class PetscDatabase; ///< a PetscOptions

class Options {
public:
  Options() = default;
  explicit Options(const std::map<std::string, std::string>& values);
  /// From argv, all of it; what is no option is left out.
  Options(int argc, const char* const* argv);
  /// A copy knows what was read of the original; what PETSc reads from now on counts for one of them only.
  Options(const Options& other);
  Options& operator=(const Options& other);
  Options(Options&&) noexcept = default;
  Options& operator=(Options&&) noexcept = default;
  ~Options() = default;

  /// A copy with one more value, or another one; an empty value is that of a flag.
  Options with(const std::string& name, const std::string& value) const;
  Options with(const std::string& name, const char* value) const { return with(name, std::string(value)); }
  Options with(const std::string& name, double value) const;
  template <std::integral Value>
  Options with(const std::string& name, Value value) const {
    if constexpr (std::same_as<Value, bool>)
      return with(name, value ? "true" : "false");
    else
      return with(name, std::to_string(value));
  }

  /// The same in place. What was given before is replaced.
  void set(const std::string& name, const std::string& value);
  /// Forgets a value that was given.
  void erase(const std::string& name);

  /// The values of a case file, below those that were set. Throws BadInput where a file gives a name twice.
  void add_file_values(const std::vector<FileValue>& values);
  /// The same for values that PETSc's objects may read.
  void add_solver_values(const std::vector<FileValue>& values);

  /// Names are without the dash. All throw BadInput on a value that does not parse or is out of range; the default
  /// itself may lie outside the range, to stand for "not given".
  double real(const std::string& name, double default_value, const About& about, const Range& range = {}) const;
  long integer(const std::string& name, long default_value, const About& about, const Range& range = {}) const;
  bool flag(const std::string& name, bool default_value, const About& about) const;
  std::string string(const std::string& name, const std::string& default_value, const About& about) const;
  /// One of the given words; anything else is refused with the nearest.
  std::string choice(const std::string& name, const std::string& default_value, const std::vector<std::string>& texts,
                     const About& about) const;
  std::vector<double> reals(const std::string& name, const std::vector<double>& default_value, const About& about,
                            const Range& range = {}) const;
  std::vector<long> integers(const std::string& name, const std::vector<long>& default_value, const About& about,
                             const Range& range = {}) const;
  /// Whether the user gave it. Does not declare, but counts as read: read it too.
  bool given(const std::string& name) const;

  /// In the order of declaration.
  const std::vector<Declared>& declared() const { return declared_; }
  /// All that was given and declared by nobody, in the order of names: PETSc's own, and misspelt ones.
  std::vector<FileValue> undeclared() const;
  /// What was given, and read by nobody so far, PETSc included.
  std::vector<FileValue> unread() const;

private:
  friend class PetscOptionsScope;
  struct Given {
    FileValue value;
    bool for_petsc = true;
    mutable bool read = false; ///< asking for a value does not change the options
  };
  void add(const std::vector<FileValue>& values, bool for_petsc);
  std::shared_ptr<PetscDatabase> make_database() const;
  /// Adds the option, or takes up again one that was read before.
  Declared& declare(const std::string& name, const About& about, OptionType shape, const std::string& default_value,
                    const std::string& range) const;
  /// The text that the user gave; an option without a value has an empty one.
  std::optional<std::string> find(const std::string& name) const;

  std::map<std::string, Given> given_;           ///< by name in lower case: PETSc's names ignore case too
  mutable std::vector<Declared> declared_;       ///< a record of what was asked for
  mutable std::shared_ptr<PetscDatabase> petsc_; ///< made at the first question
};

/// While it lives, PETSc's objects of this process read their options from `options` and from nowhere else: not from
/// the command line of the program, not from those of a run around this one. Scopes may be nested.
class PetscOptionsScope {
public:
  explicit PetscOptionsScope(const Options& options);
  ~PetscOptionsScope();
  PetscOptionsScope(const PetscOptionsScope&) = delete;
  PetscOptionsScope& operator=(const PetscOptionsScope&) = delete;

private:
  std::shared_ptr<PetscDatabase> database_;
};

/// Whether the options that PETSc's objects read now have -<name>: for those that nobody declares.
bool option_given(const std::string& name);

} // namespace rhumb::core
