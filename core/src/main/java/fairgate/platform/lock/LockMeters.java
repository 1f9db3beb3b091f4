package fairgate.platform.lock;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;

/// The metrics of locks; the first two have the names from the LINE channel's specification.
///
/// @param hits calls refused because the actor's last request is still being processed
/// @param duration the duration of work under a lock
/// @param degraded calls decided by this node alone, because Redis was unavailable
/// @param lost locks that expired or were taken over while their work was running
record LockMeters(Counter hits, Timer duration, Counter degraded, Counter lost) {
  static LockMeters of(Metrics metrics) {
    return new LockMeters(
        metrics.counter("processing_lock_hits", "Requests refused while the last is worked on"),
        metrics.timer("processing_duration", "How long work under a processing lock takes"),
        metrics.counter("processing_lock_degraded", "Locks decided without Redis"),
        metrics.counter("processing_lock_lost", "Locks that ended before their work"));
  }
}
