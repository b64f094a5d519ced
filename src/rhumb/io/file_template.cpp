#include <rhumb/io/file_template.hpp>

#include <algorithm>

namespace rhumb::io {

namespace {

/// Numbers may change in place; a text must be the same, since its length is part of the file's form.
bool same_form(const Attribute& a, const Attribute& b) {
  if (a.name != b.name || a.value.index() != b.value.index()) return false;
  return !std::holds_alternative<std::string>(a.value) || a.value == b.value;
}

bool same_form(const Group& a, const Group& b) {
  return a.path == b.path && std::ranges::equal(a.attributes, b.attributes, [](const auto& one, const auto& other) {
           return same_form(one, other);
         });
}

bool same_form(const Dataset& a, const Dataset& b) {
  return a.path == b.path && a.dims == b.dims && a.chunk.index() == b.chunk.index() && a.attributes == b.attributes;
}

FileContents form_of(const FileContents& contents) {
  FileContents adopt{contents.groups, {}};
  for (const Dataset& dataset : contents.datasets) {
    adopt.datasets.push_back({.path = dataset.path, .dims = dataset.dims, .attributes = dataset.attributes});
    if (std::holds_alternative<std::vector<std::int64_t>>(dataset.chunk))
      adopt.datasets.back().chunk = std::vector<std::int64_t>();
  }
  return adopt;
}

} // namespace

std::vector<std::uint64_t> lay_out(Hdf5File& hdf5, const FileContents& contents) {
  for (const Group& group : contents.groups) {
    if (group.path != "/") hdf5.make_group(group.path);
    hdf5.set(group.path, group.attributes);
  }
  std::vector<std::uint64_t> starts;
  for (const Dataset& dataset : contents.datasets) {
    const auto number_type =
        std::holds_alternative<std::vector<double>>(dataset.chunk) ? NumberType::real : NumberType::integer;
    starts.push_back(hdf5.make_dataset(dataset.path, dataset.dims, number_type, dataset.attributes));
  }
  return starts;
}

bool FileTemplate::matches(const FileContents& contents) const {
  const auto same = [](const auto& one, const auto& other) { return same_form(one, other); };
  return hdf5_ && std::ranges::equal(layout_.groups, contents.groups, same) &&
         std::ranges::equal(layout_.datasets, contents.datasets, same);
}

void FileTemplate::adopt(const Path& laid_out, const FileContents& contents) {
  hdf5_.reset();
  Hdf5File fresh = Hdf5File::create_in_memory(laid_out);
  starts_ = lay_out(fresh, contents);
  layout_ = form_of(contents);
  Descriptor closed(laid_out, Descriptor::Mode::read);
  size_ = closed.size();
  // What HDF5 has not written is undefined in its memory and zero on the disk.
  const auto image = fresh.image().first(size_);
  closed.read_at(0, image);
  std::ranges::copy(image.first(superblock_size), superblock_.begin());
  hdf5_.emplace(std::move(fresh));
}

std::span<std::byte> FileTemplate::fill(const FileContents& contents) {
  for (std::size_t i = 0; i < contents.groups.size(); ++i) {
    const Group& group = contents.groups[i];
    for (std::size_t j = 0; j < group.attributes.size(); ++j) {
      Attribute& held = layout_.groups[i].attributes[j];
      if (held == group.attributes[j]) continue;
      hdf5_->change(group.path, group.attributes[j]);
      held = group.attributes[j];
    }
  }
  const std::span<std::byte> image = hdf5_->image().first(size_);
  std::ranges::copy(superblock_, image.begin());
  return image;
}

} // namespace rhumb::io
