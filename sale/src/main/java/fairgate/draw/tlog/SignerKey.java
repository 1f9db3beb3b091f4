package fairgate.draw.tlog;

import java.nio.ByteBuffer;
import java.util.Base64;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.signers.Ed25519Signer;

/// A private key that signs notes as a log, or checkpoints as a witness.
public final class SignerKey {
  private final Ed25519PrivateKeyParameters secret;
  private final VerifierKey verifier;

  /// @param seed 32 secret bytes
  public SignerKey(String name, VerifierKey.Type type, byte[] seed) {
    this.secret = new Ed25519PrivateKeyParameters(seed, 0);
    this.verifier = VerifierKey.of(name, type, secret.generatePublicKey().getEncoded());
  }

  public VerifierKey verifier() {
    return verifier;
  }

  /// The signature line of a log below a note with this text.
  public String sign(String text) {
    return line(signature(StrictText.bytes(text)));
  }

  /// The signature line of a witness below a checkpoint with this text.
  ///
  /// @param seconds time since 1970
  public String cosign(String text, long seconds) {
    byte[] signature = signature(SignedNote.cosigned(text, seconds));
    return line(
        ByteBuffer.allocate(Long.BYTES + signature.length).putLong(seconds).put(signature).array());
  }

  private byte[] signature(byte[] message) {
    Ed25519Signer signer = new Ed25519Signer();
    signer.init(true, secret);
    signer.update(message, 0, message.length);
    return signer.generateSignature();
  }

  private String line(byte[] signature) {
    byte[] id = verifier.id();
    byte[] all = ByteBuffer.allocate(id.length + signature.length).put(id).put(signature).array();
    return "— " + verifier.name() + ' ' + Base64.getEncoder().encodeToString(all) + '\n';
  }
}
