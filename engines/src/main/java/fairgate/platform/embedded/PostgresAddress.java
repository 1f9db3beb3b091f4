package fairgate.platform.embedded;

/// The address and the credentials of the embedded PostgreSQL.
public record PostgresAddress(
    String host, int port, String user, String password, String database) {
  /// The URI `postgresql://user:password@host:port/database`, including the password.
  public String url() {
    return "postgresql://" + user + ":" + password + "@" + host + ":" + port + "/" + database;
  }

  @Override
  public String toString() {
    return "postgresql://" + user + "@" + host + ":" + port + "/" + database;
  }
}
