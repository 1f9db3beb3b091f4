package fairgate.app.config;

import fairgate.gate.challenge.CrowdLevel;
import fairgate.kernel.AddressBlock;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// All settings, checked and typed. Unset texts and URLs are empty.
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
    Links links,
    Pages pages) {

  /// The web server.
  ///
  /// @param port 0 for a free one
  /// @param connections maximum number of concurrent connections
  /// @param demo whether to create a demo sale in empty data; never with `serve`
  /// @param localMetrics whether programs on this machine may read `/metrics` and details of health
  ///   without a token
  public record Server(
      String host,
      int port,
      int connections,
      boolean demo,
      Proxies proxies,
      boolean localMetrics) {}

  /// The proxies in front of the server.
  ///
  /// @param header `x-forwarded-for` or `forwarded`
  public record Proxies(List<AddressBlock> trusted, String header, boolean proxyProtocol) {}

  /// The server's secrets.
  ///
  /// @param operatorToken bearer token of the first operator
  /// @param master signing keys, see `MasterSecret`
  public record Keys(Secret operatorToken, Secret master) {}

  /// The stores of the server's state.
  public record Stores(Redis redis, Database database, Kafka kafka) {}

  /// Kafka between Redis and PostgreSQL.
  ///
  /// @param servers `host:port`; empty without Kafka
  /// @param clientFile settings of the Kafka client; empty for none
  public record Kafka(List<String> servers, String clientFile) {}

  /// Redis or Valkey.
  ///
  /// @param url empty with `up`
  /// @param cluster whether it is a cluster, in which all keys of a sale share a slot
  /// @param nodes further nodes of the cluster, `host:port`
  /// @param fsyncAlways applies to the embedded Redis
  /// @param bundled whether the embedded Redis is always the bundled program, even when a faster
  ///   one is installed
  public record Redis(
      Secret url, boolean cluster, List<String> nodes, boolean fsyncAlways, boolean bundled) {}

  /// PostgreSQL.
  ///
  /// @param url empty with `up`
  public record Database(Secret url, int poolSize) {}

  /// The gate.
  ///
  /// @param signedRoutes routes that require a signature
  public record Gate(Challenge challenge, Limits limits, Bans bans, List<String> signedRoutes) {}

  /// Bans.
  ///
  /// @param asnDatabase a file; empty for none
  /// @param crowdsecUrl empty for none
  public record Bans(String asnDatabase, String crowdsecUrl, Secret crowdsecKey) {}

  /// Rate limits.
  ///
  /// @param on whether limits apply at all
  /// @param rules texts such as `5/s`, by name of the limit
  /// @param concurrent concurrent requests per address
  /// @param streams open event streams per address
  public record Limits(
      boolean on, Map<String, String> rules, int concurrent, int streams, int budgetMs) {}

  /// The challenge against bots.
  ///
  /// @param provider `altcha`, `turnstile`, `hcaptcha` or `test`
  /// @param hostnames hosts whose tokens are accepted; empty accepts any
  /// @param altchaCrowd empty for none
  public record Challenge(
      String provider,
      String siteKey,
      Secret secret,
      List<String> hostnames,
      String turnstileUrl,
      String hcaptchaUrl,
      boolean strict,
      int altchaCost,
      List<CrowdLevel> altchaCrowd) {}

  /// The pages for visitors.
  ///
  /// @param defaultLanguage tag of the language for callers without a preference
  /// @param contact an e-mail or web address; empty for none
  public record Pages(String defaultLanguage, String contact) {}

  /// Retention of the audit log, in days.
  public record Audit(int trafficDays, int recordDays) {}

  /// The payment provider.
  ///
  /// @param provider `sandbox` or `webhook`
  /// @param sandboxAccepted whether `serve` may run with the sandbox, which takes no money
  /// @param secrets secrets of its webhooks, newest first
  public record Payment(
      String provider,
      boolean sandboxAccepted,
      List<Secret> secrets,
      String checkoutUrl,
      String closeUrl,
      String refundUrl) {}

  /// Channels and outside services.
  ///
  /// @param identity provider of identity verification: `auto`, `console` or `off`
  public record Channels(
      Line line,
      OrderSystem orderSystem,
      ProcessingLock processingLock,
      String weatherUrl,
      Webhooks webhooks,
      String identity) {}

  /// Webhooks about orders.
  ///
  /// @param secrets newest first
  public record Webhooks(String url, List<Secret> secrets) {}

  /// The LINE channel.
  ///
  /// @param channelSecrets each verifies; empty without a channel
  /// @param shopUrl empty for this server's own address
  public record Line(
      String apiUrl,
      List<Secret> channelSecrets,
      Secret channelToken,
      String shopUrl,
      int pushQuota,
      int leaseSeconds,
      LineLocks locks) {}

  /// The processing locks of the LINE channel.
  ///
  /// @param textSeconds 0 for the timeout of all locks, as for the others
  /// @param exempt users, groups and rooms without a lock
  public record LineLocks(
      int textSeconds, int locationSeconds, int postbackSeconds, List<String> exempt) {}

  /// The outside order system.
  public record OrderSystem(String url, Secret token, int timeoutMs) {}

  /// Redemption codes.
  ///
  /// @param platforms formats of order numbers; empty for the built-in ones
  /// @param uniformErrors whether refusals reveal nothing about an order
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

  /// Limits on claim attempts; 0 means no limit.
  public record ClaimLimits(
      int perMinute,
      int perDay,
      int perOrder,
      int missesPerHour,
      int banAfterMisses,
      int banMinutes) {}

  /// The processing lock: one message per actor at a time.
  public record ProcessingLock(boolean enabled, int timeoutSeconds, int limitSeconds) {}

  /// Short links.
  ///
  /// @param baseUrl empty for the server's own address
  /// @param anonymous auto, on or off
  /// @param denyList a file; empty for none
  /// @param misses unknown codes per address and minute
  /// @param maxPerOwner links per account or browser
  public record Links(
      String baseUrl,
      String anonymous,
      String denyList,
      int misses,
      int maxPerOwner,
      int cached,
      String timeZone,
      int clickIntervalMs) {}

  /// Builds the tree from the values.
  public static FairgateConfig of(ConfigValues values) {
    return ConfigTree.of(values);
  }

  /// A copy with the keys that `up` stores in the data folder.
  public FairgateConfig withKeys(Keys kept) {
    return new FairgateConfig(
        dataDir, server, kept, stores, gate, audit, payment, channels, redeem, links, pages);
  }
}
