package fairgate.redeem;

import fairgate.kernel.Audit;
import fairgate.kernel.KeyRing;
import fairgate.redeem.ClaimOutcome.Reason;
import fairgate.redeem.RedeemProduct.Starts;
import fairgate.redeem.Verification.StoredOrder;
import fairgate.redeem.code.CodeVault;
import fairgate.redeem.code.CodeVault.Sealed;
import fairgate.redeem.guard.ClaimBudget.Attempt;
import fairgate.redeem.guard.ClaimBudget.Permit;
import fairgate.redeem.guard.ClaimGuard;
import fairgate.redeem.guard.FailureLog;
import fairgate.redeem.orders.OrderNumberFormats;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Gives each product of a paid order one code. Blocks: for virtual threads.
public final class ClaimService {
  private static final Logger LOG = LoggerFactory.getLogger(ClaimService.class);
  private static final int MAX_ROUNDS = 6;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  /// The retry delay for an order without a seller's code.
  private static final Duration RESTOCK_RETRY_AFTER = Duration.ofMinutes(10);

  private final RedeemConfig config;
  private final Verification verification;
  private final PostgresClaims claims;
  private final ClaimRisk risk;
  private final ClaimGuard guard;
  private final ClaimSignature signature;
  private final ClaimAudit audit;
  private final Secrets secrets;
  private final InstantSource clock;
  private final UniformErrors uniform;
  private final ClaimedOrderCache claimedOrders = new ClaimedOrderCache();

  /// Keyed hashes, and the encryption of codes.
  record Secrets(KeyRing keys, CodeVault vault) {
    String device(String id) {
      return keys.fingerprint("redeem-device", id);
    }

    /// Numbers that differ only in case are equal.
    String order(String number) {
      return keys.fingerprint("redeem-order", number.toLowerCase(Locale.ROOT));
    }
  }

  /// What a claim passes before its order is looked up.
  record Checks(ClaimRisk risk, ClaimGuard guard) {}

  ClaimService(
      RedeemConfig config,
      Verification verification,
      PostgresClaims claims,
      Checks checks,
      Audit audit,
      Secrets secrets,
      InstantSource clock) {
    this.config = config;
    this.verification = verification;
    this.claims = claims;
    this.risk = checks.risk();
    this.guard = checks.guard();
    this.audit = new ClaimAudit(audit);
    this.signature = new ClaimSignature(config.signature(), clock);
    this.secrets = secrets;
    this.clock = clock;
    this.uniform = new UniformErrors(config.uniform());
  }

  /// Redeems an order: risk, the budgets of attempts, the signature, then the order itself. A
  /// repeat with the same cookie and the same `device_id` returns the same code; anybody else gets
  /// `ORDER_ALREADY_CLAIMED`. Throws ServiceUnavailable while an engine is unavailable. Blocks;
  /// with uniform errors, refusals of orders take whole seconds.
  public ClaimOutcome claim(ClaimRequest request) {
    long start = System.nanoTime();
    return uniform.apply(decide(request), start);
  }

  private ClaimOutcome decide(ClaimRequest request) {
    String number = config.shapes().spelled(OrderNumberFormats.normalise(request.orderId()));
    List<String> platforms = platforms(number, request.platform());
    if (platforms.isEmpty()) {
      return new ClaimOutcome.NoOrderNumber();
    }
    Attempt attempt = attempt(request, number, platforms);
    ClaimRisk.Check check = risk.check(request);
    boolean isRecorded = true;
    try {
      ClaimOutcome outcome =
          check
              .refusal()
              .<ClaimOutcome>map(ClaimOutcome.Risky::new)
              .orElseGet(() -> claimWithinBudget(request, number, platforms, attempt));
      isRecorded = matters(outcome);
      audit.note(request, attempt.order(), outcome);
      return outcome;
    } finally {
      if (isRecorded) {
        check.recorder().run();
      }
    }
  }

  /// Whether the judgement could change the outcome: an order without a code gives none at any
  /// risk, so nobody fills the log with guessed numbers.
  private static boolean matters(ClaimOutcome outcome) {
    return switch (outcome) {
      case ClaimOutcome.Claimed claimed -> !claimed.replayed();
      case ClaimOutcome.Risky _ -> true;
      case ClaimOutcome.NoOrderNumber _, ClaimOutcome.Ambiguous _, ClaimOutcome.Failed _ -> false;
    };
  }

