package fairgate.platform.embedded;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A release of Redis or Valkey, written as `Redis 7.0.15` or `Valkey 8.1.1`.
record RedisRelease(String engine, int major, int minor, int patch) {
  /// Sorts the oldest first. Compares numbers only, because both projects continue from Redis 7.2.
  static final Comparator<RedisRelease> AGE =
      Comparator.comparingInt(RedisRelease::major)
          .thenComparingInt(RedisRelease::minor)
          .thenComparingInt(RedisRelease::patch);

  private static final String REDIS = "Redis";
  private static final int OLDEST_MAJOR = 7;

  /// The last minor release of Redis 7 whose files Valkey can read.
  private static final int LAST_SHARED_MINOR = 2;

  /// Development builds have the version 255.255.255.
  private static final int DEVELOPMENT_MAJOR = 255;

  private static final Pattern WORDS =
      Pattern.compile(
          "\\b(Redis|Valkey) (?:server v=)?(\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4})(?![\\d.])");

  /// Parses the first line of `redis-server --version`, or the result of [#toString].
  static Optional<RedisRelease> parse(String text) {
    Matcher parts = WORDS.matcher(text);
    return parts.find()
        ? Optional.of(
            new RedisRelease(
                parts.group(1),
                Integer.parseInt(parts.group(2)),
                Integer.parseInt(parts.group(3)),
                Integer.parseInt(parts.group(4))))
        : Optional.empty();
  }

  /// Whether `up` supports it: 7.0 or later, and not a development build.
  boolean supported() {
    return major >= OLDEST_MAJOR && major != DEVELOPMENT_MAJOR;
  }

  /// Whether it can read data written by the other release. Each engine reads the data of its own
  /// earlier releases. Both read the data of Redis up to 7.2, from which Valkey was forked.
  boolean reads(RedisRelease writer) {
    boolean notOlder = major > writer.major || (major == writer.major && minor >= writer.minor);
    boolean shared =
        writer.engine.equals(REDIS)
            && writer.major == OLDEST_MAJOR
            && writer.minor <= LAST_SHARED_MINOR;
    return notOlder && (engine.equals(writer.engine) || shared);
  }

  /// The package that provides it: `valkey-server` or `redis-server`.
  String program() {
    return engine.equals(REDIS) ? "redis-server" : "valkey-server";
  }

  @Override
  public String toString() {
    return "%s %d.%d.%d".formatted(engine, major, minor, patch);
  }
}
