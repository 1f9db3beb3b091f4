package fairgate.gate.ban;

import org.jspecify.annotations.Nullable;

/// An entry as PostgreSQL keeps it, over or not.
///
/// @param liftedAt ms; 0 = not lifted
/// @param liftedBy who lifted it; `time` when it had run out and was made anew
public record BanEntry(Ban ban, long liftedAt, @Nullable String liftedBy, long version) {}
