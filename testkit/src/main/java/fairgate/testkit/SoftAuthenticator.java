package fairgate.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;

/// A WebAuthn authenticator with one ES256 passkey. It answers challenges as a browser sends the
/// answers, without attestation, and the test chooses its counter.
public final class SoftAuthenticator {
  private static final int PRESENT_AND_VERIFIED = 0x05;
  private static final int HAS_CREDENTIAL = 0x40;
  private static final int COORDINATE = 32;

  private final KeyPair keys;
  private final byte[] id = new byte[32];

  public SoftAuthenticator() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      keys = generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
    new SecureRandom().nextBytes(id);
  }

  /// The id of the passkey, base64url.
  public String id() {
    return encode(id);
  }

  /// The answer to a challenge for a new passkey.
  public String register(String challenge, String origin, String rpId) {
    ByteBuffer data = ByteBuffer.allocate(37 + 16 + 2 + id.length + 77);
    data.put(head(rpId, PRESENT_AND_VERIFIED | HAS_CREDENTIAL, 0));
    data.put(new byte[16]).putShort((short) id.length).put(id).put(publicKey());
    ByteArrayOutputStream attestation = new ByteArrayOutputStream();
    // {"fmt": "none", "attStmt": {}, "authData": bytes}
    attestation.write(0xa3);
    write(attestation, text("fmt"), text("none"), text("attStmt"), new byte[] {(byte) 0xa0});
    write(attestation, text("authData"), bytes(data.array()));
    return credential(
        "\"clientDataJSON\":\"%s\",\"attestationObject\":\"%s\",\"transports\":[\"internal\"]"
            .formatted(
                encode(client("webauthn.create", challenge, origin)),
                encode(attestation.toByteArray())));
  }

  /// The answer to a challenge for signing in.
  ///
  /// @param user the user handle
  public String signIn(String challenge, String origin, String rpId, String user, int counter) {
    byte[] client = client("webauthn.get", challenge, origin);
    byte[] data = head(rpId, PRESENT_AND_VERIFIED, counter);
    try {
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(keys.getPrivate());
      signature.update(data);
      signature.update(sha256(client));
      return credential(
          "\"clientDataJSON\":\"%s\",\"authenticatorData\":\"%s\",\"signature\":\"%s\",\"userHandle\":\"%s\""
              .formatted(
                  encode(client),
                  encode(data),
                  encode(signature.sign()),
                  encode(user.getBytes(UTF_8))));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private String credential(String response) {
    return "{\"id\":\"%1$s\",\"rawId\":\"%1$s\",\"type\":\"public-key\",\"clientExtensionResults\":{},\"response\":{%2$s}}"
        .formatted(id(), response);
  }

  private static byte[] client(String type, String challenge, String origin) {
    return "{\"type\":\"%s\",\"challenge\":\"%s\",\"origin\":\"%s\",\"crossOrigin\":false}"
        .formatted(type, challenge, origin)
        .getBytes(UTF_8);
  }

  private static byte[] head(String rpId, int flags, int counter) {
    return ByteBuffer.allocate(37)
        .put(sha256(rpId.getBytes(UTF_8)))
        .put((byte) flags)
        .putInt(counter)
        .array();
  }

  /// The COSE key: `{1: 2, 3: -7, -1: 1, -2: x, -3: y}`.
  private byte[] publicKey() {
    ECPublicKey key = (ECPublicKey) keys.getPublic();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    write(out, new byte[] {(byte) 0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21});
    write(out, bytes(coordinate(key.getW().getAffineX())), new byte[] {0x22});
    write(out, bytes(coordinate(key.getW().getAffineY())));
    return out.toByteArray();
  }

  private static byte[] coordinate(BigInteger number) {
    byte[] bytes = number.toByteArray();
    byte[] fixed = new byte[COORDINATE];
    int length = Math.min(bytes.length, COORDINATE);
    System.arraycopy(bytes, bytes.length - length, fixed, COORDINATE - length, length);
    return fixed;
  }

  private static byte[] text(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    return ByteBuffer.allocate(bytes.length + 1)
        .put((byte) (0x60 + bytes.length))
        .put(bytes)
        .array();
  }

  private static byte[] bytes(byte[] bytes) {
    return ByteBuffer.allocate(bytes.length + 2)
        .put((byte) 0x58)
        .put((byte) bytes.length)
        .put(bytes)
        .array();
  }

  private static void write(ByteArrayOutputStream out, byte[]... parts) {
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
