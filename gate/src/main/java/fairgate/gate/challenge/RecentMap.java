package fairgate.gate.challenge;

import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/// A map with the values of the current period of ten minutes and of the previous one. It drops a
/// whole period at a time, so it needs no sweep, and accepts no new keys when a period is full.
final class RecentMap<V> {
  static final long PERIOD_MILLIS = 600_000;
  static final int MAX_KEYS = 65_536;

  private final Clock clock;
  private final Supplier<V> factory;
  private volatile Periods<V> periods;

  private record Periods<V>(long number, Map<String, V> now, Map<String, V> before) {}

  RecentMap(Clock clock, Supplier<V> factory) {
    this.clock = clock;
    this.factory = factory;
    this.periods = new Periods<>(number(), new ConcurrentHashMap<>(), Map.of());
  }

  void touch(String key, Consumer<V> change) {
    Map<String, V> now = current().now();
    V value = now.get(key);
    if (value == null) {
      if (now.size() >= MAX_KEYS) {
        return;
      }
      value = now.computeIfAbsent(key, _ -> factory.get());
    }
    change.accept(value);
  }

  /// The larger measure of the two periods; 0 for an unknown key.
  int max(String key, ToIntFunction<V> measure) {
    Periods<V> both = current();
    V now = both.now().get(key);
    V before = both.before().get(key);
    return Math.max(
        now == null ? 0 : measure.applyAsInt(now), before == null ? 0 : measure.applyAsInt(before));
  }

  private long number() {
    return clock.millis() / PERIOD_MILLIS;
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
