package fairgate.account.oidc;

import fairgate.account.Budgets;
import fairgate.account.SignInTickets;
import fairgate.account.SignInTickets.Ticket;
import fairgate.account.oidc.OidcProvider.Attempt;
import fairgate.account.oidc.OidcProvider.Identification;
import fairgate.kernel.Caller;
import fairgate.platform.run.LocalBudgets.Budget;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The two requests of a sign-in at one provider: the redirect to the provider, and the callback,
/// which tells who the person is there. All methods block.
public final class OidcExchange {
  private static final Logger LOG = LoggerFactory.getLogger(OidcExchange.class);
  private static final Duration TICKET_LIFE = Duration.ofMinutes(10);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(10);
  private static final int MAX_CODE_LENGTH = 4_096;

  private static final Budget STARTS = new Budget("oidc_start", 30, Duration.ofMinutes(1));
  private static final Budget CODES = new Budget("oidc_code", 20, Duration.ofMinutes(1));

  private final OidcProvider provider;
  private final SignInTickets tickets;
  private final Budgets budgets;
  private final String ticketKind;
  private final String callbackPath;

  /// @param ticketKind the kind of the tickets; a callback of another kind is refused
  /// @param callbackPath the path of the callback on our origin
  OidcExchange(
      OidcProvider provider,
      SignInTickets tickets,
      Budgets budgets,
      String ticketKind,
      String callbackPath) {
    this.provider = provider;
    this.tickets = tickets;
    this.budgets = budgets;
    this.ticketKind = ticketKind;
    this.callbackPath = callbackPath;
  }

  /// The parameters of the provider's callback. Absent parameters are empty.
  ///
  /// @param issuer the parameter `iss` (RFC 9207)
  public record Callback(String state, String code, String error, String issuer) {}

  public sealed interface Result {
    /// The provider vouches for this person.
    ///
    /// @param subject the person's name at the provider
    /// @param email the verified address in lower case; empty for none
    /// @param data as it was given to [OidcExchange#start]
    record Identified(String subject, String email, List<String> data) implements Result {}

    record Ended(OidcService.Outcome.Finish outcome) implements Result {}
  }

  OidcConfig.Provider settings() {
    return provider.settings();
  }

  public String label() {
    return provider.settings().label();
  }

  public String issuer() {
    return provider.settings().issuer();
  }

  public SignInTickets tickets() {
    return tickets;
  }

  /// Starts a sign-in. Stores nothing.
  ///
  /// @param origin our public origin
  /// @param data values without line breaks; the browser can read them but not change them
  public OidcService.Outcome.Start start(String origin, List<String> data, Caller caller) {
    Duration wait = budgets.spend(STARTS, caller.address().key()).await();
    if (!wait.isZero()) {
      return new OidcService.Outcome.TooMany(wait);
    }
    String[] content =
        Stream.concat(Stream.of(provider.settings().name(), origin), data.stream())
            .toArray(String[]::new);
    Ticket ticket = tickets.make(ticketKind, TICKET_LIFE, content);
    try {
      return new OidcService.Outcome.Redirect(provider.authorization(attempt(ticket)), ticket);
    } catch (IOException e) {
      return away(String.valueOf(e.getMessage()));
    }
  }

  /// Whether the callback continues the sign-in of this ticket.
  boolean belongs(Callback callback, Ticket ticket) {
    return ticket.id().equals(callback.state())
        && ticket.data().getFirst().equals(provider.settings().name());
  }

  static List<String> data(Ticket ticket) {
    return ticket.data().subList(2, ticket.data().size());
  }

  /// Finishes a sign-in. The ticket is used up when the callback belongs to it.
  ///
  /// @param ticket the ticket in the browser's cookie
  public Result finish(Callback callback, Optional<Ticket> ticket, Caller caller) {
    if (ticket.isEmpty() || !belongs(callback, ticket.get())) {
      return new Result.Ended(new OidcService.Outcome.Stale());
    }
    Duration wait = budgets.spend(CODES, caller.address().key()).await();
    if (!wait.isZero()) {
      return new Result.Ended(new OidcService.Outcome.TooMany(wait));
    }
    if (!tickets.use(ticket.get()).await()) {
      return new Result.Ended(new OidcService.Outcome.Stale());
    }
    if (!callback.error().isEmpty()) {
      return new Result.Ended(new OidcService.Outcome.Declined(label()));
    }
    if (callback.code().isEmpty()
        || callback.code().length() > MAX_CODE_LENGTH
        || !provider.answers(callback.issuer())) {
      return new Result.Ended(invalid("no code, or another issuer"));
    }
    return switch (provider.identify(callback.code(), attempt(ticket.get()))) {
      case Identification.Person(String subject, String email) ->
          new Result.Identified(subject, email, data(ticket.get()));
      case Identification.Refused(String reason) -> new Result.Ended(invalid(reason));
      case Identification.Away(String reason) -> new Result.Ended(away(reason));
    };
  }

  private Attempt attempt(Ticket ticket) {
    return new Attempt(
        ticket.id(),
        tickets.secret(ticket, "nonce"),
        tickets.secret(ticket, "verifier"),
        URI.create(ticket.data().get(1) + callbackPath));
  }

  private OidcService.Outcome.Invalid invalid(String reason) {
    LOG.warn(
        "Sign-in at a provider was refused; provider={} reason={}",
        provider.settings().name(),
        reason);
    return new OidcService.Outcome.Invalid(label());
  }

  private OidcService.Outcome.Away away(String reason) {
    LOG.warn("Provider is away; provider={} reason={}", provider.settings().name(), reason);
    return new OidcService.Outcome.Away(label(), RETRY_AFTER);
  }
}
