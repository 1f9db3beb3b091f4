package fairgate.platform.http;

import fairgate.kernel.Audit;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.platform.observe.Metrics;
import org.jspecify.annotations.Nullable;

/// What the web server takes from outside.
///
/// @param ids makes request ids and device ids
/// @param keys signs the device cookie (purpose `device-cookie`)
/// @param guard stands before all routes; null for nobody
/// @param audit remembers refusals
public record HttpSeams(
    Ids ids, KeyRing keys, Metrics metrics, @Nullable Guard guard, Audit audit) {
  /// Without anybody who remembers.
  public HttpSeams(Ids ids, KeyRing keys, Metrics metrics, @Nullable Guard guard) {
    this(ids, keys, metrics, guard, Audit.none());
  }

  /// Without a guard.
  public HttpSeams(Ids ids, KeyRing keys, Metrics metrics) {
    this(ids, keys, metrics, null);
  }
}
