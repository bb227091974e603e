#include <array>

#include "scenario_parts.h"

namespace sluice {
namespace {

// Of every transform: which one it is; read by ReadTransform.
template <typename T>
constexpr Field<T> kName = {"name", nullptr, true};

template <typename T>
constexpr std::array kFieldsOf = {kName<T>};

template <typename T>
Result<void> Size(const TomlValue& v, T& into) {
  return v.ToSize(into.height, into.width);
}

template <typename T>
Result<void> Antialias(const TomlValue& v, T& into) {
  return v.To(into.antialias);
}

Result<void> ShortSideOrSize(const TomlValue& v, Resize& into) {
  if (v.node().is_array()) return v.ToSize(into.height, into.width);
  into.width = 0;
  return v.To(into.height);
}

template <double (RandomColorAdjust::*factor)[2]>
Result<void> Between(const TomlValue& v, RandomColorAdjust& into) {
  return v.ToPair((into.*factor)[0], (into.*factor)[1]);
}

template <>
constexpr std::array kFieldsOf<RandomResizedCrop> = std::to_array<Field<RandomResizedCrop>>({
    kName<RandomResizedCrop>,
    {"size", Size<RandomResizedCrop>},
    {"scale", [](const TomlValue& v, RandomResizedCrop& t) { return v.ToPair(t.scale_min, t.scale_max); }},
    {"ratio", [](const TomlValue& v, RandomResizedCrop& t) { return v.ToPair(t.ratio_min, t.ratio_max); }},
    {"antialias", Antialias<RandomResizedCrop>},
});

template <>
constexpr std::array kFieldsOf<Resize> = std::to_array<Field<Resize>>({
    kName<Resize>,
    {"size", ShortSideOrSize},
    {"antialias", Antialias<Resize>},
});

template <>
constexpr std::array kFieldsOf<CenterCrop> = std::to_array<Field<CenterCrop>>({
    kName<CenterCrop>,
    {"size", Size<CenterCrop>},
});

template <>
constexpr std::array kFieldsOf<RandomCrop> = std::to_array<Field<RandomCrop>>({
    kName<RandomCrop>,
    {"size", Size<RandomCrop>},
    {"padding", [](const TomlValue& v, RandomCrop& t) { return v.To(t.padding); }},
    {"fill", [](const TomlValue& v, RandomCrop& t) { return v.To(t.fill); }},
});

template <>
constexpr std::array kFieldsOf<RandomHorizontalFlip> = std::to_array<Field<RandomHorizontalFlip>>({
    kName<RandomHorizontalFlip>,
    {"probability", [](const TomlValue& v, RandomHorizontalFlip& t) { return v.To(t.probability); }},
});

template <>
constexpr std::array kFieldsOf<RandomColorAdjust> = std::to_array<Field<RandomColorAdjust>>({
    kName<RandomColorAdjust>,
    {"brightness", Between<&RandomColorAdjust::brightness>},
    {"contrast", Between<&RandomColorAdjust::contrast>},
    {"saturation", Between<&RandomColorAdjust::saturation>},
    {"hue", Between<&RandomColorAdjust::hue>},
});

template <>
constexpr std::array kFieldsOf<Normalize> = std::to_array<Field<Normalize>>({
    kName<Normalize>,
    {"mean", [](const TomlValue& v, Normalize& t) { return v.To(t.mean); }, true},
    {"std", [](const TomlValue& v, Normalize& t) { return v.To(t.std); }, true},
});

struct TransformKind {
  std::string_view name;
  Result<Transform> (*read)(const toml::table&, const Place&, const toml::node& at);
  std::vector<std::string> (*keys)();
};

template <typename T>
Result<Transform> Read(const toml::table& table, const Place& place, const toml::node& at) {
  T transform;
  const auto read = ReadFields(table, place, kFieldsOf<T>, transform, &at);
  if (!read) return std::unexpected(read.error());
  return transform;
}

template <typename T>
std::vector<std::string> Keys() {
  return KeysOf<T>(kFieldsOf<T>);
}

template <typename T>
constexpr TransformKind Kind(std::string_view name) {
  return {name, Read<T>, Keys<T>};
}

// In the order of the Transform variant.
constexpr std::array kKinds = {
    Kind<Decode>("decode"),
    Kind<RandomResizedCrop>("random_resized_crop"),
    Kind<Resize>("resize"),
    Kind<CenterCrop>("center_crop"),
    Kind<RandomCrop>("random_crop"),
    Kind<RandomHorizontalFlip>("random_horizontal_flip"),
    Kind<RandomColorAdjust>("random_color_adjust"),
    Kind<ToFloat>("to_float"),
    Kind<Normalize>("normalize"),
    Kind<HwcToChw>("hwc_to_chw"),
};
static_assert(kKinds.size() == std::variant_size_v<Transform>);

Result<const TransformKind*> FindKind(const TomlValue& name) {
  std::array<std::pair<std::string_view, const TransformKind*>, kKinds.size()> words;
  for (std::size_t i = 0; i < kKinds.size(); ++i) words[i] = {kKinds[i].name, &kKinds[i]};
  const TransformKind* kind = nullptr;
  const auto found = name.ToOneOf(words, kind);
  if (!found) return std::unexpected(found.error());
  return kind;
}

}  // namespace

std::string_view TransformName(const Transform& transform) {
  return kKinds[transform.index()].name;
}

Result<Transform> ReadTransform(const toml::node& node, const Place& place) {
  const toml::table* table = node.as_table();
  const toml::node* name = table == nullptr ? &node : table->get("name");
  if (name == nullptr) return FailAt(place, node, "transforms: the key 'name' is missing");
  const auto kind = FindKind(TomlValue(*name, place, "transforms"));
  if (!kind) return std::unexpected(kind.error());
  const Place inside{place.file, place.where + ": " + std::string((*kind)->name)};
  toml::table only_name;
  only_name.insert("name", (*kind)->name);
  return (*kind)->read(table == nullptr ? only_name : *table, inside, node);
}

void AppendTransformKeys(std::vector<SectionKeys>& sections) {
  sections.push_back({"every transform", {"name"}});
  for (const TransformKind& kind : kKinds) {
    std::vector<std::string> keys = kind.keys();
    std::erase(keys, "name");
    sections.push_back({std::string(kind.name), std::move(keys)});
  }
}

}  // namespace sluice
