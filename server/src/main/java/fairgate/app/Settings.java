package fairgate.app;

import fairgate.account.AccountConfig;
import fairgate.account.identity.IdentityFeature;
import fairgate.account.identity.IdentityVerifier;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.Secret;
import fairgate.app.pages.PageSettings;
import fairgate.gate.GateConfig;
import fairgate.gate.challenge.AltchaConfig;
import fairgate.gate.challenge.ChallengeKind;
import fairgate.gate.challenge.TurnstileConfig;
import fairgate.platform.lock.LockConfig;
import fairgate.sale.payment.PaymentConfig;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Turns sections of the configuration into what the features take.
final class Settings {
  private static final String TURNSTILE_ORIGIN = "https://challenges.cloudflare.com";
  private static final String CURRENCY = "TWD";

  private Settings() {}

  static GateConfig gate(FairgateConfig.Challenge challenge) {
    ChallengeKind kind =
        ChallengeKind.named(challenge.provider())
            .orElseThrow(
                () ->
                    new StartFailed(
                        "challenge.provider: " + challenge.provider() + " is not available yet"));
    AltchaConfig altcha = AltchaConfig.defaults();
    TurnstileConfig turnstile = TurnstileConfig.defaults();
    return new GateConfig(
        kind,
        new AltchaConfig(
            altcha.algorithm(), challenge.altchaCost(), altcha.keyPrefix(), altcha.life()),
        new TurnstileConfig(
            challenge.turnstileUrl().isEmpty() ? turnstile.url() : challenge.turnstileUrl(),
            challenge.siteKey(),
            challenge.secret().expose(),
            challenge.hostnames(),
            turnstile.checkAction(),
            turnstile.fallback(),
            turnstile.timeout()));
  }

  static AccountConfig account(FairgateConfig.Gate gate) {
    return AccountConfig.defaults().withLimits(gate.limits());
  }

  /// None where identities are not verified.
  static Optional<IdentityVerifier> identity(FairgateConfig config) {
    String provider = config.channels().identity();
    boolean up = config.stores().redis().url().isEmpty();
    return provider.equals("console") || (provider.equals("auto") && up)
        ? Optional.of(IdentityFeature.console())
        : Optional.empty();
  }

  static PaymentConfig payment(FairgateConfig.Payment payment) {
    PaymentConfig base = PaymentConfig.defaults();
    return new PaymentConfig(
        PaymentConfig.Kind.valueOf(payment.provider().toUpperCase(Locale.ROOT)),
        base.late(),
        payment.secrets().stream().map(Secret::expose).toList(),
        orNull(payment.checkoutUrl()),
        orNull(payment.closeUrl()),
        orNull(payment.refundUrl()),
        base.timeLimit());
  }

  /// A limit below the time-out means that locks are never renewed.
  static LockConfig lock(FairgateConfig.ProcessingLock lock) {
    return new LockConfig(
        lock.enabled(),
        Duration.ofSeconds(lock.timeoutSeconds()),
        Duration.ofSeconds(Math.max(lock.timeoutSeconds(), lock.limitSeconds())));
  }

  static PageSettings pages(FairgateConfig.Challenge challenge) {
    boolean turnstile = ChallengeKind.TURNSTILE.wireName().equals(challenge.provider());
    return new PageSettings(
        CURRENCY,
        ChallengeKind.TEST.wireName().equals(challenge.provider()),
        turnstile ? List.of(TURNSTILE_ORIGIN) : List.of());
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
