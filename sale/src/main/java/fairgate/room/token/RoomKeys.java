package fairgate.room.token;

import fairgate.kernel.KeyRing;
import fairgate.platform.json.EcKey;
import fairgate.platform.json.JsonText;
import fairgate.platform.json.Jws;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;

/// The keys of the rooms, all derived from the server's master secret: nothing is stored, and all
/// nodes have the same. A new master key makes new keys; tokens of the old ones stay valid while
/// the master secret lists it.
///
/// Key ids are `{room}.{type}.{master key id}`, and `{room}.{epoch}` for HS256.
public final class RoomKeys {
  private static final String PURPOSE = "fairgate/room/";

  /// What stands before the 32 bytes of an Ed25519 key in X.509.
  private static final byte[] ED25519_PREFIX = HexFormat.of().parseHex("302a300506032b6570032100");

  private final KeyRing master;
  private final ConcurrentMap<String, EcKey> signing = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, EdKey> heads = new ConcurrentHashMap<>();

  public RoomKeys(KeyRing master) {
    this.master = master;
  }

  /// An Ed25519 key pair.
  ///
  /// @param x the public key, base64url
  record EdKey(String id, PrivateKey secret, PublicKey open, String x) {}

  EcKey current(String room, RoomTokens.Type type) {
    return key(room, type, master.current());
  }

  /// The key with this id; empty when the id belongs to another room or type, or to no master key.
  Optional<EcKey> find(String room, RoomTokens.Type type, String id) {
    String prefix = room + '.' + type.word() + '.';
    return id.startsWith(prefix) && master.knows(id.substring(prefix.length()))
        ? Optional.of(key(room, type, id.substring(prefix.length())))
        : Optional.empty();
  }

  EdKey head(String room) {
    return headKey(room, master.current());
  }

  /// The id of an edge's HS256 key.
  static String edgeId(String room, long epoch) {
    return room + '.' + epoch;
  }

  /// The HS256 key for an edge, to be configured there: 32 bytes. It verifies and signs tokens of
  /// this room, type and epoch only.
  public byte[] edgeKey(String room, RoomTokens.Type type, long epoch) {
    return master.derived(master.current(), edgePurpose(room, type, epoch));
  }

  /// HMAC-SHA256 with the edge's key.
  byte[] edgeSign(String room, RoomTokens.Type type, long epoch, String input) {
    return master.sign(edgePurpose(room, type, epoch), input);
  }

  /// Whether one of the master keys made this signature.
  boolean edgeVerify(
      String room, RoomTokens.Type type, long epoch, String input, byte[] signature) {
    boolean valid = false;
    for (String id : master.ids()) {
      valid |= master.verify(id, edgePurpose(room, type, epoch), input, signature);
    }
    return valid;
  }

  private static String edgePurpose(String room, RoomTokens.Type type, long epoch) {
    String purpose = "fairgate/edge/" + room + '/' + epoch;
    return type == RoomTokens.Type.TURN ? purpose : purpose + '/' + type.word();
  }

  /// The keyed hash in the `jti` of a place token or a turn, 22 characters.
  String idTag(RoomTokens.Type type, RoomClaims claims, String nonce) {
    String message =
        "%s|%d|%d|%d|%s"
            .formatted(claims.room(), claims.epoch(), claims.ticket(), claims.expiresAt(), nonce);
    return master.fingerprint("room-id/" + type.word(), message);
  }

  /// The public keys of a room as a JWK set (RFC 7517): those of its tokens and of its heads.
  public byte[] jwks(String room) {
    JsonText keys = JsonText.array();
    for (String id : master.ids()) {
      for (RoomTokens.Type type : RoomTokens.Type.values()) {
        EcKey key = key(room, type, id);
        keys.add(key.jwk(type.header()));
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

  private EcKey key(String room, RoomTokens.Type type, String masterId) {
    String id = room + '.' + type.word() + '.' + masterId;
    return signing.computeIfAbsent(
        id, name -> EcKey.derived(master, masterId, PURPOSE + room + '/' + type.word(), name));
  }

  private EdKey headKey(String room, String masterId) {
    return heads.computeIfAbsent(
        room + ".head." + masterId, name -> edKey(name, masterId, room + "/head"));
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
}
