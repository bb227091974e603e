// Data and pipelines that several tests run.
#pragma once
#include <string>

#include "formats/scratch_folder.h"
#include "sluice/runtime/description.h"

namespace sluice::runtime {

// CIFAR-10 files with `rows` training rows in all (a multiple of 5).
void WriteCifar(const formats::ScratchFolder& folder, std::uint64_t rows);
// `count` JPEGs of different sizes in three classes; file number i is row number i.
void WriteJpegs(const formats::ScratchFolder& folder, int count);
// Path of file number i of `count`.
[[nodiscard]] std::string JpegPath(const formats::ScratchFolder& folder, int i, int count);
// Cuts the file in the middle of its pixels.
void Truncate(const std::string& path);

// The label becomes a function of the row; the time it takes jumps around the limit between cheap and
// dear ops, from row to row.
void JumpyWork(Item& item);

// range -> three maps, the middle one jumpy -> batch.
[[nodiscard]] PipelineDescription RangeAndMaps(std::uint64_t rows);
// Shuffled CIFAR-10 -> crop, flip, normalise -> batch with one-hot labels, straight into its slots.
[[nodiscard]] PipelineDescription CifarTraining(const formats::ScratchFolder& folder);
// JPEGs -> decode, random resized crop, flip, normalise -> batch.
[[nodiscard]] PipelineDescription JpegTraining(const formats::ScratchFolder& folder, bool fuse);
// JPEGs -> decode as an op of its own, of varying size -> shuffle -> crop and colour -> batch.
[[nodiscard]] PipelineDescription JpegInSteps(const formats::ScratchFolder& folder);

// Photos, then drawings; each with a caption, whose rows are a twentieth as large; in batches. The captions
// of the drawings behind the first `drawings` are passed over.
[[nodiscard]] PipelineDescription CaptionedImages(std::uint64_t photos, std::uint64_t drawings,
                                                  std::uint64_t captions);

}  // namespace sluice::runtime
