package fairgate.app.config;

import fairgate.platform.feature.Secret;
import fairgate.platform.feature.Setting;
import java.util.List;

/// Channels and outside services.
public record ChannelSettings(
    ProcessingLock processingLock,
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