  private ClaimOutcome claimWithinBudget(
      ClaimRequest request, String number, List<String> platforms, Attempt attempt) {
    return switch (guard.budget().take(attempt)) {
      case Permit.Limited(Duration retryAfter) -> new ClaimOutcome.Limited(retryAfter);
      case Permit.Banned(Duration retryAfter) -> new ClaimOutcome.Banned(retryAfter);
      case Permit.Granted granted -> decideAttempt(request, number, platforms, attempt, granted);
    };
  }

  /// Decides on an attempt that was taken from the budgets, and returns it to them if no decision
  /// was possible.
  private ClaimOutcome decideAttempt(
      ClaimRequest request,
      String number,
      List<String> platforms,
      Attempt attempt,
      Permit.Granted granted) {
    boolean isUsedUp = false;
    try {
      ClaimOutcome outcome =
          attempt.signed()
              ? claimOrder(request, number, platforms)
              : new ClaimOutcome.Refused(Reason.INVALID_SIGNATURE);
      isUsedUp =
          switch (outcome) {
            case ClaimOutcome.Unavailable(Duration _, boolean counted) -> counted;
            case ClaimOutcome.RunOut _ -> false;
            case ClaimOutcome.Refused(Reason reason) -> reason != Reason.ORDER_UNREADABLE;
            case ClaimOutcome _ -> true;
          };
      if (isUsedUp && outcome instanceof ClaimOutcome.Refused(Reason reason)) {
        note(request, attempt, reason);
      }
      return outcome;
    } finally {
      if (!isUsedUp) {
        guard.budget().giveBack(attempt, granted);
      }
    }
  }

  /// The keyed hash of an order number, as in the record of failures.
  public String hashOf(String orderId) {
    return secrets.order(config.shapes().spelled(OrderNumberFormats.normalise(orderId)));
  }

  private List<String> platforms(String number, @Nullable String named) {
    if (named != null) {
      return config.shapes().fits(named, number) ? List.of(named) : List.of();
    }
    List<String> fitting = config.shapes().platformsOf(number);
    // Only orders of this server have such numbers.
    return fitting.contains(OrderNumberFormats.OWN) ? List.of(OrderNumberFormats.OWN) : fitting;
  }

  /// A claim without the required signature does not count for the order: otherwise anybody who
  /// knows the number could use up the attempts of its buyer.
  private Attempt attempt(ClaimRequest request, String number, List<String> platforms) {
    ClaimRequest.Claimant claimant = request.claimant();
    // A browser without a cookie is a new device on every request, so its own name is the better
    // subject.
    String subject =
        claimant.known()
            ? secrets.device(claimant.device())
            : Attempt.self(claimant.deviceId(), claimant.address());
    // The numbers of this server's orders cannot be guessed, so they need no signature.
    boolean own = platforms.equals(List.of(OrderNumberFormats.OWN));
    boolean signed = own || signature.accepts(number, request.productId(), request.signature());
    return new Attempt(
        claimant.address(), subject, claimant.deviceId(), secrets.order(number), signed);
  }

  private void note(ClaimRequest request, Attempt attempt, Reason reason) {
    guard
        .failures()
        .note(
            new FailureLog.Failure(
                attempt.order(),
                request.productId(),
                request.claimant().deviceId(),
                attempt.address(),
                reason.name(),
                clock.instant()));
    // A missing signature is no guess. With uniform errors every refusal counts as a miss;
    // otherwise the budget would reveal the reason.
    boolean unsigned = reason == Reason.INVALID_SIGNATURE && request.signature() == null;
    if (!unsigned && (reason.isMiss() || config.uniform().on())) {
      guard.budget().miss(attempt);
    }
  }

