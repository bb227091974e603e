// Row kinds through a list of transforms: refuses what cannot work before the first row is read, and
// tells sizes that follow from the input alone. Pure.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "geometry.h"
#include "sluice/base/error.h"
#include "sluice/image/row_program.h"

namespace sluice::image {

[[nodiscard]] std::string_view NameOf(const Transform& transform);

// The kind of the output, or which transform cannot take what it would get.
[[nodiscard]] Result<RowKind> OutputKind(const std::vector<Transform>& transforms, const RowKind& input);

// Size after all transforms of an image of this size. REQUIRES a list that OutputKind accepts.
[[nodiscard]] Size SizeAfter(const std::vector<Transform>& transforms, Size size);

[[nodiscard]] Shape ImageShape(Size size, bool planar);
// nullopt: not the shape of a 3-channel image.
[[nodiscard]] std::optional<Size> ImageSize(const Shape& shape, bool planar);

}  // namespace sluice::image
