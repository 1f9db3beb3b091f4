package fairgate.platform.audit;

import fairgate.kernel.AuditEvent;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A search for events, newest first.
///
/// @param from start in ms, inclusive
/// @param to end in ms, exclusive; at most 31 days after the start
/// @param members required values: `what`, `node`, `product`, `order`, `decision_id` and `device`
///   as stored; `ip`, `network`, `session` and `account` in plain form (an address as text)
/// @param before only rows before this one
public record AuditQuery(
    long from,
    long to,
    AuditEvent.@Nullable Kind kind,
    Map<String, String> members,
    @Nullable Cursor before,
    int limit) {
  /// The position of a row.
  public record Cursor(String day, long seq) {}
}
