package fairgate.queue;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The place of a session at one instant of Redis time.
///
/// @param waitingPosition 0-based rank in waiting, -1 when not there, or while the order is hidden
///   (see `pre_queue.lua`)
/// @param activePosition 0-based rank in active, -1 when not there
/// @param turnMs measured time per turn, ms; negative while unknown
/// @param readyAt when its turn begins, ms; it lies ahead for an active session of which this is
///   known; 0 when it has not been ready
/// @param timeoutAt end of its purchase window, ms, 0 when it has none
/// @param saleState `scheduled`, `open`, `paused`, `closed`
/// @param stock free units
/// @param ahead sessions, and people of the waiting list, whose turn comes earlier; -1 while the
///   order is hidden
/// @param now Redis time, ms
/// @param tokenRequired whether a purchase requires a token
/// @param ended reason of its end: `window`, `no_show`, `presence`, `closed`, `left`, `unpaid`,
///   `lost`; else empty
/// @param order the id of its order, or empty
/// @param deviceHash of its browser; empty when only its position was read
/// @param presenceMs presence timeout, ms; 0 = none
/// @param inLine sessions, and people of the waiting list, whose turn has not come yet, including
///   this one if it waits; then more than `ahead`
/// @param sessionLife time until a session of this sale ends when it makes a request now
/// @param renewed whether the session's end was moved to that
/// @param showUpMs silence after which a session is passed over when its turn has come, ms; 0 =
///   none
/// @param tier the number of its tier while it waits, from 1; 0 = none
/// @param tierPosition 0-based rank in the tier; -1 = none, or while the order is hidden
/// @param pauseMs time for which the buyer of an ended place cannot join again, ms
/// @param seat `behind` or `held` while it waits behind places of lower risk; else empty
/// @param decision the id of the decision on its seat; else empty
public record Place(
    SessionId session,
    ProductId product,
    Status status,
    int waitingPosition,
    int activePosition,
    int waitingTotal,
    int activeTotal,
    double turnMs,
    long readyAt,
    long timeoutAt,
    String saleState,
    long stock,
    int ahead,
    long now,
    boolean tokenRequired,
    String ended,
    String order,
    String deviceHash,
    long epoch,
    long presenceMs,
    int inLine,
    Duration sessionLife,
    boolean renewed,
    long showUpMs,
    int tier,
    int tierPosition,
    long pauseMs,
    String seat,
    String decision) {
  private static final int NEAR_MS = 1_000;
  private static final int FAR_MS = 15_000;
  private static final int LEAST_MS = 250;

  /// A client that asks this many times per timeout never counts as absent.
  private static final int ASKS_PER_TIMEOUT = 8;

  /// The first sessions in line ask often enough for their presence to be judged by the show-up
  /// timeout.
  public static final int FRONT = 50;

  /// Parses a reply of `status.lua`.
  static Place parse(SessionId session, String reply) {
    String[] f = reply.split("\\|", -1);
    return new Place(
        session,
        new ProductId(f[1]),
        Status.of(f[0]),
        Integer.parseInt(f[2]),
        Integer.parseInt(f[3]),
        Integer.parseInt(f[4]),
        Integer.parseInt(f[5]),
        Double.parseDouble(f[6]),
        Long.parseLong(f[7]),
        Long.parseLong(f[8]),
        f[9],
        Long.parseLong(f[10]),
        Integer.parseInt(f[11]),
        Long.parseLong(f[12]),
        "1".equals(f[13]),
        f[14],
        f[15],
        f[16],
        Long.parseLong(f[17]),
        Long.parseLong(f[19]),
        Integer.parseInt(f[20]),
        Duration.ofMillis(Long.parseLong(f[21])),
        "1".equals(f[22]),
        Long.parseLong(f[23]),
        Integer.parseInt(f[24]),
        Integer.parseInt(f[25]),
        Long.parseLong(f[26]),
        f[27],
        f[28]);
  }

  /// Whether the order of the places is hidden until the sale opens.
  public boolean orderHidden() {
    return status == Status.WAITING && waitingPosition < 0;
  }

  /// Whether no unit is free at this instant. Units may become free again.
  public boolean soldOut() {
    return stock <= 0 && "open".equals(saleState);
  }

  /// Estimated seconds until the turn of this session; 0 when it is ready. -1 when there is no
  /// estimate: no turn was measured yet, the sale is not open, or it has no free units.
  public long estimatedWaitSeconds() {
    if (status == Status.READY_TO_PURCHASE || status == Status.PURCHASED) {
      return 0;
    }
    if (!status.live() || turnMs < 0 || stock <= 0 || !"open".equals(saleState)) {
      return -1;
    }
    return (long) Math.ceil((ahead + 1) * turnMs / 1000);
  }

  /// The time after which the client should ask again: the moment at which its turn begins if it is
  /// known, one or two seconds near the front, up to fifteen far back, and always several times per
  /// presence timeout.
  public int pollAfterMs() {
    int far = withinPresence(FAR_MS);
    int near = Math.min(NEAR_MS, far);
    if (status == Status.ACTIVE && readyAt > now) {
      return (int) Math.min(near, readyAt - now);
    }
    if (status == Status.ACTIVE || status == Status.READY_TO_PURCHASE) {
      return near;
    }
    long wait = estimatedWaitSeconds();
    long byWait = wait >= 0 ? wait * 1000 / 10 : 1_500L + (orderHidden() ? inLine : ahead) / 10;
    // The session id spreads the requests of a crowd that joined at the same time.
    long spread = Math.floorMod(session.hashCode(), 400) - 200L;
    return Math.clamp(byWait + byWait * spread / 1000, near, longestPauseMs(far, wait));
  }

  /// While the wait is unknown the turn may come at any time, and a session has to be seen within
  /// the show-up timeout then.
  private int longestPauseMs(int far, long wait) {
    return wait < 0 && showUpMs > 0 ? (int) Math.min(far, showUpMs / 2) : far;
  }

  /// Shortens an interval between two requests so that presence is recorded in time.
  int withinPresence(int millis) {
    boolean inFront = status != Status.WAITING || (ahead >= 0 && ahead < FRONT);
    long timeout = inFront && showUpMs > 0 ? showUpMs : presenceMs;
    return timeout == 0
        ? millis
        : Math.clamp(timeout / ASKS_PER_TIMEOUT, Math.min(LEAST_MS, millis), millis);
  }

  /// The status of a session. The wire names are the constants in lower case.
  public enum Status {
    WAITING,
    /// In the active queue, not yet ready.
    ACTIVE,
    /// May buy until its window ends.
    READY_TO_PURCHASE,
    /// Holds or owns units.
    PURCHASED,
    /// The place has ended: missed window, absence, end of the sale, left, or not paid.
    EXPIRED;

    private final String wire = name().toLowerCase(Locale.ROOT);

    /// The name in JSON and Redis.
    public String wire() {
      return wire;
    }

    public boolean live() {
      return this == WAITING || this == ACTIVE || this == READY_TO_PURCHASE;
    }

    static Status of(String wire) {
      return valueOf(wire.toUpperCase(Locale.ROOT));
    }
  }

  /// A place and, when its session is ready and the sale requires tokens, its purchase token.
  ///
  /// @param tokenExpiresAt ms of Redis time; 0 without a token
  public record View(Place place, @Nullable String token, long tokenExpiresAt) {}
}
