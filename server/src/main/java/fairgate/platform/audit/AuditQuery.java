package fairgate.platform.audit;

import fairgate.kernel.AuditEvent;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What to look for, newest first.
///
/// @param from first ms, included
/// @param to last ms, not included; at most 31 days later
/// @param members what an event's members have to be: `what`, `node`, `product`, `order`,
///   `decision_id`, `device` as they are kept, and `ip`, `network`, `session`, `account` as they
///   are in the world (an address in its text form)
/// @param before only what is older than this row
public record AuditQuery(
    long from,
    long to,
    AuditEvent.@Nullable Kind kind,
    Map<String, String> members,
    @Nullable Cursor before,
    int limit) {
  /// A row's place.
  public record Cursor(String day, long seq) {}
}
