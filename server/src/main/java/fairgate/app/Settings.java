package fairgate.app;

import fairgate.app.config.FairgateConfig;
import fairgate.app.config.Secret;
import fairgate.app.pages.PageSettings;
import fairgate.gate.GateConfig;
import fairgate.gate.challenge.AltchaConfig;
import fairgate.gate.challenge.ChallengeKind;
import fairgate.gate.challenge.TurnstileConfig;
import fairgate.redeem.RedeemConfig;
import fairgate.redeem.SignatureConfig;
import fairgate.redeem.code.CodeMask;
import fairgate.redeem.guard.BudgetConfig;
import fairgate.redeem.orders.OrderSystemConfig;
import fairgate.redeem.orders.PlatformShapes;
import fairgate.sale.payment.PaymentConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
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

  static RedeemConfig redeem(FairgateConfig config) {
    FairgateConfig.Redeem redeem = config.redeem();
    FairgateConfig.ClaimLimits limits = redeem.limits();
    FairgateConfig.OrderSystem system = config.channels().orderSystem();
    RedeemConfig base = RedeemConfig.defaults();
    OrderSystemConfig remote = OrderSystemConfig.at(system.url(), system.token().expose());
    return new RedeemConfig(
        checked("redeem.code_mask", () -> CodeMask.of(redeem.codeMask())),
        redeem.platforms().isEmpty()
            ? base.shapes()
            : checked("redeem.platforms", () -> PlatformShapes.of(redeem.platforms())),
        new OrderSystemConfig(
            remote.url(),
            remote.token(),
            Duration.ofMillis(system.timeoutMs()),
            remote.failures(),
            remote.rest()),
        checked("redeem.signature_keys", () -> signature(redeem.signature())),
        config.gate().limits(),
        new BudgetConfig(
            limits.perMinute(),
            limits.perDay(),
            limits.perOrder(),
            limits.missesPerHour(),
            limits.banAfterMisses(),
            Duration.ofMinutes(limits.banMinutes())),
        new RedeemConfig.Uniform(redeem.uniformErrors(), base.uniform().grid()),
        Duration.ofDays(redeem.failuresDays()));
  }

  private static SignatureConfig signature(FairgateConfig.OrderSignature settings) {
    Map<String, String> keys = new HashMap<>();
    for (Secret key : settings.keys()) {
      int cut = key.expose().indexOf(':');
      if (cut < 1 || cut == key.expose().length() - 1) {
        throw new IllegalArgumentException("expected id:secret, separated by commas");
      }
      keys.put(key.expose().substring(0, cut), key.expose().substring(cut + 1));
    }
    return new SignatureConfig(settings.required(), keys, settings.plain());
  }

  private static <T> T checked(String setting, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (IllegalArgumentException e) {
      throw new StartFailed(setting + ": " + e.getMessage());
    }
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
