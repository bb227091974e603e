// Runs one transform of ours for torchvision_conformity.py: settings as words, an image (file bytes, or
// raw HWC pixels) on the standard input, the result's raw pixels on the standard output.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "color_adjust.h"
#include "geometry.h"
#include "resize.h"
#include "sluice/image/row_program.h"

namespace {

using namespace sluice;  // NOLINT

std::vector<std::byte> ReadAll() {
  std::vector<std::byte> bytes;
  std::byte block[1 << 16];
  while (const std::size_t count = std::fread(block, 1, sizeof(block), stdin)) {
    bytes.insert(bytes.end(), block, block + count);
  }
  return bytes;
}

int Run(std::vector<image::Transform> transforms, const image::RowKind& kind, const image::Shape& shape) {
  const auto bytes = ReadAll();
  const image::TensorView row{
      bytes.data(), image::DType::kU8,
      kind.encoded ? image::Shape{{static_cast<std::uint32_t>(bytes.size())}, 1} : shape};
  const auto program = image::RowProgram::Compile(std::move(transforms), kind);
  if (!program) return fmt::print(stderr, "{}\n", program.error().message), 1;
  const auto size = program->OutputBytes(row);
  if (!size) return fmt::print(stderr, "{}\n", size.error().message), 1;
  std::vector<float> memory((*size + 3) / 4);
  const std::span out(reinterpret_cast<std::byte*>(memory.data()), *size);
  image::Scratch scratch;
  const auto ran = program->Run(row, {}, scratch, out);
  if (!ran) return fmt::print(stderr, "{}\n", ran.error().message), 1;
  std::fwrite(out.data(), 1, out.size(), stdout);
  return 0;
}

int RunOn(int height, int width, image::Transform transform) {
  const image::Shape shape{{static_cast<std::uint32_t>(height), static_cast<std::uint32_t>(width), 3}, 3};
  return Run({std::move(transform)}, {false, image::DType::kU8, shape}, shape);
}

int Boxes(int height, int width, int count) {
  for (int seed = 0; seed < count; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    const auto box = image::DrawResizedCrop({}, {height, width}, rng);
    fmt::print("{} {} {} {}\n", box.top, box.left, box.height, box.width);
  }
  return 0;
}

image::RandomColorAdjust Color(const std::vector<std::string>& words) {
  image::RandomColorAdjust adjust;
  double(*ranges[4])[2] = {&adjust.brightness, &adjust.contrast, &adjust.saturation, &adjust.hue};
  for (std::size_t i = 0; i < 4; ++i) {
    (*ranges[i])[0] = (*ranges[i])[1] = std::strtod(words[3 + i].c_str(), nullptr);
  }
  return adjust;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto number = [&](std::size_t i) { return std::atoi(words.at(i).c_str()); };
  if (words.empty()) return 2;
  if (words[0] == "decode") return Run({image::Decode{}}, {true, std::nullopt, std::nullopt}, {});
  if (words.size() < 3) return 2;
  if (words[0] == "resize")
    return RunOn(number(1), number(2), image::Resize{number(3), number(4), number(5) != 0});
  if (words[0] == "center") return RunOn(number(1), number(2), image::CenterCrop{number(3), number(4)});
  if (words[0] == "color") return RunOn(number(1), number(2), Color(words));
  if (words[0] == "boxes") return Boxes(number(1), number(2), number(3));
  return 2;
}
