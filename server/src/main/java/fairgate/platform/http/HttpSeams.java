package fairgate.platform.http;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.platform.observe.Metrics;
import org.jspecify.annotations.Nullable;

/// What the web server takes from outside.
///
/// @param ids makes request ids and device ids
/// @param keys signs the device cookie (purpose `device-cookie`)
/// @param guard stands before all routes; null for nobody
public record HttpSeams(Ids ids, KeyRing keys, Metrics metrics, @Nullable Guard guard) {
  /// Without a guard.
  public HttpSeams(Ids ids, KeyRing keys, Metrics metrics) {
    this(ids, keys, metrics, null);
  }
}
