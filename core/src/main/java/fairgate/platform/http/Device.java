package fairgate.platform.http;

import fairgate.kernel.DeviceId;

/// The browser that sent a request.
///
/// @param fresh whether the id is new, because the request had no valid cookie; the reply then sets
///   one
public record Device(DeviceId id, boolean fresh) {}
