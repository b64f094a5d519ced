#pragma once
/// The numbers of a Gmsh file, from text or from binary data, with the place of what is wrong. In a text file a record is
/// a line; in a binary one (version 4.1) it is a sequence of typed numbers.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace rhumb::grid {

class GmshReader {
public:
  /// Throws core::InputOutput where the file cannot be read.
  explicit GmshReader(const std::filesystem::path& file);

  [[noreturn]] void reject(const std::string& what) const;
  [[noreturn]] void reject_file(const std::string& what) const;

  /// From here on records are binary.
  void become_binary() { binary_ = true; }

  bool next_line(std::string& out);
  std::string line(const char* section);
  /// The numbers of a line of text, at least `least` of them.
  std::vector<double> numbers(const char* section, std::size_t least);
  /// A line of exactly so many numbers: PETSc reads words, not lines, and one too many shifts all that follow.
  std::vector<double> text_record(const char* section, std::size_t size);
  /// The same, or binary data of these types: i for int, s for size_t, d for double.
  std::vector<double> record(const char* section, std::string_view types);
  /// An entity's number, `box` coordinates, its physical groups and, where `bounded`, what bounds it, each list after
  /// its length. A text file may leave the last list out.
  std::vector<double> entity(std::size_t box, bool bounded);

  /// A number that counts or names something.
  long whole(double number) const;
  long count(double number) const;
  void expect(const std::vector<double>& numbers, std::size_t size, const char* section) const;
  void end(const char* section);

  std::uint64_t digest() const { return digest_; }

private:
  template <class Number>
  Number read_binary(const char* section);
  void add_list(const char* section, std::vector<double>& numbers);
  void note(char byte) { digest_ = (digest_ ^ static_cast<unsigned char>(byte)) * 1099511628211ULL; } // FNV-1a

  static constexpr double largest_whole = 2147483647.0; // PETSc's

  std::string name_;
  std::ifstream stream_;
  bool binary_ = false;
  long line_ = 0;
  std::uint64_t digest_ = 14695981039346656037ULL;
};

} // namespace rhumb::grid
