package fairgate.redeem.transfer;

import org.jspecify.annotations.Nullable;

/// That somebody took codes out. Times are RFC 3339.
///
/// @param reason as he gave it; empty for a masked export
/// @param finishedAt empty for one that broke off
/// @param codes how many; null for one that broke off
public record ExportRecord(
    String actor,
    boolean masked,
    String reason,
    String filter,
    String begunAt,
    String finishedAt,
    @Nullable Long codes) {}
