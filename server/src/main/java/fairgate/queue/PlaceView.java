package fairgate.queue;

import org.jspecify.annotations.Nullable;

/// A place and, when its session is ready and tokens are required, the token to buy with.
///
/// @param tokenExpiresAt ms of Redis time; 0 without a token
public record PlaceView(Place place, @Nullable String token, long tokenExpiresAt) {}
