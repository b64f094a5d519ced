#include <rhumb/io/patient_disk.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

namespace rhumb::io {

namespace {

/// What the access properties carry to the driver.
struct RetrySettings {
  int* error = nullptr;
};

struct File {
  H5FD_t common{}; ///< HDF5's own; first, so that a pointer to it is one to the file
  int descriptor = -1;
  haddr_t end_of_allocation = 0;
  haddr_t end_of_file = 0;
  int* error = nullptr;

  void remember(int code) const {
    if (*error == 0) *error = code;
  }
};

File& of(H5FD_t* file) {
  return *reinterpret_cast<File*>(file);
}
const File& of(const H5FD_t* file) {
  return *reinterpret_cast<const File*>(file);
}

H5FD_t* open_file(const char* name, unsigned, hid_t access, haddr_t) {
  const auto* settings = static_cast<const RetrySettings*>(H5Pget_driver_info(access));
  if (!settings) return nullptr;
  const int descriptor = ::open(name, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    *settings->error = errno;
    return nullptr;
  }
  auto* file = new File; // HDF5 owns it until `close_file`
  file->descriptor = descriptor;
  file->error = settings->error;
  return &file->common;
}

herr_t close_file(H5FD_t* file) {
  if (::close(of(file).descriptor) != 0 && errno != EINTR) of(file).remember(errno);
  delete &of(file);
  return 0;
}

int compare(const H5FD_t* one, const H5FD_t* other) {
  struct stat a {
  }, b{};
  if (::fstat(of(one).descriptor, &a) != 0 || ::fstat(of(other).descriptor, &b) != 0) return one < other ? -1 : 1;
  if (a.st_dev != b.st_dev) return a.st_dev < b.st_dev ? -1 : 1;
  return a.st_ino == b.st_ino ? 0 : a.st_ino < b.st_ino ? -1 : 1;
}

/// As HDF5's own driver for files: the layout of a file depends on it.
herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t end_of_allocation(const H5FD_t* file, H5FD_mem_t) {
  return of(file).end_of_allocation;
}
herr_t set_end_of_allocation(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  of(file).end_of_allocation = end;
  return 0;
}
haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) {
  return of(file).end_of_file;
}

/// What was never written, or could not be, is zero.
herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* bytes) {
  auto* to = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t done = ::pread(of(file).descriptor, to, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) of(file).remember(errno);
    if (done <= 0) break;
    to += done;
    at += static_cast<haddr_t>(done);
    size -= static_cast<std::size_t>(done);
  }
  std::memset(to, 0, size);
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, const void* bytes) {
  const auto* from = static_cast<const char*>(bytes);
  of(file).end_of_file = std::max(of(file).end_of_file, at + size);
  while (size > 0 && *of(file).error == 0) {
    const ssize_t done = ::pwrite(of(file).descriptor, from, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      of(file).remember(done < 0 ? errno : ENOSPC);
      break;
    }
    from += done;
    at += static_cast<haddr_t>(done);
    size -= static_cast<std::size_t>(done);
  }
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  File& opened = of(file);
  if (opened.end_of_allocation == opened.end_of_file) return 0;
  if (::ftruncate(opened.descriptor, static_cast<off_t>(opened.end_of_allocation)) != 0) opened.remember(errno);
  opened.end_of_file = opened.end_of_allocation;
  return 0;
}

H5FD_class_t description() {
  H5FD_class_t out{};
  out.name = "rhumb_patient_disk";
  out.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
  out.fc_degree = H5F_CLOSE_WEAK;
  out.fapl_size = sizeof(RetrySettings);
  out.open = open_file;
  out.close = close_file;
  out.cmp = compare;
  out.query = query;
  out.get_eoa = end_of_allocation;
  out.set_eoa = set_end_of_allocation;
  out.get_eof = end_of_file;
  out.read = read;
  out.write = write;
  out.truncate = truncate;
  // Metadata apart from data, as with HDF5's own driver.
  for (int type = 0; type < H5FD_MEM_NTYPES; ++type)
    out.fl_map[type] = type == H5FD_MEM_DRAW || type == H5FD_MEM_GHEAP ? H5FD_MEM_DRAW : H5FD_MEM_SUPER;
  return out;
}

} // namespace

herr_t use_patient_disk(hid_t access, int* error) {
  static const H5FD_class_t driver = description();
  static const hid_t id = H5FDregister(&driver);
  const RetrySettings settings{error};
  return id < 0 ? -1 : H5Pset_driver(access, id, &settings);
}

} // namespace rhumb::io
