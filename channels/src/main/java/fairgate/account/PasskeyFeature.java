package fairgate.account;

import fairgate.platform.http.Route;
import fairgate.platform.postgres.PostgresDatabase;
import java.time.Clock;
import java.util.List;

/// Wires passkeys.
public record PasskeyFeature(PasskeyService service, List<Route> routes) {
  public PasskeyFeature {
    routes = List.copyOf(routes);
  }

  public record Dependencies(
      AccountFeature accounts,
      SignInTickets tickets,
      PublicOrigin origin,
      JoinPass joins,
      PostgresDatabase postgres,
      Clock clock) {}

  public static PasskeyFeature wire(Dependencies parts) {
    PasskeyService service =
        new PasskeyService(
            new PostgresPasskeys(parts.postgres(), parts.accounts().methods(), parts.clock()),
            parts.accounts().methods(),
            parts.tickets(),
            parts.accounts().budgets(),
            parts.clock());
    return new PasskeyFeature(
        service,
        new PasskeyRoutes(
                service,
                parts.accounts().service(),
                parts.tickets(),
                parts.origin(),
                parts.joins(),
                parts.clock())
            .routes());
  }
}
