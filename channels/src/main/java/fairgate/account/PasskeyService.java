package fairgate.account;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.yubico.webauthn.AssertionRequest;
import com.yubico.webauthn.AssertionResult;
import com.yubico.webauthn.FinishAssertionOptions;
import com.yubico.webauthn.FinishRegistrationOptions;
import com.yubico.webauthn.RegistrationResult;
import com.yubico.webauthn.RelyingParty;
import com.yubico.webauthn.data.AttestationConveyancePreference;
import com.yubico.webauthn.data.AuthenticatorSelectionCriteria;
import com.yubico.webauthn.data.ByteArray;
import com.yubico.webauthn.data.PublicKeyCredential;
import com.yubico.webauthn.data.PublicKeyCredentialCreationOptions;
import com.yubico.webauthn.data.PublicKeyCredentialParameters;
import com.yubico.webauthn.data.PublicKeyCredentialRequestOptions;
import com.yubico.webauthn.data.RelyingPartyIdentity;
import com.yubico.webauthn.data.ResidentKeyRequirement;
import com.yubico.webauthn.data.UserIdentity;
import com.yubico.webauthn.data.UserVerificationRequirement;
import com.yubico.webauthn.exception.AssertionFailedException;
import com.yubico.webauthn.exception.RegistrationFailedException;
import fairgate.account.AccountService.LoginOutcome;
import fairgate.account.SignInTickets.Ticket;
import fairgate.kernel.Caller;
import fairgate.kernel.ProductId;
import fairgate.kernel.SignedIn;
import fairgate.platform.run.LocalBudgets.Budget;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Passkeys of accounts. Challenges are good for five minutes, once, in the browser that asked for
/// them. Methods block unless they return a future.
public final class PasskeyService {
  /// The kind of the tickets for new passkeys.
  static final String REGISTRATION = "passkey_new";

  /// The kind of the tickets for signing in.
  static final String LOGIN = "passkey";

  /// The kind of the tickets for joining a sale.
  static final String JOIN = "passkey_join";

  static final Duration LIFE = Duration.ofMinutes(5);
  static final int MAX_PER_ACCOUNT = 20;

  private static final Logger LOG = LoggerFactory.getLogger(PasskeyService.class);
  private static final Budget ATTEMPTS = new Budget("passkey", 20, Duration.ofMinutes(1));
  private static final String SHOP = "Fairgate";

  private final PostgresPasskeys passkeys;
  private final SignInMethods methods;
  private final SignInTickets tickets;
  private final Budgets budgets;
  private final Clock clock;

  PasskeyService(
      PostgresPasskeys passkeys,
      SignInMethods methods,
      SignInTickets tickets,
      Budgets budgets,
      Clock clock) {
    this.passkeys = passkeys;
    this.methods = methods;
    this.tickets = tickets;
    this.budgets = budgets;
    this.clock = clock;
  }

