package fairgate.line;

import fairgate.line.talk.Chat;
import fairgate.line.talk.Incoming;
import fairgate.platform.feature.FeatureSettings;
import fairgate.platform.feature.Secret;
import fairgate.platform.feature.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// The settings of the LINE channel.
public record LineSettings(
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
    Locks locks,
    @Setting(
            name = "weather.url",
            schemes = {"http", "https"},
            doc = "An Open-Meteo server for the LINE channel; empty disables weather replies.")
        String weatherUrl)
    implements FeatureSettings {
  @Override
  public List<String> problems(boolean serve) {
    if (!serve || !isOn()) {
      return List.of();
    }
    List<String> problems = new ArrayList<>();
    if (channelToken.isEmpty()) {
      problems.add("line.channel_token: a channel with a secret needs its access token as well");
    }
    if (shopUrl.isEmpty()) {
      problems.add("line.shop_url: set it to the shop's address as buyers see it");
    }
    return problems;
  }

  boolean isOn() {
    return !channelSecrets.isEmpty();
  }

  /// Each of them verifies.
  List<String> secrets() {
    return channelSecrets.stream().map(Secret::expose).toList();
  }

  Duration lease() {
    return Duration.ofSeconds(leaseSeconds);
  }

  /// The processing locks of the LINE channel.
  public record Locks(
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
          List<String> exempt) {
    /// The life of the lock for a message.
    Duration life(Incoming incoming, Duration usual) {
      int seconds =
          switch (incoming) {
            case Incoming.Location _ -> locationSeconds;
            case Incoming.Postback _ -> postbackSeconds;
            case Incoming.Text _,
                Incoming.Followed _,
                Incoming.Unfollowed _,
                Incoming.Invited _,
                Incoming.Turn _,
                Incoming.Notice _ ->
                textSeconds;
          };
      return seconds == 0 ? usual : Duration.ofSeconds(seconds);
    }

    boolean isExempt(Chat chat) {
      return Stream.of(chat.userId(), chat.groupId(), chat.roomId())
          .filter(Objects::nonNull)
          .anyMatch(exempt::contains);
    }
  }
}
