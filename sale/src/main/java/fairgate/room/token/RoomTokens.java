package fairgate.room.token;

import fairgate.platform.json.EcKey;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonSyntaxException;
import fairgate.platform.json.Jws;
import fairgate.room.token.RoomTokens.TokenOutcome.Invalid;
import fairgate.room.token.RoomTokens.TokenOutcome.Reason;
import fairgate.room.token.RoomTokens.TokenOutcome.Valid;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;

/// Signs and verifies the tokens of rooms: compact JWS. Needs no store; safe for use by any thread.
public final class RoomTokens {
  public static final int MAX_LENGTH = 1_024;

  /// How far ahead the clock of the signing node may be, in seconds.
  private static final long CLOCK_SKEW = 30;

  private final RoomKeys keys;
  private final String issuer;

  /// @param issuer the `iss` of all tokens, such as `https://q.example`
  public RoomTokens(RoomKeys keys, String issuer) {
    this.keys = keys;
    this.issuer = issuer;
  }

  /// What a verifier knows of a room.
  ///
  /// @param epoch tokens of other epochs are invalid
  /// @param algorithm tokens with another algorithm are invalid
  public record Scope(String room, long epoch, Algorithm algorithm) {}

  /// A signed token. ES256 signatures differ each time.
  public String sign(Type type, Algorithm algorithm, RoomClaims claims) {
    return switch (algorithm) {
      case ES256 -> {
        EcKey key = keys.current(claims.room(), type);
        String input = input("ES256", key.id(), type, claims);
        yield input + '.' + Jws.encoded(Jws.sign(Jws.ES256, key.secret(), ascii(input)));
      }
      case HS256 -> {
        String id = RoomKeys.edgeId(claims.room(), claims.epoch());
        String input = input("HS256", id, type, claims);
        byte[] signature = keys.edgeSign(claims.room(), type, claims.epoch(), input);
        yield input + '.' + Jws.encoded(signature);
      }
    };
  }

  private String input(String algorithm, String keyId, Type type, RoomClaims claims) {
    String header =
        "{\"alg\":\""
            + algorithm
            + "\",\"kid\":\""
            + keyId
            + "\",\"typ\":\""
            + type.header()
            + "\"}";
    return Jws.encoded(header) + '.' + Jws.encoded(claims.json(issuer));
  }

  /// Checks a token. Whether a turn has been used, and whether the caller has the key behind `cnf`,
  /// is for the caller to check.
  ///
  /// @param now seconds since 1970
  public TokenOutcome verify(Type type, Scope scope, String token, long now) {
    if (token.length() > MAX_LENGTH) {
      return new Invalid(Reason.MALFORMED);
    }
    Optional<Jws.Parts> found = Jws.parts(token);
    if (found.isEmpty()) {
      return new Invalid(Reason.MALFORMED);
    }
    Jws.Parts parts = found.get();
    String keyId;
    try {
      JsonObject header = Json.parseObject(parts.header());
      if (header.size() != 3 || !(header.get("kid") instanceof String id)) {
        return new Invalid(Reason.MALFORMED);
      }
      if (!scope.algorithm().name().equals(header.get("alg"))
          || !type.header().equals(header.get("typ"))) {
        return new Invalid(Reason.WRONG_TYPE);
      }
      keyId = id;
    } catch (JsonSyntaxException notJson) {
      return new Invalid(Reason.MALFORMED);
    }
    return signed(type, scope, parts, keyId)
        .<TokenOutcome>map(Invalid::new)
        .orElseGet(() -> checked(type, scope, parts.payload(), now));
  }

  /// The reason to doubt the signature; empty when it is valid.
  private Optional<Reason> signed(Type type, Scope scope, Jws.Parts parts, String keyId) {
    return switch (scope.algorithm()) {
      case ES256 ->
          keys.find(scope.room(), type, keyId)
              .map(
                  key -> Jws.verify(Jws.ES256, key.open(), ascii(parts.input()), parts.signature()))
              .map(RoomTokens::reason)
              .orElse(Optional.of(Reason.UNKNOWN_KEY));
      case HS256 ->
          RoomKeys.edgeId(scope.room(), scope.epoch()).equals(keyId)
              ? reason(
                  keys.edgeVerify(
                      scope.room(), type, scope.epoch(), parts.input(), parts.signature()))
              : Optional.of(Reason.UNKNOWN_KEY);
    };
  }

