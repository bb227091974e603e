// TlsContext: the server's side of TLS as a WebConfig wants it. Immutable once made.
#pragma once
#include <openssl/ssl.h>

#include <memory>

#include "sluice/base/error.h"
#include "web/web_config.h"

namespace sluice::exporters {

struct SslFree {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using SslPtr = std::unique_ptr<SSL, SslFree>;

class TlsContext {
 public:
  // Errors name the file that cannot be used, and why.
  [[nodiscard]] static Result<TlsContext> Make(const TlsConfig& config);

  // A session that waits for its client over `fd`; null: there is no memory for it.
  [[nodiscard]] SslPtr Accept(int fd) const;

 private:
  explicit TlsContext(std::unique_ptr<SSL_CTX, SslFree> context) : context_(std::move(context)) {}
  std::unique_ptr<SSL_CTX, SslFree> context_;
};

}  // namespace sluice::exporters
