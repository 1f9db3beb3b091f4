package fairgate.gate.ban;

import org.jspecify.annotations.Nullable;

/// An entry as stored in PostgreSQL, in force or not.
///
/// @param liftedAt ms; 0 when not lifted
/// @param liftedBy the operator who lifted it; `time` when it had expired and was replaced
public record BanEntry(Ban ban, long liftedAt, @Nullable String liftedBy, long version) {}
