package fairgate.account.identity;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.KeySeal;
import fairgate.kernel.KeySeal.Sealed;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import java.util.Optional;

/// Encrypts e-mail addresses together with the language of their owner.
public final class EmailSeal {
  private final KeySeal seal;

  /// @param purpose of the encryption key
  public EmailSeal(KeyRing keys, Ids ids, String purpose) {
    this.seal = new KeySeal(keys, ids, purpose);
  }

  /// An address that mail can be sent to.
  public record Mailbox(String address, Language language) {
    @Override
    public String toString() {
      return "[email]";
    }
  }

  /// Encrypts an address for an owner, such as an account.
  public Sealed seal(String owner, Mailbox mailbox) {
    return seal.seal(
        owner,
        JsonText.object()
            .put("address", mailbox.address())
            .put("language", mailbox.language().name())
            .bytes());
  }

  /// The address; empty when its master key was removed.
  public Optional<Mailbox> open(String owner, Sealed box) {
    return seal.open(owner, box).map(Json::parseObject).map(EmailSeal::mailbox);
  }

  private static Mailbox mailbox(JsonObject json) {
    return new Mailbox(
        String.valueOf(json.get("address")),
        Language.valueOf(String.valueOf(json.get("language"))));
  }
}
