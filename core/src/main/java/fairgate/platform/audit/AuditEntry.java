package fairgate.platform.audit;

import org.jspecify.annotations.Nullable;

/// A row of the audit log.
///
/// @param day as 2026-11-21, by PostgreSQL's clock at the time of writing
/// @param seq the number within the day, from 1
/// @param at the time of the event, ms
/// @param content JSON; null after its retention time
/// @param digest SHA-256 of an erased content
public record AuditEntry(
    String day,
    long seq,
    long at,
    String kind,
    @Nullable String content,
    @Nullable String digest,
    String hash) {}
