package fairgate.gate;

import fairgate.gate.challenge.SliderChallenge.FirstUse;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/// First uses in memory.
public final class UsedOnce implements FirstUse {
  private final Set<String> used = new HashSet<>();

  @Override
  public synchronized Future<Boolean> of(String value, Duration life) {
    return Future.succeededFuture(used.add(value));
  }
}
