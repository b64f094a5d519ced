#pragma once
/// A thin hold on HDF5: one file, its objects named by path. Used by one rank at a time: the bulk of the data is
/// written by all ranks straight to the places that HDF5 reserved (shared_file.hpp says why).

#include <rhumb/grid/geometry.hpp>
#include <rhumb/io/atomic_file.hpp>
#include <bit>
#include <hdf5.h>
#include <map>
#include <memory>
#include <source_location>
#include <variant>

namespace rhumb::io {

/// Throws core::InputOutput that names the file when an HDF5 call failed (returned less than zero). HDF5's own printing
/// of its error stack is off; its innermost message becomes part of the exception.
hid_t check_hdf5(hid_t code, const Path& file, std::source_location where = std::source_location::current());

/// Owner of one HDF5 identifier.
class Hdf5Id {
public:
  using Close = herr_t (*)(hid_t);
  Hdf5Id(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Hdf5Id(const Hdf5Id&) = delete;
  Hdf5Id& operator=(const Hdf5Id&) = delete;
  ~Hdf5Id() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; } // NOLINT(google-explicit-constructor): passed raw to HDF5
  hid_t release() { return std::exchange(id_, -1); }

private:
  hid_t id_;
  Close close_;
};

using AttributeValue = std::variant<double, std::int64_t, std::string>;

struct Attribute {
  std::string name;
  AttributeValue value;
  bool operator==(const Attribute&) const = default;
};

enum class NumberType : std::uint8_t { real, integer };

/// A dataset that is written from its beginning to its end, a block at a time. Its file outlives it.
class Hdf5List {
public:
  Hdf5List(Hdf5Id dataset, NumberType number_type, Path file);
  void add(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  void add(std::int64_t value) { put(static_cast<std::uint64_t>(value)); }
  /// Writes what waits.
  void flush();

private:
  void put(std::uint64_t bits);
  Hdf5Id dataset_;
  NumberType number_type_;
  Path file_;
  std::uint64_t written_ = 0;
  std::vector<std::uint64_t> waiting_;
};

class Hdf5File {
public:
  /// Creates or replaces `file`, leaving `userblock` bytes (0, or a power of two from 512) at its start to the caller.
  static Hdf5File create(const Path& file, std::uint64_t userblock = 0);
  /// The same in memory only; `file` is for messages.
  static Hdf5File create_in_memory(const Path& file);
  static Hdf5File open(const Path& file);

  /// Groups on the way are made.
  void make_group(const std::string& path);
  /// Reserves a contiguous dataset and returns where its bytes start in the file. Nothing is written. A dataset without
  /// entries starts nowhere: 0.
  std::uint64_t make_dataset(const std::string& path, const grid::Dims& dims, NumberType number_type,
                             std::span<const Attribute> attributes);
  /// A list of `size` values that comes one by one.
  Hdf5List make_list(const std::string& path, std::uint64_t size, NumberType number_type);
  void set(const std::string& object, std::span<const Attribute> attributes) { set(open_object(object), attributes); }
  /// Gives an attribute that is there another value of the same sort.
  void change(const std::string& object, const Attribute& attribute);
  /// `path` shows what `file` (relative to this one) has at its root.
  void link_to_file(const std::string& path, const std::string& file);

  bool has(const std::string& path) const;
  std::vector<std::string> members(const std::string& group) const;
  grid::Dims dims(const std::string& dataset) const;
  /// Where the bytes of a contiguous dataset start in the file; 0 where it has none.
  std::uint64_t offset(const std::string& dataset) const;
  std::vector<double> read_list(const std::string& dataset) const;
  /// Throws core::InputOutput unless the dataset is a plain list of `size` doubles within this file: contiguous, no
  /// filter, no other file behind it.
  void require_plain_list(const std::string& dataset, std::uint64_t size, std::uint64_t file_size) const {
    require_plain(dataset, {size}, file_size);
  }
  /// The same for an array of these dimensions.
  void require_plain(const std::string& dataset, const grid::Dims& dims, std::uint64_t file_size) const;
  std::vector<std::string> attribute_names(const std::string& object) const;
  double real(const std::string& object, const std::string& attribute) const;
  std::int64_t integer(const std::string& object, const std::string& attribute) const;
  /// At most `max_text` bytes.
  std::string text(const std::string& object, const std::string& attribute) const;
  static constexpr std::size_t max_text = 1U << 20U;

  /// The bytes of a file in memory, and some beyond its end. They go when it is closed; those of datasets may be filled
  /// in.
  std::span<std::byte> image();

  /// Closing can fail to write; a destructor could not say so.
  void close();

private:
  Hdf5File(Path file, hid_t id);
  void set(hid_t object, std::span<const Attribute> attributes);
  hid_t text_type(std::size_t size);
  Hdf5Id new_dataset(const std::string& path, const grid::Dims& dims, hid_t type, hid_t creation);
  Hdf5Id open_object(const std::string& path) const;
  Hdf5Id open_dataset(const std::string& path) const;
  Hdf5Id open_attribute(const std::string& object, const std::string& attribute) const;
  Hdf5Id open_scalar(const std::string& object, const std::string& attribute) const;
  [[noreturn]] void reject(const std::string& what) const;
  hid_t check(hid_t code, std::source_location where = std::source_location::current()) const {
    return check_hdf5(code, file_, where);
  }

  Path file_;
  std::unique_ptr<int> disk_error_; ///< of a file that is written; outlives it
  Hdf5Id id_;
  std::map<std::size_t, Hdf5Id> text_types_; ///< by length
};

} // namespace rhumb::io
