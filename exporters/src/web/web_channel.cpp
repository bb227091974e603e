#include "web/web_channel.h"

#include <openssl/err.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace sluice::exporters {
namespace {

int Length(std::size_t bytes) {
  return static_cast<int>(std::min<std::size_t>(bytes, INT_MAX));
}

}  // namespace

std::size_t WebChannel::Read(char* to, std::size_t most) {
  if (tls_ != nullptr) return Secret(SSL_read(tls_.get(), to, Length(most)));
  return Plain(recv(socket_.get(), to, most, 0), POLLIN);
}

std::size_t WebChannel::Write(std::string_view from) {
  if (tls_ != nullptr) return Secret(SSL_write(tls_.get(), from.data(), Length(from.size())));
  return Plain(send(socket_.get(), from.data(), from.size(), MSG_NOSIGNAL), POLLOUT);
}

void WebChannel::Finish() {
  if (tls_ != nullptr) SSL_shutdown(tls_.get());
  ERR_clear_error();
  shutdown(socket_.get(), SHUT_WR);
  wants_ = POLLIN;
}

std::size_t WebChannel::Plain(long moved, short wants) {
  wants_ = wants;
  if (moved > 0) return static_cast<std::size_t>(moved);
  over_ = moved == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
  return 0;
}

std::size_t WebChannel::Secret(int moved) {
  if (moved > 0) return static_cast<std::size_t>(moved);
  const int why = SSL_get_error(tls_.get(), moved);
  ERR_clear_error();
  wants_ = why == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN;
  over_ = why != SSL_ERROR_WANT_WRITE && why != SSL_ERROR_WANT_READ;
  return 0;
}

}  // namespace sluice::exporters
