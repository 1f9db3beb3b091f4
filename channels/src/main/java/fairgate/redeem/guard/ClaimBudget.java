package fairgate.redeem.guard;

import java.time.Duration;

/// How much a caller may try. Claims ask it before anything is verified, so that guessing costs as
/// much as knowing. Blocks; throws ServiceUnavailable while it cannot count.
public interface ClaimBudget {
  /// The subjects of an attempt.
  ///
  /// @param address the caller's address
  /// @param device the browser from its signed cookie, or the caller's own name
  /// @param name the caller's own name, over all addresses
  /// @param order keyed hash of the order number; empty if it is none
  /// @param signed whether it has the signature that it needs. The order's own limit counts only
  ///   such attempts; those of the caller count all
  record Attempt(String address, String device, String name, String order, boolean signed) {
    private static final String SELF = "self:";

    public Attempt {
      name = printable(name);
    }

    /// The device of a browser without a cookie: its own name together with its address. The name
    /// alone is no proof, so a caller elsewhere cannot get it banned.
    public static String self(String deviceId, String address) {
      return SELF + printable(deviceId) + "@" + ClaimKeys.client(address);
    }

    private static String printable(String name) {
      return name.replaceAll("[^!-~]", "?");
    }

    /// Whether the device showed its signed cookie.
    boolean isKnown() {
      return !device.startsWith(SELF);
    }
  }

  /// Whether an attempt may go on.
  sealed interface Permit {
    /// It may; it has been counted.
    ///
    /// @param name of the attempt, by which it can be given back
    record Granted(String name) implements Permit {}

    record Limited(Duration retryAfter) implements Permit {}

    record Banned(Duration retryAfter) implements Permit {}
  }

  /// Takes one attempt out of the budgets of address, device, name and order: of all of them, or of
  /// none when it may not go on or when they cannot all be asked. A known device without misses is
  /// not held to those of its address: others behind it may guess.
  Permit take(Attempt attempt);

  /// Returns what `take` counted, for an attempt without a decision: an outage counts for no
  /// caller. A repeat changes nothing. Never throws; failures are logged.
  void giveBack(Attempt attempt, Permit.Granted granted);

  /// Notes that an attempt hit nothing. Enough of them bar address or device for a while. An order
  /// that is tried again, as one that is not imported yet, is one miss.
  void miss(Attempt attempt);

  /// The budget of a server without limits.
  static ClaimBudget unlimited() {
    return new ClaimBudget() {
      @Override
      public Permit take(Attempt attempt) {
        return new Permit.Granted("");
      }

      @Override
      public void giveBack(Attempt attempt, Permit.Granted granted) {}

      @Override
      public void miss(Attempt attempt) {}
    };
  }

  /// Limits of claim attempts; 0 = unlimited, or never.
  ///
  /// @param perMinute attempts of one address in any minute
  /// @param perDay attempts of one device in any 24 hours
  /// @param perOrder attempts on one order in any hour, by all callers
  /// @param misses misses of one device in any hour; of one address, `ADDRESS_TIMES` as many
  /// @param banAfter misses of one device in any 24 hours that ban it; likewise of one address
  /// @param banFor duration of the ban
  record Config(
      int perMinute, int perDay, int perOrder, int misses, int banAfter, Duration banFor) {
    /// One address can have many devices, so its limits for misses are this multiple of those of a
    /// device.
    static final int ADDRESS_TIMES = 5;

    /// 10 a minute, 20 a day, 30 an hour on one order; 10 misses an hour, 20 a day bar for an hour.
    public static Config defaults() {
      return new Config(10, 20, 30, 10, 20, Duration.ofHours(1));
    }
  }
}
