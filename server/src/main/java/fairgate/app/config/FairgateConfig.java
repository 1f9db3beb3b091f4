package fairgate.app.config;

import java.nio.file.Path;
import java.util.List;

/// All settings, checked and typed. Texts and URLs that are not set are empty.
public record FairgateConfig(
    Path dataDir,
    Server server,
    Keys keys,
    Stores stores,
    Gate gate,
    Payment payment,
    Channels channels) {

  /// Where the web server listens.
  ///
  /// @param port 0 for a free one
  /// @param demo whether to create a demo sale in empty data; never with `serve`
  public record Server(String host, int port, boolean demo) {}

  /// The keys to this server.
  ///
  /// @param operatorToken bearer token of the first operator
  /// @param master signing keys, see `MasterSecret`
  public record Keys(Secret operatorToken, Secret master) {}

  /// Where the state is kept.
  ///
  /// @param kafka bootstrap servers; none for Redis alone
  public record Stores(Redis redis, Database database, List<String> kafka) {}

  /// Redis or Valkey.
  ///
  /// @param url empty with `up`
  /// @param cluster whether all keys of a sale have to share a slot
  /// @param fsyncAlways of the embedded Redis
  public record Redis(Secret url, boolean cluster, boolean fsyncAlways) {}

  /// PostgreSQL.
  ///
  /// @param url empty with `up`
  public record Database(Secret url, int poolSize) {}

  /// Who may pass.
  ///
  /// @param limits whether rate limits apply
  public record Gate(Challenge challenge, boolean limits) {}

  /// Who tells people from bots.
  ///
  /// @param provider `altcha`, `turnstile`, `hcaptcha` or `test`
  /// @param hostnames whose tokens are accepted; none accepts any
  public record Challenge(
      String provider,
      String siteKey,
      Secret secret,
      List<String> hostnames,
      String turnstileUrl,
      int altchaCost) {}

  /// Who takes the money.
  ///
  /// @param provider `sandbox` or `webhook`
  /// @param secrets of its webhooks, the newest first
  public record Payment(
      String provider,
      List<Secret> secrets,
      String checkoutUrl,
      String closeUrl,
      String refundUrl) {}

  /// The outside world besides the web.
  ///
  /// @param identity who verifies identities: `auto`, `console` or `off`
  public record Channels(
      Line line,
      OrderSystem orderSystem,
      ProcessingLock processingLock,
      String weatherUrl,
      String identity) {}

  /// The LINE channel.
  public record Line(String apiUrl, Secret channelSecret, Secret channelToken) {}

  /// Where redeemed orders come from.
  public record OrderSystem(String url, Secret token) {}

  /// One message of an actor at a time.
  public record ProcessingLock(boolean enabled, int timeoutSeconds, int limitSeconds) {}

  /// The typed tree of these values.
  public static FairgateConfig of(ConfigValues values) {
    return new FairgateConfig(
        values.path("data_dir"),
        new Server(values.text("server.host"), values.whole("server.port"), values.isOn("demo")),
        new Keys(values.secret("operator_token"), values.secret("master_secret")),
        stores(values),
        gate(values),
        payment(values),
        channels(values));
  }

  private static Stores stores(ConfigValues values) {
    return new Stores(
        new Redis(
            values.secret("redis.url"),
            values.text("redis.mode").equals("cluster"),
            values.text("redis.fsync").equals("always")),
        new Database(values.secret("database.url"), values.whole("database.pool_size")),
        values.list("kafka.bootstrap_servers"));
  }

  private static Gate gate(ConfigValues values) {
    return new Gate(
        new Challenge(
            values.text("challenge.provider"),
            values.text("challenge.site_key"),
            values.secret("challenge.secret"),
            values.list("challenge.hostnames"),
            values.text("challenge.turnstile_url"),
            values.whole("challenge.altcha_cost")),
        values.isOn("limits"));
  }

  private static Payment payment(ConfigValues values) {
    return new Payment(
        values.text("payment.provider"),
        values.list("payment.secret").stream().map(Secret::new).toList(),
        values.text("payment.checkout_url"),
        values.text("payment.close_url"),
        values.text("payment.refund_url"));
  }

  private static Channels channels(ConfigValues values) {
    return new Channels(
        new Line(
            values.text("line.api_url"),
            values.secret("line.channel_secret"),
            values.secret("line.channel_token")),
        new OrderSystem(values.text("order_system.url"), values.secret("order_system.token")),
        new ProcessingLock(
            values.isOn("processing_lock.enabled"),
            values.whole("processing_lock.timeout_seconds"),
            values.whole("processing_lock.limit_seconds")),
        values.text("weather.url"),
        values.text("identity.provider"));
  }

  /// The same settings with the keys that `up` keeps in the data folder.
  public FairgateConfig withKeys(Keys kept) {
    return new FairgateConfig(dataDir, server, kept, stores, gate, payment, channels);
  }
}
