package fairgate.account.identity;

import fairgate.account.message.Channel;
import fairgate.kernel.KeyRing;
import java.util.Optional;

/// A telephone number or an e-mail address that a code can be sent to.
///
/// @param value where messages are sent
/// @param key the same text for every notation of one contact
/// @param hint what its owner recognizes it by
public record Contact(Channel channel, String value, String key, String hint) {
  /// Reads a contact of one channel; empty if the text is none.
  public static Optional<Contact> of(Channel channel, String text) {
    return switch (channel) {
      case SMS -> PhoneNumber.of(text).map(PhoneNumber::contact);
      case EMAIL -> EmailAddress.of(text).map(EmailAddress::contact);
    };
  }

  public String kind() {
    return switch (channel) {
      case SMS -> Identity.PHONE;
      case EMAIL -> Identity.EMAIL;
    };
  }

  /// The keyed hash under which it is stored and counted.
  String hash(KeyRing keys) {
    return keys.fingerprint("identity-" + kind(), key);
  }

  @Override
  public String toString() {
    return "[" + kind() + "]";
  }
}
