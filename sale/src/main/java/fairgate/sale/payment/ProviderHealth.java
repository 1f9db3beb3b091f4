package fairgate.sale.payment;

import fairgate.kernel.CircuitBreaker;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Whether the API of the payment provider fails, as this node sees it. It fails from the second
/// failed call in a row until a call succeeds and none has failed for some time, so that payment
/// deadlines do not stop and go with single calls.
final class ProviderHealth {
  private static final Logger LOG = LoggerFactory.getLogger(ProviderHealth.class);
  private static final int FAILURES = 2;
  private static final Duration SPAN = Duration.ofSeconds(1);
  private static final Duration CALM = Duration.ofSeconds(10);

  /// A node makes a call of its own when it has heard nothing for so long.
  private static final Duration SILENCE = Duration.ofSeconds(10);

  private static final Duration PROBE_PERIOD = Duration.ofSeconds(2);

  private final LongSupplier nanos;
  private final CircuitBreaker breaker;
  private boolean failing;
  private long lastFailure;
  private long lastReply;
  private long nextProbe;

  /// @param nanos the clock, such as `System.nanoTime`
  ProviderHealth(LongSupplier nanos) {
    this.nanos = nanos;
    this.breaker = new CircuitBreaker(FAILURES, SPAN, PROBE_PERIOD, nanos);
    this.lastReply = nanos.getAsLong();
    this.nextProbe = lastReply;
  }

  /// Records a call without a usable reply.
  synchronized void failed(String reason) {
    lastFailure = nanos.getAsLong();
    if (breaker.failed() && !failing) {
      failing = true;
      LOG.error(
          "The payment provider fails; payment deadlines stand still until it answers; cause={}",
          reason);
    }
  }

  synchronized void succeeded() {
    lastReply = nanos.getAsLong();
    boolean _ = breaker.succeeded();
  }

  synchronized boolean isFailing() {
    if (failing && !breaker.isOpen() && nanos.getAsLong() - lastFailure >= CALM.toNanos()) {
      failing = false;
      LOG.info("The payment provider answers again; payment deadlines go on");
    }
    return failing;
  }

  /// Whether the caller has to make a call now because it is not known whether the provider
  /// answers; at most every two seconds.
  synchronized boolean needsProbe() {
    long now = nanos.getAsLong();
    boolean known = !isFailing() && now - lastReply < SILENCE.toNanos();
    if (known || now - nextProbe < 0) {
      return false;
    }
    nextProbe = now + PROBE_PERIOD.toNanos();
    return true;
  }
}
