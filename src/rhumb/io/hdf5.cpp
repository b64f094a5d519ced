#include <rhumb/io/hdf5.hpp>

#include <rhumb/core/failure.hpp>
#include <rhumb/io/patient_disk.hpp>
#include <algorithm>
#include <fmt/ranges.h>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <system_error>

namespace rhumb::io {

namespace {

/// Pages are not shared between ranks: datasets of a page or more start at a page.
constexpr hsize_t page = 4096;

/// Of groups and links in memory. By default it grows with the series of a long run, up to 32 MB.
constexpr std::size_t max_cache = 1U << 18U;

void silence() {
  static const bool done = [] {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    return true;
  }();
  (void)done;
}

/// The innermost message of HDF5's error stack.
std::string innermost_message() {
  std::string text;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned depth, const H5E_error2_t* entry, void* into) -> herr_t {
        if (depth == 0 && entry->desc) *static_cast<std::string*>(into) = entry->desc;
        return 0;
      },
      &text);
  H5Eclear2(H5E_DEFAULT);
  return text;
}

Hdf5Id property_list(hid_t sort, const Path& file) {
  return {check_hdf5(H5Pcreate(sort), file), H5Pclose};
}

Hdf5Id fixed_text_type(std::size_t size, const Path& file) {
  Hdf5Id type(check_hdf5(H5Tcopy(H5T_C_S1), file), H5Tclose);
  check_hdf5(H5Tset_size(type, std::max<std::size_t>(size, 1)), file);
  check_hdf5(H5Tset_strpad(type, H5T_STR_NULLPAD), file);
  check_hdf5(H5Tset_cset(type, H5T_CSET_UTF8), file);
  return type;
}

constexpr unsigned most_attributes = 65535;
constexpr unsigned in_order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;

/// Objects remember the order of their attributes, groups that of their members, none the time of the day: two runs
/// with the same numbers write the same bytes.
Hdf5Id object_list(hid_t sort, const Path& file) {
  Hdf5Id list = property_list(sort, file);
  check_hdf5(H5Pset_obj_track_times(list, 0), file);
  check_hdf5(H5Pset_attr_creation_order(list, in_order), file);
  // However many they are, attributes stay in the object's header: HDF5's heaps for many of them take three times as
  // long to write as all the rest of a snapshot.
  check_hdf5(H5Pset_attr_phase_change(list, most_attributes, 0), file);
  if (sort != H5P_DATASET_CREATE) check_hdf5(H5Pset_link_creation_order(list, in_order), file);
  return list;
}

Hdf5Id access_list(const Path& file) {
  Hdf5Id access = property_list(H5P_FILE_ACCESS, file);
  check_hdf5(H5Pset_alignment(access, page, page), file);
  check_hdf5(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110), file);
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  check_hdf5(H5Pget_mdc_config(access, &cache), file);
  cache.set_initial_size = 1;
  cache.initial_size = cache.max_size = max_cache;
  cache.min_size = std::min(cache.min_size, max_cache);
  check_hdf5(H5Pset_mdc_config(access, &cache), file);
  return access;
}

/// Creates the groups on the way to a new link.
Hdf5Id with_groups(const Path& file) {
  Hdf5Id list = property_list(H5P_LINK_CREATE, file);
  check_hdf5(H5Pset_create_intermediate_group(list, 1), file);
  return list;
}

herr_t collect_link(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

herr_t collect_attribute(hid_t, const char* name, const H5A_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

} // namespace

hid_t check_hdf5(hid_t code, const Path& file, std::source_location where) {
  if (code >= 0) return code;
  throw core::InputOutput(fmt::format("HDF5 failed on '{}': {} ({}:{})", file.string(), innermost_message(),
                                      Path(where.file_name()).filename().string(), where.line()));
}

namespace {
void throw_disk_error(const Path& file, int error) {
  if (error == 0) return;
  throw core::InputOutput(fmt::format("cannot write '{}': {}", file.string(), std::generic_category().message(error)));
}
} // namespace

Hdf5File::Hdf5File(Path file, hid_t id) : file_(std::move(file)), id_(id, H5Fclose) {}

Hdf5File Hdf5File::create(const Path& file, std::uint64_t userblock) {
  silence();
  const Hdf5Id creation = object_list(H5P_FILE_CREATE, file);
  check_hdf5(H5Pset_userblock(creation, userblock), file);
  const Hdf5Id access = access_list(file);
  auto disk_error = std::make_unique<int>(0);
  check_hdf5(use_patient_disk(access, disk_error.get()), file);
  const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation, access);
  if (id < 0) throw_disk_error(file, *disk_error);
  Hdf5File made(file, check_hdf5(id, file));
  made.disk_error_ = std::move(disk_error);
  return made;
}

Hdf5File Hdf5File::create_in_memory(const Path& file) {
  silence();
  constexpr std::size_t growth = 1 << 16;
  const Hdf5Id access = access_list(file);
  check_hdf5(H5Pset_fapl_core(access, growth, 0), file);
  return {file, check_hdf5(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, object_list(H5P_FILE_CREATE, file), access), file)};
}