  private ClaimOutcome claimOrder(ClaimRequest request, String number, List<String> platforms) {
    String device = secrets.device(request.claimant().device());
    if (claimedOrders.isTaken(number, request, device)) {
      return new ClaimOutcome.Refused(Reason.ORDER_ALREADY_CLAIMED);
    }
    List<String> candidates = platforms;
    for (int round = 0; round < MAX_ROUNDS; round++) {
      switch (verification.of(number, request.productId(), candidates)) {
        case Verification.Result.Redeemed redeemed -> {
          return again(redeemed, request, number, device);
        }
        case Verification.Result.NoCode() -> {
          return new ClaimOutcome.RunOut(RESTOCK_RETRY_AFTER);
        }
        case Verification.Result.Rejected(Reason reason) -> {
          return new ClaimOutcome.Refused(reason);
        }
        case Verification.Result.Ambiguous(List<String> several) -> {
          return new ClaimOutcome.Ambiguous(several);
        }
        case Verification.Result.Unavailable(Duration retryAfter) -> {
          return new ClaimOutcome.Unavailable(retryAfter);
        }
        case Verification.Result.Accepted good -> {
          Optional<ClaimOutcome> outcome = write(good, request, device);
          if (outcome.isPresent()) {
            return outcome.get();
          }
          // Another claim was faster, or the order has changed: verify again. The database now has
          // the order under the platform of its source.
          candidates = with(candidates, good.order().platform());
        }
      }
    }
    // The order keeps changing. The attempt has cost as much as any other, so it counts.
    return new ClaimOutcome.Unavailable(RETRY_AFTER, true);
  }

  private static List<String> with(List<String> platforms, String one) {
    return platforms.contains(one)
        ? platforms
        : Stream.concat(platforms.stream(), Stream.of(one)).toList();
  }

  private ClaimOutcome again(
      Verification.Result.Redeemed redeemed, ClaimRequest request, String number, String device) {
    StoredOrder.Redeemed by = redeemed.by();
    if (!by.device().equals(device) || !by.deviceId().equals(request.claimant().deviceId())) {
      if (redeemed.exactly()) {
        claimedOrders.note(number, request.productId(), request.platform(), by);
      }
      return new ClaimOutcome.Refused(Reason.ORDER_ALREADY_CLAIMED);
    }
    if (by.codeState().equals("revoked")) {
      return new ClaimOutcome.Refused(Reason.ORDER_REVOKED);
    }
    String code = secrets.vault().open(by.keyId(), by.hash(), by.box());
    return new ClaimOutcome.Claimed(code, by.expiresAt(), by.durationDays(), true);
  }

  private Optional<ClaimOutcome> write(
      Verification.Result.Accepted good, ClaimRequest request, String device) {
    RedeemProduct product = good.product();
    String code = config.maskOf(product).generate();
    Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
    boolean own = good.order().platform().equals(OrderNumberFormats.OWN);
    Claim.Validity terms = terms(product, product.sellersOnly() && !own, now);
    Claim claim =
        new Claim(
            good.order().platform(),
            good.order().orderId(),
            product.id(),
            request.claimant(),
            device,
            terms,
            secrets.vault().seal(code),
            now);
    try {
      Optional<Sealed> given =
          good.stored() ? claims.write(claim) : claims.write(claim, good.order());
      return given.map(
          box -> {
            LOG.debug("Claimed; productId={} platform={}", product.id(), claim.platform());
            return new ClaimOutcome.Claimed(
                box.equals(claim.code())
                    ? code
                    : secrets.vault().open(box.keyId(), box.hash(), box.box()),
                terms.expiresAt(),
                terms.durationDays(),
                false);
          });
    } catch (PostgresClaims.CodeTaken e) {
      LOG.warn(
          "Generated code already exists; the code mask may be too short; productId={}",
          product.id());
      return Optional.empty();
    }
  }

  private static Claim.Validity terms(RedeemProduct product, boolean sellersOnly, Instant now) {
    Integer days =
        product.starts() == Starts.CLAIM ? product.durationDays() : product.activateWithinDays();
    Instant expiry = days == null ? null : now.plus(days, ChronoUnit.DAYS);
    return new Claim.Validity(product.durationDays(), product.starts().word(), expiry, sellersOnly);
  }

  /// A claim that passed all checks, ready to be written.
  ///
  /// @param device keyed hash of the browser
  /// @param code the encrypted code generated for it; a seller's own code has priority
  record Claim(
      String platform,
      String orderId,
      String productId,
      ClaimRequest.Claimant claimant,
      String device,
      Validity terms,
      Sealed code,
      Instant now) {
    /// The validity of the code.
    ///
    /// @param starts `claim` or `first_use`
    /// @param sellersOnly whether an order without a seller's code gets none instead of a generated
    ///   one
    record Validity(
        @Nullable Integer durationDays,
        String starts,
        @Nullable Instant expiresAt,
        boolean sellersOnly) {}
  }
}
