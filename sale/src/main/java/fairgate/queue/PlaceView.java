package fairgate.queue;

import org.jspecify.annotations.Nullable;

/// A place and, when its session is ready and the sale requires tokens, its purchase token.
///
/// @param tokenExpiresAt ms of Redis time; 0 without a token
public record PlaceView(Place place, @Nullable String token, long tokenExpiresAt) {}
