package fairgate.redeem.guard;

import java.time.Duration;

/// How much a caller may try. Claims ask it before anything is verified, so that guessing costs as
/// much as knowing. Blocks; throws ServiceUnavailable while it cannot count.
public interface ClaimBudget {
  /// Who tries what.
  ///
  /// @param address the caller's address
  /// @param device the browser by its signed cookie, or what the caller calls itself
  /// @param order what is tried, as a keyed hash; empty when it is no order
  record Attempt(String address, String device, String order) {
    private static final String SELF = "self:";

    /// The device of a browser without a cookie: the name it gives itself, at its address. The name
    /// alone is no proof, so nobody elsewhere can have it barred.
    public static String self(String deviceId, String address) {
      return SELF + deviceId.replaceAll("[^!-~]", "?") + "@" + ClaimKeys.client(address);
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

    /// Not so soon.
    record Limited(Duration retryAfter) implements Permit {}

    /// Not at all for so long.
    record Banned(Duration retryAfter) implements Permit {}
  }

  /// Takes one attempt out of the budgets of address, device and order: of all of them, or of none
  /// when it may not go on. A known device without misses is not held to those of its address:
  /// others behind it may guess.
  Permit take(Attempt attempt);

  /// Gives back what `take` took, for an attempt nobody could judge: an outage is held against
  /// nobody. A repeat changes nothing; never throws, and what cannot be given back is logged.
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
}
