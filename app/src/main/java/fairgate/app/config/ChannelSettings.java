package fairgate.app.config;

import fairgate.platform.feature.Setting;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/// Channels and outside services.
public record ChannelSettings(
    Line line,
    OrderSystem orderSystem,
    ProcessingLock processingLock,
    @Setting(
            name = "weather.url",
            schemes = {"http", "https"},
            doc = "An Open-Meteo server for the LINE channel; empty disables weather replies.")
        String weatherUrl,
    Webhooks webhooks,
    @Setting(
            name = "identity.provider",
            fallback = "auto",
            words = {"auto", "console", "off"},
            doc =
                "Whether identities are verified. `auto` uses the services of `messages.*` and "
                    + "`person_register.*`; in `up`, one that is not set is `console`. `console` "
                    + "writes codes into `secrets/one-time-codes` of the data folder, takes every "
                    + "name for the right one, and is refused by `serve`.")
        String identity,
    MessageSettings messages) {
  /// The LINE channel.
  public record Line(
      @Setting(
              name = "line.api_url",
              fallback = "https://api.line.me",
              schemes = {"http", "https"},
              doc = "The LINE Messaging API.")
          String apiUrl,
      @Setting(
              name = "line.channel_secret",
              doc = "The LINE channel's secret; during a rotation both, separated by a comma.")
          List<Secret> channelSecrets,
      @Setting(name = "line.channel_token", doc = "The LINE channel's access token.")
          Secret channelToken,
      @Setting(
              name = "line.shop_url",
              schemes = {"http", "https"},
              doc = "The shop's public address, for links in chats; empty uses this server's own.")
          String shopUrl,
      @Setting(
              name = "line.push_quota",
              fallback = "0",
              min = 0,
              max = 100_000_000,
              doc =
                  "Maximum number of pushes per month, for all nodes together; 0 leaves the "
                      + "limit to LINE.")
          int pushQuota,
      @Setting(
              name = "line.lease_seconds",
              fallback = "15",
              min = 1,
              max = 30,
              doc = "Time after which another node takes over the events of a failed one.")
          int leaseSeconds,
      LineLocks locks) {}

  /// The processing locks of the LINE channel.
  public record LineLocks(
      @Setting(
              name = "line.lock_text_seconds",
              fallback = "0",
              min = 0,
              max = 3_600,
              doc =
                  "Timeout of the processing lock for texts; 0 uses "
                      + "`processing_lock.timeout_seconds`.")
          int textSeconds,
      @Setting(
              name = "line.lock_location_seconds",
              fallback = "0",
              min = 0,
              max = 3_600,
              doc = "The same for locations.")
          int locationSeconds,
      @Setting(
              name = "line.lock_postback_seconds",
              fallback = "0",
              min = 0,
              max = 3_600,
              doc = "The same for postbacks.")
          int postbackSeconds,
      @Setting(
              name = "line.lock_renewal",
              fallback = "off",
              doc =
                  "Whether a lock is renewed while the work is in progress, for at most "
                      + "`processing_lock.limit_seconds`. Otherwise it ends after its timeout, and the "
                      + "next message of the chat is worked on.")
          boolean renewal,
      @Setting(
              name = "line.lock_exempt",
              values = "list",
              doc = "Users, groups and rooms without a processing lock, separated by commas.")
          List<String> exempt) {}

  /// The processing lock: one message per actor at a time.
  public record ProcessingLock(
      @Setting(
              name = "processing_lock.enabled",
              fallback = "on",
              aliases = "PROCESSING_LOCK_ENABLED",
              doc = "Whether the messages of one user or chat are processed one at a time.")
          boolean enabled,
      @Setting(
              name = "processing_lock.timeout_seconds",
              fallback = "5",
              min = 1,
              max = 3_600,
              aliases = "PROCESSING_LOCK_TIMEOUT_SECONDS",
              doc = "Time after which a processing lock expires, unless it is renewed.")
          int timeoutSeconds,
      @Setting(
              name = "processing_lock.limit_seconds",
              fallback = "60",
              min = 1,
              max = 3_600,
              doc = "Maximum total life of a processing lock, including renewals.")
          int limitSeconds) {}

  /// The outside order system.
  public record OrderSystem(
      @Setting(
              name = "order_system.url",
              schemes = {"http", "https"},
              doc = "The seller's order system, asked for orders that were not imported.")
          String url,
      @Setting(name = "order_system.token", doc = "The order system's access token.") Secret token,
      @Setting(
              name = "order_system.timeout_ms",
              fallback = "3000",
              min = 100,
              max = 8_000,
              doc = "Timeout of calls to the order system, in milliseconds.")
          int timeoutMs,
      @Setting(
              name = "order_system.time_zone",
              values = "time zone such as Asia/Taipei",
              doc =
                  "Time zone of the order system's times without an offset; by default"
                      + " `shop.time_zone`.")
          Optional<ZoneId> timeZone) {}

  /// Webhooks about orders.
  public record Webhooks(
      @Setting(
              name = "webhooks.url",
              schemes = {"http", "https"},
              doc = "Address for order events; empty sends none.")
          String url,
      @Setting(
              name = "webhooks.secret",
              doc =
                  "Secrets that sign order events (`whsec_...`), newest first, separated by"
                      + " commas.")
          List<Secret> secrets) {}
}
