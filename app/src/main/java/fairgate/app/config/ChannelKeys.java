package fairgate.app.config;

import static fairgate.app.config.ConfigKeys.WEB;
import static fairgate.app.config.ConfigKeys.key;

import fairgate.app.config.ConfigKind.Flag;
import fairgate.app.config.ConfigKind.IntRange;
import fairgate.app.config.ConfigKind.SecretText;
import fairgate.app.config.ConfigKind.Text;
import java.util.List;

/// The settings of the LINE channel and its dependencies.
final class ChannelKeys {
  static final List<ConfigKey> ALL =
      List.of(
          key(
              "processing_lock.enabled",
              new Flag(),
              "on",
              "Whether the messages of one user or chat are processed one at a time.",
              "PROCESSING_LOCK_ENABLED"),
          key(
              "processing_lock.timeout_seconds",
              new IntRange(1, 3_600),
              "5",
              "Time after which a processing lock expires, unless it is renewed.",
              "PROCESSING_LOCK_TIMEOUT_SECONDS"),
          key(
              "processing_lock.limit_seconds",
              new IntRange(1, 3_600),
              "60",
              "Maximum total life of a processing lock, including renewals."),
          key("line.api_url", WEB, "https://api.line.me", "The LINE Messaging API."),
          key(
              "line.channel_secret",
              new SecretText(),
              "",
              "The LINE channel's secret; during a rotation both, separated by a comma."),
          key("line.channel_token", new SecretText(), "", "The LINE channel's access token."),
          key(
              "line.shop_url",
              WEB,
              "",
              "The shop's public address, for links in chats; empty uses this server's own."),
          key(
              "line.push_quota",
              new IntRange(0, 100_000_000),
              "0",
              "Maximum number of pushes per month, for all nodes together; 0 leaves the limit "
                  + "to LINE."),
          key(
              "line.lease_seconds",
              new IntRange(1, 30),
              "15",
              "Time after which another node takes over the events of a failed one."),
          key(
              "line.lock_text_seconds",
              new IntRange(0, 3_600),
              "0",
              "Timeout of the processing lock for texts; 0 uses "
                  + "`processing_lock.timeout_seconds`."),
          key("line.lock_location_seconds", new IntRange(0, 3_600), "0", "The same for locations."),
          key("line.lock_postback_seconds", new IntRange(0, 3_600), "0", "The same for postbacks."),
          key(
              "line.lock_exempt",
              new Text("list"),
              "",
              "Users, groups and rooms without a processing lock, separated by commas."),
          key(
              "weather.url",
              WEB,
              "",
              "An Open-Meteo server for the LINE channel; empty disables weather replies."));

  private ChannelKeys() {}
}
