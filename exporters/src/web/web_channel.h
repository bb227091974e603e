// WebChannel: bytes over a socket that does not block, as they are or in TLS. One thread.
#pragma once
#include <poll.h>

#include <cstddef>
#include <string_view>

#include "sluice/base/fd.h"
#include "web/tls_context.h"

namespace sluice::exporters {

class WebChannel {
 public:
  // `tls` null: as they are.
  explicit WebChannel(Fd socket, SslPtr tls = nullptr) : socket_(std::move(socket)), tls_(std::move(tls)) {}

  // How many bytes went over; 0: none now, and over() says whether any ever will.
  std::size_t Read(char* to, std::size_t most);
  std::size_t Write(std::string_view from);
  // Tells the other side that this was all.
  void Finish();

  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] int fd() const { return socket_.get(); }
  [[nodiscard]] short wants() const { return wants_; }  // what to poll() for before the next try

 private:
  std::size_t Plain(long moved, short wants);
  std::size_t Secret(int moved);

  Fd socket_;
  SslPtr tls_;
  short wants_ = POLLIN;
  bool over_ = false;
};

}  // namespace sluice::exporters
