package fairgate.platform.http;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.platform.observe.Metrics;

/// What the web server takes from outside.
///
/// @param ids makes request ids and device ids
/// @param keys signs the device cookie (purpose `device-cookie`)
public record HttpSeams(Ids ids, KeyRing keys, Metrics metrics) {}
