package fairgate.gate.ban;

import fairgate.kernel.BanSubject;
import org.jspecify.annotations.Nullable;

/// Which entries to list, newest first.
///
/// @param before only entries with a lower id; 0 = from the newest
/// @param past whether those that are over are listed as well
/// @param limit most entries
public record BanQuery(
    Ban.@Nullable Effect effect,
    BanSubject.@Nullable Kind kind,
    @Nullable String value,
    boolean past,
    long before,
    int limit) {}
