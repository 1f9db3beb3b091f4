package fairgate.app.config;

import fairgate.kernel.AddressBlock;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

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
  /// @param connections the most at once
  /// @param demo whether to create a demo sale in empty data; never with `serve`
  public record Server(String host, int port, int connections, boolean demo, Proxies proxies) {}

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
  public record Stores(Redis redis, Database database, Kafka kafka) {}

  /// Kafka between Redis and PostgreSQL.
  ///
  /// @param servers `host:port`; none = there is none
  /// @param clientFile settings of its client; empty for none
  public record Kafka(List<String> servers, String clientFile) {}

  /// Redis or Valkey.
  ///
  /// @param url empty with `up`
  /// @param cluster whether it is a cluster, where all keys of a sale have to share a slot
  /// @param nodes more nodes of the cluster, `host:port`
  /// @param fsyncAlways of the embedded Redis
  /// @param bundled whether the embedded Redis is the bundled program even where there is a faster
  public record Redis(
      Secret url, boolean cluster, List<String> nodes, boolean fsyncAlways, boolean bundled) {}

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
    return ConfigTree.of(values);
  }

  /// The same settings with the keys that `up` keeps in the data folder.
  public FairgateConfig withKeys(Keys kept) {
    return new FairgateConfig(
        dataDir, server, kept, stores, gate, audit, payment, channels, redeem, links);
  }
}