  /// A challenge for a new passkey of the signed-in account.
  ///
  /// @param origin our public origin
  Outcome startRegistration(String origin, SignedIn who) {
    Optional<Account> account = passkeys.account(who.account());
    if (account.isEmpty()) {
      return new Outcome.Refused();
    }
    Ticket ticket = tickets.make(REGISTRATION, LIFE, who.account());
    try {
      return new Outcome.Challenge(
          creation(party(origin), account.get(), ticket).toCredentialsCreateJson(), ticket);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Adds the passkey that an authenticator made for a challenge.
  ///
  /// @param response the browser's credential, as JSON
  Outcome finishRegistration(
      String origin, SignedIn who, Optional<Ticket> ticket, String response) {
    Optional<Account> account = passkeys.account(who.account());
    boolean own =
        ticket.isPresent()
            && account.isPresent()
            && ticket.get().data().getFirst().equals(who.account());
    if (!own || !tickets.use(ticket.get()).await()) {
      return new Outcome.Stale();
    }
    RelyingParty party = party(origin);
    try {
      RegistrationResult result =
          party.finishRegistration(
              FinishRegistrationOptions.builder()
                  .request(creation(party, account.get(), ticket.get()))
                  .response(PublicKeyCredential.parseRegistrationResponseJson(response))
                  .build());
      Instant now = clock.instant();
      return switch (passkeys.add(who.account(), result, now, MAX_PER_ACCOUNT)) {
        case DONE ->
            new Outcome.Registered(
                new Passkey(result.getKeyId().getId().getBase64Url(), now, null));
        case FULL -> new Outcome.Full(MAX_PER_ACCOUNT);
        case REFUSED -> new Outcome.Refused();
      };
    } catch (RegistrationFailedException | IOException | IllegalArgumentException e) {
      return refused("registration", e);
    }
  }

  /// A challenge for any passkey of this shop.
  ///
  /// @param kind [#LOGIN] or [#JOIN]
  Outcome startAssertion(String origin, String kind) {
    Ticket ticket = tickets.make(kind, LIFE);
    try {
      return new Outcome.Challenge(assertion(party(origin), ticket).toCredentialsGetJson(), ticket);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Opens a session for the account of the passkey that signed the challenge.
  Outcome finishLogin(String origin, Optional<Ticket> ticket, String response, Caller caller) {
    return asserted(
        origin,
        ticket,
        response,
        caller,
        account ->
            methods
                .open(account, caller)
                .<Outcome>map(Outcome.Entered::new)
                .orElseGet(Outcome.Refused::new));
  }

  /// Whether a passkey of any account signed the challenge for joining a sale. Signs nobody in.
  Outcome finishJoin(
      String origin, ProductId sale, Optional<Ticket> ticket, String response, Caller caller) {
    return asserted(
        origin,
        ticket,
        response,
        caller,
        account -> {
          Duration wait =
              budgets.spend(JoinPass.BROWSERS, sale.value() + ":account:" + account.id()).await();
          return wait.isZero() ? new Outcome.Proven() : new Outcome.TooMany(wait);
        });
  }

  /// What follows for the account of the passkey that signed the challenge. A counter that does not
  /// rise means that the passkey was copied; it is refused.
  private Outcome asserted(
      String origin,
      Optional<Ticket> ticket,
      String response,
      Caller caller,
      Function<Account, Outcome> then) {
    Duration wait = budgets.spend(ATTEMPTS, caller.address().key()).await();
    if (!wait.isZero()) {
      return new Outcome.TooMany(wait);
    }
    if (ticket.isEmpty() || !tickets.use(ticket.get()).await()) {
      return new Outcome.Stale();
    }
    RelyingParty party = party(origin);
    try {
      AssertionResult result =
          party.finishAssertion(
              FinishAssertionOptions.builder()
                  .request(assertion(party, ticket.get()))
                  .response(PublicKeyCredential.parseAssertionResponseJson(response))
                  .build());
      boolean used =
          result.isSuccess()
              && passkeys.use(
                  result.getCredential().getCredentialId().getBase64Url(),
                  result.getSignatureCount());
      return used
          ? passkeys.account(result.getUsername()).map(then).orElseGet(Outcome.Refused::new)
          : new Outcome.Refused();
    } catch (AssertionFailedException | IOException | IllegalArgumentException e) {
      return refused("assertion", e);
    }
  }

  /// The passkeys of an account, oldest first.
  public Future<List<Passkey>> list(String account) {
    return passkeys.list(account);
  }

  /// Removes a passkey, unless it is the last way to sign in.
  public SignInMethods.Removal remove(SignedIn who, String passkey) {
    return passkeys.remove(who.account(), passkey);
  }

  private RelyingParty party(String origin) {
    String host = String.valueOf(URI.create(origin).getHost());
    return RelyingParty.builder()
        .identity(RelyingPartyIdentity.builder().id(host).name(SHOP).build())
        .credentialRepository(passkeys)
        .origins(Set.of(origin))
        .attestationConveyancePreference(AttestationConveyancePreference.NONE)
        .validateSignatureCounter(true)
        .build();
  }

  private PublicKeyCredentialCreationOptions creation(
      RelyingParty party, Account account, Ticket ticket) {
    return PublicKeyCredentialCreationOptions.builder()
        .rp(party.getIdentity())
        .user(
            UserIdentity.builder()
                .name(account.username())
                .displayName(account.username())
                .id(PostgresPasskeys.handle(account.id()))
                .build())
        .challenge(challenge(ticket))
        .pubKeyCredParams(
            List.of(
                PublicKeyCredentialParameters.ES256,
                PublicKeyCredentialParameters.EdDSA,
                PublicKeyCredentialParameters.RS256))
        .excludeCredentials(passkeys.getCredentialIdsForUsername(account.id()))
        .authenticatorSelection(
            AuthenticatorSelectionCriteria.builder()
                .residentKey(ResidentKeyRequirement.REQUIRED)
                .userVerification(UserVerificationRequirement.PREFERRED)
                .build())
        .timeout(LIFE.toMillis())
        .build();
  }

  private AssertionRequest assertion(RelyingParty party, Ticket ticket) {
    return AssertionRequest.builder()
        .publicKeyCredentialRequestOptions(
            PublicKeyCredentialRequestOptions.builder()
                .challenge(challenge(ticket))
                .rpId(party.getIdentity().getId())
                .userVerification(UserVerificationRequirement.PREFERRED)
                .timeout(LIFE.toMillis())
                .build())
        .build();
  }

  private ByteArray challenge(Ticket ticket) {
    return new ByteArray(Base64.getUrlDecoder().decode(tickets.secret(ticket, "challenge")));
  }

  private static Outcome.Refused refused(String step, Exception e) {
    LOG.info("A passkey was refused; step={} reason={}", step, e.getMessage());
    return new Outcome.Refused();
  }

  /// The results of registering a passkey, of signing in with one, and of joining a sale with one.
  public sealed interface Outcome {
    /// A challenge for the browser.
    ///
    /// @param options the argument of the browser's call, as JSON
    /// @param ticket belongs into the browser's cookie
    record Challenge(String options, Ticket ticket) implements Outcome {}

    record Registered(Passkey passkey) implements Outcome {}

    record Entered(LoginOutcome.Granted granted) implements Outcome {}

    /// A passkey has signed the challenge for joining a sale.
    record Proven() implements Outcome {}

    /// The browser has no challenge, or it has expired or been used.
    record Stale() implements Outcome {}

    /// The authenticator's answer is not good, or nobody here has this passkey.
    record Refused() implements Outcome {}

    record Full(int max) implements Outcome {}

    /// Too many attempts from this address, or too many browsers in the sale by this account.
    record TooMany(Duration retryAfter) implements Outcome {}

    record NoAddress() implements Outcome {}
  }

  /// A passkey of an account.
  ///
  /// @param id the credential id, base64url
  /// @param usedAt null before its first use
  public record Passkey(String id, Instant createdAt, @Nullable Instant usedAt) {}
}
