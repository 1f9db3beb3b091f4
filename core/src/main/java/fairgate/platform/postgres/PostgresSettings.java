package fairgate.platform.postgres;

import fairgate.platform.tls.TlsFiles;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/// The address and the credentials of PostgreSQL.
///
/// @param poolSize the maximum number of connections
public record PostgresSettings(
    String host,
    int port,
    String user,
    String password,
    String database,
    int poolSize,
    Encryption encryption) {
  public PostgresSettings(
      String host, int port, String user, String password, String database, int poolSize) {
    this(host, port, user, password, database, poolSize, Encryption.NONE);
  }

  /// Whether and how connections are encrypted, by the names of libpq.
  public enum Mode {
    DISABLE("disable"),
    /// With TLS, whoever answers.
    REQUIRE("require"),
    /// With TLS, and a certificate that is trusted and names the host.
    VERIFY_FULL("verify-full");

    private final String word;

    Mode(String word) {
      this.word = word;
    }

    /// As in `sslmode`.
    public String word() {
      return word;
    }
  }

  public record Encryption(Mode mode, TlsFiles files) {
    public static final Encryption NONE = new Encryption(Mode.DISABLE, TlsFiles.NONE);
  }

  String jdbcUrl() {
    StringBuilder url =
        new StringBuilder(
            "jdbc:postgresql://%s:%d/%s?connectTimeout=3&socketTimeout=60&ApplicationName=fairgate"
                .formatted(host, port, database));
    TlsFiles files = encryption.files();
    add(url, "sslmode", encryption.mode().word());
    add(url, "sslrootcert", files.authorities());
    add(url, "sslcert", files.certificate());
    add(url, "sslkey", files.key());
    if (encryption.mode() == Mode.VERIFY_FULL && files.authorities().isEmpty()) {
      add(url, "sslfactory", "org.postgresql.ssl.DefaultJavaSSLFactory");
    }
    return url.toString();
  }

  private static void add(StringBuilder url, String name, String value) {
    if (!value.isEmpty()) {
      url.append('&')
          .append(name)
          .append('=')
          .append(URLEncoder.encode(value, StandardCharsets.UTF_8));
    }
  }

  @Override
  public String toString() {
    return "PostgresSettings[" + user + "@" + host + ":" + port + "/" + database + "]";
  }
}
