package fairgate.platform.postgres;

/// How to reach PostgreSQL.
///
/// @param poolSize most connections at a time
public record PostgresSettings(
    String host, int port, String user, String password, String database, int poolSize) {
  @Override
  public String toString() {
    return "PostgresSettings[" + user + "@" + host + ":" + port + "/" + database + "]";
  }
}
