package fairgate.platform.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// The durability and the programs of the embedded engines.
///
/// @param fsyncEveryWrite whether Redis syncs its log before each reply; otherwise once a second
/// @param postgresFsync may be false only in tests: a power failure then destroys the database
/// @param cache the folder for unpacked programs; empty for the user's cache folder
/// @param redisFolders where to look for an installed `valkey-server` or `redis-server`, in the
///   format of `PATH`; empty for the bundled program only
/// @param startLimit the time an engine may take to replay its log before the start fails
public record EngineOptions(
    boolean fsyncEveryWrite,
    boolean postgresFsync,
    Optional<Path> cache,
    String redisFolders,
    Duration startLimit) {
  private static final String MACHINE =
      System.getenv("PATH") + ":/usr/bin:/usr/local/bin:/opt/homebrew/bin";

  /// No acknowledged write is lost.
  public static EngineOptions durable() {
    return new EngineOptions(true, true, Optional.empty(), MACHINE, Duration.ofMinutes(2));
  }

  /// Redis may lose its last second in a power failure, but not when only a process dies.
  public static EngineOptions everySecond() {
    return new EngineOptions(false, true, Optional.empty(), MACHINE, Duration.ofMinutes(2));
  }

  /// For temporary data; it still survives the death of a process.
  public static EngineOptions disposable() {
    return new EngineOptions(false, false, Optional.empty(), MACHINE, Duration.ofMinutes(2));
  }

  /// A copy that uses the bundled Redis.
  public EngineOptions withBundledRedis() {
    return new EngineOptions(fsyncEveryWrite, postgresFsync, cache, "", startLimit);
  }

  /// A copy that uses the Redis or Valkey of these folders, or the bundled Redis.
  EngineOptions withRedisFrom(String folders) {
    return new EngineOptions(fsyncEveryWrite, postgresFsync, cache, folders, startLimit);
  }
}
