package fairgate.platform.postgres;

/// The address and the credentials of PostgreSQL.
///
/// @param poolSize the maximum number of connections
public record PostgresSettings(
    String host, int port, String user, String password, String database, int poolSize) {
  @Override
  public String toString() {
    return "PostgresSettings[" + user + "@" + host + ":" + port + "/" + database + "]";
  }
}
