#include <rhumb/pde/text/code_cache.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/failure.hpp>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

extern char** environ; // NOLINT: of POSIX

namespace rhumb::text {

namespace {

namespace fs = std::filesystem;
using core::BadInput;

constexpr const char* advice = "; -compile no runs without compiling";

/// Owned by the user, and nobody else may write.
void need_private(const struct stat& found, const fs::path& path) {
  if (found.st_uid != geteuid())
    throw BadInput(fmt::format("{} belongs to another user: no code is loaded from there{}", path.string(), advice));
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw BadInput(fmt::format("others may write to {}: no code is loaded from there. After a look at what it holds, "
                               "remove it{}",
                               path.string(), advice));
}

/// Made where it is missing.
void need_private_folder(const fs::path& path) {
  if (mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    throw BadInput(fmt::format("cannot make the folder {}: {}{}", path.string(), std::strerror(errno), advice));
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0 || !S_ISDIR(found.st_mode))
    throw BadInput(fmt::format("{} is not a folder{}", path.string(), advice));
  need_private(found, path);
}

fs::path cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const bool has_cache = cache != nullptr && cache[0] == '/';
  if (!has_cache && (home == nullptr || home[0] != '/'))
    throw BadInput(fmt::format("there is no HOME for compiled code{}", advice));
  const fs::path base = has_cache ? fs::path(cache) : fs::path(home) / ".cache";
  std::error_code ignored;
  fs::create_directories(base, ignored);
  const fs::path folder = base / "rhumb";
  need_private_folder(folder);
  return folder;
}

/// An open file, closed in the end.
class File {
public:
  explicit File(const fs::path& path) : descriptor_(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

private:
  int descriptor_;
};

/// The text of a file; empty where there is none.
std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// FNV-1a. It names files; what is in them is compared.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

/// What this processor can do: code is compiled for it, and homes are shared.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags") || line.starts_with("Features")) return fmt::format("{:016x}", hash_of(line));
  return "unknown";
}

/// Runs the compiler, without a shell; returns whether it went well.
bool run_compiler(const std::string& compiler, const fs::path& source, const fs::path& code, const fs::path& log) {
  const std::array<std::string, 12> arguments{
      compiler,          "-x",    "c",       "-std=c11", "-O3",         "-march=native",
      "-fno-math-errno", "-fPIC", "-shared", "-o",       code.string(), source.string()};
  std::vector<char*> pointers;
  for (const auto& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(const_cast<char*>("-lm"));
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, compiler.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  while (failed == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return failed == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Into the cache, with the code renamed into its place when all is done.
void compile(const fs::path& folder, const std::string& stem, const std::string& source) {
  const fs::path text = folder / (stem + ".c"), code = folder / (stem + ".so");
  const std::string mark = fmt::format(".{}", getpid());
  const fs::path new_text = folder / (stem + mark + ".c"), new_code = folder / (stem + mark + ".so");
  const fs::path log = folder / (stem + mark + ".log");
  std::ofstream(new_text) << source;
  bool done = false;
  for (const char* compiler : {RHUMB_COMPILER, "c++", "cc"}) {
    done = run_compiler(compiler, new_text, new_code, log);
    if (done) break;
  }
  const std::string said = done ? "" : text_of(log).substr(0, 400);
  fs::remove(log);
  if (!done) {
    fs::remove(new_text);
    fs::remove(new_code);
    throw BadInput(fmt::format("the equations could not be compiled: {}{}",
                               said.empty() ? "there is no C++ compiler" : said, advice));
  }
  fs::permissions(new_code, fs::perms::owner_all);
  fs::rename(new_text, text);
  fs::rename(new_code, code);
}

/// Loads exactly the file whose rights were checked.
CompiledCode load(const fs::path& path) {
  const File file(path);
  struct stat found {};
  if (!file.is_open() || fstat(file.descriptor(), &found) != 0 || !S_ISREG(found.st_mode))
    throw BadInput(fmt::format("{} is not a plain file that can be read{}", path.string(), advice));
  need_private(found, path);
  void* library = dlopen(fmt::format("/proc/self/fd/{}", file.descriptor()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw BadInput(fmt::format("compiled code cannot be loaded: {}{}", dlerror(), advice));
  return CompiledCode(library);
}

} // namespace

CompiledCode::CompiledCode(CompiledCode&& other) noexcept : library_(std::exchange(other.library_, nullptr)) {}

CompiledCode& CompiledCode::operator=(CompiledCode&& other) noexcept {
  std::swap(library_, other.library_);
  return *this;
}

CompiledCode::~CompiledCode() {
  if (library_ != nullptr) dlclose(library_);
}

void* CompiledCode::function(const std::string& name) const {
  void* found = library_ == nullptr ? nullptr : dlsym(library_, name.c_str());
  if (found == nullptr) throw std::logic_error("compiled code has no function " + name);
  return found;
}

CompiledCode compile_or_load(MPI_Comm comm, const std::string& source) {
  const std::string marked = fmt::format("/* processor {}, compiler {} */\n{}", processor(), RHUMB_COMPILER, source);
  const std::string stem = fmt::format("{:016x}", hash_of(marked));
  core::run_on_root(comm, [&] {
    const fs::path folder = cache_folder();
    struct stat found {};
    const bool known = lstat((folder / (stem + ".so")).c_str(), &found) == 0;
    if (known) need_private(found, folder / (stem + ".so"));
    if (!known || text_of(folder / (stem + ".c")) != marked) compile(folder, stem, marked);
  });
  const std::string name = core::broadcast(comm, stem); // that of rank 0: processors may differ
  CompiledCode code;
  core::run_and_agree(comm, [&] { code = load(cache_folder() / (name + ".so")); });
  return code;
}

} // namespace rhumb::text
