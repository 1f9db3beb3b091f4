package fairgate.platform.audit;

import fairgate.kernel.AuditEvent;
import java.util.EnumMap;
import java.util.Map;

/// The retention of audit events, and the size of the buffers.
///
/// @param days the number of days that contents are kept, by kind
/// @param waiting the capacity of each buffer: one per event loop and one shared
public record AuditConfig(Map<AuditEvent.Kind, Integer> days, int waiting) {
  public AuditConfig {
    days = Map.copyOf(days);
  }

  /// The defaults: traffic 90 days; purchases, claims, bans and operators' actions three years;
  /// 32,768 buffered events.
  public static AuditConfig defaults() {
    return of(90, 1_095);
  }

  /// The defaults with other retention times.
  ///
  /// @param traffic days for joins, admissions, turns, tokens and refusals
  /// @param records days for purchases, claims, bans, operators' actions and losses
  public static AuditConfig of(int traffic, int records) {
    Map<AuditEvent.Kind, Integer> days = new EnumMap<>(AuditEvent.Kind.class);
    for (AuditEvent.Kind kind : AuditEvent.Kind.values()) {
      days.put(kind, kind.isTraffic() ? traffic : records);
    }
    return new AuditConfig(days, 1 << 15);
  }

  /// The number of days that a kind is kept.
  int keep(AuditEvent.Kind kind) {
    return days.getOrDefault(kind, Integer.MAX_VALUE);
  }
}
