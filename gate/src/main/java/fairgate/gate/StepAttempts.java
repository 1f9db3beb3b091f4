package fairgate.gate;

import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.time.Duration;

/// Limits how often a browser and its address may try to pass a step before a join.
@FunctionalInterface
public interface StepAttempts {
  /// Counts one attempt. Zero if it is granted, otherwise the time to wait. The future never fails.
  Future<Duration> spend(Request request);
}
