#include <rhumb/io/checkpoint_head.hpp>

#include <rhumb/core/agreement.hpp>
#include <rhumb/core/failure.hpp>
#include <rhumb/io/hdf5.hpp>
#include <rhumb/io/isolated.hpp>
#include <rhumb/io/packed.hpp>
#include <cmath>
#include <fmt/format.h>

namespace rhumb::io {

namespace {

std::vector<double> read_list(const Hdf5File& hdf5, const Path& file, const std::string& path) {
  Descriptor descriptor(file, Descriptor::Mode::read);
  const grid::Dims dims = hdf5.dims(path);
  if (dims.size() != 1) throw core::InputOutput(path + " is no list");
  hdf5.require_plain_list(path, dims[0], descriptor.size());
  std::vector<double> values(dims[0]);
  descriptor.read_at(hdf5.offset(path), std::as_writable_bytes(std::span(values)));
  return values;
}

void put_list(Packer& packer, const std::vector<double>& values) {
  packer.put(static_cast<std::uint64_t>(values.size()));
  for (const double value : values) packer.put(value);
}

std::vector<double> get_list(Unpacker& from) {
  std::vector<double> values;
  for (auto count = from.get<std::uint64_t>(); count > 0; --count) values.push_back(from.get<double>());
  return values;
}

/// In the child process: all of the head as bytes.
std::string pack_head(const Path& file) {
  const Hdf5File hdf5 = Hdf5File::open(file);
  const std::uint64_t file_size = Descriptor(file, Descriptor::Mode::read).size();
  Packer packer;
  for (const char* name : {"app", "problem", "grid"}) packer.put(hdf5.text("/", name));
  const std::int64_t unknowns = hdf5.integer("/", "unknowns");
  packer.put(unknowns).put(hdf5.real("/", "time"));
  packer.put(hdf5.integer("/", "step")).put(hdf5.integer("/", "ranks"));
  const auto scalars = hdf5.attribute_names("/numbers");
  packer.put(static_cast<std::uint64_t>(scalars.size()));
  for (const std::string& name : scalars) packer.put(name).put(hdf5.real("/numbers", name));
  const auto options = hdf5.attribute_names("/options");
  packer.put(static_cast<std::uint64_t>(options.size()));
  for (const std::string& name : options) packer.put(name).put(hdf5.text("/options", name));
  put_list(packer, read_list(hdf5, file, "/memory"));
  put_list(packer, hdf5.has("/record") ? read_list(hdf5, file, "/record") : std::vector<double>());
  const auto vectors = hdf5.members("/vectors");
  packer.put(static_cast<std::uint64_t>(vectors.size()));
  for (const std::string& name : vectors) {
    const std::string path = "/vectors/" + name;
    hdf5.require_plain_list(path, static_cast<std::uint64_t>(unknowns), file_size);
    packer.put(name).put(hdf5.offset(path));
  }
  return packer.take();
}

CheckpointHead unpack_head(const std::string& bytes, const Path& file) {
  CheckpointHead head;
  Unpacker from(bytes);
  head.identity.app = from.text();
  head.identity.problem = from.text();
  head.identity.grid = from.text();
  head.identity.unknowns = static_cast<PetscInt>(from.get<std::int64_t>());
  Restart& restart = head.restart;
  restart.file = file;
  restart.t = from.get<double>();
  restart.step = from.get<std::int64_t>();
  restart.ranks = static_cast<int>(from.get<std::int64_t>());
  for (auto count = from.get<std::uint64_t>(); count > 0; --count) {
    std::string name = from.text();
    restart.scalars.emplace_back(std::move(name), from.get<double>());
  }
  for (auto count = from.get<std::uint64_t>(); count > 0; --count) {
    std::string name = from.text();
    restart.options.emplace_back(std::move(name), from.text());
  }
  restart.system_state = get_list(from);
  restart.record = get_list(from);
  for (auto count = from.get<std::uint64_t>(); count > 0; --count) {
    std::string name = from.text();
    head.vectors.emplace_back(std::move(name), from.get<std::uint64_t>());
  }
  return head;
}

} // namespace

CheckpointHead read_head(MPI_Comm comm, const Path& file) {
  std::string bytes;
  core::run_on_root(comm, [&] {
    run_isolated([&](const Send& send) { send(pack_head(file)); },
                 [&](std::string record) { bytes = std::move(record); });
  });
  CheckpointHead head = unpack_head(core::broadcast(comm, std::move(bytes)), file);
  if (!std::isfinite(head.restart.t) || head.restart.step < 0)
    throw core::InputOutput(fmt::format("its time is {:g} and its step {}", head.restart.t, head.restart.step));
  return head;
}

} // namespace rhumb::io
