package fairgate.platform.audit;

import org.jspecify.annotations.Nullable;

/// An event of the audit log.
///
/// @param day as 2026-11-21, by PostgreSQL's clock at the time of writing
/// @param seq the number within the day, from 1
/// @param at the time of the event, ms
/// @param content JSON; null after its retention time
/// @param digest SHA-256 of the erased content of its row
/// @param hash of its row, which may have further events of the same kind
public record AuditEntry(
    String day,
    long seq,
    long at,
    String kind,
    @Nullable String content,
    @Nullable String digest,
    String hash) {}
