#include "loaders/tuned_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "sluice/toml/toml_fields.h"
#include "sluice/toml/toml_file.h"

namespace sluice::app {
namespace {

constexpr int kVersion = 1;
constexpr double kSameCores = 0.01;
constexpr std::int64_t kMostValue = 1'000'000;
constexpr double kMostNumber = 1e9;

Result<void> Sensible(const toml::TomlValue& value, double& out) {
  auto read = value.To(out);
  return read && (out < 0 || out > kMostNumber) ? value.Refuse("0 to 1e9") : read;
}

struct Head {
  int version = 0;
  TunedFile file;
};

constexpr toml::Field<Head> kHeadFields[] = {
    {"version", [](const toml::TomlValue& v, Head& h) { return v.To(h.version); }, true},
    {"cpu", [](const toml::TomlValue& v, Head& h) { return v.To(h.file.cpu); }},
    {"cores", [](const toml::TomlValue& v, Head& h) { return Sensible(v, h.file.cores); }, true},
    {"loader", nullptr},
};

struct Entry {
  TunedLoader loader;
  int rank = -1;
};

constexpr toml::Field<Entry> kLoaderFields[] = {
    {"program", [](const toml::TomlValue& v, Entry& e) { return v.To(e.loader.program); }, true},
    {"rank", [](const toml::TomlValue& v, Entry& e) { return v.To(e.rank); }},
    {"rate", [](const toml::TomlValue& v, Entry& e) { return Sensible(v, e.loader.rate); }},
    {"knobs", nullptr, true},
};

Result<void> ReadKnobs(const ::toml::node& node, const toml::Place& place, TunedLoader& loader) {
  const ::toml::table* table = node.as_table();
  if (table == nullptr) return toml::FailAt(place, node, "knobs must be a table: {\"fetch.workers\" = 4}");
  for (const auto& [key, value] : *table) {
    TunedKnob knob{std::string(key.str())};
    const toml::TomlValue reader(value, place, key.str());
    if (auto read = reader.To(knob.value); !read) return read;
    if (knob.value < 0 || knob.value > kMostValue) return reader.Refuse("0 to 1000000");
    loader.knobs.push_back(std::move(knob));
  }
  return {};
}

Result<TunedLoader> ReadLoader(const ::toml::node& node, const std::string& path) {
  const toml::Place place{path, "[[loader]]"};
  const ::toml::table* table = node.as_table();
  if (table == nullptr) return toml::FailAt(place, node, "must be a table");
  Entry entry;
  if (auto read = toml::ReadFields<Entry>(*table, place, kLoaderFields, entry); !read) {
    return std::unexpected(read.error());
  }
  if (auto read = ReadKnobs(*table->get("knobs"), place, entry.loader); !read) {
    return std::unexpected(read.error());
  }
  if (entry.rank >= 0) entry.loader.rank = entry.rank;
  return entry.loader;
}

// On one line, whatever is in it: a key must be.
std::string Quoted(const std::string& text) {
  const auto controls = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  const auto flags = std::ranges::any_of(text, controls) ? ::toml::format_flags::none
                                                         : ::toml::toml_formatter::default_flags;
  const ::toml::value<std::string> value(text);
  std::ostringstream quoted;
  quoted << ::toml::toml_formatter(value, flags);
  return quoted.str();
}

std::string LoaderToml(const TunedLoader& loader) {
  std::string text = fmt::format("\n[[loader]]\nprogram = {}\n", Quoted(loader.program));
  if (loader.rank) text += fmt::format("rank = {}\n", *loader.rank);
  if (loader.rate > 0) text += fmt::format("rate = {:.3f}  # batches per second\n", loader.rate);
  text += "[loader.knobs]\n";
  for (const TunedKnob& knob : loader.knobs) text += fmt::format("{} = {}\n", Quoted(knob.name), knob.value);
  return text;
}

}  // namespace

const TunedLoader* TunedFile::For(const std::string& program, std::optional<int> rank) const {
  const TunedLoader* any = nullptr;
  for (const TunedLoader& loader : loaders) {
    if (loader.program != program) continue;
    if (loader.rank == rank) return &loader;
    if (any == nullptr) any = &loader;
  }
  return any;
}

std::string TunedToml(const TunedFile& file) {
  std::string text = fmt::format(
      "# What tuning has found; `--load` of sluice wrap and sluice run begins with it on the same machine.\n"
      "version = {}\ncpu = {}\ncores = {}\n",
      kVersion, Quoted(file.cpu), file.cores);
  for (const TunedLoader& loader : file.loaders) text += LoaderToml(loader);
  return text;
}

Result<TunedFile> ParseTuned(const std::string& text, const std::string& path) {
  const auto table = toml::ParseToml(text, path);
  if (!table) return std::unexpected(table.error());
  Head head;
  const toml::Place place{path, ""};
  if (auto read = toml::ReadFields<Head>(*table, place, kHeadFields, head); !read) {
    return std::unexpected(read.error());
  }
  if (head.version != kVersion) {
    return Fail(fmt::format("{}: version {} is not known, only {}; write it anew with --save", path,
                            head.version, kVersion));
  }
  const ::toml::node* loaders = table->get("loader");
  if (loaders != nullptr && loaders->as_array() == nullptr)
    return toml::FailAt(place, *loaders, "loader must be [[loader]]");
  const std::size_t count = loaders == nullptr ? 0 : loaders->as_array()->size();
  for (std::size_t i = 0; i < count; ++i) {
    auto loader = ReadLoader(*loaders->as_array()->get(i), path);
    if (!loader) return std::unexpected(loader.error());
    head.file.loaders.push_back(std::move(*loader));
  }
  return head.file;
}

Result<TunedFile> ReadTuned(const std::string& path) {
  const auto text = toml::ReadTomlFile(path);
  if (!text) return std::unexpected(text.error());
  return ParseTuned(*text, path);
}

std::string WhyNotHere(const TunedFile& file, const std::string& cpu, double cores) {
  if (std::abs(file.cores - cores) > kSameCores * std::max(cores, 1.0)) {
    return fmt::format("it was found with {:.4g} cores, here are {:.4g}", file.cores, cores);
  }
  if (!file.cpu.empty() && !cpu.empty() && file.cpu != cpu) {
    return fmt::format("it was found on another CPU ({}, here {})", file.cpu, cpu);
  }
  return {};
}

}  // namespace sluice::app
