package fairgate.account.identity;

import fairgate.account.message.Channel;
import java.net.IDN;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// An e-mail address without a name, its domain in ASCII: `anna@example.com`.
record EmailAddress(String value) {
  private static final int MAX_LENGTH = 254;
  private static final int MAX_LOCAL_LENGTH = 64;

  /// The unquoted form of RFC 5321; the quoted form is not used for mailboxes of persons.
  private static final Pattern LOCAL =
      Pattern.compile("[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*");

  private static final Pattern DOMAIN =
      Pattern.compile("(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z][A-Za-z0-9-]+");

  /// Parses an address. Empty if it is none, or one that not every mail server accepts.
  static Optional<EmailAddress> of(String text) {
    String address = text.strip();
    int at = address.lastIndexOf('@');
    if (at < 1 || at > MAX_LOCAL_LENGTH || address.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    String local = address.substring(0, at);
    try {
      String domain = IDN.toASCII(address.substring(at + 1)).toLowerCase(Locale.ROOT);
      String whole = local + '@' + domain;
      return LOCAL.matcher(local).matches()
              && DOMAIN.matcher(domain).matches()
              && whole.length() <= MAX_LENGTH
          ? Optional.of(new EmailAddress(whole))
          : Optional.empty();
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  /// Mail servers ignore the case, so two notations are one address.
  Contact contact() {
    String domain = value.substring(value.lastIndexOf('@'));
    return new Contact(
        Channel.EMAIL, value, value.toLowerCase(Locale.ROOT), value.charAt(0) + "…" + domain);
  }

  @Override
  public String toString() {
    return "[email]";
  }
}
