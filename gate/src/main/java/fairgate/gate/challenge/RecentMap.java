package fairgate.gate.challenge;

import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// A map with the values of the current period and of the previous one. It drops a whole period at
/// a time, so it needs no sweep, and accepts no new keys when a period is full. Thread-safe and
/// non-blocking.
public final class RecentMap<V> {
  private final Clock clock;
  private final long periodMillis;
  private final int maxKeys;
  private final Supplier<V> factory;
  private volatile Periods<V> periods;

  private record Periods<V>(long number, Map<String, V> now, Map<String, V> before) {}

  /// @param maxKeys maximum number of keys of one period
  /// @param factory creates the value of a new key; values are changed by several threads
  public RecentMap(Clock clock, Duration period, int maxKeys, Supplier<V> factory) {
    this.clock = clock;
    this.periodMillis = period.toMillis();
    this.maxKeys = maxKeys;
    this.factory = factory;
    this.periods = new Periods<>(number(), new ConcurrentHashMap<>(), Map.of());
  }

  /// Changes the value of a key in the current period. Does nothing for a new key when the period
  /// is full.
  public void touch(String key, Consumer<V> change) {
    Map<String, V> now = current().now();
    V value = now.get(key);
    if (value == null) {
      if (now.size() >= maxKeys) {
        return;
      }
      value = now.computeIfAbsent(key, _ -> factory.get());
    }
    change.accept(value);
  }

  /// The larger measure of the two periods; 0 for an unknown key. It covers at least the last
  /// period.
  public int max(String key, ToIntFunction<V> measure) {
    Periods<V> both = current();
    return Math.max(measure(both.now(), key, measure), measure(both.before(), key, measure));
  }

  /// An estimate for the last period: the measure of the current one, and the part of the previous
  /// one's that is less than a period old.
  public int recent(String key, ToIntFunction<V> measure) {
    Periods<V> both = current();
    long left = periodMillis - Math.floorMod(clock.millis(), periodMillis);
    long before = measure(both.before(), key, measure);
    return measure(both.now(), key, measure) + (int) (before * left / periodMillis);
  }

  /// The newest value of a key; null when it has none.
  public @Nullable V latest(String key) {
    Periods<V> both = current();
    V now = both.now().get(key);
    return now == null ? both.before().get(key) : now;
  }

  /// The values of the current period by key. Does not reflect later changes of the period.
  public Map<String, V> now() {
    return Map.copyOf(current().now());
  }

  public Set<String> keys() {
    Periods<V> both = current();
    Set<String> keys = new HashSet<>(both.now().keySet());
    keys.addAll(both.before().keySet());
    return keys;
  }

  private static <V> int measure(Map<String, V> values, String key, ToIntFunction<V> measure) {
    V value = values.get(key);
    return value == null ? 0 : measure.applyAsInt(value);
  }

  private long number() {
    return Math.floorDiv(clock.millis(), periodMillis);
  }

  private Periods<V> current() {
    Periods<V> all = periods;
    return all.number() == number() ? all : rotate();
  }

  private synchronized Periods<V> rotate() {
    Periods<V> all = periods;
    long number = number();
    if (all.number() != number) {
      Map<String, V> before = all.number() == number - 1 ? all.now() : Map.of();
      periods = new Periods<>(number, new ConcurrentHashMap<>(), before);
    }
    return periods;
  }
}
