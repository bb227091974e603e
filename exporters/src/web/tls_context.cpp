#include "web/tls_context.h"

#include <fmt/format.h>
#include <openssl/err.h>

#include <array>
#include <string>

namespace sluice::exporters {
namespace {

constexpr std::array kVersions = {TLS1_VERSION, TLS1_1_VERSION, TLS1_2_VERSION, TLS1_3_VERSION};

int Number(TlsVersion version) {
  return kVersions.at(static_cast<std::size_t>(version));
}

Error Unusable(const std::string& file, const char* what) {
  std::array<char, 256> why{};
  ERR_error_string_n(ERR_get_error(), why.data(), why.size());
  ERR_clear_error();
  return {fmt::format("{} is no {} (PEM) that can be used: {}", file, what, why.data())};
}

int AcceptAny(int, X509_STORE_CTX*) {
  return 1;
}

void AskClients(SSL_CTX* context, ClientAuth auth) {
  if (auth == ClientAuth::kNone) return SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
  const bool required = auth == ClientAuth::kRequireAny || auth == ClientAuth::kRequireAndVerify;
  const bool verified = auth >= ClientAuth::kVerifyIfGiven;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                     verified ? nullptr : AcceptAny);
}

Result<void> LoadFiles(SSL_CTX* context, const TlsConfig& config) {
  if (SSL_CTX_use_certificate_chain_file(context, config.cert_file.c_str()) != 1)
    return std::unexpected(Unusable(config.cert_file, "certificate"));
  if (SSL_CTX_use_PrivateKey_file(context, config.key_file.c_str(), SSL_FILETYPE_PEM) != 1)
    return std::unexpected(Unusable(config.key_file, "key of the certificate"));
  if (config.client_ca_file.empty()) return {};
  if (SSL_CTX_load_verify_locations(context, config.client_ca_file.c_str(), nullptr) != 1)
    return std::unexpected(Unusable(config.client_ca_file, "list of certificates"));
  SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(config.client_ca_file.c_str()));
  return {};
}

}  // namespace

Result<TlsContext> TlsContext::Make(const TlsConfig& config) {
  std::unique_ptr<SSL_CTX, SslFree> context(SSL_CTX_new(TLS_server_method()));
  if (context == nullptr) return Fail("TLS cannot be started");
  SSL_CTX_set_min_proto_version(context.get(), Number(config.min_version));
  SSL_CTX_set_max_proto_version(context.get(), Number(config.max_version));
  SSL_CTX_set_options(context.get(),
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  AskClients(context.get(), config.client_auth);
  if (const auto loaded = LoadFiles(context.get(), config); !loaded) return std::unexpected(loaded.error());
  return TlsContext(std::move(context));
}

SslPtr TlsContext::Accept(int fd) const {
  SslPtr ssl(SSL_new(context_.get()));
  if (ssl == nullptr || SSL_set_fd(ssl.get(), fd) != 1) return nullptr;
  SSL_set_accept_state(ssl.get());
  return ssl;
}

}  // namespace sluice::exporters
