package fairgate.gate.address;

import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/// What was seen lately, by key: this period of ten minutes and the one before. Forgets a whole
/// period at a time, so nothing has to be swept, and takes no new keys when a period is full.
final class Recent<V> {
  static final long PERIOD_MILLIS = 600_000;
  static final int MOST = 65_536;

  private final Clock clock;
  private final Supplier<V> maker;
  private volatile Periods<V> periods;

  private record Periods<V>(long number, Map<String, V> now, Map<String, V> before) {}

  Recent(Clock clock, Supplier<V> maker) {
    this.clock = clock;
    this.maker = maker;
    this.periods = new Periods<>(number(), new ConcurrentHashMap<>(), Map.of());
  }

  void touch(String key, Consumer<V> change) {
    Map<String, V> now = current().now();
    V value = now.get(key);
    if (value == null) {
      if (now.size() >= MOST) {
        return;
      }
      value = now.computeIfAbsent(key, _ -> maker.get());
    }
    change.accept(value);
  }

  /// The larger measure of the two periods; 0 for a key that was not seen.
  int most(String key, ToIntFunction<V> measure) {
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
    Periods<V> held = periods;
    return held.number() == number() ? held : turn();
  }

  private synchronized Periods<V> turn() {
    Periods<V> held = periods;
    long number = number();
    if (held.number() != number) {
      Map<String, V> before = held.number() == number - 1 ? held.now() : Map.of();
      periods = new Periods<>(number, new ConcurrentHashMap<>(), before);
    }
    return periods;
  }
}
