package fairgate.sale.payment;

import fairgate.platform.postgres.PostgresDatabase;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;

/// Creates the gateways of providers with payment pages of their own.
final class HostedGateways {
  /// LINE Pay and ECPay end calls after 20 seconds or less.
  private static final Duration IN_FLIGHT = Duration.ofMinutes(1);

  private HostedGateways() {}

  /// The provider's name in settings and tables.
  static String name(PaymentConfig.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  static HostedGateway of(
      PaymentConfig config, ProviderHttp http, PostgresDatabase database, Clock clock) {
    PaymentConfig.Account account = Objects.requireNonNull(config.account());
    PostgresCheckouts checkouts = new PostgresCheckouts(database, name(config.provider()));
    return switch (config.provider()) {
      case STRIPE ->
          new StripePayments(
              http, account, new StripeSignature(config.webhookSecrets(), clock), checkouts, clock);
      case LINEPAY ->
          new LinePayPayments(
              http, account, new PostgresRefundJournal(database, IN_FLIGHT), UUID::randomUUID);
      case ECPAY ->
          new EcpayPayments(
              http, account, new PostgresRefundJournal(database, IN_FLIGHT), checkouts, clock);
      case SANDBOX, WEBHOOK -> throw new IllegalArgumentException("no pages of its own");
    };
  }
}
