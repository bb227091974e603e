// The parts of a scenario file, each read from its table, and the keys that each of them knows.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "scenario_keys.h"
#include "sluice/base/error.h"
#include "sluice/runtime/description.h"
#include "sluice/toml/toml_fields.h"

namespace sluice::runtime {

// [source] and [[op]]. `number` is the op's place in the file, for a label where it has no name.
[[nodiscard]] Result<OpSpec> ReadSource(const ::toml::table& table, std::string_view file);
[[nodiscard]] Result<OpSpec> ReadOp(const ::toml::table& table, std::string_view file, std::size_t number);

// "decode", or {name = "random_crop", size = 32}.
[[nodiscard]] Result<image::Transform> ReadTransform(const ::toml::node& node, const toml::Place& place);
// As a scenario file writes it: "random_resized_crop".
[[nodiscard]] std::string_view TransformName(const image::Transform& transform);

// What ScenarioKeys() (scenario_keys.h) has of them.
void AppendOpKeys(std::vector<SectionKeys>& sections);
void AppendTransformKeys(std::vector<SectionKeys>& sections);

}  // namespace sluice::runtime
