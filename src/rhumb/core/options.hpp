#pragma once
/// Options that cannot be misspelt in silence. Reading an option declares it: its unit, default, range and meaning. The
/// run layer lists what was declared (-help), refuses what was given and not declared (with the nearest name), and
/// stores the effective values. Values come from PETSc's option database (the command line), then from the case file,
/// whose values live here and nowhere else: PETSc acts on options that no driver declares (viewers start programs).

#include <rhumb/core/words.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
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
enum class Shape : std::uint8_t { number, numbers, flag, word };

/// One declared option with its effective value as text.
struct Declared {
  std::string name; ///< without the dash
  About about;
  Shape shape = Shape::word;
  std::string standard; ///< default, as text
  std::string range;    ///< as text; empty where any
  std::string value;    ///< effective
  bool given = false;
};

/// A value as a case file gives it.
struct FileValue {
  std::string name; ///< without a dash
  std::string value;
  std::string location; ///< "case.yaml:3:5", for messages
};

class Options {
public:
  /// The values of a case file; those of the command line win. Throws BadInput where a name is given twice.
  void add_file_values(const std::vector<FileValue>& values);
  /// Those that nobody has asked for so far.
  std::vector<FileValue> unread_file_values() const;

  /// Names are without the dash. All throw BadInput on a value that does not parse or is out of range; the default
  /// itself may lie outside the range, to stand for "not given".
  double real(const std::string& name, double standard, const About& about, const Range& range = {});
  long integer(const std::string& name, long standard, const About& about, const Range& range = {});
  bool flag(const std::string& name, bool standard, const About& about);
  std::string word(const std::string& name, const std::string& standard, const About& about);
  /// One of the given words; anything else is refused with the nearest.
  std::string choice(const std::string& name, const std::string& standard, const std::vector<std::string>& words,
                     const About& about);
  std::vector<double> reals(const std::string& name, const std::vector<double>& standard, const About& about,
                            const Range& range = {});
  std::vector<long> integers(const std::string& name, const std::vector<long>& standard, const About& about,
                             const Range& range = {});
  /// Whether the user gave it. Does not declare, but counts as read: read it too.
  bool given(const std::string& name) const;

  /// In the order of declaration.
  const std::vector<Declared>& declared() const { return declared_; }

private:
  /// Adds the option, or takes up again one that was read before.
  Declared& declare(const std::string& name, const About& about, Shape shape, const std::string& standard,
                    const std::string& range);

  /// The text that the user gave; an option without a value has an empty one.
  std::optional<std::string> find(const std::string& name) const;

  struct Stored {
    FileValue given;
    mutable bool read = false; ///< asking for a value does not change the options
  };
  std::map<std::string, Stored> file_values_; ///< by name in lower case: PETSc's names ignore case too
  std::vector<Declared> declared_;
};

/// Whether PETSc's options have -<name>: for those of its own objects, which nobody declares.
bool option_given(const std::string& name);

} // namespace rhumb::core
