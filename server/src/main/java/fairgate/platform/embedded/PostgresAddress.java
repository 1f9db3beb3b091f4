package fairgate.platform.embedded;

/// Where the embedded PostgreSQL listens and who may enter.
public record PostgresAddress(
    String host, int port, String user, String password, String database) {
  /// `postgresql://user:password@host:port/database`; holds the password.
  public String url() {
    return "postgresql://" + user + ":" + password + "@" + host + ":" + port + "/" + database;
  }

  @Override
  public String toString() {
    return "postgresql://" + user + "@" + host + ":" + port + "/" + database;
  }
}
