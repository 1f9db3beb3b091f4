package fairgate.account.identity;

import fairgate.account.Budgets;
import fairgate.account.JoinPass;
import fairgate.account.identity.CodeSender.CodeRequest;
import fairgate.account.identity.CodeSender.Origin;
import fairgate.account.identity.IdentityService.SendCodeOutcome;
import fairgate.account.message.Channel;
import fairgate.account.message.MessageFeature;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.run.LocalBudgets.Budget;
import fairgate.platform.text.Language;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/// One-time codes for browsers that a sale asks for one before they join, without an account.
/// Callers have checked that the sale asks this browser. Calls block.
public final class JoinCodes {
  private static final Budget TRIES = new Budget("code_try", 30, Duration.ofHours(1));

  private final CodeSender sender;
  private final OneTimeCodes codes;
  private final Budgets budgets;
  private final KeyRing keys;
  private final MessageFeature messages;

  JoinCodes(
      CodeSender sender, OneTimeCodes codes, CodeSender.Parts parts, MessageFeature messages) {
    this.sender = sender;
    this.codes = codes;
    this.budgets = parts.budgets();
    this.keys = parts.keys();
    this.messages = messages;
  }

  public record Joiner(ProductId sale, DeviceId device, ClientAddress address) {
    private String scope(KeyRing keys) {
      return "join:" + keys.fingerprint("join-code", sale.value() + '|' + device.value());
    }
  }

  public sealed interface Outcome {
    /// The code is right, and used up.
    record Right() implements Outcome {}

    /// The code is wrong, used, too old, or was tried too often.
    record WrongCode() implements Outcome {}

    /// Too many tries from this address, or too many browsers by this contact.
    record TooMany(Duration retryAfter) implements Outcome {}
  }

  public Set<Channel> channels() {
    return messages.channels();
  }

  /// Whether codes are sent now. Does not block.
  public boolean isWorking() {
    return messages.isAnyWorking();
  }

  /// The telephone number or e-mail address of this text, if codes are sent to its kind here.
  public Optional<Contact> contact(String text) {
    return Contact.of(text.indexOf('@') >= 0 ? Channel.EMAIL : Channel.SMS, text)
        .filter(contact -> channels().contains(contact.channel()));
  }

  /// Sends a code. A repeat sends another, which ends the first.
  public SendCodeOutcome send(Joiner joiner, Contact contact, Language language) {
    return sender.send(
        CodeRequest.join(joiner.scope(keys), contact), new Origin(joiner.address(), language));
  }

  /// Takes the code. Every call counts as an attempt.
  public Outcome confirm(Joiner joiner, Contact contact, String code) {
    Duration wait = budgets.spend(TRIES, joiner.address().key()).await();
    if (!wait.isZero()) {
      return new Outcome.TooMany(wait);
    }
    if (!codes.take(joiner.scope(keys), contact, code)) {
      return new Outcome.WrongCode();
    }
    wait =
        budgets.spend(JoinPass.BROWSERS, joiner.sale().value() + ':' + contact.hash(keys)).await();
    return wait.isZero() ? new Outcome.Right() : new Outcome.TooMany(wait);
  }
}
