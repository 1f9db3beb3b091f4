package fairgate.draw;

import fairgate.draw.leaf.EntryLeaf;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import fairgate.kernel.KeyRing;
import fairgate.kernel.SessionId;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The names and keys of the logs of this installation, and the secrets of entries. All of them are
/// derived from the oldest master secret, so rotating the master secrets changes none.
public final class DrawKeys {
  private final KeyRing ring;
  private final String name;
  private final Map<String, SignerKey> signers = new ConcurrentHashMap<>();

  /// @param name of the installation, such as `shop.example/fairgate`
  public DrawKeys(KeyRing ring, String name) {
    this.ring = ring;
    this.name = name;
  }

  public String houseOrigin() {
    return name + "/log";
  }

  public String entriesOrigin(String draw) {
    return name + "/draws/" + draw;
  }

  /// The key of the log with this origin. All logs have one key pair under different names.
  public SignerKey signer(String origin) {
    return signers.computeIfAbsent(
        origin, it -> new SignerKey(it, VerifierKey.Type.LOG, secret("draw-log", "1").bytes()));
  }

  /// The tag of an entry, equal for two entries of one person in a draw.
  ///
  /// @param person as whom the sale counts the entrant
  public EntryLeaf.Uniq uniq(String draw, String person) {
    byte[] hash = secret("draw-uniq", draw + '|' + person).bytes();
    return EntryLeaf.Uniq.of(Arrays.copyOf(hash, EntryLeaf.Uniq.LENGTH));
  }

  /// The salt of an entry's commitment to its person. The entrant gets it with the receipt.
  public byte[] salt(SessionId session) {
    return secret("draw-salt", session.value()).bytes();
  }

  /// The promise that a leaf gets into the entries tree: a signed note.
  ///
  /// @param by seconds since 1970
  public String promise(String draw, Hash leaf, long by) {
    String text =
        "fairgate-promise/1\ndraw " + draw + "\nleaf " + leaf.base64() + "\nby " + by + "\n";
    return text + "\n" + signer(entriesOrigin(draw)).sign(text);
  }

  private Hash secret(String purpose, String message) {
    return Hash.ofParts(StrictText.bytes(ring.fingerprint(purpose, message)));
  }
}
