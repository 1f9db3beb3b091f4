package fairgate.room.token;

import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.json.JsonText;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What a room token says. Times are seconds since 1970.
///
/// @param room the `aud`
/// @param epoch the `ep`; the room's epoch must be the same
/// @param ticket the `t`, from 0
/// @param binding the `cnf`; null for a pass, which is a cookie
/// @param id the `jti`
/// @param since the `auth_time`: when the visitor entered, for a pass; else when it was issued
public record RoomClaims(
    String room,
    long epoch,
    long ticket,
    @Nullable KeyBinding binding,
    String id,
    long issuedAt,
    long expiresAt,
    long since) {

  /// A copy that is issued now and ends later, for a pass in use. It keeps `id` and `since`.
  public RoomClaims renewed(long now, long until) {
    return new RoomClaims(room, epoch, ticket, binding, id, now, until, since);
  }

  RoomClaims withId(String other) {
    return new RoomClaims(room, epoch, ticket, binding, other, issuedAt, expiresAt, since);
  }

  /// The claims as JSON, members in order of their names.
  String json(String issuer) {
    JsonText json = JsonText.object().put("aud", room);
    if (since != issuedAt) {
      json.put("auth_time", since);
    }
    if (binding != null) {
      json.put("cnf", JsonText.object().put(binding.kind().member(), binding.value()));
    }
    return json.put("ep", epoch)
        .put("exp", expiresAt)
        .put("iat", issuedAt)
        .put("iss", issuer)
        .put("jti", id)
        .put("t", ticket)
        .toString();
  }

  /// Reads claims; empty when one is missing or has another type.
  static Optional<RoomClaims> parse(byte[] json, String issuer) {
    try {
      JsonObject all = Json.parseObject(json);
      if (issuer.equals(all.get("iss"))
          && all.get("aud") instanceof String room
          && all.get("ep") instanceof Long epoch
          && all.get("exp") instanceof Long expiresAt
          && all.get("iat") instanceof Long issuedAt
          && all.get("jti") instanceof String id
          && all.get("t") instanceof Long ticket
          && ticket >= 0) {
        long since = all.get("auth_time") instanceof Long time ? time : issuedAt;
        return Optional.of(
            new RoomClaims(
                room, epoch, ticket, binding(all.get("cnf")), id, issuedAt, expiresAt, since));
      }
      return Optional.empty();
    } catch (JsonSyntaxException | IllegalArgumentException notClaims) {
      return Optional.empty();
    }
  }

  private static @Nullable KeyBinding binding(@Nullable Object cnf) {
    if (cnf instanceof JsonObject members) {
      for (KeyBinding.Kind kind : KeyBinding.Kind.values()) {
        if (members.get(kind.member()) instanceof String value) {
          return new KeyBinding(kind, value);
        }
      }
    }
    return null;
  }
}
