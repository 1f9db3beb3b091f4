package fairgate.operator.access;

import fairgate.account.PublicOrigin;
import fairgate.account.SignInTickets;
import fairgate.account.Username;
import fairgate.account.oidc.OidcExchange;
import fairgate.account.oidc.OidcExchange.Result;
import fairgate.account.oidc.OidcService;
import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.Caller;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.Role;
import fairgate.operator.access.OperatorCredentials.FreshSession;
import fairgate.operator.access.PostgresOperatorIdentities.Created;
import fairgate.operator.access.PostgresOperatorIdentities.Identity;
import fairgate.platform.http.Request;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The sign-in of operators at an OpenID Connect provider, such as the one of their company. All
/// methods block.
///
/// Two kinds of people get in: operators who have linked their person at the provider while they
/// were signed in, and people with a verified e-mail address of a domain in the settings, who
/// become operators with the domain's role. The second factor is the provider's.
public final class ProviderSignIn {
  /// The kind of the tickets.
  public static final String TICKET = "operator_oidc";

  /// The path of the callback.
  public static final String CALLBACK = "/console/oidc/callback";

  private static final String SUBJECT_PURPOSE = "operator-oidc-subject";
  private static final String REFUSED = "operator sign-in at the provider";
  private static final String NONE = "-";
  private static final int LONGEST_NAME = 24;
  private static final int SUFFIX = 6;

  private final OidcExchange exchange;
  private final PublicOrigin origin;
  private final PostgresOperatorIdentities store;
  private final OperatorCredentials credentials;
  private final Map<String, Role> domains;
  private final KeyRing keys;
  private final Ids ids;
  private final Clock clock;
  private final Audit audit;

  ProviderSignIn(
      AccessFeature.Provider provider,
      PostgresOperatorIdentities store,
      OperatorCredentials credentials,
      Map<String, Role> domains,
      AccessFeature.Dependencies parts) {
    this.exchange = provider.exchange();
    this.origin = provider.origin();
    this.store = store;
    this.credentials = credentials;
    this.domains = domains;
    this.keys = parts.keys();
    this.ids = parts.ids();
    this.clock = parts.clock();
    this.audit = parts.audit();
  }

  /// The result of the callback.
  public sealed interface Outcome {
    /// Signed in.
    ///
    /// @param token of the session, for the cookie
    /// @param next the page of the console that follows
    record Entered(String token, String next) implements Outcome {}

    /// The operator can now sign in at the provider. True for a repeat as well.
    record Linked() implements Outcome {}

    /// The person belongs to another operator, or the operator to another person.
    record Taken() implements Outcome {}

    /// The provider knows the person, but the person is no operator here.
    record NotAnOperator() implements Outcome {}

    /// No sign-in.
    record Ended(OidcService.Outcome.Finish outcome) implements Outcome {}
  }

  public String label() {
    return exchange.label();
  }

  /// The origin to which the provider sends the browser of this request back; empty when the
  /// settings name none and the browser is not on this machine.
  public Optional<String> origin(Request request) {
    return origin.of(request);
  }

  public SignInTickets tickets() {
    return exchange.tickets();
  }

  /// Starts a sign-in, or the linking of the operator who is signed in. Stores nothing.
  ///
  /// @param operator null for a sign-in
  /// @param next the page of the console that follows
  public OidcService.Outcome.Start start(
      String origin, @Nullable String operator, String next, Caller caller) {
    return exchange.start(origin, List.of(operator == null ? NONE : operator, next), caller);
  }

  /// Finishes what [#start] began. The operator to be linked is the one of the ticket, because
  /// browsers omit the session's cookie when another site sends them here.
  ///
  /// @param ticket the ticket in the browser's cookie
  public Outcome finish(
      OidcExchange.Callback callback, Optional<SignInTickets.Ticket> ticket, Caller caller) {
    return switch (exchange.finish(callback, ticket, caller)) {
      case Result.Identified person -> identified(person, caller);
      case Result.Ended(OidcService.Outcome.Finish outcome) -> new Outcome.Ended(outcome);
    };
  }

