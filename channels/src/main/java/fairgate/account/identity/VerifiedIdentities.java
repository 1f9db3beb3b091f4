package fairgate.account.identity;

import fairgate.account.Username;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads accounts with a verified identity, for sales that count people by it.
public final class VerifiedIdentities {
  /// The kinds of identities in `hashesOf`.
  public static final String PHONE = Identity.PHONE;

  public static final String NUMBER = Identity.NUMBER;

  private final PostgresIdentities identities;
  private final KeyRing keys;

  public VerifiedIdentities(PostgresDatabase database, KeyRing keys) {
    this.identities = new PostgresIdentities(database);
    this.keys = keys;
  }

  /// An account and one of its identities.
  ///
  /// @param hash keyed hash of the identity; null when there is none of that kind
  /// @param verifiedAt null when there is none of that kind
  public record Verified(
      Instant accountSince, @Nullable String hash, @Nullable Instant verifiedAt) {}

  /// The account with its telephone; empty if there is no such account.
  public Future<Optional<Verified>> phoneOf(String account) {
    return identities.find(account, Identity.PHONE, "");
  }

  /// The identities of an account that count in a sale, as `kind:hash`, and its user name.
  ///
  /// @param event the product of the sale
  public Future<List<String>> hashesOf(String account, String event) {
    return identities.hashes(account, event);
  }

  /// The name in `hashesOf` of an identity; empty if the text is none of that kind.
  ///
  /// @param kind `phone`, `email`, `person` or `account` (a user name)
  /// @param event the product of the sale
  public Optional<String> nameOf(String kind, String text, ProductId event) {
    return switch (kind) {
      case "phone" -> PhoneNumber.of(text).map(number -> name(number.contact()));
      case "email" -> EmailAddress.of(text).map(address -> name(address.contact()));
      case "person" ->
          IdNumber.of(text).map(number -> Identity.NUMBER + ':' + number.hash(keys, event));
      case "account" -> Username.of(text).map(name -> PostgresIdentities.USERNAME + name.key());
      default -> Optional.empty();
    };
  }

  private String name(Contact contact) {
    return contact.kind() + ':' + contact.hash(keys);
  }

  public Future<Optional<String>> accountNamed(String username) {
    return Username.of(username)
        .map(name -> identities.accountNamed(name.key()))
        .orElseGet(() -> Future.succeededFuture(Optional.empty()));
  }

  /// The keyed hash of a telephone; empty if the text is none.
  public Optional<String> telephoneHash(String text) {
    return PhoneNumber.of(text).map(number -> number.contact().hash(keys));
  }

  public Future<Optional<String>> accountWithTelephone(String hash) {
    return identities.owner(Identity.PHONE, hash);
  }

  /// The account with its identity number for a sale; empty if there is no such account.
  ///
  /// @param event the product of the sale
  public Future<Optional<Verified>> numberOf(String account, String event) {
    return identities.find(account, Identity.NUMBER, event);
  }

  /// An identity number: 4 to 32 digits and upper-case letters, without separators.
  record IdNumber(String value) {
    private static final String PURPOSE = "identity-number";
    private static final Pattern FORM = Pattern.compile("[0-9A-Z]{4,32}");

    /// Parses a number in any case, with spaces and hyphens. Empty if it is none.
    static Optional<IdNumber> of(String text) {
      String number = text.replaceAll("[ -]", "").toUpperCase(Locale.ROOT);
      return FORM.matcher(number).matches() ? Optional.of(new IdNumber(number)) : Optional.empty();
    }

    /// The keyed hash of the number within one sale.
    String hash(KeyRing keys, ProductId event) {
      return keys.fingerprint(PURPOSE, event.value() + '|' + value);
    }

    @Override
    public String toString() {
      return "[identity number]";
    }
  }
}
