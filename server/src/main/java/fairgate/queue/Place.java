package fairgate.queue;

import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;

/// Where one session stands at one instant of Redis time.
///
/// @param waitingPosition 0-based rank among the waiting, -1 when not there
/// @param activePosition 0-based rank among the active, -1 when not there
/// @param turnMs measured time one turn takes, ms; negative while nothing is known
/// @param readyAt ms, 0 when it has not been ready
/// @param timeoutAt end of its purchase window, ms, 0 when it has none
/// @param saleState `scheduled`, `open`, `paused`, `closed`
/// @param stock free units
/// @param ahead people who get their turn earlier
/// @param now Redis time, ms
/// @param tokenRequired whether buying needs a purchase token
/// @param ended why it expired: `window`, `presence`, `closed`, `left`, `unpaid`, `lost`; else
///   empty
/// @param order what it bought, or empty
/// @param deviceHash of its browser; empty where only its position was asked for
/// @param presenceMs how long it may go unseen; 0 for ever, or where only its position was asked
///   for
public record Place(
    SessionId session,
    ProductId product,
    QueueStatus status,
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
    long presenceMs) {
  private static final int NEAR_MS = 1_000;
  private static final int FAR_MS = 15_000;

  /// Reads a reply of `status.lua`.
  static Place parse(SessionId session, String reply) {
    String[] f = reply.split("\\|", -1);
    return new Place(
        session,
        new ProductId(f[1]),
        QueueStatus.of(f[0]),
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
        Long.parseLong(f[19]));
  }

  /// Whether every unit is held or sold at this instant. Units that come back end this.
  public boolean soldOut() {
    return stock <= 0 && "open".equals(saleState);
  }

  /// Seconds until its turn as measured; 0 when it is its turn, -1 while nothing can be said: no
  /// turn has been measured yet, or nobody moves because the sale is not open or has no units.
  public long estimatedWaitSeconds() {
    if (status == QueueStatus.READY_TO_PURCHASE || status == QueueStatus.PURCHASED) {
      return 0;
    }
    if (!status.live() || turnMs < 0 || stock <= 0 || !"open".equals(saleState)) {
      return -1;
    }
    return (long) Math.ceil((ahead + 1) * turnMs / 1000);
  }

  /// When the client should ask again: one or two seconds near the front, up to fifteen far back.
  public int pollAfterMs() {
    if (status == QueueStatus.ACTIVE || status == QueueStatus.READY_TO_PURCHASE) {
      return NEAR_MS;
    }
    long wait = estimatedWaitSeconds();
    long byWait = wait >= 0 ? wait * 1000 / 10 : 1_500L + ahead / 10;
    // Sessions spread by their own id, so that a crowd that came at once does not ask at once.
    long spread = Math.floorMod(session.hashCode(), 400) - 200L;
    return Math.clamp(byWait + byWait * spread / 1000, NEAR_MS, FAR_MS);
  }
}
