package fairgate.account;

import java.time.Instant;

/// One place where an account is signed in.
///
/// @param id names it among its owner's sessions; of no use to anybody else
/// @param agent the `User-Agent` that signed in, shortened
/// @param seenAt rounded down to about an hour
public record AccountSession(
    String id, String agent, Instant createdAt, Instant seenAt, Instant expiresAt) {}
