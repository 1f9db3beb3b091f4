package fairgate.platform.http;

import fairgate.kernel.DeviceId;

/// The browser a request came from.
///
/// @param fresh whether the id was made for this request, because the cookie was absent or not
///   ours; the reply then sets it
public record Device(DeviceId id, boolean fresh) {}
