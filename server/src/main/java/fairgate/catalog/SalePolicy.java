package fairgate.catalog;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// How a product is sold: who may buy how much, when, and how fast people are let in.
///
/// Made by `PolicyJson`, which checks every bound; a value made here by hand is not checked.
public record SalePolicy(
    Preset preset,
    Admission admission,
    Limits limits,
    TokenRule token,
    PaymentRule payment,
    Schedule schedule) {

  /// Where the values come from that a policy does not give.
  public enum Preset {
    /// A fair line: one at a time, no payment step.
    QUEUE,
    /// A flash sale: many at a time, one-time tokens, a payment window.
    FLASH;

    /// The name in JSON.
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /// The policy without any field overridden.
    public SalePolicy policy() {
      return switch (this) {
        case QUEUE ->
            new SalePolicy(
                this,
                new Admission(100, 1, null, 300, null),
                new Limits(1, 1, null, 60),
                new TokenRule(false, null),
                new PaymentRule(false, null),
                Schedule.NONE);
        case FLASH ->
            new SalePolicy(
                this,
                new Admission(2_000, 2_000, 1_200, 300, 120),
                new Limits(2, 2, 2, 60),
                new TokenRule(true, 10),
                new PaymentRule(true, 600),
                Schedule.NONE);
      };
    }
  }

  /// How people move from waiting to buying.
  ///
  /// @param activeCapacity most people in active
  /// @param readySlots how many at the front of active may buy at the same time
  /// @param perSecond most admissions per second; null = as capacity frees
  /// @param purchaseWindowSeconds how long a turn lasts
  /// @param presenceTimeoutSeconds after which a waiting session that was not seen expires; null =
  ///   never
  public record Admission(
      int activeCapacity,
      int readySlots,
      @Nullable Integer perSecond,
      int purchaseWindowSeconds,
      @Nullable Integer presenceTimeoutSeconds) {}

  /// How much one buyer may have.
  ///
  /// @param maxQuantity units per purchase
  /// @param maxPerUser units per user and sale; null = no limit
  /// @param maxPerDevice units per device and sale; null = no limit
  /// @param unpaidCooldownSeconds how long an unpaid reservation bars joining again; 0 = not at all
  public record Limits(
      int maxQuantity,
      @Nullable Integer maxPerUser,
      @Nullable Integer maxPerDevice,
      int unpaidCooldownSeconds) {}

  /// Whether a purchase takes a one-time token.
  ///
  /// @param ttlSeconds life of a token; null only when none is required
  public record TokenRule(boolean required, @Nullable Integer ttlSeconds) {}

  /// Whether a purchase has to be paid.
  ///
  /// @param windowSeconds how long a reservation waits for payment; null only when none is required
  public record PaymentRule(boolean required, @Nullable Integer windowSeconds) {}

  /// When the sale runs and when its units come.
  ///
  /// @param opensAt null = when an operator opens it
  /// @param closesAt null = when an operator closes it
  /// @param batches by time; empty = all units at the opening
  public record Schedule(
      @Nullable Instant opensAt, @Nullable Instant closesAt, List<PlannedBatch> batches) {
    static final Schedule NONE = new Schedule(null, null, List.of());

    public Schedule {
      batches = batches.stream().sorted(Comparator.comparing(PlannedBatch::at)).toList();
    }

    /// The units of all batches.
    public long units() {
      return batches.stream().mapToLong(PlannedBatch::quantity).sum();
    }
  }

  /// Units that come on sale at a time.
  public record PlannedBatch(Instant at, int quantity) {}
}
