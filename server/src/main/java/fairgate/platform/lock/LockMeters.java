package fairgate.platform.lock;

import fairgate.platform.observe.Metrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;

/// What locks are counted by; the first two bear the names the LINE channel's document gives them.
///
/// @param hits refused because the actor's last request is still worked on
/// @param duration how long the work took that was done under a lock
/// @param degraded decided by this node alone, because Redis was away
/// @param lost found to be somebody else's, or over, while the work still ran
record LockMeters(Counter hits, Timer duration, Counter degraded, Counter lost) {
  static LockMeters of(Metrics metrics) {
    return new LockMeters(
        metrics.counter("processing_lock_hits", "Requests refused while the last is worked on"),
        metrics.timer("processing_duration", "How long work under a processing lock takes"),
        metrics.counter("processing_lock_degraded", "Locks decided without Redis"),
        metrics.counter("processing_lock_lost", "Locks that ended before their work"));
  }
}
