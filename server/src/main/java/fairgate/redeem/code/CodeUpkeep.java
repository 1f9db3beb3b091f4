package fairgate.redeem.code;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.observe.Metrics;
import fairgate.platform.observe.OutageLog;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What is done for codes by itself, on every node: ending those whose time is over, withdrawing
/// those of refunded orders, sealing anew those under an old key, and watching how hard they are to
/// guess.
public final class CodeUpkeep implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CodeUpkeep.class);
  private static final Duration SWEEP_EVERY = Duration.ofSeconds(10);
  private static final Duration LOOK_EVERY = Duration.ofMinutes(5);

  /// Refunds are looked for again over this time, for transactions that commit late.
  private static final Duration OVERLAP = Duration.ofMinutes(10);

  private final Vertx vertx;
  private final PostgresCodeExpiry sweep;
  private final PostgresCodeKeyRotation seals;
  private final CodeStrength strength;
  private final SellerStock stock;
  private final InstantSource clock;
  private final List<Long> timers = new ArrayList<>();
  private volatile Instant swept = Instant.EPOCH;
  private volatile double weakest = Double.POSITIVE_INFINITY;

  /// Not a number until it was counted: 0 would say that an old key may be dropped.
  private volatile double underOldKeys = Double.NaN;

  private Map<String, Long> unreadable = Map.of();
  private boolean warned;

  /// @param strength of which codes
  public CodeUpkeep(
      Vertx vertx,
      PostgresDatabase database,
      CodeVault vault,
      CodeStrength strength,
      InstantSource clock,
      Metrics metrics) {
    this.vertx = vertx;
    this.sweep = new PostgresCodeExpiry(database);
    this.seals = new PostgresCodeKeyRotation(database, vault);
    this.strength = strength;
    this.stock = new SellerStock(database, metrics);
    this.clock = clock;
    metrics.gauge(
        "fairgate_redeem_guess_bits",
        "log2 of possible codes per live one, of the weakest mask; below 40 use a longer mask",
        () -> weakest);
    metrics.gauge(
        "fairgate_redeem_codes_under_old_keys",
        "Codes that are still to be sealed under the current key",
        () -> underOldKeys);
  }

  /// The sellers' own codes.
  public SellerStock stock() {
    return stock;
  }

  /// Starts all of it. Call it once.
  public void start() {
    every(SWEEP_EVERY, "code-sweep", this::sweep);
    every(LOOK_EVERY, "code-look", this::look);
  }

  /// Ends and withdraws what is due. Blocks.
  public void sweep() {
    Instant now = clock.instant();
    int expired = sweep.expire(now);
    int voided =
        sweep.refunded(now, swept.minus(swept.equals(Instant.EPOCH) ? Duration.ZERO : OVERLAP));
    swept = now;
    if (expired + voided > 0) {
      LOG.info("{} codes are over, {} were of refunded orders", expired, voided);
    }
  }

  /// Seals anew what lies under old keys, and looks how hard codes are to guess and where sellers'
  /// codes have run out. Blocks.
  public void look() {
    int sealedAnew = seals.renew();
    if (sealedAnew > 0) {
      LOG.info("{} codes were sealed under the current key", sealedAnew);
    }
    underOldKeys = seals.left();
    nameMissingKeys();
    List<CodeStrength.Space> weak =
        strength.spaces().stream().filter(CodeStrength.Space::isWeak).toList();
    weakest =
        strength.spaces().stream()
            .mapToDouble(CodeStrength.Space::bits)
            .min()
            .orElse(Double.POSITIVE_INFINITY);
    if (!weak.isEmpty() && !warned) {
      LOG.warn("codes have become easy to guess; set a longer redeem.code_mask: {}", weak);
    }
    warned = !weak.isEmpty();
    stock.look();
  }

  private void nameMissingKeys() {
    Map<String, Long> found = seals.unreadable();
    if (!found.isEmpty() && !found.equals(unreadable)) {
      LOG.error(
          "master_secret lacks keys that codes are sealed under, so nobody gets these codes; put"
              + " the keys back behind the first one; codes by keyId={}",
          found);
    }
    unreadable = found;
  }

  private void every(Duration period, String name, Runnable work) {
    AtomicBoolean busy = new AtomicBoolean();
    OutageLog outage = new OutageLog(LOG, name);
    timers.add(
        vertx.setPeriodic(
            1_000,
            period.toMillis(),
            _ -> {
              if (busy.compareAndSet(false, true)) {
                Thread _ =
                    Thread.ofVirtual().name(name).start(() -> guarded(outage, name, work, busy));
              }
            }));
  }

  private static void guarded(OutageLog outage, String name, Runnable work, AtomicBoolean busy) {
    try {
      work.run();
      outage.worked();
    } catch (ServiceUnavailable e) {
      outage.waits(e);
    } catch (RuntimeException e) {
      LOG.error("{}", name, e);
    } finally {
      busy.set(false);
    }
  }

  @Override
  public void close() {
    timers.forEach(
        timer -> {
          boolean _ = vertx.cancelTimer(timer);
        });
  }
}
