package fairgate.app;

import fairgate.account.AccountConfig;
import fairgate.app.command.StartFailed;
import fairgate.app.config.ChannelSettings;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.GateSettings;
import fairgate.app.config.PaymentSettings;
import fairgate.gate.GateConfig;
import fairgate.gate.GateConfig.ChallengeKind;
import fairgate.gate.ban.BanService;
import fairgate.gate.ban.Networks;
import fairgate.gate.challenge.AltchaConfig;
import fairgate.gate.challenge.WidgetConfig;
import fairgate.gate.limit.LimitDefaults;
import fairgate.gate.limit.LimitFeature;
import fairgate.gate.risk.RiskFeature;
import fairgate.gate.signal.SignalConfig;
import fairgate.gate.signature.SignatureConfig;
import fairgate.kernel.BanSubject;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.feature.Feature;
import fairgate.platform.feature.Secret;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.stream.Forwarding.Proxies;
import fairgate.platform.lock.ProcessingLock;
import fairgate.platform.page.Brand;
import fairgate.platform.page.PageSettings;
import fairgate.platform.text.Language;
import fairgate.platform.text.Languages;
import fairgate.sale.payment.PaymentConfig;
import fairgate.sale.webhook.WebhookConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Converts sections of the configuration into the settings of the features.
final class Settings {
  /// The origins of the widgets' pages and scripts.
  private static final Map<String, List<String>> WIDGET_ORIGINS =
      Map.of(
          ChallengeKind.TURNSTILE.wireName(),
          List.of("https://challenges.cloudflare.com"),
          ChallengeKind.HCAPTCHA.wireName(),
          List.of("https://hcaptcha.com", "https://*.hcaptcha.com"));

  private static final String CURRENCY = "TWD";

  private Settings() {}

  static HttpConfig http(FairgateConfig config) {
    FairgateConfig.Server server = config.server();
    Language language = Languages.of(config.pages().defaultLanguage());
    FairgateConfig.Proxies proxies = server.proxies();
    return HttpConfig.defaults()
        .withAddress(server.host(), server.port())
        .withMaxConnections(server.connections())
        .withDefaultLanguage(language == null ? Languages.DEFAULT : language)
        .withProxies(
            new Proxies(
                proxies.trusted(),
                proxies.header().equals("forwarded")
                    ? Proxies.Header.FORWARDED
                    : Proxies.Header.X_FORWARDED_FOR,
                proxies.proxyProtocol()));
  }

  static GateConfig gate(GateSettings.Challenge challenge) {
    ChallengeKind kind =
        ChallengeKind.named(challenge.provider())
            .orElseThrow(
                () ->
                    new StartFailed(
                        "challenge.provider: " + challenge.provider() + " is not available yet"));
    AltchaConfig altcha = AltchaConfig.defaults();
    WidgetConfig widget = WidgetConfig.defaults();
    String url =
        kind == ChallengeKind.HCAPTCHA ? challenge.hcaptchaUrl() : challenge.turnstileUrl();
    return new GateConfig(
        kind,
        new AltchaConfig(
            altcha.algorithm(),
            challenge.altchaCost(),
            altcha.keyPrefix(),
            altcha.life(),
            challenge.altchaCrowd(),
            challenge.altchaNetwork(),
            challenge.altchaMaxFactor()),
        new WidgetConfig(
            url.isEmpty() ? widget.url() : url,
            challenge.siteKey(),
            challenge.secret().expose(),
            challenge.hostnames(),
            challenge.strict(),
            widget.fallback(),
            widget.timeout()));
  }

  static SignatureConfig signatures(GateSettings gate) {
    SignatureConfig config = SignatureConfig.requiring(gate.signedRoutes());
    if (!config.problems().isEmpty()) {
      throw new StartFailed(String.join("; ", config.problems()));
    }
    return config;
  }

  static BanService.Config bans(FairgateConfig config) {
    GateSettings.Bans bans = config.gate().bans();
    return new BanService.Config(
        bans.crowdsecUrl().isEmpty()
            ? null
            : new BanService.Config.Crowdsec(
                bans.crowdsecUrl(), bans.crowdsecKey().expose(), Duration.ofSeconds(10)));
  }

  static RiskFeature.Config risk(GateSettings.Risk risk) {
    return new RiskFeature.Config(
        RiskFeature.Config.Mode.named(risk.mode()).orElseThrow(),
        risk.skipsChallenge(),
        Duration.ofDays(risk.keepDays()),
        risk.waiting(),
        RiskFeature.Config.defaults().patience());
  }

  static Networks.Config networks(GateSettings gate) {
    GateSettings.Networks networks = gate.networks();
    return new Networks.Config(
        file(gate.bans().asnDatabase()),
        file(networks.countryDatabase()),
        file(networks.anonymousDatabase()),
        asns("networks.hosting_asns", networks.hostingAsns()),
        asns("networks.mobile_asns", networks.mobileAsns()));
  }

  private static @Nullable Path file(String text) {
    return text.isEmpty() ? null : Path.of(text);
  }

  private static Set<Long> asns(String setting, List<String> texts) {
    Set<Long> numbers = new HashSet<>();
    for (String text : texts) {
      BanSubject subject = BanSubject.parse(BanSubject.Kind.ASN, text);
      if (subject == null) {
        throw new StartFailed(setting + ": " + text + " is not an AS number");
      }
      numbers.add(Long.valueOf(subject.value()));
    }
    return numbers;
  }

