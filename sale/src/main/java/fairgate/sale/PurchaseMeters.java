package fairgate.sale;

import fairgate.kernel.ErrorCode;
import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Counts the attempts to buy on this node by outcome, and the refused ones by error code.
final class PurchaseMeters {
  /// The codes of [PurchaseOutcome.Refused]. Their counters exist with value 0 from the start; that
  /// of any other code, as of a risk, appears with its first refusal.
  private static final Set<ErrorCode> REASONS =
      EnumSet.of(
          ErrorCode.IDEMPOTENCY_CONFLICT,
          ErrorCode.PRODUCT_NOT_FOUND,
          ErrorCode.SESSION_NOT_FOUND,
          ErrorCode.ALREADY_PURCHASED,
          ErrorCode.SALE_CLOSED,
          ErrorCode.SALE_NOT_OPEN,
          ErrorCode.NOT_IN_QUEUE,
          ErrorCode.NOT_IN_ACTIVE,
          ErrorCode.NOT_READY,
          ErrorCode.TIMEOUT,
          ErrorCode.INVALID_PURCHASE_TOKEN,
          ErrorCode.INVALID_REQUEST,
          ErrorCode.PRICE_CHANGED,
          ErrorCode.PURCHASE_LIMIT_REACHED,
          ErrorCode.NETWORK_LIMIT_REACHED,
          ErrorCode.INSUFFICIENT_STOCK,
          ErrorCode.UNITS_RESERVED);

  private static final String NO_REASON = "none";

  private final Metrics metrics;
  private final Counter ordered;
  private final Counter repeated;
  private final Counter unknown;
  private final Map<ErrorCode, Counter> refused = new EnumMap<>(ErrorCode.class);

  PurchaseMeters(Metrics metrics) {
    this.metrics = metrics;
    this.ordered = counter("ordered", NO_REASON);
    this.repeated = counter("repeated", NO_REASON);
    this.unknown = counter("unknown", NO_REASON);
    REASONS.forEach(code -> refused.put(code, refused(code)));
  }

  /// Counts an attempt.
  ///
  /// @param outcome null while nobody knows it, because Redis did not answer
  void count(@Nullable PurchaseOutcome outcome) {
    Counter counter =
        switch (outcome) {
          case null -> unknown;
          case PurchaseOutcome.Reserved reserved -> reserved.replayed() ? repeated : ordered;
          case PurchaseOutcome.Refused reason -> {
            Counter known = refused.get(reason.code());
            yield known == null ? refused(reason.code()) : known;
          }
        };
    counter.increment();
  }

  private Counter refused(ErrorCode code) {
    return counter("refused", code.name());
  }

  private Counter counter(String outcome, String reason) {
    return metrics.counter(
        "fairgate_purchases_total",
        "Attempts to buy on this node, by outcome and reason",
        "outcome",
        outcome,
        "reason",
        reason);
  }
}
