package fairgate.room.token;

import fairgate.kernel.KeyRing;
import fairgate.platform.json.JsonText;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.jce.ECNamedCurveTable;
import org.bouncycastle.jce.spec.ECNamedCurveParameterSpec;

/// The keys of the rooms, all derived from the server's master secret: nothing is stored, and all
/// nodes have the same. A new master key makes new keys; tokens of the old ones stay valid while
/// the master secret lists it.
///
/// Key ids are `{room}.{type}.{master key id}`, and `{room}.{epoch}` for HS256.
public final class RoomKeys {
  private static final String PURPOSE = "fairgate/room/";
  private static final ECNamedCurveParameterSpec CURVE =
      ECNamedCurveTable.getParameterSpec("secp256r1");
  private static final java.security.spec.ECParameterSpec P256 = p256();
  private static final int COORDINATE = 32;

  /// What stands before the 32 bytes of an Ed25519 key in X.509.
  private static final byte[] ED25519_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

  private final KeyRing master;
  private final ConcurrentMap<String, EcKey> signing = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, EdKey> heads = new ConcurrentHashMap<>();

  public RoomKeys(KeyRing master) {
    this.master = master;
  }

  /// A P-256 key pair.
  ///
  /// @param x coordinate of the public point, base64url
  /// @param y likewise
  record EcKey(String id, PrivateKey secret, PublicKey open, String x, String y) {}

  /// An Ed25519 key pair.
  ///
  /// @param x the public key, base64url
  record EdKey(String id, PrivateKey secret, PublicKey open, String x) {}

  /// The key that signs tokens of the type now.
  EcKey current(String room, TokenType type) {
    return key(room, type, master.current());
  }

  /// The key with this id; empty when the id belongs to another room or type, or to no master key.
  Optional<EcKey> find(String room, TokenType type, String id) {
    String prefix = room + '.' + type.word() + '.';
    return id.startsWith(prefix) && master.knows(id.substring(prefix.length()))
        ? Optional.of(key(room, type, id.substring(prefix.length())))
        : Optional.empty();
  }

  /// The key that signs heads now.
  EdKey head(String room) {
    return headKey(room, master.current());
  }

  /// The id of an edge's HS256 key.
  static String edgeId(String room, long epoch) {
    return room + '.' + epoch;
  }

  /// The HS256 key for an edge, to be configured there: 32 bytes. It verifies and signs tokens of
  /// this room, type and epoch only.
  public byte[] edgeKey(String room, TokenType type, long epoch) {
    return master.derived(master.current(), edgePurpose(room, type, epoch));
  }

  /// HMAC-SHA256 with the edge's key.
  byte[] edgeSign(String room, TokenType type, long epoch, String input) {
    return master.sign(edgePurpose(room, type, epoch), input);
  }

  /// Whether one of the master keys made this signature.
  boolean edgeVerify(String room, TokenType type, long epoch, String input, byte[] signature) {
    boolean valid = false;
    for (String id : master.ids()) {
      valid |= master.verify(id, edgePurpose(room, type, epoch), input, signature);
    }
    return valid;
  }

  private static String edgePurpose(String room, TokenType type, long epoch) {
    String purpose = "fairgate/edge/" + room + '/' + epoch;
    return type == TokenType.TURN ? purpose : purpose + '/' + type.word();
  }

  /// The public keys of a room as a JWK set (RFC 7517): those of its tokens and of its heads.
  public byte[] jwks(String room) {
    JsonText keys = JsonText.array();
    for (String id : master.ids()) {
      for (TokenType type : TokenType.values()) {
        EcKey key = key(room, type, id);
        keys.add(
            JsonText.object()
                .put("kty", "EC")
                .put("crv", "P-256")
                .put("x", key.x())
                .put("y", key.y())
                .put("kid", key.id())
                .put("use", "sig")
                .put("alg", "ES256")
                .put("typ", type.header()));
      }
      EdKey head = headKey(room, id);
      keys.add(
          JsonText.object()
              .put("kty", "OKP")
              .put("crv", "Ed25519")
              .put("x", head.x())
              .put("kid", head.id())
              .put("use", "sig")
              .put("alg", "EdDSA")
              .put("typ", "fg-head+json"));
    }
    return JsonText.object().put("keys", keys).bytes();
  }

  private EcKey key(String room, TokenType type, String masterId) {
    String id = room + '.' + type.word() + '.' + masterId;
    return signing.computeIfAbsent(id, name -> ecKey(name, masterId, room + '/' + type.word()));
  }

  private EdKey headKey(String room, String masterId) {
    return heads.computeIfAbsent(
        room + ".head." + masterId, name -> edKey(name, masterId, room + "/head"));
  }

  private EcKey ecKey(String id, String masterId, String name) {
    // 64 bits more than the order of the curve: FIPS 186-5, A.2.1.
    byte[] wide = new byte[40];
    System.arraycopy(master.sign(masterId, PURPOSE + name, "1"), 0, wide, 0, COORDINATE);
    System.arraycopy(master.sign(masterId, PURPOSE + name, "2"), 0, wide, COORDINATE, 8);
    BigInteger limit = CURVE.getN().subtract(BigInteger.ONE);
    BigInteger scalar = new BigInteger(1, wide).mod(limit).add(BigInteger.ONE);
    var point = CURVE.getG().multiply(scalar).normalize();
    BigInteger x = point.getAffineXCoord().toBigInteger();
    BigInteger y = point.getAffineYCoord().toBigInteger();
    try {
      KeyFactory factory = KeyFactory.getInstance("EC");
      return new EcKey(
          id,
          factory.generatePrivate(new ECPrivateKeySpec(scalar, P256)),
          factory.generatePublic(new ECPublicKeySpec(new ECPoint(x, y), P256)),
          coordinate(x),
          coordinate(y));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("P-256 is missing from this Java", e);
    }
  }

  private EdKey edKey(String id, String masterId, String name) {
    byte[] seed = master.sign(masterId, PURPOSE + name, "1");
    byte[] open = new Ed25519PrivateKeyParameters(seed, 0).generatePublicKey().getEncoded();
    byte[] encoded = Arrays.copyOf(ED25519_PREFIX, ED25519_PREFIX.length + open.length);
    System.arraycopy(open, 0, encoded, ED25519_PREFIX.length, open.length);
    try {
      KeyFactory factory = KeyFactory.getInstance(Jws.ED25519);
      return new EdKey(
          id,
          factory.generatePrivate(new EdECPrivateKeySpec(NamedParameterSpec.ED25519, seed)),
          factory.generatePublic(new X509EncodedKeySpec(encoded)),
          Jws.encoded(open));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Ed25519 is missing from this Java", e);
    }
  }

  /// The curve in the form of the JDK.
  static java.security.spec.ECParameterSpec p256() {
    try {
      var parameters = java.security.AlgorithmParameters.getInstance("EC");
      parameters.init(new java.security.spec.ECGenParameterSpec("secp256r1"));
      return parameters.getParameterSpec(java.security.spec.ECParameterSpec.class);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("P-256 is missing from this Java", e);
    }
  }

  private static String coordinate(BigInteger value) {
    byte[] bytes = value.toByteArray();
    byte[] fixed = new byte[COORDINATE];
    int skip = Math.max(0, bytes.length - COORDINATE);
    int length = bytes.length - skip;
    System.arraycopy(bytes, skip, fixed, COORDINATE - length, length);
    return Jws.encoded(fixed);
  }
}
