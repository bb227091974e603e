#include "window/pixels.h"

#include <GL/gl.h>
#include <png.h>

#include <cstddef>
#include <vector>

namespace sluice::ui {

Result<void> WritePicture(const std::string& file, int width, int height) {
  const auto row = static_cast<std::size_t>(width) * 4;
  std::vector<unsigned char> pixels(row * static_cast<std::size_t>(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  for (std::size_t i = 3; i < pixels.size(); i += 4) pixels[i] = 255;
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGBA;
  // OpenGL's first row is the lowest one.
  if (png_image_write_to_file(&image, file.c_str(), 0, pixels.data(), -static_cast<png_int_32>(row),
                              nullptr) == 0)
    return Fail("cannot write " + file + ": " + image.message);
  return {};
}

}  // namespace sluice::ui
