package fairgate.catalog;

import fairgate.kernel.Money;
import fairgate.kernel.Word;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The rules of a sale: units per buyer, schedule, and speed of admission.
///
/// Created by `PolicyJson`, which checks all bounds. A value created directly is not checked.
public record SalePolicy(
    Preset preset,
    Admission admission,
    Limits limits,
    TokenRule token,
    PaymentRule payment,
    Schedule schedule,
    Fairness fairness,
    List<Tier> priority) {

  public SalePolicy {
    priority = List.copyOf(priority);
  }

  SalePolicy with(Schedule other) {
    return new SalePolicy(preset, admission, limits, token, payment, other, fairness, priority);
  }

  /// The source of values that a policy does not set.
  public enum Preset implements Word {
    /// A fair queue: one buyer at a time, no payment step.
    QUEUE,
    /// A flash sale: many buyers at a time, one-time tokens, a payment window.
    FLASH;

    /// The time between two passes of the queue.
    private static final int JITTER_MS = 100;

    public SalePolicy policy() {
      return switch (this) {
        case QUEUE ->
            new SalePolicy(
                this,
                new Admission(100, 1, null, 300, JITTER_MS, 120, 20, false),
                new Limits(1, 1, null, 60),
                new TokenRule(false, null),
                new PaymentRule(false, null, null),
                Schedule.NONE,
                Fairness.of(Identity.DEVICE, PreQueue.ARRIVAL, 1),
                List.of());
        case FLASH ->
            new SalePolicy(
                this,
                new Admission(2_000, 2_000, 1_200, 300, JITTER_MS, 120, 20, false),
                new Limits(2, 2, 2, 60),
                new TokenRule(true, 10),
                new PaymentRule(true, 600, null),
                Schedule.NONE,
                Fairness.of(Identity.DEVICE, PreQueue.SHUFFLE, 2),
                List.of());
      };
    }
  }

  /// The rules of admission.
  ///
  /// @param activeCapacity maximum number of active sessions
  /// @param readySlots maximum number of ready sessions, the first of the active ones
  /// @param perSecond maximum admissions per second; null = as capacity becomes free
  /// @param purchaseWindowSeconds length of a purchase window
  /// @param jitterMs turns that the queue gives out together begin at random moments within this
  ///   time, ms
  /// @param presenceTimeoutSeconds silence after which a waiting, active or ready session expires;
  ///   null = never
  /// @param showUpSeconds silence after which a session is passed over when its turn has come; null
  ///   = never
  /// @param joinsStopped whether nobody new may join; those in line are served as before
  public record Admission(
      int activeCapacity,
      int readySlots,
      @Nullable Integer perSecond,
      int purchaseWindowSeconds,
      int jitterMs,
      @Nullable Integer presenceTimeoutSeconds,
      @Nullable Integer showUpSeconds,
      boolean joinsStopped) {}

  /// The limits per buyer.
  ///
  /// @param maxQuantity units per purchase
  /// @param maxPerUser units per user and sale; null = unlimited
  /// @param maxPerDevice units per device and sale; null = unlimited
  /// @param unpaidCooldownSeconds pause after an unpaid reservation before the buyer can join
  ///   again; 0 = none
  public record Limits(
      int maxQuantity,
      @Nullable Integer maxPerUser,
      @Nullable Integer maxPerDevice,
      int unpaidCooldownSeconds) {}

  /// Whether a purchase requires a one-time token.
  ///
  /// @param ttlSeconds life of a token; null only when none is required
  public record TokenRule(boolean required, @Nullable Integer ttlSeconds) {}

  /// Whether a purchase requires a payment.
  ///
  /// @param windowSeconds time for paying; null only if no payment is required
  /// @param deposit what is paid before the join; null for none
  public record PaymentRule(
      boolean required, @Nullable Integer windowSeconds, @Nullable Deposit deposit) {}

  /// A deposit, which counts towards the price. Either the amount or the percentage is null.
  ///
  /// @param amount in minor units
  /// @param percent of the price of one unit
  /// @param passed the end of the deposit of a buyer who lets the turn pass
  public record Deposit(@Nullable Integer amount, @Nullable Integer percent, DepositEnd passed) {
    private static final int WHOLE = 100;

    /// The deposit at a price; a percentage is rounded down.
    public Money of(Money price) {
      long minorUnits =
          amount != null ? amount : price.minorUnits() * Objects.requireNonNull(percent) / WHOLE;
      return new Money(minorUnits, price.currency());
    }
  }

  /// What becomes of the deposit of a buyer who lets the turn pass.
  public enum DepositEnd implements Word {
    RETURNED,
    KEPT
  }

  /// What the limits of a sale count.
  public enum Identity implements Word {
    /// A browser; a signed-in account as well.
    DEVICE(""),
    ACCOUNT("acc_"),
    /// A verified telephone number.
    PHONE("phone_"),
    /// A verified identity number.
    PERSON("person_");

    private final String userPrefix;

    Identity(String userPrefix) {
      this.userPrefix = userPrefix;
    }

    /// The beginning of the users that such a sale counts; empty where guests may join.
    public String userPrefix() {
      return userPrefix;
    }
  }

  /// The order of those who join before the opening.
  public enum PreQueue implements Word {
    /// At random.
    SHUFFLE,
    /// By their arrival.
    ARRIVAL,
    /// Nobody joins: a provable draw gives the places to its winners.
    DRAW
  }

  /// The rules that keep one person from acting as many.
  ///
  /// @param identity what the limits count; anything but a device is required at the join
  /// @param minAccountAge age of the account at the join, seconds; null = any
  /// @param verifiedBefore the identity must have been verified before this time; null = any
  /// @param placesPerIp live places of one IPv4 address or one /64 of IPv6; null = unlimited
  /// @param placesPerNetwork live places of one /24 of IPv4 or /56 of IPv6; a /48 may have a
  ///   quarter more; null = unlimited
  /// @param unitsPerIp units held or bought from one IPv4 address or one /64; null = unlimited
  /// @param deviceKeyRequired whether a purchase must come from the browser that joined, proved by
  ///   its device key
  public record Fairness(
      Identity identity,
      @Nullable Integer minAccountAge,
      @Nullable Instant verifiedBefore,
      @Nullable Integer placesPerIp,
      @Nullable Integer placesPerNetwork,
      @Nullable Integer unitsPerIp,
      PreQueue preQueue,
      boolean deviceKeyRequired) {
    private static final int PLACES_PER_IP = 5;
    private static final int PLACES_PER_NETWORK = 20;

    /// In a sale of many units, a network may have a place for each of so many.
    private static final int UNITS_A_PLACE = 50;

    /// With a verified identity, networks are no longer the limit: an office or a dormitory shares
    /// one address.
    private static final int WIDER_WITH_IDENTITY = 60;

    /// The default limits of networks for this identity.
    static Fairness of(Identity identity, PreQueue preQueue, @Nullable Integer maxPerUser) {
      int factor = identity == Identity.DEVICE ? 1 : WIDER_WITH_IDENTITY;
      return new Fairness(
          identity,
          null,
          null,
          PLACES_PER_IP * factor,
          PLACES_PER_NETWORK * factor,
          maxPerUser == null ? null : unitsPerIp(identity, PLACES_PER_IP * factor, maxPerUser),
          preQueue,
          false);
    }

    /// People with a verified identity behind one address may each buy what a person may.
    private static int unitsPerIp(Identity identity, int places, int maxPerUser) {
      return identity == Identity.DEVICE ? 2 * maxPerUser : places * maxPerUser;
    }

    /// The same for a sale of so many units: the default for a network grows with them.
    Fairness forUnits(int units) {
      int factor = identity == Identity.DEVICE ? 1 : WIDER_WITH_IDENTITY;
      boolean isDefault =
          placesPerNetwork != null && placesPerNetwork == PLACES_PER_NETWORK * factor;
      return isDefault
          ? new Fairness(
              identity,
              minAccountAge,
              verifiedBefore,
              placesPerIp,
              Math.max(PLACES_PER_NETWORK * factor, units / UNITS_A_PLACE),
              unitsPerIp,
              preQueue,
              deviceKeyRequired)
          : this;
    }

    /// Live places of one /48 of IPv6; null = unlimited.
    public @Nullable Integer placesPerSite() {
      return placesPerNetwork == null ? null : placesPerNetwork + placesPerNetwork / 4;
    }
  }

  /// Units held or bought from networks, by the places that they may have; null = unlimited.
  ///
  /// @param places maximum number of live places of the network
  public @Nullable Integer unitsOf(@Nullable Integer places) {
    Integer perUser = limits.maxPerUser();
    return places == null || perUser == null || fairness.unitsPerIp() == null
        ? null
        : (int) Math.min(Integer.MAX_VALUE, (long) places * perUser);
  }

  public enum Group implements Word {
    /// Everybody with an account.
    ACCOUNT,
    /// Everybody with a verified telephone number.
    PHONE,
    /// Everybody with a verified identity number.
    PERSON,
    /// Those on the tier's list, and those who open one of its links.
    INVITATION
  }

  /// A group of buyers that is admitted first, as long as units of its share are left.
  ///
  /// @param name as buyers read it
  /// @param share of the units that only this tier may take, percent
  /// @param until when its remaining units go to the next tier, after the last one to everybody
  /// @param group its buyers
  public record Tier(String name, int share, Instant until, Group group) {
    public Tier {
      until = until.truncatedTo(ChronoUnit.MILLIS);
    }
  }

  /// Percentage of the units that are open to everybody from the beginning.
  public int openShare() {
    return 100 - priority.stream().mapToInt(Tier::share).sum();
  }

  /// The opening and closing of the sale and its batches. Times are cut to milliseconds: Redis and
  /// PostgreSQL compare them with Redis time, which is not finer.
  ///
  /// @param opensAt null = when an operator opens it
  /// @param closesAt null = when an operator closes it
  /// @param batches by time; empty = all units at the opening
  public record Schedule(
      @Nullable Instant opensAt, @Nullable Instant closesAt, List<PlannedBatch> batches) {
    /// Opened and closed by an operator, all units at the opening.
    public static final Schedule NONE = new Schedule(null, null, List.of());

    public Schedule {
      opensAt = opensAt == null ? null : opensAt.truncatedTo(ChronoUnit.MILLIS);
      closesAt = closesAt == null ? null : closesAt.truncatedTo(ChronoUnit.MILLIS);
      batches = batches.stream().sorted(Comparator.comparing(PlannedBatch::at)).toList();
    }

    /// The time of the last planned batch; null when none is planned.
    public @Nullable Instant lastBatchAt() {
      return batches.isEmpty() ? null : batches.getLast().at();
    }

    public long units() {
      return batches.stream().mapToLong(PlannedBatch::quantity).sum();
    }
  }

  /// Units that become available at a time.
  public record PlannedBatch(Instant at, int quantity) {
    public PlannedBatch {
      at = at.truncatedTo(ChronoUnit.MILLIS);
    }
  }
}
