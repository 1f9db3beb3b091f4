package fairgate.room;

import fairgate.kernel.ProductId;
import fairgate.kernel.Word;
import fairgate.platform.text.Language;
import fairgate.room.token.RoomTokens;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A waiting room: which requests it protects, and how fast it lets visitors in.
///
/// Created by `RoomJson`, which checks all bounds. A value created directly is not checked.
///
/// @param id a slug, see [#isId]
/// @param sale the sale of the own shop that can be joined with a pass of this room only; null for
///   none
/// @param algorithm of the room's tokens
/// @param version changes with every change of the room
public record Room(
    String id,
    RoomRules rules,
    @Nullable ProductId sale,
    Mode mode,
    Admission admission,
    Opening opening,
    Failure failure,
    Look look,
    boolean challenge,
    PlaceLimits limits,
    RoomTokens.Algorithm algorithm,
    long epoch,
    long version) {
  /// The longest time a visitor can stay inside without waiting again.
  public static final Duration ABSOLUTE_SESSION = Duration.ofMinutes(60);

  private static final int LONGEST_ID = 40;
  private static final BigInteger EIGHTEEN_DIGITS = BigInteger.TEN.pow(18);

  public enum Mode implements Word {
    /// Everybody passes.
    OFF,
    /// Everybody passes until arrivals exceed the rate.
    STANDBY,
    ON
  }

  public enum PreQueue implements Word {
    ARRIVAL,
    /// Drawn by the server.
    SHUFFLE,
    /// Drawn by public randomness, so that everybody can check it.
    DRAW
  }

  /// The speed of admission.
  ///
  /// @param capacity visitors inside at the same time
  /// @param rate admissions per second
  /// @param sessionMinutes how long a visitor stays inside without a request
  /// @param paused whether nobody is admitted for now
  public record Admission(int capacity, double rate, int sessionMinutes, boolean paused) {}

  /// The times of the room.
  ///
  /// @param opensAt null when it is open
  /// @param closesAt when the room ends; null for never
  public record Opening(@Nullable Instant opensAt, @Nullable Instant closesAt, PreQueue preQueue) {}

  /// The behaviour while Redis is away.
  ///
  /// @param openMinutes how long visitors without a pass are let through; 0 = never
  public record Failure(int openMinutes) {}

  /// The live places, of waiting visitors and of those inside, that one network can have.
  ///
  /// @param perAddress of one IPv4 address or one /64 of IPv6; null = unlimited
  /// @param perNetwork of one /24 of IPv4 or /56 of IPv6; a /48 may have a quarter more; null =
  ///   unlimited
  public record PlaceLimits(@Nullable Integer perAddress, @Nullable Integer perNetwork) {
    /// The limits of a sale that counts browsers.
    static final PlaceLimits DEFAULT = new PlaceLimits(5, 20);

    /// The live places of one /48 of IPv6; null = unlimited.
    @Nullable Integer perSite() {
      return perNetwork == null ? null : perNetwork + perNetwork / 4;
    }
  }

  /// What visitors see.
  ///
  /// @param returnUrl where visitors go who came without an address to return to
  /// @param logoUrl empty for none
  /// @param titles by language; may be empty
  /// @param messages the operator's message by language, part of the head; may be empty
  public record Look(
      String returnUrl,
      String logoUrl,
      Map<Language, String> titles,
      Map<Language, String> messages) {}

  /// Whether the text can be a room's id: 1 to 40 of a-z, 0-9 and `-`, with a letter or digit at
  /// both ends.
  public static boolean isId(String text) {
    if (text.isEmpty() || text.length() > LONGEST_ID) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
      if (!plain && (c != '-' || i == 0 || i == text.length() - 1)) {
        return false;
      }
    }
    return true;
  }

  /// The id under which the gate issues and checks challenges of this room. They are made for
  /// products, whose ids are digits; ids of rooms begin with 7 and have 19.
  public ProductId challengeId() {
    BigInteger hash = new BigInteger(1, sha256("room/" + id));
    return new ProductId("7" + String.format(Locale.ROOT, "%018d", hash.mod(EIGHTEEN_DIGITS)));
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }

  /// What a verifier of tokens needs.
  public RoomTokens.Scope scope() {
    return new RoomTokens.Scope(id, epoch, algorithm);
  }

  /// Whether a visitor can return to this URL: https or http, of one of the room's hosts.
  public boolean isReturnUrl(String url) {
    return rules.isOwn(url);
  }

  /// Whether a visitor can return to this URL though nobody has signed it: also on a port where the
  /// shop is known to be.
  public boolean isUnsignedReturnUrl(String url) {
    return isReturnUrl(url) && RoomRules.hasKnownPort(url, look.returnUrl());
  }

  /// How long a visitor stays inside without a request.
  public Duration session() {
    return Duration.ofMinutes(admission.sessionMinutes());
  }

  public enum Phase implements Word {
    /// The opening has not come; visitors can join.
    BEFORE,
    OPEN,
    PAUSED,
    ENDED,
    /// Nobody has to wait.
    OFF;

    static Phase of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }
  }
}
