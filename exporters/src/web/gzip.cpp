#include "web/gzip.h"

#include <zlib.h>

#include "sluice/base/check.h"

namespace sluice::exporters {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib: the largest window, with gzip's head
constexpr int kMemory = 8;            // zlib's default
constexpr int kLevel = 1;             // half the time of the default, and a tenth of the text

}  // namespace

std::string Gzip(std::string_view text) {
  z_stream stream{};
  SLUICE_CHECK(deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib does not write there
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  SLUICE_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace sluice::exporters
