#include <array>

#include "scenario_parts.h"

namespace sluice::runtime {
namespace {

// Of every transform: which one it is; read by ReadTransform.
template <typename T>
constexpr toml::Field<T> kName = {"name", nullptr, true};

template <typename T>
constexpr std::array kFieldsOf = {kName<T>};

template <typename T>
Result<void> Size(const toml::TomlValue& v, T& into) {
  return v.ToSize(into.height, into.width);
}

template <typename T>
Result<void> Antialias(const toml::TomlValue& v, T& into) {
  return v.To(into.antialias);
}

Result<void> ShortSideOrSize(const toml::TomlValue& v, image::Resize& into) {
  if (v.node().is_array()) return v.ToSize(into.height, into.width);
  into.width = 0;
  return v.To(into.height);
}

template <double (image::RandomColorAdjust::*factor)[2]>
Result<void> Between(const toml::TomlValue& v, image::RandomColorAdjust& into) {
  return v.ToPair((into.*factor)[0], (into.*factor)[1]);
}

template <>
constexpr std::array kFieldsOf<image::RandomResizedCrop> =
    std::to_array<toml::Field<image::RandomResizedCrop>>({
        kName<image::RandomResizedCrop>,
        {"size", Size<image::RandomResizedCrop>},
        {"scale", [](const toml::TomlValue& v,
                     image::RandomResizedCrop& t) { return v.ToPair(t.scale_min, t.scale_max); }},
        {"ratio", [](const toml::TomlValue& v,
                     image::RandomResizedCrop& t) { return v.ToPair(t.ratio_min, t.ratio_max); }},
        {"antialias", Antialias<image::RandomResizedCrop>},
    });

template <>
constexpr std::array kFieldsOf<image::Resize> = std::to_array<toml::Field<image::Resize>>({
    kName<image::Resize>,
    {"size", ShortSideOrSize},
    {"antialias", Antialias<image::Resize>},
});

template <>
constexpr std::array kFieldsOf<image::CenterCrop> = std::to_array<toml::Field<image::CenterCrop>>({
    kName<image::CenterCrop>,
    {"size", Size<image::CenterCrop>},
});

template <>
constexpr std::array kFieldsOf<image::RandomCrop> = std::to_array<toml::Field<image::RandomCrop>>({
    kName<image::RandomCrop>,
    {"size", Size<image::RandomCrop>},
    {"padding", [](const toml::TomlValue& v, image::RandomCrop& t) { return v.To(t.padding); }},
    {"fill", [](const toml::TomlValue& v, image::RandomCrop& t) { return v.To(t.fill); }},
});

template <>
constexpr std::array kFieldsOf<image::RandomHorizontalFlip> =
    std::to_array<toml::Field<image::RandomHorizontalFlip>>({
        kName<image::RandomHorizontalFlip>,
        {"probability",
         [](const toml::TomlValue& v, image::RandomHorizontalFlip& t) { return v.To(t.probability); }},
    });

template <>
constexpr std::array kFieldsOf<image::RandomColorAdjust> =
    std::to_array<toml::Field<image::RandomColorAdjust>>({
        kName<image::RandomColorAdjust>,
        {"brightness", Between<&image::RandomColorAdjust::brightness>},
        {"contrast", Between<&image::RandomColorAdjust::contrast>},
        {"saturation", Between<&image::RandomColorAdjust::saturation>},
        {"hue", Between<&image::RandomColorAdjust::hue>},
    });

template <>
constexpr std::array kFieldsOf<image::Normalize> = std::to_array<toml::Field<image::Normalize>>({
    kName<image::Normalize>,
    {"mean", [](const toml::TomlValue& v, image::Normalize& t) { return v.To(t.mean); }, true},
    {"std", [](const toml::TomlValue& v, image::Normalize& t) { return v.To(t.std); }, true},
});

struct TransformKind {
  std::string_view name;
  Result<image::Transform> (*read)(const ::toml::table&, const toml::Place&, const ::toml::node& at);
  std::vector<std::string> (*keys)();
};

template <typename T>
Result<image::Transform> Read(const ::toml::table& table, const toml::Place& place, const ::toml::node& at) {
  T transform;
  const auto read = toml::ReadFields(table, place, kFieldsOf<T>, transform, &at);
  if (!read) return std::unexpected(read.error());
  return transform;
}

template <typename T>
std::vector<std::string> Keys() {
  return toml::KeysOf<T>(kFieldsOf<T>);
}

template <typename T>
constexpr TransformKind Kind(std::string_view name) {
  return {name, Read<T>, Keys<T>};
}

// In the order of the Transform variant.
constexpr std::array kKinds = {
    Kind<image::Decode>("decode"),
    Kind<image::RandomResizedCrop>("random_resized_crop"),
    Kind<image::Resize>("resize"),
    Kind<image::CenterCrop>("center_crop"),
    Kind<image::RandomCrop>("random_crop"),
    Kind<image::RandomHorizontalFlip>("random_horizontal_flip"),
    Kind<image::RandomColorAdjust>("random_color_adjust"),
    Kind<image::ToFloat>("to_float"),
    Kind<image::Normalize>("normalize"),
    Kind<image::HwcToChw>("hwc_to_chw"),
};
static_assert(kKinds.size() == std::variant_size_v<image::Transform>);

Result<const TransformKind*> FindKind(const toml::TomlValue& name) {
  std::array<std::pair<std::string_view, const TransformKind*>, kKinds.size()> words;
  for (std::size_t i = 0; i < kKinds.size(); ++i) words[i] = {kKinds[i].name, &kKinds[i]};
  const TransformKind* kind = nullptr;
  const auto found = name.ToOneOf(words, kind);
  if (!found) return std::unexpected(found.error());
  return kind;
}

}  // namespace

std::string_view TransformName(const image::Transform& transform) {
  return kKinds[transform.index()].name;
}

Result<image::Transform> ReadTransform(const ::toml::node& node, const toml::Place& place) {
  const ::toml::table* table = node.as_table();
  const ::toml::node* name = table == nullptr ? &node : table->get("name");
  if (name == nullptr) return toml::FailAt(place, node, "transforms: the key 'name' is missing");
  const auto kind = FindKind(toml::TomlValue(*name, place, "transforms"));
  if (!kind) return std::unexpected(kind.error());
  const toml::Place inside{place.file, place.where + ": " + std::string((*kind)->name)};
  ::toml::table only_name;
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

}  // namespace sluice::runtime