std::span<std::byte> Hdf5File::image() {
  check(H5Fflush(id_, H5F_SCOPE_LOCAL));
  hsize_t size = 0;
  void** bytes = nullptr;
  check(H5Fget_filesize(id_, &size));
  check(H5Fget_vfd_handle(id_, H5P_DEFAULT, reinterpret_cast<void**>(&bytes)));
  return {static_cast<std::byte*>(*bytes), static_cast<std::size_t>(size)};
}

Hdf5File Hdf5File::open(const Path& file) {
  silence();
  return {file, check_hdf5(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), file)};
}

void Hdf5File::make_group(const std::string& path) {
  const Hdf5Id links = with_groups(file_);
  const Hdf5Id creation = object_list(H5P_GROUP_CREATE, file_);
  const Hdf5Id group(check(H5Gcreate2(id_, path.c_str(), links, creation, H5P_DEFAULT)), H5Gclose);
}

Hdf5Id Hdf5File::new_dataset(const std::string& path, const grid::Dims& dims, hid_t type, hid_t creation) {
  const std::vector<hsize_t> sizes(dims.begin(), dims.end());
  const Hdf5Id space(check(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr)), H5Sclose);
  const Hdf5Id links = with_groups(file_);
  return {check(H5Dcreate2(id_, path.c_str(), type, space, links, creation, H5P_DEFAULT)), H5Dclose};
}

std::uint64_t Hdf5File::make_dataset(const std::string& path, const grid::Dims& dims, NumberType number_type,
                                     std::span<const Attribute> attributes) {
  const Hdf5Id creation = object_list(H5P_DATASET_CREATE, file_);
  check(H5Pset_layout(creation, H5D_CONTIGUOUS));
  check(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY));
  check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER));
  const Hdf5Id dataset =
      new_dataset(path, dims, number_type == NumberType::real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, creation);
  set(dataset, attributes);
  const haddr_t start = H5Dget_offset(dataset);
  return start == HADDR_UNDEF ? 0 : start;
}

Hdf5List Hdf5File::make_list(const std::string& path, std::uint64_t size, NumberType number_type) {
  return {new_dataset(path, {size}, number_type == NumberType::real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64,
                      object_list(H5P_DATASET_CREATE, file_)),
          number_type, file_};
}

Hdf5List::Hdf5List(Hdf5Id dataset, NumberType number_type, Path file)
    : dataset_(std::move(dataset)), number_type_(number_type), file_(std::move(file)) {}

void Hdf5List::put(std::uint64_t bits) {
  constexpr std::size_t block = 1024;
  waiting_.push_back(bits);
  if (waiting_.size() == block) flush();
}

void Hdf5List::flush() {
  if (waiting_.empty()) return;
  const hsize_t first = written_, count = waiting_.size();
  const Hdf5Id memory(check_hdf5(H5Screate_simple(1, &count, nullptr), file_), H5Sclose);
  const Hdf5Id space(check_hdf5(H5Dget_space(dataset_), file_), H5Sclose);
  check_hdf5(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr), file_);
  const hid_t type = number_type_ == NumberType::real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  check_hdf5(H5Dwrite(dataset_, type, memory, space, H5P_DEFAULT, waiting_.data()), file_);
  written_ += count;
  waiting_.clear();
}

hid_t Hdf5File::text_type(std::size_t size) {
  auto known = text_types_.find(size);
  if (known == text_types_.end()) known = text_types_.emplace(size, fixed_text_type(size, file_)).first;
  return known->second;
}

void Hdf5File::set(hid_t object, std::span<const Attribute> attributes) {
  const Hdf5Id space(check(H5Screate(H5S_SCALAR)), H5Sclose);
  for (const Attribute& attribute : attributes) {
    const auto write = [&](hid_t type, const void* value) {
      const Hdf5Id id(check(H5Acreate2(object, attribute.name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT)),
                      H5Aclose);
      check(H5Awrite(id, type, value));
    };
    if (const auto* number_type = std::get_if<double>(&attribute.value)) {
      write(H5T_NATIVE_DOUBLE, number_type);
    } else if (const auto* count = std::get_if<std::int64_t>(&attribute.value)) {
      write(H5T_NATIVE_INT64, count);
    } else {
      const auto& text = std::get<std::string>(attribute.value);
      write(text_type(text.size()), text.c_str());
    }
  }
}

void Hdf5File::change(const std::string& object, const Attribute& attribute) {
  const Hdf5Id id = open_attribute(object, attribute.name);
  if (const auto* number_type = std::get_if<double>(&attribute.value))
    check(H5Awrite(id, H5T_NATIVE_DOUBLE, number_type));
  else if (const auto* count = std::get_if<std::int64_t>(&attribute.value))
    check(H5Awrite(id, H5T_NATIVE_INT64, count));
  else
    throw std::logic_error("texts of other lengths have other types");
}

