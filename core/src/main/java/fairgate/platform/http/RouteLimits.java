package fairgate.platform.http;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/// The limits of a route's requests, declared where the route is. `docs/operate/limits.md` lists
/// those of all routes.
///
/// @param names of the settings `limit.*` that count a request; none for a route that is never
///   refused
/// @param concurrency how running requests of a caller are limited
/// @param ticket finds the ticket by which a caller counts, and not by its address and network:
///   what others there send must not keep it out. Empty for a call without one and for a made-up
///   one. Called before the body is read, for every call of a flood, so it must be cheap
public record RouteLimits(
    List<String> names, Concurrency concurrency, Function<Request, Optional<String>> ticket) {
  public enum Concurrency {
    NONE,
    /// A request, until it is answered.
    REQUESTS,
    /// An open stream of events.
    STREAMS
  }

  /// Answered from memory, for less than a limit costs.
  public static final RouteLimits FREE = of().unslotted();

  public static final RouteLimits READ = of("global", "route", "network", "asn", "ip");
  public static final RouteLimits PAGE = of("global", "route", "network", "asn", "page");
  public static final RouteLimits FILES = of("global", "route");

  /// Files of a public record: a check reads a dozen at once.
  public static final RouteLimits RECORD = FILES.and("network");

  public static final RouteLimits ACT = READ.and("user", "device", "session");

  /// A new place, or a deposit that is taken back: to pay and take back costs two calls of the
  /// provider. A waiting room counts less, because its page may come from a cache, without a
  /// cookie.
  public static final RouteLimits JOIN = ACT.and("join", "join_new");

  /// A password, a code or another secret is tried.
  public static final RouteLimits LOGIN = ACT.and("login");

  /// New short links: by the minute only, with a burst of ten.
  public static final RouteLimits MAKE =
      of("global", "route", "network", "asn", "user", "device", "create");

  /// Signed calls in bursts from few addresses.
  public static final RouteLimits WEBHOOK = of("global", "webhook").unslotted();

  public static final RouteLimits ADMIN = of("global", "admin");

  public RouteLimits {
    names = List.copyOf(names);
  }

  private static RouteLimits of(String... names) {
    return new RouteLimits(List.of(names), Concurrency.REQUESTS, _ -> Optional.empty());
  }

  /// A copy that also counts in other limits.
  public RouteLimits and(String... more) {
    return new RouteLimits(
        Stream.concat(names.stream(), Stream.of(more)).toList(), concurrency, ticket);
  }

  /// A copy that limits no running requests.
  public RouteLimits unslotted() {
    return new RouteLimits(names, Concurrency.NONE, ticket);
  }

  /// A copy for streams of events.
  public RouteLimits streamed() {
    return new RouteLimits(names, Concurrency.STREAMS, ticket);
  }

  /// A copy for callers who may have a ticket.
  public RouteLimits ticketed(Function<Request, Optional<String>> tickets) {
    return new RouteLimits(names, concurrency, tickets);
  }
}
