package fairgate.line;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;

/// Metrics of the channel. The processing lock counts its own: `processing_lock_hits_total`,
/// `processing_duration_seconds`.
///
/// @param badSignatures webhooks refused
/// @param accepted stored events
/// @param duplicates repeated events
/// @param ignored skipped events
/// @param alone events stored in memory only
/// @param rerun events taken over from another owner
/// @param ack from the arrival of a webhook to its acknowledgement
/// @param replyAge age of reply tokens at their use
/// @param fallbacks answers that were pushed although the event had a reply token
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
    LineMeters meters =
        new LineMeters(
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
    for (Delivery.Result end : Delivery.Result.values()) {
      var _ = meters.answers(end);
    }
    return meters;
  }

  void ended(Delivery.Result end) {
    answers(end).increment();
  }

  private Counter answers(Delivery.Result end) {
    return metrics.counter(
        "fairgate_line_answers",
        "How the work on events ended",
        "how",
        end.name().toLowerCase(Locale.ROOT));
  }

  private static Counter events(Metrics metrics, String outcome) {
    return metrics.counter("fairgate_line_events", "Events that came", "outcome", outcome);
  }
}
