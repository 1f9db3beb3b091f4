package fairgate.kernel;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import javax.crypto.Mac;

/// The server's secrets by key id, and the keys derived from them for each purpose.
///
/// A derived key is `HMAC-SHA256(master, purpose)`, so a signature for one purpose is invalid for
/// all others. New signatures use the current key id; older ids remain valid until they are
/// removed.
public final class KeyRing {
  private final String current;
  private final String first;
  private final Map<String, byte[]> masters;
  private final Map<String, Mac> derived = new ConcurrentHashMap<>();

  /// @param current the key id for signing; a member of `masters`
  /// @param masters secrets of at least 32 bytes by key id
  public KeyRing(String current, Map<String, byte[]> masters) {
    if (!masters.containsKey(current)) {
      throw new IllegalArgumentException("the current key id has no secret");
    }
    masters.forEach(
        (id, secret) -> {
          if (secret.length < 32) {
            throw new IllegalArgumentException("the secret of key " + id + " is under 32 bytes");
          }
        });
    this.current = current;
    this.first = Collections.min(masters.keySet());
    this.masters = Map.copyOf(masters);
  }

  /// The key id of new signatures.
  public String current() {
    return current;
  }

  /// All key ids, the current one first, the others in order.
  public List<String> ids() {
    return Stream.concat(
            Stream.of(current),
            masters.keySet().stream().filter(id -> !id.equals(current)).sorted())
        .toList();
  }

  /// Whether signatures with this key id can be verified.
  public boolean knows(String keyId) {
    return masters.containsKey(keyId);
  }

  /// HMAC-SHA256 of the message with the current key for the purpose; 32 bytes.
  public byte[] sign(String purpose, String message) {
    return sign(current, purpose, message);
  }

  /// HMAC-SHA256 of the message with a given key for the purpose; 32 bytes.
  public byte[] sign(String keyId, String purpose, String message) {
    try {
      // Creating and keying a Mac costs more than hashing a short message.
      Mac mac = (Mac) prepared(keyId, purpose).clone();
      return mac.doFinal(message.getBytes(StandardCharsets.UTF_8));
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("HMAC-SHA256 of this Java cannot be copied", e);
    }
  }

  /// A keyed hash as 22 characters of base64url (132 bits), for names that must not reveal their
  /// value. Uses the first key id in sort order, so that rotating keys does not change it.
  public String fingerprint(String purpose, String message) {
    byte[] hash = sign(first, purpose, message);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(hash).substring(0, 22);
  }

  /// Whether the signature is valid, compared in constant time. False for unknown key ids.
  public boolean verify(String keyId, String purpose, String message, byte[] signature) {
    return knows(keyId) && MessageDigest.isEqual(sign(keyId, purpose, message), signature);
  }

  /// A keyed prototype; only copies of it are used.
  private Mac prepared(String keyId, String purpose) {
    return derived.computeIfAbsent(
        keyId + '/' + purpose, _ -> Hashes.hmac(derived(keyId, purpose)));
  }

  /// The derived key itself, 32 bytes, for a verifier outside this server.
  public byte[] derived(String keyId, String purpose) {
    byte[] master = masters.get(keyId);
    if (master == null) {
      throw new IllegalArgumentException("no key " + keyId);
    }
    return Hashes.hmac(master).doFinal(purpose.getBytes(StandardCharsets.UTF_8));
  }
}