  private Outcome identified(Result.Identified person, Caller caller) {
    String hash = keys.fingerprint(SUBJECT_PURPOSE, exchange.issuer() + '\n' + person.subject());
    String operator = person.data().getFirst();
    if (!operator.equals(NONE)) {
      return store.link(hash, operator, clock.instant())
          ? new Outcome.Linked()
          : new Outcome.Taken();
    }
    Identity identity = store.find(hash);
    if (identity instanceof Identity.Unknown && create(hash, person.email(), caller)) {
      identity = store.find(hash);
    }
    return switch (identity) {
      case Identity.Linked(String id, String name) ->
          enter(hash, id, name, person.data().getLast(), caller);
      case Identity.Removed(), Identity.Unknown() -> {
        refused(caller);
        yield new Outcome.NotAnOperator();
      }
    };
  }

  private Outcome enter(String hash, String operator, String name, String next, Caller caller) {
    FreshSession fresh = credentials.fresh(caller.userAgent());
    if (!store.enter(hash, operator, fresh.session())) {
      return new Outcome.NotAnOperator();
    }
    note("sign-in at the provider", name, caller);
    return new Outcome.Entered(fresh.token(), next);
  }

  /// Makes the person an operator if the settings name the domain of the address. Returns whether a
  /// second look at the person is worthwhile.
  private boolean create(String hash, String email, Caller caller) {
    int at = email.lastIndexOf('@');
    Role role = at < 1 ? null : domains.get(email.substring(at + 1));
    if (role == null) {
      return false;
    }
    Instant now = clock.instant();
    for (Username name : names(email.substring(0, at), hash)) {
      OperatorService.Entry operator =
          new OperatorService.Entry(
              "op_" + ids.nonce(), name.shown(), role, false, now, exchange.label(), now, null);
      Created created = store.create(operator, name.key(), hash, OperatorService.MOST_OPERATORS);
      if (created == Created.DONE) {
        note("operator added by the domain of the address", name.shown(), caller);
        return true;
      }
    }
    return true;
  }

  /// The names to try: the local part of the address, and the same with an end of its own. An
  /// existing operator of that name stays who it is.
  private static List<Username> names(String local, String hash) {
    String cleaned = local.replaceAll("[^a-z0-9._-]", "").replaceAll("^[._-]+|[._-]+$", "");
    String shortened = cleaned.substring(0, Math.min(LONGEST_NAME, cleaned.length()));
    String suffix = hash.replaceAll("[^A-Za-z0-9]", "").substring(0, SUFFIX);
    return List.of(shortened, shortened + "-" + suffix, "operator-" + suffix).stream()
        .map(Username::of)
        .flatMap(Optional::stream)
        .filter(name -> !OperatorService.isReserved(name))
        .toList();
  }

  /// Whether the operator can sign in at the provider.
  public boolean isLinked(String operator) {
    return store.isLinked(operator);
  }

  /// Removes the link of an operator who has a password; otherwise false. Who was unlinked does not
  /// get in by the domain of the address.
  public boolean unlink(String operator) {
    return store.unlink(operator);
  }

  /// Sampled, because strangers may cause it.
  private void refused(Caller caller) {
    int weight = audit.weight(AuditEvent.Kind.REFUSAL, REFUSED);
    if (weight > 0) {
      audit.note(
          new AuditEvent(
              AuditEvent.Kind.REFUSAL,
              REFUSED,
              caller,
              weight > 1 ? Map.of("weight", weight) : Map.of()));
    }
  }

  private void note(String what, String name, Caller caller) {
    audit.note(new AuditEvent(AuditEvent.Kind.ADMIN, what, caller, Map.of("operator", name)));
  }
}