  static SignalConfig signals(GateSettings.Signals signals) {
    try {
      return new SignalConfig(
          new SignalConfig.Transport(
              signals.ja4Header(),
              signals.headerOrderHeader(),
              signals.httpVersionHeader(),
              SignalConfig.Transport.Known.parseAll(signals.ja4Clients()),
              SignalConfig.Transport.Known.parseAll(signals.headerOrders())),
          signals.behavior(),
          signals.alarmFailures());
    } catch (IllegalArgumentException e) {
      throw new StartFailed("signals: " + e.getMessage());
    }
  }

  static LimitFeature.Config limits(GateSettings.Limits limits) {
    return new LimitFeature.Config(
        LimitDefaults.with(limits.rules()),
        limits.concurrent(),
        limits.streams(),
        Duration.ofMillis(limits.budgetMs()));
  }

  static WebhookConfig webhooks(ChannelSettings.Webhooks webhooks) {
    WebhookConfig config =
        WebhookConfig.to(webhooks.url(), webhooks.secrets().stream().map(Secret::expose).toList());
    if (!config.problems().isEmpty()) {
      throw new StartFailed(String.join("; ", config.problems()));
    }
    return config;
  }

  static AccountConfig account(GateSettings gate) {
    return AccountConfig.defaults().withLimits(gate.limits().on());
  }

  /// Whether the engines are embedded, as with `up`.
  static boolean isUp(FairgateConfig config) {
    return config.stores().redis().url().isEmpty();
  }

  static AuditLog.Config audit(FairgateConfig.Audit audit) {
    return AuditLog.Config.of(audit.trafficDays(), audit.recordDays());
  }

  static PaymentConfig payment(PaymentSettings payment) {
    PaymentConfig base = PaymentConfig.defaults();
    List<String> missing = payment.missing();
    if (!missing.isEmpty()) {
      throw new StartFailed(
          "payment.provider: " + payment.provider() + " needs " + String.join(", ", missing));
    }
    PaymentConfig.Kind provider =
        PaymentConfig.Kind.valueOf(payment.provider().toUpperCase(Locale.ROOT));
    return new PaymentConfig(
        provider,
        base.late(),
        payment.secrets().stream().map(Secret::expose).toList(),
        orNull(payment.checkoutUrl()),
        orNull(payment.closeUrl()),
        orNull(payment.refundUrl()),
        base.timeLimit(),
        account(provider, payment));
  }

  private static PaymentConfig.@Nullable Account account(
      PaymentConfig.Kind provider, PaymentSettings payment) {
    return switch (provider) {
      case SANDBOX, WEBHOOK -> null;
      case STRIPE ->
          new PaymentConfig.Account(
              apiUrl(payment, "https://api.stripe.com"), "", payment.stripeKey().expose(), "", "");
      case LINEPAY ->
          new PaymentConfig.Account(
              apiUrl(payment, "https://api-pay.line.me"),
              payment.linePayChannel(),
              payment.linePaySecret().expose(),
              "",
              "");
      case ECPAY ->
          new PaymentConfig.Account(
              apiUrl(payment, "https://payment.ecpay.com.tw"),
              payment.ecpayMerchant(),
              payment.ecpayHashKey().expose(),
              payment.ecpayHashIv().expose(),
              payment.ecpayCreditCheckCode().expose());
    };
  }

  private static String apiUrl(PaymentSettings payment, String usual) {
    return payment.apiUrl().isEmpty() ? usual : payment.apiUrl().replaceFirst("/+$", "");
  }

  /// A limit below the timeout means that locks are never renewed.
  static ProcessingLock.Config lock(ChannelSettings.ProcessingLock lock) {
    return new ProcessingLock.Config(
        lock.enabled(),
        Duration.ofSeconds(lock.timeoutSeconds()),
        Duration.ofSeconds(Math.max(lock.timeoutSeconds(), lock.limitSeconds())));
  }

  static Feature.Site site(FairgateConfig config) {
    String shopUrl = config.features().shopUrl();
    HttpConfig http = http(config);
    return new Feature.Site(
        config.baseUrl().replaceFirst("/$", ""),
        config.signIn().baseUrl(),
        shopUrl.isEmpty() ? http.url(config.server().port()) : shopUrl.replaceFirst("/$", ""),
        List.of(config.signIn().baseUrl(), config.operators().baseUrl(), shopUrl),
        isUp(config),
        config.gate().limits().on(),
        http.defaultLanguage(),
        pages(config));
  }

  static PageSettings pages(FairgateConfig config) {
    String challenge = config.gate().challenge().provider();
    return new PageSettings(
        CURRENCY,
        config.pages().shop().timeZone(),
        ChallengeKind.TEST.wireName().equals(challenge),
        WIDGET_ORIGINS.getOrDefault(challenge, List.of()),
        config.pages().contact(),
        payment(config.payment()).provider() == PaymentConfig.Kind.SANDBOX,
        config.gate().signals().fingerprint(),
        collectsBehavior(config),
        brand(config.pages().shop()));
  }

  /// Numbers that nobody judges are not asked for.
  private static boolean collectsBehavior(FairgateConfig config) {
    return config.gate().signals().behavior()
        && risk(config.gate().risk()).mode() != RiskFeature.Config.Mode.OFF;
  }

  private static Brand brand(FairgateConfig.Shop shop) {
    try {
      return new Brand(
          shop.name(),
          shop.logoUrl(),
          shop.color(),
          shop.termsUrl(),
          shop.privacyUrl(),
          shop.imprintUrl());
    } catch (IllegalArgumentException e) {
      throw new StartFailed(String.valueOf(e.getMessage()));
    }
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
