package fairgate.account.identity;

import fairgate.account.Budgets;
import fairgate.account.identity.CodeSender.CodeRequest;
import fairgate.account.identity.CodeSender.Origin;
import fairgate.account.identity.IdentityService.EmailSeal.Mailbox;
import fairgate.account.identity.VerifiedIdentities.IdNumber;
import fairgate.account.message.Channel;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.KeySeal;
import fairgate.kernel.KeySeal.Sealed;
import fairgate.kernel.ProductId;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonText;
import fairgate.platform.run.LocalBudgets.Budget;
import fairgate.platform.text.Language;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Verifies the identity of accounts. Calls block unless they return a future.
public final class IdentityService {
  private static final Budget NUMBERS = new Budget("id_number", 5, Duration.ofMinutes(10));
  private static final String EMAIL_PURPOSE = "account-email-seal";
  private static final int SHOWN = 2;

  private final PersonRegister register;
  private final CodeSender sender;
  private final OneTimeCodes codes;
  private final PostgresIdentities identities;
  private final EmailSeal emails;
  private final Budgets budgets;
  private final KeyRing keys;
  private final Clock clock;
  private volatile Consumer<String> onChange = _ -> {};

  IdentityService(
      PersonRegister register,
      CodeSender sender,
      OneTimeCodes codes,
      PostgresIdentities identities,
      CodeSender.Parts parts) {
    this.register = register;
    this.sender = sender;
    this.codes = codes;
    this.identities = identities;
    this.emails = new EmailSeal(parts.keys(), parts.ids(), EMAIL_PURPOSE);
    this.budgets = parts.budgets();
    this.keys = parts.keys();
    this.clock = parts.clock();
  }

  /// Sets the listener that gets the id of an account whose identities have changed on this node,
  /// or may have changed when the outcome is unknown. It must not block.
  public void onChange(Consumer<String> listener) {
    onChange = listener;
  }

  /// Sends a one-time code to a telephone or an e-mail address. A repeat sends another, which ends
  /// the first.
  SendCodeOutcome sendCode(String account, Contact contact, Origin origin) {
    boolean isOwner =
        identities
            .owner(contact.kind(), contact.hash(keys))
            .map(owner -> owner.filter(account::equals).isPresent())
            .await();
    return sender.send(
        CodeRequest.verification(scope(account, contact), contact, account, isOwner), origin);
  }

  /// The same for a page.
  public SendCodeOutcome sendCode(
      String account, Contact contact, ClientAddress address, Language language) {
    return sendCode(account, contact, new Origin(address, language));
  }

  /// Binds the telephone or e-mail address to the account when the code is right. An e-mail address
  /// is kept, encrypted, for receipts.
  ///
  /// @param language of messages to the address
  public VerifyOutcome confirm(String account, Contact contact, String code, Language language) {
    if (!codes.take(scope(account, contact), contact, code)) {
      return new VerifyOutcome.WrongCode();
    }
    Identity identity = new Identity(contact.kind(), "", contact.hint(), clock.instant());
    Sealed box =
        contact.channel() == Channel.EMAIL
            ? emails.seal(account, new Mailbox(contact.value(), language))
            : null;
    return bind(account, identity, contact.hash(keys), box);
  }

  /// The verified e-mail address of an account. Empty also for one that was verified before
  /// addresses were kept.
  public Optional<Mailbox> mailboxOf(String account) {
    return identities.sealedEmail(account).flatMap(box -> emails.open(account, box));
  }

  /// Binds a person to the account for one sale. The number itself is not stored: its keyed hash
  /// differs in each sale, so that a person cannot be recognized across sales.
  ///
  /// @param idNumber as [#idNumber] returns it
  public VerifyOutcome verifyNumber(String account, ProductId event, String name, String idNumber) {
    Duration retryAfter = budgets.spend(NUMBERS, account).await();
    if (!retryAfter.isZero()) {
      return new VerifyOutcome.TooMany(retryAfter);
    }
    return switch (register.checkName(name, idNumber)) {
      case DIFFERS -> new VerifyOutcome.NameMismatch();
      case UNKNOWN -> new VerifyOutcome.Unknown();
      case MATCHES ->
          bind(
              account,
              new Identity(
                  Identity.NUMBER,
                  event.value(),
                  idNumber.substring(idNumber.length() - SHOWN),
                  clock.instant()),
              new IdNumber(idNumber).hash(keys, event),
              null);
    };
  }

  /// An identity number in upper case and without separators; empty if the text is none.
  public static Optional<String> idNumber(String text) {
    return IdNumber.of(text).map(IdNumber::value);
  }

  /// Removes an identity from its account; false if it has none of that kind. A sale goes on
  /// counting the person by it: a place that was taken with it stays, units bought with it count,
  /// and whoever verifies it next meets the same place and the same limit.
  ///
  /// @param event the product of the sale for a number; empty for the others
  public boolean remove(String account, String kind, String event) {
    try {
      return identities.remove(account, kind, event);
    } finally {
      onChange.accept(account);
    }
  }

  public Future<List<Identity>> of(String account) {
    return identities.list(account);
  }

  /// A code for a telephone does not end one for an e-mail address.
  static String scope(String account, Contact contact) {
    return contact.kind().equals(Identity.PHONE) ? account : account + ':' + contact.kind();
  }

  private VerifyOutcome bind(String account, Identity identity, String hash, @Nullable Sealed box) {
    try {
      return identities.bind(account, identity, hash, box)
          ? new VerifyOutcome.Verified(identity)
          : new VerifyOutcome.Taken();
    } finally {
      onChange.accept(account);
    }
  }

  /// Encrypts e-mail addresses together with the language of their owner.
  public static final class EmailSeal {
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

  public sealed interface VerifyOutcome {
    /// Shown, and bound to the account.
    record Verified(Identity identity) implements VerifyOutcome {}

    /// The code is wrong, used, too old, or was tried too often.
    record WrongCode() implements VerifyOutcome {}

    /// The number is bound to another account, or the account to another number.
    record Taken() implements VerifyOutcome {}

    record NameMismatch() implements VerifyOutcome {}

    /// The verification was not possible now.
    record Unknown() implements VerifyOutcome {}

    record TooMany(Duration retryAfter) implements VerifyOutcome {}
  }

  public sealed interface SendCodeOutcome {
    record Sent(Instant expiresAt) implements SendCodeOutcome {}

    /// It will be sent as soon as the sending service works again, if that is in time.
    record Late(Instant expiresAt) implements SendCodeOutcome {}

    /// Too many codes for this contact, account, address or network, or in all.
    record TooMany(Duration retryAfter) implements SendCodeOutcome {}

    /// No codes are sent to telephones of this country.
    record CountryRefused() implements SendCodeOutcome {}

    /// Too many messages wait already.
    record Unsent(Duration retryAfter) implements SendCodeOutcome {}
  }
}
