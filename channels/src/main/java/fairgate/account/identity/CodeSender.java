package fairgate.account.identity;

import fairgate.account.Budgets;
import fairgate.account.identity.IdentityService.SendCodeOutcome;
import fairgate.account.message.Channel;
import fairgate.account.message.MessageConfig;
import fairgate.account.message.MessageOutbox;
import fairgate.account.message.MessageOutbox.NewMessage;
import fairgate.account.message.MessageOutbox.NewMessage.Charge;
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
///
/// Strangers may ask for new passwords of any contact, and for codes to join a sale, so these
/// requests have budgets of their own: they use up no code that somebody verifies a contact with. A
/// signed-in account that has verified a contact has its own budgets for it, too. Until then, one
/// account and one network get a part of the contact's codes of a day, so that whoever owns it
/// still gets some from elsewhere.
final class CodeSender {
  private static final Budget PER_ACCOUNT = new Budget("code_account", 10, Duration.ofDays(1));
  private static final Limits VERIFICATIONS = Limits.named("code");
  private static final Limits RESETS = Limits.named("reset");
  private static final Limits JOINS = Limits.named("join_code");
  private static final String EVERYBODY = "messages";
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

  private record Limits(
      Budget resend,
      Budget contact,
      Budget contactDay,
      Budget stranger,
      Budget address,
      Budget network) {
    static Limits named(String name) {
      return new Limits(
          new Budget(name + "_again", 1, Duration.ofMinutes(1)),
          new Budget(name + "_phone", 3, Duration.ofMinutes(10)),
          new Budget(name + "_day", 20, Duration.ofDays(1)),
          new Budget(name + "_stranger", 5, Duration.ofDays(1)),
          new Budget(name + "_ip", 10, Duration.ofHours(1)),
          new Budget(name + "_network", 200, Duration.ofHours(1)));
    }
  }

  /// Shared mechanisms.
  record Parts(Budgets budgets, KeyRing keys, Ids ids, Clock clock) {}

  /// A request for a code.
  ///
  /// @param scope what the code is good for; a new code ends the old one of the scope
  /// @param account the account to count it for; empty for none
  /// @param isOwner whether the account has verified the contact before
  /// @param deliver false stores a decoy instead of a message, at the same cost and limits
  record CodeRequest(
      Purpose purpose,
      String scope,
      Contact contact,
      String account,
      boolean isOwner,
      boolean deliver) {
    static CodeRequest verification(
        String scope, Contact contact, String account, boolean isOwner) {
      return new CodeRequest(Purpose.VERIFICATION, scope, contact, account, isOwner, true);
    }

    static CodeRequest reset(String scope, Contact contact, boolean deliver) {
      return new CodeRequest(Purpose.PASSWORD_RESET, scope, contact, "", false, deliver);
    }

    static CodeRequest join(String scope, Contact contact) {
      return new CodeRequest(Purpose.JOIN, scope, contact, "", false, true);
    }
  }

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
    if (!request.deliver()) {
      // It had to be granted, but no message is sent. Not awaited: a decoy takes no longer.
      var _ = budgets.giveBack(all.name(), EVERYBODY, id);
      spent.removeIf(charge -> charge.budget().equals(all.name()));
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
    Limits limits =
        switch (request.purpose()) {
          case VERIFICATION -> VERIFICATIONS;
          case PASSWORD_RESET -> RESETS;
          case JOIN -> JOINS;
        };
    String hash = request.contact().hash(keys);
    String contact = request.isOwner() ? hash + ':' + request.account() : hash;
    Duration wait = spend(limits.resend(), contact, id, spent);
    wait = wait.isZero() ? spend(limits.contact(), contact, id, spent) : wait;
    ClientAddress address = origin.address();
    String network = address.network().text();
    if (!request.isOwner()) {
      wait = wait.isZero() ? spend(limits.stranger(), hash + ':' + network, id, spent) : wait;
    }
    if (!request.isOwner() && !request.account().isEmpty()) {
      String account = hash + ':' + request.account();
      wait = wait.isZero() ? spend(limits.stranger(), account, id, spent) : wait;
    }
    wait = wait.isZero() ? spend(limits.contactDay(), contact, id, spent) : wait;
    if (!request.account().isEmpty()) {
      wait = wait.isZero() ? spend(PER_ACCOUNT, request.account(), id, spent) : wait;
    }
    wait = wait.isZero() ? spend(limits.address(), address.key(), id, spent) : wait;
    wait = wait.isZero() ? spend(limits.network(), network, id, spent) : wait;
    return wait.isZero() ? spend(all, EVERYBODY, id, spent) : wait;
  }

  private Duration spend(Budget budget, String who, String id, List<Charge> spent) {
    Duration wait = budgets.spend(budget, who, id).await();
    if (wait.isZero()) {
      spent.add(new Charge(budget.name(), who));
    }
    return wait;
  }
}
