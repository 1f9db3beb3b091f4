package fairgate.account.oidc;

import fairgate.account.Account;
import fairgate.account.AccountService.LoginOutcome;
import fairgate.account.Budgets;
import fairgate.account.SignInMethods;
import fairgate.account.SignInTickets.Ticket;
import fairgate.account.oidc.OidcExchange.Result;
import fairgate.kernel.Caller;
import fairgate.kernel.KeyRing;
import fairgate.kernel.SignedIn;
import fairgate.platform.run.LocalBudgets.Budget;
import io.vertx.core.Future;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Sign-in with OpenID Connect. A person who is new here gets an account without a password. Equal
/// e-mail addresses merge nothing: whoever controls an address at one provider need not control it
/// at another.
public final class OidcService {
  public static final String TICKET = "oidc";

  private static final String SUBJECT_PURPOSE = "oidc-subject";
  private static final String NONE = "-";

  private static final Budget NEW_ACCOUNTS = new Budget("oidc_new", 20, Duration.ofMinutes(10));

  private final Map<String, OidcExchange> exchanges = new LinkedHashMap<>();
  private final PostgresProviderLinks links;
  private final SignInMethods methods;
  private final Budgets budgets;
  private final KeyRing keys;

  OidcService(
      List<OidcExchange> exchanges,
      PostgresProviderLinks links,
      SignInMethods methods,
      Budgets budgets,
      KeyRing keys) {
    exchanges.forEach(exchange -> this.exchanges.put(exchange.settings().name(), exchange));
    this.links = links;
    this.methods = methods;
    this.budgets = budgets;
    this.keys = keys;
  }

  public record Choice(String name, String label) {}

  /// The providers, in the order of the settings.
  public List<Choice> providers() {
    return exchanges.values().stream()
        .map(OidcExchange::settings)
        .map(settings -> new Choice(settings.name(), settings.label()))
        .toList();
  }

  /// Starts a sign-in, or the linking of the signed-in account. Stores nothing. Blocks.
  ///
  /// @param origin our public origin
  /// @param who null for a guest
  /// @param next a path on our own site for afterwards; empty for none
  public Outcome.Start start(
      String name, String origin, @Nullable SignedIn who, String next, Caller caller) {
    OidcExchange exchange = exchanges.get(name);
    return exchange == null
        ? new Outcome.UnknownProvider()
        : exchange.start(origin, List.of(account(who), next), caller);
  }

  /// Finishes a sign-in. Every error leaves accounts and sessions as they were. Blocks.
  ///
  /// @param provider the name in the path
  /// @param ticket the ticket in the browser's cookie
  /// @param who null for a guest
  public Outcome.Finish finish(
      String provider,
      OidcExchange.Callback callback,
      Optional<Ticket> ticket,
      @Nullable SignedIn who,
      Caller caller) {
    OidcExchange exchange = exchanges.get(provider);
    if (exchange == null) {
      return new Outcome.UnknownProvider();
    }
    if (ticket.isPresent() && !isFor(ticket.get(), who)) {
      return new Outcome.Stale();
    }
    return switch (exchange.finish(callback, ticket, caller)) {
      case Result.Identified person -> identified(exchange.settings(), person, caller);
      case Result.Ended(Outcome.Finish outcome) -> outcome;
    };
  }

  /// Whether the ticket was made for this account, or for a guest.
  private static boolean isFor(Ticket ticket, @Nullable SignedIn who) {
    String account = OidcExchange.data(ticket).getFirst();
    return account.equals(NONE) || account.equals(account(who));
  }

  private static String account(@Nullable SignedIn who) {
    return who == null ? NONE : who.account();
  }

  private Outcome.Finish identified(
      OidcConfig.Provider provider, Result.Identified person, Caller caller) {
    String hash = keys.fingerprint(SUBJECT_PURPOSE, provider.issuer() + '\n' + person.subject());
    String name = provider.name();
    String account = person.data().getFirst();
    if (!account.equals(NONE)) {
      return links.link(hash, account, name)
          ? new Outcome.Linked()
          : new Outcome.Taken(provider.label());
    }
    Optional<Account> found = links.find(hash);
    if (found.isEmpty()) {
      Duration wait = budgets.spend(NEW_ACCOUNTS, caller.address().key()).await();
      if (!wait.isZero()) {
        return new Outcome.TooMany(wait);
      }
      found = links.create(hash, name).or(() -> links.find(hash));
    }
    return found
        .flatMap(owner -> methods.open(owner, caller))
        .<Outcome.Finish>map(granted -> new Outcome.Entered(granted, person.data().getLast()))
        .orElseGet(Outcome.Stale::new);
  }

  /// The providers of an account that the settings still name.
  public Future<List<String>> linked(String account) {
    return links.list(account).map(all -> all.stream().filter(exchanges::containsKey).toList());
  }

  /// Removes the link of an account, unless it is the last way to sign in. Blocks.
  public SignInMethods.Removal unlink(SignedIn who, String provider) {
    return links.unlink(who.account(), provider);
  }

  /// The results of the two steps of a sign-in at a provider.
  public sealed interface Outcome {
    /// The result of the first step.
    sealed interface Start extends Outcome {}

    /// The result of the second step.
    sealed interface Finish extends Outcome {}

    /// The browser continues at the provider.
    ///
    /// @param ticket belongs into the browser's cookie
    record Redirect(URI to, Ticket ticket) implements Start {}

    record UnknownProvider() implements Start, Finish {}

    /// The provider does not answer. Nothing was changed.
    ///
    /// @param provider the provider's label
    record Away(String provider, Duration retryAfter) implements Start, Finish {}

    /// Too many sign-ins from this address.
    record TooMany(Duration retryAfter) implements Start, Finish {}

    /// A session was opened.
    ///
    /// @param next a path on our own site; empty for none
    record Entered(LoginOutcome.Granted granted, String next) implements Finish {}

    /// The signed-in account can now sign in with this provider. True for a repeat as well.
    record Linked() implements Finish {}

    /// The person belongs to another account, or the account to another person of this provider.
    ///
    /// @param provider the provider's label
    record Taken(String provider) implements Finish {}

    /// The browser did not start this sign-in, started it too long ago or has finished it already.
    record Stale() implements Finish {}

    /// The person declined, or the provider refused.
    ///
    /// @param provider the provider's label
    record Declined(String provider) implements Finish {}

    /// The provider's answer is not good: a wrong signature, audience, issuer, nonce or time.
    ///
    /// @param provider the provider's label
    record Invalid(String provider) implements Finish {}
  }
}
