package fairgate.app.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;

/// Logs the same warning, with the same fields, at most once a minute. Errors are always logged.
public final class RepeatedWarnings extends TurboFilter {
  private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  /// The maximum number of different warnings that are remembered; the oldest is forgotten.
  private static final int MAX_KNOWN = 512;

  private final LongSupplier nanoTime;
  private final Map<String, Long> logged = new LinkedHashMap<>();

  /// Called by Logback.
  public RepeatedWarnings() {
    this(System::nanoTime);
  }

  RepeatedWarnings(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  @Override
  public FilterReply decide(
      @Nullable Marker marker,
      Logger logger,
      Level level,
      @Nullable String format,
      Object @Nullable [] params,
      @Nullable Throwable cause) {
    // Without a format a caller asks whether the level is enabled.
    if (format == null
        || !level.equals(Level.WARN)
        || logger.getEffectiveLevel().isGreaterOrEqual(Level.ERROR)) {
      return FilterReply.NEUTRAL;
    }
    return isRepeated(logger.getName() + '|' + format + '|' + Arrays.toString(params))
        ? FilterReply.DENY
        : FilterReply.NEUTRAL;
  }

  private synchronized boolean isRepeated(String warning) {
    long now = nanoTime.getAsLong();
    Long last = logged.get(warning);
    if (last != null && now - last < PAUSE_NANOS) {
      return true;
    }
    // Behind the others, which are older.
    logged.remove(warning);
    logged.put(warning, now);
    if (logged.size() > MAX_KNOWN) {
      logged.remove(logged.keySet().iterator().next());
    }
    return false;
  }
}
