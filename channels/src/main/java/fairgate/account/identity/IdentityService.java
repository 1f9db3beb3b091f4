package fairgate.account.identity;

import fairgate.account.Budgets;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.platform.run.LocalBudgets.Budget;
import fairgate.platform.text.Language;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Verifies the identity of accounts. Calls block unless they return a future.
public final class IdentityService {
  /// We pay for messages, so the number of messages to one telephone is limited for all callers
  /// together.
  private static final Budget RESEND = new Budget("code_again", 1, Duration.ofMinutes(1));

  private static final Budget PER_NUMBER = new Budget("code_phone", 3, Duration.ofMinutes(10));
  private static final Budget PER_ACCOUNT = new Budget("code_account", 10, Duration.ofDays(1));
  private static final Budget PER_ADDRESS = new Budget("code_ip", 10, Duration.ofHours(1));
  private static final Budget NUMBERS = new Budget("id_number", 5, Duration.ofMinutes(10));

  private static final String PHONE_PURPOSE = "identity-phone";
  private static final String NUMBER_PURPOSE = "identity-number";
  private static final int SHOWN = 2;

  private final IdentityVerifier verifier;
  private final OneTimeCodes codes;
  private final PostgresIdentities identities;
  private final Budgets budgets;
  private final KeyRing keys;
  private final Clock clock;

  IdentityService(
      IdentityVerifier verifier,
      OneTimeCodes codes,
      PostgresIdentities identities,
      Budgets budgets,
      KeyRing keys,
      Clock clock) {
    this.verifier = verifier;
    this.codes = codes;
    this.identities = identities;
    this.budgets = budgets;
    this.keys = keys;
    this.clock = clock;
  }

  /// The account that asks, and where it asks from.
  record Requester(String account, ClientAddress address, Language language) {}

  /// Sends a one-time code to a telephone. A repeat sends another, which ends the first.
  SendCodeOutcome sendCode(Requester asker, PhoneNumber phone) {
    String number = phoneHash(phone);
    Duration retryAfter = spend(RESEND, number);
    retryAfter = retryAfter.isZero() ? spend(PER_NUMBER, number) : retryAfter;
    retryAfter = retryAfter.isZero() ? spend(PER_ACCOUNT, asker.account()) : retryAfter;
    retryAfter = retryAfter.isZero() ? spend(PER_ADDRESS, asker.address().key()) : retryAfter;
    if (!retryAfter.isZero()) {
      return new SendCodeOutcome.TooMany(retryAfter);
    }
    Instant expiresAt = clock.instant().plus(OneTimeCodes.LIFE);
    String code = codes.make(asker.account(), phone);
    return verifier.sendCode(phone.value(), code, asker.language())
        ? new SendCodeOutcome.Sent(expiresAt)
        : new SendCodeOutcome.Unsent();
  }

  /// Binds the telephone to the account when the code is right.
  VerifyOutcome confirm(String account, PhoneNumber phone, String code) {
    if (!codes.take(account, phone, code)) {
      return new VerifyOutcome.WrongCode();
    }
    return bind(
        account, new Identity(Identity.PHONE, "", phone.hint(), clock.instant()), phoneHash(phone));
  }

  /// Binds a person to the account for one sale. The number itself is not stored: its keyed hash
  /// differs in each sale, so that a person cannot be recognized across sales.
  ///
  /// @param idNumber upper-case letters and digits
  VerifyOutcome verifyNumber(String account, ProductId event, String name, String idNumber) {
    Duration retryAfter = spend(NUMBERS, account);
    if (!retryAfter.isZero()) {
      return new VerifyOutcome.TooMany(retryAfter);
    }
    return switch (verifier.checkName(name, idNumber)) {
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
              numberHash(event, idNumber));
    };
  }

  /// The verified identities of an account.
  Future<List<Identity>> of(String account) {
    return identities.list(account);
  }

  /// The name an identity number has within one sale.
  String numberHash(ProductId event, String idNumber) {
    return keys.fingerprint(NUMBER_PURPOSE, event.value() + '|' + idNumber);
  }

  private String phoneHash(PhoneNumber phone) {
    return keys.fingerprint(PHONE_PURPOSE, phone.value());
  }

  private VerifyOutcome bind(String account, Identity identity, String hash) {
    return identities.bind(account, identity, hash)
        ? new VerifyOutcome.Verified(identity)
        : new VerifyOutcome.Taken();
  }

  private Duration spend(Budget budget, String who) {
    return budgets.spend(budget, who).await();
  }
}
