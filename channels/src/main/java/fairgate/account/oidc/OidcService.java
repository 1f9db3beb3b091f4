package fairgate.account.oidc;

import fairgate.account.Account;
import fairgate.account.Budgets;
import fairgate.account.SignInMethods;
import fairgate.account.SignInTickets;
import fairgate.account.SignInTickets.Ticket;
import fairgate.account.oidc.OidcProvider.Attempt;
import fairgate.account.oidc.OidcProvider.Identification;
import fairgate.kernel.Caller;
import fairgate.kernel.KeyRing;
import fairgate.kernel.SignedIn;
import fairgate.platform.run.LocalBudgets.Budget;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sign-in with OpenID Connect. A person who is new here gets an account without a password. Equal
/// e-mail addresses merge nothing: whoever controls an address at one provider need not control it
/// at another.
public final class OidcService {
  /// The kind of the tickets.
  public static final String TICKET = "oidc";

  private static final Logger LOG = LoggerFactory.getLogger(OidcService.class);
  private static final Duration TICKET_LIFE = Duration.ofMinutes(10);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(10);
  private static final String SUBJECT_PURPOSE = "oidc-subject";
  private static final String NONE = "-";
  private static final int MAX_CODE_LENGTH = 4_096;

  private static final Budget STARTS = new Budget("oidc_start", 30, Duration.ofMinutes(1));
  private static final Budget CODES = new Budget("oidc_code", 20, Duration.ofMinutes(1));
  private static final Budget NEW_ACCOUNTS = new Budget("oidc_new", 20, Duration.ofMinutes(10));

  private final Map<String, OidcProvider> providers = new LinkedHashMap<>();
  private final PostgresProviderLinks links;
  private final SignInMethods methods;
  private final SignInTickets tickets;
  private final Budgets budgets;
  private final KeyRing keys;

  OidcService(
      List<OidcProvider> providers,
      PostgresProviderLinks links,
      SignInMethods methods,
      SignInTickets tickets,
      Budgets budgets,
      KeyRing keys) {
    providers.forEach(provider -> this.providers.put(provider.settings().name(), provider));
    this.links = links;
    this.methods = methods;
    this.tickets = tickets;
    this.budgets = budgets;
    this.keys = keys;
  }

  /// A provider on a page.
  public record Choice(String name, String label) {}

  /// The request of the provider's callback. Absent parameters are empty.
  ///
  /// @param provider the name in the path
  /// @param issuer the parameter `iss` (RFC 9207)
  public record Callback(String provider, String state, String code, String error, String issuer) {}

  /// The providers, in the order of the settings.
  public List<Choice> providers() {
    return providers.values().stream()
        .map(OidcProvider::settings)
        .map(settings -> new Choice(settings.name(), settings.label()))
        .toList();
  }

  /// Starts a sign-in, or the linking of the signed-in account. Stores nothing. Blocks.
  ///
  /// @param origin our public origin
  /// @param who null for a guest
  /// @param next a path on our own site for afterwards; empty for none
  public OidcOutcome.Start start(
      String name, String origin, @Nullable SignedIn who, String next, Caller caller) {
    OidcProvider provider = providers.get(name);
    if (provider == null) {
      return new OidcOutcome.UnknownProvider();
    }
    Duration wait = budgets.spend(STARTS, caller.address().key()).await();
    if (!wait.isZero()) {
      return new OidcOutcome.TooMany(wait);
    }
    Ticket ticket =
        tickets.make(TICKET, TICKET_LIFE, name, origin, who == null ? NONE : who.account(), next);
    try {
      return new OidcOutcome.Redirect(provider.authorization(attempt(name, ticket)), ticket);
    } catch (IOException e) {
      return away(provider, String.valueOf(e.getMessage()));
    }
  }

