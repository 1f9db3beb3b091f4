package fairgate.line;

import fairgate.line.talk.Chat;
import fairgate.line.talk.Incoming;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/// The channel's settings.
///
/// @param secrets of the channel, each of which verifies; none: every webhook is refused
/// @param token the channel's access token
/// @param shopUrl the shop's address as buyers see it, for links in chats
/// @param weatherUrl an Open-Meteo; empty: no weather
/// @param pushQuota pushes a month; 0 = no limit of our own
/// @param lease after which another node takes an event over whose node died
public record LineConfig(
    List<String> secrets,
    String token,
    String apiUrl,
    String shopUrl,
    String weatherUrl,
    long pushQuota,
    Duration lease,
    Locks locks) {
  public LineConfig {
    secrets = List.copyOf(secrets);
    shopUrl = shopUrl.endsWith("/") ? shopUrl.substring(0, shopUrl.length() - 1) : shopUrl;
  }

  /// Never tells a secret.
  @Override
  public String toString() {
    return "LineConfig[" + apiUrl + "]";
  }

  /// Whether there is a channel at all.
  public boolean isOn() {
    return !secrets.isEmpty();
  }

  /// How the processing lock is used.
  ///
  /// @param text how long a lock for a text lives; likewise `spot` for locations and `post` for
  ///   postbacks. It is renewed while the work lives
  /// @param exempt users, groups and rooms that are never held back
  public record Locks(
      boolean enabled, Duration text, Duration spot, Duration post, Set<String> exempt) {
    public Locks {
      exempt = Set.copyOf(exempt);
    }

    Duration life(Incoming incoming) {
      return switch (incoming) {
        case Incoming.Spot _ -> spot;
        case Incoming.Post _ -> post;
        case Incoming.Text _,
            Incoming.Followed _,
            Incoming.Unfollowed _,
            Incoming.Invited _,
            Incoming.Turn _ ->
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
