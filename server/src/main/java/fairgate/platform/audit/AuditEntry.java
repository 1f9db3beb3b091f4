package fairgate.platform.audit;

import org.jspecify.annotations.Nullable;

/// A row of the log.
///
/// @param day as 2026-11-21, by the clock of PostgreSQL when it was written
/// @param seq its number within the day, from 1
/// @param at when it happened, ms
/// @param content JSON; null once its time has passed
/// @param digest SHA-256 of a content that is gone
public record AuditEntry(
    String day,
    long seq,
    long at,
    String kind,
    @Nullable String content,
    @Nullable String digest,
    String hash) {}
