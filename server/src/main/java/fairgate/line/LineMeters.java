package fairgate.line;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;

/// What the channel counts. How often locks were hit and how long locked work took is counted by
/// the lock itself: `processing_lock_hits_total`, `processing_duration_seconds`.
///
/// @param badSignatures webhooks refused
/// @param accepted events taken in
/// @param duplicates events that had come before
/// @param ignored events of no concern
/// @param alone events taken in without Redis
/// @param rerun events taken over from a node that died or gave up
/// @param ack from a webhook's arrival to its answer
/// @param replyAge age of reply tokens when they are used
/// @param fallbacks answers that had to be pushed
record LineMeters(
    Metrics metrics,
    Counter badSignatures,
    Counter accepted,
    Counter duplicates,
    Counter ignored,
    Counter alone,
    Counter rerun,
    Timer ack,
    Timer replyAge,
    Counter fallbacks) {
  static LineMeters of(Metrics metrics) {
    return new LineMeters(
        metrics,
        metrics.counter("fairgate_line_signature_failures", "Webhooks with a wrong signature"),
        events(metrics, "accepted"),
        events(metrics, "duplicate"),
        events(metrics, "ignored"),
        events(metrics, "alone"),
        events(metrics, "rerun"),
        metrics.timer("fairgate_line_ack", "From a webhook's arrival to its answer"),
        metrics.timer("fairgate_line_reply_age", "Age of reply tokens when they are used"),
        metrics.counter("fairgate_line_push_fallbacks", "Answers that had to be pushed"));
  }

  /// How the work on an event ended.
  void ended(Delivery.End end) {
    metrics
        .counter(
            "fairgate_line_answers",
            "How the work on events ended",
            "how",
            end.name().toLowerCase(java.util.Locale.ROOT))
        .increment();
  }

  private static Counter events(Metrics metrics, String outcome) {
    return metrics.counter("fairgate_line_events", "Events that came", "outcome", outcome);
  }
}
