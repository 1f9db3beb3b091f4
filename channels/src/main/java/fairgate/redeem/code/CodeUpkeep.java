package fairgate.redeem.code;

import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.PeriodicJob;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Periodic maintenance of codes, on every node: expires codes, revokes those of refunded orders,
/// encrypts codes under an old key again with the current one, and measures how hard codes are to
/// guess.
public final class CodeUpkeep implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CodeUpkeep.class);
  private static final Duration SWEEP_EVERY = Duration.ofSeconds(10);
  private static final Duration LOOK_EVERY = Duration.ofMinutes(5);

  /// Each sweep repeats this much of the previous one, because transactions may commit late.
  private static final Duration OVERLAP = Duration.ofMinutes(10);

  private final PostgresCodeExpiry sweep;
  private final PostgresCodeKeyRotation seals;
  private final CodeStrength strength;
  private final SellerStock stock;
  private final InstantSource clock;
  private final PeriodicJob sweepJob =
      new PeriodicJob("code-sweep", SWEEP_EVERY, this::sweep).withFirstPassAtOnce();
  private final PeriodicJob lookJob =
      new PeriodicJob("code-look", LOOK_EVERY, this::look).withFirstPassAtOnce();
  private volatile Instant swept = Instant.EPOCH;
  private volatile double weakest = Double.POSITIVE_INFINITY;

  /// NaN until it was counted: 0 would mean that an old key may be removed.
  private volatile double underOldKeys = Double.NaN;

  private Map<String, Long> unreadable = Map.of();
  private boolean warned;

  /// @param strength of which codes
  public CodeUpkeep(
      PostgresDatabase database,
      CodeVault vault,
      CodeStrength strength,
      InstantSource clock,
      Metrics metrics) {
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

  public SellerStock stock() {
    return stock;
  }

  /// Starts all of it. Call it once.
  public void start() {
    sweepJob.start();
    lookJob.start();
  }

  /// Expires codes, and revokes unused codes of refunded orders. Blocks.
  public void sweep() {
    Instant now = clock.instant();
    int expired = sweep.expire(now);
    int voided =
        sweep.refunded(now, swept.minus(swept.equals(Instant.EPOCH) ? Duration.ZERO : OVERLAP));
    swept = now;
    if (expired + voided > 0) {
      LOG.info("Ended codes; expired={} ofRefundedOrders={}", expired, voided);
    }
  }

  /// Rotates keys, and measures how hard codes are to guess and which products have run out of
  /// sellers' codes. Blocks.
  public void look() {
    int sealedAnew = seals.renew();
    if (sealedAnew > 0) {
      LOG.info("Encrypted codes with the current key; codes={}", sealedAnew);
    }
    underOldKeys = seals.left();
    nameMissingKeys();
    List<CodeStrength.CodeSpace> weak =
        strength.spaces().stream().filter(CodeStrength.CodeSpace::isWeak).toList();
    weakest =
        strength.spaces().stream()
            .mapToDouble(CodeStrength.CodeSpace::bits)
            .min()
            .orElse(Double.POSITIVE_INFINITY);
    if (!weak.isEmpty() && !warned) {
      LOG.warn("Codes have become easy to guess; set a longer redeem.code_mask; masks={}", weak);
    }
    warned = !weak.isEmpty();
    stock.look();
  }

  private void nameMissingKeys() {
    Map<String, Long> found = seals.unreadable();
    if (!found.isEmpty() && !found.equals(unreadable)) {
      LOG.error(
          "master_secret lacks keys of stored codes, so these codes cannot be read; add the keys"
              + " again after the first one; codesByKeyId={}",
          found);
    }
    unreadable = found;
  }

  @Override
  public void close() {
    sweepJob.close();
    lookJob.close();
  }
}
