package fairgate.platform.audit;

import fairgate.kernel.AuditEvent;
import java.util.EnumMap;
import java.util.Map;

/// How long what is remembered, and how much may wait.
///
/// @param days how many days each kind's contents are kept
/// @param waiting events that may wait for PostgreSQL on each event loop, and besides
public record AuditConfig(Map<AuditEvent.Kind, Integer> days, int waiting) {
  public AuditConfig {
    days = Map.copyOf(days);
  }

  /// Traffic for 90 days; what concerns money, codes and operators for three years; 32,768 waiting.
  public static AuditConfig defaults() {
    return of(90, 1_095);
  }

  /// The usual settings but for the times.
  ///
  /// @param traffic days for joins, admissions, turns, tokens and refusals
  /// @param records days for purchases, claims, bans, operators' acts and losses
  public static AuditConfig of(int traffic, int records) {
    Map<AuditEvent.Kind, Integer> days = new EnumMap<>(AuditEvent.Kind.class);
    for (AuditEvent.Kind kind : AuditEvent.Kind.values()) {
      days.put(
          kind,
          switch (kind) {
            case JOIN, ADMISSION, TURN, TOKEN, REFUSAL -> traffic;
            case PURCHASE, CLAIM, BAN, ADMIN, LOSS -> records;
          });
    }
    return new AuditConfig(days, 1 << 15);
  }

  /// How many days a kind is kept.
  int keep(AuditEvent.Kind kind) {
    return days.getOrDefault(kind, Integer.MAX_VALUE);
  }
}
