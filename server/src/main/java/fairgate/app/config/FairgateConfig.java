package fairgate.app.config;

import fairgate.gate.limit.LimitDefaults;
import fairgate.kernel.AddressBlock;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// All settings, checked and typed. Texts and URLs that are not set are empty.
public record FairgateConfig(
    Path dataDir,
    Server server,
    Keys keys,
    Stores stores,
    Gate gate,
    Audit audit,
    Payment payment,
    Channels channels,
    Redeem redeem,
    Links links) {

  /// Where the web server listens.
  ///
  /// @param port 0 for a free one
  /// @param demo whether to create a demo sale in empty data; never with `serve`
  public record Server(String host, int port, boolean demo, Proxies proxies) {}

  /// The proxies in front of the server.
  ///
  /// @param header `x-forwarded-for` or `forwarded`
  public record Proxies(List<AddressBlock> trusted, String header, boolean proxyProtocol) {}

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
  /// @param signedRoutes whose calls have to be signed
  public record Gate(Challenge challenge, Limits limits, Bans bans, List<String> signedRoutes) {}

  /// Who may not.
  ///
  /// @param asnDatabase a file; empty for none
  /// @param crowdsecUrl empty for none
  public record Bans(String asnDatabase, String crowdsecUrl, Secret crowdsecKey) {}

  /// How often what may be asked.
  ///
  /// @param on whether limits apply at all
  /// @param rules texts such as `5/s`, by the limit's name
  /// @param concurrent requests one address may have running
  /// @param streams event streams one address may have open
  public record Limits(
      boolean on, Map<String, String> rules, int concurrent, int streams, int budgetMs) {}

  /// Who tells people from bots.
  ///
  /// @param provider `altcha`, `turnstile`, `hcaptcha` or `test`
  /// @param hostnames whose tokens are accepted; none accepts any
  /// @param altchaCrowd pairs like `200:2`
  public record Challenge(
      String provider,
      String siteKey,
      Secret secret,
      List<String> hostnames,
      String turnstileUrl,
      String hcaptchaUrl,
      boolean strict,
      int altchaCost,
      List<String> altchaCrowd) {}

  /// How long what is remembered, in days.
  public record Audit(int trafficDays, int recordDays) {}

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
      Webhooks webhooks,
      String identity) {}

  /// Who is told of orders.
  ///
  /// @param secrets the newest first
  public record Webhooks(String url, List<Secret> secrets) {}

  /// The LINE channel.
  ///
  /// @param channelSecrets each of which verifies; none: no channel
  /// @param shopUrl empty for this server's own address
  public record Line(
      String apiUrl,
      List<Secret> channelSecrets,
      Secret channelToken,
      String shopUrl,
      int pushQuota,
      int leaseSeconds,
      LineLocks locks) {}

  /// How the LINE channel uses processing locks.
  ///
  /// @param textSeconds 0 for the time-out of all locks; likewise the others
  /// @param exempt users, groups and rooms that are never held back
  public record LineLocks(
      int textSeconds, int locationSeconds, int postbackSeconds, List<String> exempt) {}

  /// Where redeemed orders come from.
  public record OrderSystem(String url, Secret token, int timeoutMs) {}

  /// Redemption codes.
  ///
  /// @param platforms the shapes of order numbers; empty for the usual ones
  /// @param uniformErrors whether refusals tell nothing of an order
  public record Redeem(
      String codeMask,
      String platforms,
      boolean uniformErrors,
      OrderSignature signature,
      ClaimLimits limits,
      int failuresDays) {}

  /// Signatures of orders.
  ///
  /// @param keys each `id:secret`
  public record OrderSignature(boolean required, List<Secret> keys, boolean plain) {}

  /// How much one may try; 0 is any number.
  public record ClaimLimits(
      int perMinute,
      int perDay,
      int perOrder,
      int missesPerHour,
      int banAfterMisses,
      int banMinutes) {}

  /// One message of an actor at a time.
  public record ProcessingLock(boolean enabled, int timeoutSeconds, int limitSeconds) {}

  /// Short links.
  ///
  /// @param baseUrl empty = the host that was asked
  /// @param denyList a file; empty = none
  /// @param misses unknown codes one address may try in any minute
  public record Links(
      String baseUrl,
      boolean anonymous,
      String denyList,
      int misses,
      int cached,
      int clickIntervalMs) {}

  /// The typed tree of these values.
  public static FairgateConfig of(ConfigValues values) {
    return new FairgateConfig(
        values.path("data_dir"),
        server(values),
        new Keys(values.secret("operator_token"), values.secret("master_secret")),
        stores(values),
        gate(values),
        new Audit(values.whole("audit.traffic_days"), values.whole("audit.record_days")),
        payment(values),
        channels(values),
        redeem(values),
        links(values));
  }

  private static Server server(ConfigValues values) {
    return new Server(
        values.text("server.host"),
        values.whole("server.port"),
        values.isOn("demo"),
        new Proxies(
            values.blocks("server.trusted_proxies"),
            values.text("server.forwarded_header"),
            values.isOn("server.proxy_protocol")));
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
            values.text("challenge.hcaptcha_url"),
            values.isOn("challenge.strict"),
            values.whole("challenge.altcha_cost"),
            values.list("challenge.altcha_crowd")),
        limits(values),
        new Bans(
            values.text("bans.asn_database"),
            values.text("bans.crowdsec_url"),
            values.secret("bans.crowdsec_key")),
        values.list("signatures.required_for"));
  }

  private static Limits limits(ConfigValues values) {
    return new Limits(
        values.isOn("limits"),
        LimitDefaults.ALL.stream()
            .map(LimitDefaults.Entry::name)
            .collect(Collectors.toMap(name -> name, name -> values.text("limit." + name))),
        values.whole("limit.concurrent"),
        values.whole("limit.streams"),
        values.whole("limit.budget_ms"));
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
        line(values),
        new OrderSystem(
            values.text("order_system.url"),
            values.secret("order_system.token"),
            values.whole("order_system.timeout_ms")),
        new ProcessingLock(
            values.isOn("processing_lock.enabled"),
            values.whole("processing_lock.timeout_seconds"),
            values.whole("processing_lock.limit_seconds")),
        values.text("weather.url"),
        new Webhooks(
            values.text("webhooks.url"),
            values.list("webhooks.secret").stream().map(Secret::new).toList()),
        values.text("identity.provider"));
  }

  private static Redeem redeem(ConfigValues values) {
    return new Redeem(
        values.text("redeem.code_mask"),
        values.text("redeem.platforms"),
        values.isOn("redeem.uniform_errors"),
        new OrderSignature(
            values.isOn("redeem.signature"),
            values.list("redeem.signature_keys").stream().map(Secret::new).toList(),
            values.isOn("redeem.plain_signature")),
        new ClaimLimits(
            values.whole("redeem.claims_per_minute"),
            values.whole("redeem.claims_per_day"),
            values.whole("redeem.claims_per_order"),
            values.whole("redeem.misses_per_hour"),
            values.whole("redeem.ban_after_misses"),
            values.whole("redeem.ban_minutes")),
        values.whole("redeem.failures_days"));
  }

  private static Line line(ConfigValues values) {
    return new Line(
        values.text("line.api_url"),
        values.list("line.channel_secret").stream().map(Secret::new).toList(),
        values.secret("line.channel_token"),
        values.text("line.shop_url"),
        values.whole("line.push_quota"),
        values.whole("line.lease_seconds"),
        new LineLocks(
            values.whole("line.lock_text_seconds"),
            values.whole("line.lock_location_seconds"),
            values.whole("line.lock_postback_seconds"),
            values.list("line.lock_exempt")));
  }

  private static Links links(ConfigValues values) {
    return new Links(
        values.text("links.base_url"),
        values.isOn("links.anonymous"),
        values.text("links.deny_list"),
        values.whole("links.miss_per_minute"),
        values.whole("links.cached"),
        values.whole("links.click_interval_ms"));
  }

  /// The same settings with the keys that `up` keeps in the data folder.
  public FairgateConfig withKeys(Keys kept) {
    return new FairgateConfig(
        dataDir, server, kept, stores, gate, audit, payment, channels, redeem, links);
  }
}
