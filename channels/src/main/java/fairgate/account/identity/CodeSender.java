package fairgate.account.identity;

import fairgate.account.Budgets;
import fairgate.account.message.Channel;
import fairgate.account.message.MessageConfig;
import fairgate.account.message.MessageOutbox;
import fairgate.account.message.NewMessage;
import fairgate.account.message.NewMessage.Charge;
import fairgate.account.message.OutgoingMessage.Purpose;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.platform.run.LocalBudgets.Budget;
import fairgate.platform.text.Language;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// Makes one-time codes and stores the messages that carry them. We pay for messages, so their
/// number is limited per contact, account, address and network, and in all. What is refused or not
/// sent counts nowhere. Calls block.
final class CodeSender {
  private static final Budget RESEND = new Budget("code_again", 1, Duration.ofMinutes(1));
  private static final Budget PER_CONTACT = new Budget("code_phone", 3, Duration.ofMinutes(10));
  private static final Budget PER_CONTACT_DAY = new Budget("code_day", 15, Duration.ofDays(1));
  private static final Budget PER_ACCOUNT = new Budget("code_account", 10, Duration.ofDays(1));
  private static final Budget PER_ADDRESS = new Budget("code_ip", 10, Duration.ofHours(1));
  private static final Budget PER_NETWORK = new Budget("code_network", 200, Duration.ofHours(1));
  private static final Duration COME_BACK = Duration.ofSeconds(5);

  private final OneTimeCodes codes;
  private final MessageOutbox outbox;
  private final Budgets budgets;
  private final Budget all;
  private final Set<String> countries;
  private final KeyRing keys;
  private final Ids ids;
  private final Clock clock;

  CodeSender(OneTimeCodes codes, MessageOutbox outbox, MessageConfig.Limits limits, Parts parts) {
    this.codes = codes;
    this.outbox = outbox;
    this.countries = limits.countries();
    this.all = new Budget("code_all", limits.perHour(), Duration.ofHours(1));
    this.budgets = parts.budgets();
    this.keys = parts.keys();
    this.ids = parts.ids();
    this.clock = parts.clock();
  }

  /// Shared mechanisms.
  record Parts(Budgets budgets, KeyRing keys, Ids ids, Clock clock) {}

  /// A request for a code.
  ///
  /// @param scope what the code is good for; a new code ends the old one of the scope
  /// @param account the account to count it for; empty for none
  /// @param deliver false stores a decoy instead of a message, at the same cost and limits
  record CodeRequest(
      Purpose purpose, String scope, Contact contact, String account, boolean deliver) {}

  /// The origin of a request.
  record Origin(ClientAddress address, Language language) {}

  SendCodeOutcome send(CodeRequest request, Origin origin) {
    if (!isServed(request.contact())) {
      return new SendCodeOutcome.CountryRefused();
    }
    String id = "msg_" + ids.nonce();
    List<Charge> spent = new ArrayList<>();
    Duration retryAfter = spend(request, origin, id, spent);
    if (!retryAfter.isZero()) {
      outbox.giveBack(id, spent);
      return new SendCodeOutcome.TooMany(retryAfter);
    }
    Instant expiresAt = clock.instant().plus(OneTimeCodes.LIFE);
    return switch (store(request, origin, id, spent)) {
      case STORED -> new SendCodeOutcome.Sent(expiresAt);
      case LATE -> new SendCodeOutcome.Late(expiresAt);
      case FULL -> {
        outbox.giveBack(id, spent);
        yield new SendCodeOutcome.Unsent(COME_BACK);
      }
    };
  }

  private boolean isServed(Contact contact) {
    return countries.isEmpty()
        || contact.channel() != Channel.SMS
        || countries.contains(PhoneNumber.of(contact.value()).orElseThrow().country());
  }

  private MessageOutbox.Acceptance store(
      CodeRequest request, Origin origin, String id, List<Charge> spent) {
    try {
      Contact contact = request.contact();
      String code = codes.make(request.scope(), contact);
      return outbox.accept(
          new NewMessage(
              id,
              contact.channel(),
              keys.fingerprint("code-subject", request.scope()),
              request.deliver() ? contact.value() : "",
              request.purpose(),
              code,
              origin.language(),
              spent));
    } catch (RuntimeException e) {
      outbox.giveBack(id, spent);
      throw e;
    }
  }

  private Duration spend(CodeRequest request, Origin origin, String id, List<Charge> spent) {
    String contact = request.contact().hash(keys);
    Duration wait = spend(RESEND, contact, id, spent);
    wait = wait.isZero() ? spend(PER_CONTACT, contact, id, spent) : wait;
    wait = wait.isZero() ? spend(PER_CONTACT_DAY, contact, id, spent) : wait;
    if (!request.account().isEmpty()) {
      wait = wait.isZero() ? spend(PER_ACCOUNT, request.account(), id, spent) : wait;
    }
    wait = wait.isZero() ? spend(PER_ADDRESS, origin.address().key(), id, spent) : wait;
    wait = wait.isZero() ? spend(PER_NETWORK, origin.address().network().text(), id, spent) : wait;
    return wait.isZero() ? spend(all, "messages", id, spent) : wait;
  }

  private Duration spend(Budget budget, String who, String id, List<Charge> spent) {
    Duration wait = budgets.spend(budget, who, id).await();
    if (wait.isZero()) {
      spent.add(new Charge(budget.name(), who));
    }
    return wait;
  }
}