void Hdf5File::link_to_file(const std::string& path, const std::string& file) {
  const Hdf5Id links = with_groups(file_);
  check(H5Lcreate_external(file.c_str(), "/", id_, path.c_str(), links, H5P_DEFAULT));
}

bool Hdf5File::has(const std::string& path) const {
  return H5Lexists(id_, path.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Hdf5File::members(const std::string& group) const {
  const Hdf5Id id(check(H5Gopen2(id_, group.c_str(), H5P_DEFAULT)), H5Gclose);
  std::vector<std::string> names;
  check(H5Literate(id, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, collect_link, &names));
  return names;
}

Hdf5Id Hdf5File::open_object(const std::string& path) const {
  return {check(H5Oopen(id_, path.c_str(), H5P_DEFAULT)), H5Oclose};
}

Hdf5Id Hdf5File::open_dataset(const std::string& path) const {
  return {check(H5Dopen2(id_, path.c_str(), H5P_DEFAULT)), H5Dclose};
}

Hdf5Id Hdf5File::open_attribute(const std::string& object, const std::string& attribute) const {
  const Hdf5Id target = open_object(object);
  return {check(H5Aopen(target, attribute.c_str(), H5P_DEFAULT)), H5Aclose};
}

grid::Dims Hdf5File::dims(const std::string& dataset) const {
  const Hdf5Id id = open_dataset(dataset);
  const Hdf5Id space(check(H5Dget_space(id)), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  check(rank);
  std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space, sizes.data(), nullptr));
  return {sizes.begin(), sizes.end()};
}

std::uint64_t Hdf5File::offset(const std::string& dataset) const {
  const haddr_t start = H5Dget_offset(open_dataset(dataset));
  return start == HADDR_UNDEF ? 0 : start;
}

std::vector<double> Hdf5File::read_list(const std::string& dataset) const {
  std::uint64_t size = 1;
  for (const std::uint64_t n : dims(dataset)) size *= n;
  std::vector<double> values(size);
  check(H5Dread(open_dataset(dataset), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  return values;
}

void Hdf5File::reject(const std::string& what) const {
  throw core::InputOutput(fmt::format("'{}': {}", file_.string(), what));
}

void Hdf5File::require_plain(const std::string& dataset, const grid::Dims& dims, std::uint64_t file_size) const {
  const Hdf5Id id = open_dataset(dataset);
  const Hdf5Id type(check(H5Dget_type(id)), H5Tclose);
  const Hdf5Id creation(check(H5Dget_create_plist(id)), H5Pclose);
  if (check(H5Tequal(type, H5T_IEEE_F64LE)) == 0) reject(dataset + " is no list of doubles");
  if (this->dims(dataset) != dims)
    reject(
        fmt::format("{} is no {} of {} values", dataset, dims.size() == 1 ? "list" : "array", fmt::join(dims, " x ")));
  if (H5Pget_layout(creation) != H5D_CONTIGUOUS || H5Pget_external_count(creation) != 0)
    reject(dataset + " is not stored in one piece in this file");
  const std::uint64_t start = offset(dataset);
  const auto size = std::accumulate(dims.begin(), dims.end(), std::uint64_t{1}, std::multiplies<>());
  if (size > 0 && (start == 0 || start > file_size || size > (file_size - start) / sizeof(double)))
    reject(dataset + " lies outside the file");
}

std::vector<std::string> Hdf5File::attribute_names(const std::string& object) const {
  const Hdf5Id target = open_object(object);
  std::vector<std::string> names;
  check(H5Aiterate2(target, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, collect_attribute, &names));
  return names;
}

/// An attribute that is one value: reading a list into the room of one would write beyond it.
Hdf5Id Hdf5File::open_scalar(const std::string& object, const std::string& attribute) const {
  Hdf5Id id = open_attribute(object, attribute);
  const Hdf5Id space(check(H5Aget_space(id)), H5Sclose);
  if (H5Sget_simple_extent_npoints(space) != 1)
    reject(fmt::format("the attribute {} of {} is not one value", attribute, object));
  return id;
}

double Hdf5File::real(const std::string& object, const std::string& attribute) const {
  double value = 0.0;
  check(H5Aread(open_scalar(object, attribute), H5T_NATIVE_DOUBLE, &value));
  return value;
}

std::int64_t Hdf5File::integer(const std::string& object, const std::string& attribute) const {
  std::int64_t value = 0;
  check(H5Aread(open_scalar(object, attribute), H5T_NATIVE_INT64, &value));
  return value;
}

std::string Hdf5File::text(const std::string& object, const std::string& attribute) const {
  const Hdf5Id id = open_scalar(object, attribute);
  const Hdf5Id type(check(H5Aget_type(id)), H5Tclose);
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 || size > max_text)
    reject(fmt::format("the attribute {} of {} is no text of at most {} bytes", attribute, object, max_text));
  std::string value(size, '\0');
  check(H5Aread(id, type, value.data()));
  return value.c_str();
}

void Hdf5File::close() {
  check(H5Fclose(id_.release()));
  if (disk_error_) throw_disk_error(file_, *disk_error_);
}

} // namespace rhumb::io