  private static Optional<Reason> reason(boolean valid) {
    return valid ? Optional.empty() : Optional.of(Reason.BAD_SIGNATURE);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private TokenOutcome checked(Type type, Scope scope, byte[] payload, long now) {
    Optional<RoomClaims> parsed = RoomClaims.parse(payload, issuer);
    if (parsed.isEmpty() || (type != Type.PASS && parsed.get().binding() == null)) {
      return new Invalid(Reason.MALFORMED);
    }
    RoomClaims claims = parsed.get();
    if (!claims.room().equals(scope.room())) {
      return new Invalid(Reason.WRONG_ROOM);
    }
    if (claims.epoch() != scope.epoch()) {
      return new Invalid(Reason.OLD_EPOCH);
    }
    if (claims.expiresAt() <= now) {
      return new Invalid(Reason.EXPIRED);
    }
    return claims.issuedAt() > now + CLOCK_SKEW ? new Invalid(Reason.NOT_YET) : new Valid(claims);
  }

  /// The claims with a keyed hash of themselves in the `jti`, so that [#recognized] knows a token
  /// of them. The hash follows the id, which must have no dot.
  public RoomClaims tagged(Type type, RoomClaims claims) {
    return claims.withId(claims.id() + '.' + keys.idTag(type, claims, claims.id()));
  }

  /// The claims of a token that is valid now, as far as the hash in its `jti` tells: its signature
  /// is not looked at. Costs some microseconds, where a signature costs a hundred, so it is for
  /// every call of a flood. It tells the ticket by which a call is counted, and permits nothing.
  ///
  /// @param now seconds since 1970
  public Optional<RoomClaims> recognized(Type type, Scope scope, String token, long now) {
    return Optional.of(token)
        .filter(text -> text.length() <= MAX_LENGTH)
        .flatMap(Jws::parts)
        .map(parts -> checked(type, scope, parts.payload(), now))
        .flatMap(
            outcome ->
                outcome instanceof Valid(RoomClaims claims) && isTagged(type, claims)
                    ? Optional.of(claims)
                    : Optional.empty());
  }

  private boolean isTagged(Type type, RoomClaims claims) {
    int dot = claims.id().indexOf('.');
    return dot >= 0
        && MessageDigest.isEqual(
            ascii(claims.id().substring(dot + 1)),
            ascii(keys.idTag(type, claims, claims.id().substring(0, dot))));
  }

  /// The signature of a head: Ed25519 over the canonical JSON of its other members, base64url.
  public String signHead(String room, byte[] canonical) {
    return Jws.encoded(Jws.sign(Jws.ED25519, keys.head(room).secret(), canonical));
  }

  public String headKeyId(String room) {
    return keys.head(room).id();
  }

  /// Whether the head's signature was made with the room's present key.
  public boolean verifyHead(String room, byte[] canonical, String signature) {
    return Jws.decoded(signature)
        .filter(it -> Jws.verify(Jws.ED25519, keys.head(room).open(), canonical, it))
        .isPresent();
  }

  public byte[] jwks(String room) {
    return keys.jwks(room);
  }

  public sealed interface TokenOutcome {
    record Valid(RoomClaims claims) implements TokenOutcome {}

    record Invalid(Reason reason) implements TokenOutcome {}

    /// Why a token is not valid, for metrics and tests. Callers are not told.
    enum Reason {
      /// No compact JWS with exactly the expected header members, or missing claims.
      MALFORMED,
      /// Another `alg` than the room's, or another `typ`.
      WRONG_TYPE,
      /// Another room's or type's key, or none.
      UNKNOWN_KEY,
      BAD_SIGNATURE,
      WRONG_ROOM,
      /// The room has begun a new epoch since.
      OLD_EPOCH,
      EXPIRED,
      /// `iat` is ahead of the clock.
      NOT_YET
    }
  }

  /// The signature algorithm of a room's tokens. It is a property of the room, never of a token.
  public enum Algorithm {
    /// ECDSA on P-256: anybody can verify with the room's JWKS.
    ES256,
    /// HMAC-SHA256 with a key per room and epoch, for edges without public-key cryptography. A
    /// proxy that can verify tokens can also sign them.
    HS256
  }

  /// The types of room tokens. Each type of a room has a key of its own, so a token of one type
  /// fails the signature check of the others.
  public enum Type {
    /// A place in the queue: the ticket of one browser.
    PLACE("place"),
    /// The right to enter now, once.
    TURN("turn"),
    /// The right to use the protected site until it ends.
    PASS("pass");

    private final String word;

    Type(String word) {
      this.word = word;
    }

    /// The name in key ids and purposes.
    public String word() {
      return word;
    }

    /// The `typ` of the token's header.
    public String header() {
      return "fg-" + word + "+jwt";
    }
  }
}
