package fairgate.app.config;

import static fairgate.app.config.ConfigKeys.WEB;
import static fairgate.app.config.ConfigKeys.key;

import fairgate.app.config.ConfigKind.Hidden;
import fairgate.app.config.ConfigKind.Switch;
import fairgate.app.config.ConfigKind.Text;
import fairgate.app.config.ConfigKind.Whole;
import java.util.List;

/// The settings of the LINE channel and of what it stands on.
final class ChannelKeys {
  static final List<ConfigKey> ALL =
      List.of(
          key(
              "processing_lock.enabled",
              new Switch(),
              "on",
              "Whether an actor's messages are handled one at a time.",
              "PROCESSING_LOCK_ENABLED"),
          key(
              "processing_lock.timeout_seconds",
              new Whole(1, 3_600),
              "5",
              "After how long a processing lock ends by itself.",
              "PROCESSING_LOCK_TIMEOUT_SECONDS"),
          key(
              "processing_lock.limit_seconds",
              new Whole(1, 3_600),
              "60",
              "After how long a processing lock is renewed no more, however long its work takes."),
          key("line.api_url", WEB, "https://api.line.me", "The LINE Messaging API."),
          key(
              "line.channel_secret",
              new Hidden(),
              "",
              "The LINE channel's secret; while it is replaced both, separated by a comma."),
          key("line.channel_token", new Hidden(), "", "The LINE channel's access token."),
          key(
              "line.shop_url",
              WEB,
              "",
              "The shop's address as buyers see it, for links in chats; none: this server's own."),
          key(
              "line.push_quota",
              new Whole(0, 100_000_000),
              "0",
              "Pushes a month, all nodes together; 0 leaves the limit to LINE."),
          key(
              "line.lease_seconds",
              new Whole(1, 30),
              "15",
              "After how long another node takes over what a dead one was working on."),
          key(
              "line.lock_text_seconds",
              new Whole(0, 3_600),
              "0",
              "The processing lock's time-out for texts; 0 takes processing_lock.timeout_seconds."),
          key("line.lock_location_seconds", new Whole(0, 3_600), "0", "The same for locations."),
          key("line.lock_postback_seconds", new Whole(0, 3_600), "0", "The same for postbacks."),
          key(
              "line.lock_exempt",
              new Text("list"),
              "",
              "Users, groups and rooms that are never held back, separated by commas."),
          key("weather.url", WEB, "", "An Open-Meteo for the LINE channel; none: no weather."));

  private ChannelKeys() {}
}