  /// Finishes a sign-in. Every error leaves accounts and sessions as they were. Blocks.
  ///
  /// @param ticket the ticket in the browser's cookie
  /// @param who null for a guest
  public OidcOutcome.Finish finish(
      Callback callback, Optional<Ticket> ticket, @Nullable SignedIn who, Caller caller) {
    OidcProvider provider = providers.get(callback.provider());
    if (provider == null) {
      return new OidcOutcome.UnknownProvider();
    }
    if (ticket.isEmpty() || !belongs(callback, ticket.get(), who)) {
      return new OidcOutcome.Stale();
    }
    Duration wait = budgets.spend(CODES, caller.address().key()).await();
    if (!wait.isZero()) {
      return new OidcOutcome.TooMany(wait);
    }
    if (!tickets.use(ticket.get()).await()) {
      return new OidcOutcome.Stale();
    }
    if (!callback.error().isEmpty()) {
      return new OidcOutcome.Declined(provider.settings().label());
    }
    if (callback.code().isEmpty()
        || callback.code().length() > MAX_CODE_LENGTH
        || !provider.answers(callback.issuer())) {
      return invalid(provider, "no code, or another issuer");
    }
    Attempt attempt = attempt(callback.provider(), ticket.get());
    return switch (provider.identify(callback.code(), attempt)) {
      case Identification.Person(String subject) ->
          identified(provider, subject, ticket.get(), caller);
      case Identification.Refused(String reason) -> invalid(provider, reason);
      case Identification.Away(String reason) -> away(provider, reason);
    };
  }

  /// Whether the callback continues the sign-in of this ticket, for the same account or guest.
  private static boolean belongs(Callback callback, Ticket ticket, @Nullable SignedIn who) {
    String account = who == null ? NONE : who.account();
    return ticket.id().equals(callback.state())
        && ticket.data().getFirst().equals(callback.provider())
        && (ticket.data().get(2).equals(NONE) || ticket.data().get(2).equals(account));
  }

  private Attempt attempt(String name, Ticket ticket) {
    return new Attempt(
        ticket.id(),
        tickets.secret(ticket, "nonce"),
        tickets.secret(ticket, "verifier"),
        URI.create(ticket.data().get(1) + "/account/oidc/" + name + "/callback"));
  }

  private OidcOutcome.Finish identified(
      OidcProvider provider, String subject, Ticket ticket, Caller caller) {
    String hash = keys.fingerprint(SUBJECT_PURPOSE, provider.settings().issuer() + '\n' + subject);
    String name = provider.settings().name();
    String account = ticket.data().get(2);
    if (!account.equals(NONE)) {
      return links.link(hash, account, name)
          ? new OidcOutcome.Linked()
          : new OidcOutcome.Taken(provider.settings().label());
    }
    Optional<Account> found = links.find(hash);
    if (found.isEmpty()) {
      Duration wait = budgets.spend(NEW_ACCOUNTS, caller.address().key()).await();
      if (!wait.isZero()) {
        return new OidcOutcome.TooMany(wait);
      }
      found = links.create(hash, name).or(() -> links.find(hash));
    }
    return found
        .flatMap(person -> methods.open(person, caller))
        .<OidcOutcome.Finish>map(granted -> new OidcOutcome.Entered(granted, ticket.data().get(3)))
        .orElseGet(OidcOutcome.Stale::new);
  }

  private static OidcOutcome.Invalid invalid(OidcProvider provider, String reason) {
    LOG.warn(
        "Sign-in at a provider was refused; provider={} reason={}",
        provider.settings().name(),
        reason);
    return new OidcOutcome.Invalid(provider.settings().label());
  }

  private static OidcOutcome.Away away(OidcProvider provider, String reason) {
    LOG.warn("Provider is away; provider={} reason={}", provider.settings().name(), reason);
    return new OidcOutcome.Away(provider.settings().label(), RETRY_AFTER);
  }

  /// The providers of an account that the settings still name.
  public Future<List<String>> linked(String account) {
    return links.list(account).map(all -> all.stream().filter(providers::containsKey).toList());
  }

  /// Removes the link of an account, unless it is the last way to sign in. Blocks.
  public SignInMethods.Removal unlink(SignedIn who, String provider) {
    return links.unlink(who.account(), provider);
  }
}
