package fairgate.room.token;

import fairgate.kernel.KeyRing;
import fairgate.platform.json.Jws;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// Signed return URLs: the address to which a visitor goes back after waiting. Only addresses that
/// this server has signed are followed, so the waiting page is no open redirect.
///
/// The form is `base64url(url) "." key id "." base64url(MAC)`, with the first 16 bytes of
/// HMAC-SHA256 over room and URL.
public record ReturnUrls(KeyRing keys) {
  public static final int MAX_LENGTH = 2_048;

  private static final String PURPOSE = "fairgate/room-return";
  private static final int MAC = 16;
  private static final int MAX_SIGNED = MAX_LENGTH * 4 / 3 + 64;

  /// The signed form.
  ///
  /// @param url absolute, of a host of the room; the caller has checked that
  public String sign(String room, String url) {
    if (url.length() > MAX_LENGTH) {
      throw new IllegalArgumentException("the return URL is too long");
    }
    String keyId = keys.current();
    return Jws.encoded(url) + '.' + keyId + '.' + Jws.encoded(mac(keyId, room, url));
  }

  /// The URL; empty when it was not signed for this room.
  public Optional<String> open(String room, String signed) {
    String[] parts = signed.length() > MAX_SIGNED ? new String[0] : signed.split("\\.", -1);
    if (parts.length != 3 || !keys.knows(parts[1])) {
      return Optional.empty();
    }
    return Jws.decoded(parts[0])
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
        .filter(
            url ->
                Jws.decoded(parts[2])
                    .filter(
                        given ->
                            java.security.MessageDigest.isEqual(mac(parts[1], room, url), given))
                    .isPresent());
  }

  /// The address at which a turn is exchanged: on the host of the target, where the cookie belongs.
  public String passUrl(String room, String target, String turn) {
    URI uri = URI.create(target);
    String page = uri.getScheme() + "://" + uri.getRawAuthority() + "/q/" + room + "/pass";
    return page + "?turn=" + turn + "&to=" + sign(room, target);
  }

  private byte[] mac(String keyId, String room, String url) {
    return Arrays.copyOf(keys.sign(keyId, PURPOSE, room + '\n' + url), MAC);
  }
}
