package fairgate.line;

import fairgate.line.talk.Chat;
import fairgate.line.talk.Incoming;
import fairgate.platform.text.Language;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/// Settings of the LINE channel.
///
/// @param secrets channel secrets, each of which verifies; when empty, every webhook is refused
/// @param token the channel's access token
/// @param shopUrl public URL of the shop, for links in chats
/// @param weatherUrl base URL of an Open-Meteo service; empty disables weather
/// @param pushQuota pushes per month; 0 means no limit by Fairgate
/// @param defaultLanguage the language of groups, and of users whose language is unknown
/// @param lease time after which another node takes over an event of a dead node
public record LineConfig(
    List<String> secrets,
    String token,
    String apiUrl,
    String shopUrl,
    String weatherUrl,
    long pushQuota,
    Duration lease,
    Locks locks,
    Language defaultLanguage) {
  public LineConfig {
    secrets = List.copyOf(secrets);
    shopUrl = shopUrl.endsWith("/") ? shopUrl.substring(0, shopUrl.length() - 1) : shopUrl;
  }

  /// Contains no secret.
  @Override
  public String toString() {
    return "LineConfig[" + apiUrl + "]";
  }

  /// Whether the channel is configured.
  public boolean isOn() {
    return !secrets.isEmpty();
  }

  /// Settings of the processing lock.
  ///
  /// @param isRenewed whether locks are renewed while the work is in progress; otherwise they end
  ///   after their lifetime
  /// @param text lifetime of a lock for a text, as are `location` and `postback` for the other
  ///   kinds
  /// @param exempt users, groups and rooms without a lock
  public record Locks(
      boolean enabled,
      boolean isRenewed,
      Duration text,
      Duration location,
      Duration postback,
      Set<String> exempt) {
    public Locks {
      exempt = Set.copyOf(exempt);
    }

    Duration life(Incoming incoming) {
      return switch (incoming) {
        case Incoming.Location _ -> location;
        case Incoming.Postback _ -> postback;
        case Incoming.Text _,
            Incoming.Followed _,
            Incoming.Unfollowed _,
            Incoming.Invited _,
            Incoming.Turn _,
            Incoming.Notice _ ->
            text;
      };
    }

    boolean isExempt(Chat chat) {
      return Stream.of(chat.userId(), chat.groupId(), chat.roomId())
          .filter(Objects::nonNull)
          .anyMatch(exempt::contains);
    }
  }
}
