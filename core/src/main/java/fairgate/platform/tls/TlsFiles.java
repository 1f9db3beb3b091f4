package fairgate.platform.tls;

import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TrustOptions;
import org.jspecify.annotations.Nullable;

/// The PEM files for TLS to an engine. An empty name means that there is no such file.
///
/// @param authorities the certificates that sign the engine's; empty for those that this JVM trusts
/// @param certificate the certificate by which this client identifies itself
/// @param key its private key in PKCS #8, not encrypted
public record TlsFiles(String authorities, String certificate, String key) {
  /// No files: the certificates that this JVM trusts, and no client certificate.
  public static final TlsFiles NONE = new TlsFiles("", "", "");

  /// The algorithm that compares a certificate's names with the host.
  public static final String NAMES = "HTTPS";

  public boolean isEmpty() {
    return equals(NONE);
  }

  /// The trusted certificates; null for those of this JVM.
  public @Nullable TrustOptions trust() {
    return authorities.isEmpty() ? null : new PemTrustOptions().addCertPath(authorities);
  }

  /// The client certificate; null for none.
  public @Nullable KeyCertOptions identity() {
    return certificate.isEmpty()
        ? null
        : new PemKeyCertOptions().addCertPath(certificate).addKeyPath(key);
  }

  /// The options of a client that checks the server's certificate and its name.
  public ClientSSLOptions options() {
    ClientSSLOptions options = new ClientSSLOptions().setHostnameVerificationAlgorithm(NAMES);
    TrustOptions trust = trust();
    if (trust != null) {
      options.setTrustOptions(trust);
    }
    KeyCertOptions identity = identity();
    if (identity != null) {
      options.setKeyCertOptions(identity);
    }
    return options;
  }
}
