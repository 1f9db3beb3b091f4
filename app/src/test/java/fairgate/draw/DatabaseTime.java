package fairgate.draw;

import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/// The time of a test's PostgreSQL, which can be set forward. Draws follow it within half a second,
/// because they are judged by the time of PostgreSQL; the clocks of the processes do not change. So
/// a test does not wait for the windows of its draw.
final class DatabaseTime extends Clock {
  private final PostgresAddress database;
  private volatile Duration ahead = Duration.ZERO;

  private DatabaseTime(PostgresAddress database) {
    this.database = database;
  }

  /// Prepares an empty database. The servers start afterwards.
  static DatabaseTime of(PostgresAddress database) {
    DatabaseTime time = new DatabaseTime(database);
    time.run(
        """
        CREATE SCHEMA shifted;
        CREATE TABLE shifted.ahead (millis bigint NOT NULL);
        INSERT INTO shifted.ahead VALUES (0);
        CREATE FUNCTION shifted.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
          SELECT pg_catalog.clock_timestamp() + millis * interval '1 ms' FROM shifted.ahead
        $$;
        ALTER DATABASE %s SET search_path = public, shifted, pg_catalog;
        """
            .formatted(database.database()));
    return time;
  }

  /// Sets the time forward to this moment; does nothing if it has passed.
  void skipTo(Instant moment) {
    Duration step = Duration.between(instant(), moment);
    if (step.isPositive()) {
      ahead = ahead.plus(step);
      run("UPDATE shifted.ahead SET millis = " + ahead.toMillis());
    }
  }

  private void run(String statements) {
    try (Connection sql =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        Statement statement = sql.createStatement()) {
      boolean _ = statement.execute(statements);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Instant instant() {
    return Clock.systemUTC().instant().plus(ahead);
  }

  @Override
  public ZoneId getZone() {
    return Clock.systemUTC().getZone();
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException("tests of draws use no zone of the clock");
  }
}
