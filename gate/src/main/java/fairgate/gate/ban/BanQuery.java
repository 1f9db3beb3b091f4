package fairgate.gate.ban;

import fairgate.kernel.BanSubject;
import org.jspecify.annotations.Nullable;

/// A query for entries, newest first.
///
/// @param before exclusive upper bound of ids; 0 starts at the newest
/// @param past whether to include expired and lifted entries
/// @param limit maximum number of entries
public record BanQuery(
    Ban.@Nullable Effect effect,
    BanSubject.@Nullable Kind kind,
    @Nullable String value,
    boolean past,
    long before,
    int limit) {}
