package fairgate.account.identity;

import fairgate.account.Budgets;
import fairgate.account.CredentialService;
import fairgate.account.CredentialService.Reset;
import fairgate.account.identity.CodeSender.CodeRequest;
import fairgate.account.identity.CodeSender.Origin;
import fairgate.account.identity.IdentityService.SendCodeOutcome;
import fairgate.account.message.Channel;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.KeyRing;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.platform.run.LocalBudgets.Budget;
import fairgate.platform.text.Language;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/// Gives the owner of a verified telephone or e-mail address a token for a new password. Whether a
/// contact belongs to an account is revealed to nobody who cannot read its messages: without an
/// account, the same work is done, and a decoy is stored that is never sent. Calls block.
public final class PasswordRecovery {
  /// How long the token is good.
  static final Duration TOKEN_LIFE = Duration.ofMinutes(10);

  private static final Budget TRIES = new Budget("code_try", 30, Duration.ofHours(1));

  private final CodeSender sender;
  private final OneTimeCodes codes;
  private final PostgresIdentities identities;
  private final CredentialService credentials;
  private final Budgets budgets;
  private final KeyRing keys;
  private final Set<Channel> channels;
  private final Challenge challenge;

  /// The challenge before a code is sent.
  @FunctionalInterface
  public interface Challenge {
    /// The refusal of a request without a valid solution; empty when it may go on.
    ///
    /// @param solution of the challenge; empty for none
    Future<Optional<Refusal>> check(Request request, String solution);
  }

  /// @param channels the channels with a sending service
  PasswordRecovery(
      CodeSender sender,
      OneTimeCodes codes,
      PostgresIdentities identities,
      CredentialService credentials,
      CodeSender.Parts parts,
      Set<Channel> channels,
      Challenge challenge) {
    this.sender = sender;
    this.codes = codes;
    this.identities = identities;
    this.credentials = credentials;
    this.budgets = parts.budgets();
    this.keys = parts.keys();
    this.channels = Set.copyOf(channels);
    this.challenge = challenge;
  }

  public sealed interface Outcome {
    /// The code is right. The token sets a new password once; an earlier one is no longer good.
    record Proven(Reset reset) implements Outcome {}

    /// The code is wrong, used, too old, or was tried too often, or the contact belongs to no
    /// account.
    record WrongCode() implements Outcome {}

    /// Too many tries from this address.
    record TooMany(Duration retryAfter) implements Outcome {}
  }

  /// The telephone number or e-mail address of this text. Empty if it is neither, or if messages of
  /// its kind are not sent here.
  private Optional<Contact> contact(String text) {
    Optional<Contact> contact =
        text.indexOf('@') >= 0
            ? EmailAddress.of(text).map(EmailAddress::contact)
            : PhoneNumber.of(text).map(PhoneNumber::contact);
    return contact.filter(found -> channels.contains(found.channel()));
  }

  /// Whether the text is a contact to which codes are sent here.
  public boolean isContact(String text) {
    return contact(text).isPresent();
  }

  /// The refusal of a request without a valid solution of the challenge; empty when it may go on.
  ///
  /// @param solution empty for none
  public Future<Optional<Refusal>> check(Request request, String solution) {
    return challenge.check(request, solution);
  }

  /// Sends a code to the contact if it belongs to an account. Empty when the text is not a contact.
  public Optional<SendCodeOutcome> request(String text, ClientAddress address, Language language) {
    return contact(text)
        .map(
            contact -> {
              boolean known = owner(contact).isPresent();
              return sender.send(
                  CodeRequest.reset(scope(contact), contact, known), new Origin(address, language));
            });
  }

  /// Takes the code. Every call counts as an attempt.
  public Outcome confirm(String text, String code, ClientAddress address) {
    Duration retryAfter = budgets.spend(TRIES, address.key()).await();
    if (!retryAfter.isZero()) {
      return new Outcome.TooMany(retryAfter);
    }
    return contact(text)
        .filter(contact -> codes.take(scope(contact), contact, code))
        .flatMap(this::owner)
        .flatMap(account -> credentials.makeResetOf(account, TOKEN_LIFE))
        .<Outcome>map(Outcome.Proven::new)
        .orElseGet(Outcome.WrongCode::new);
  }

  private Optional<String> owner(Contact contact) {
    return identities.owner(contact.kind(), contact.hash(keys)).await();
  }

  private String scope(Contact contact) {
    return "reset:" + contact.hash(keys);
  }
}
