package fairgate.platform.embedded;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// How the embedded engines keep their data.
///
/// @param fsyncEveryWrite whether Redis syncs its log before each answer; else once a second
/// @param postgresFsync only tests may turn it off: a power cut then ruins the database
/// @param cache where the programs are unpacked; empty for the user's own cache folder
/// @param ownRedis whether Redis is the bundled program, even where the machine has a faster one
/// @param startLimit how long an engine may take to replay its log before it counts as failed
public record EngineOptions(
    boolean fsyncEveryWrite,
    boolean postgresFsync,
    Optional<Path> cache,
    boolean ownRedis,
    Duration startLimit) {
  /// Nothing that was answered is ever lost.
  public static EngineOptions durable() {
    return new EngineOptions(true, true, Optional.empty(), false, Duration.ofMinutes(2));
  }

  /// Redis may lose its last second in a power cut (not when only a process dies).
  public static EngineOptions everySecond() {
    return new EngineOptions(false, true, Optional.empty(), false, Duration.ofMinutes(2));
  }

  /// For data that is thrown away; survives the death of a process all the same.
  public static EngineOptions disposable() {
    return new EngineOptions(false, false, Optional.empty(), false, Duration.ofMinutes(2));
  }

  /// The same with the bundled Redis.
  public EngineOptions withOwnRedis() {
    return new EngineOptions(fsyncEveryWrite, postgresFsync, cache, true, startLimit);
  }
}
