package fairgate.link;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.link.cache.ChangeWatch;
import fairgate.link.cache.LinkCache;
import fairgate.link.click.Bots;
import fairgate.link.click.ClickWriter;
import fairgate.link.click.Clicks;
import fairgate.link.click.Visits;
import fairgate.link.code.BlockedHosts;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Short links, put together.
///
/// @param routes of the API, and `/{code}`
public record LinkFeature(
    LinkService service, List<Route> routes, Runnable starting, Runnable closing)
    implements AutoCloseable {

  /// The dependencies of links.
  public record Dependencies(
      Vertx vertx, RedisClient redis, PostgresDatabase postgres, Metrics metrics) {}

  /// The outside world.
  ///
  /// @param accounts the id of the account that makes a request; empty for a guest
  public record Ports(
      Clock clock,
      Ids ids,
      KeyRing keys,
      Function<Request, Future<Optional<String>>> accounts,
      GuestCheck guests) {}

  /// The check of a guest who makes a link.
  @FunctionalInterface
  public interface GuestCheck {
    /// The refusal, if there is one. Fails while the check is impossible.
    ///
    /// @param challenge the solution of the guest's challenge; empty for none
    Future<Optional<Refusal>> check(Request request, String challenge);
  }

  public static LinkFeature wire(Config config, Dependencies parts, Ports seams) {
    PostgresLinkBook book = new PostgresLinkBook(parts.postgres());
    BlockedHosts hosts = new BlockedHosts(config.denyList());
    Clicks clicks = new Clicks(parts.metrics());
    LinkCache cache = cache(config, parts, clicks, seams.clock());
    ChangeWatch watch = new ChangeWatch(cache, hosts, parts.postgres().changes()::snapshot);
    ClickWriter writer = new ClickWriter(parts.postgres(), seams.ids(), clicks);
    LinkService service = new LinkService(book, cache, hosts, config.mostPerOwner());
    LinkAddress address = new LinkAddress(config.baseUrl(), config.ownUrls());
    RedirectRoutes redirects =
        new RedirectRoutes(
            address,
            cache,
            new RedirectRoutes.Counting(clicks, new Visits(book::take), new Bots()),
            hosts,
            misses(config, parts),
            seams.clock());
    LinkOwners owners =
        new LinkOwners(
            seams.accounts(), seams.keys(), config.guests() != Config.Guests.OFF, service::adopt);
    LinkRoutes api =
        new LinkRoutes(
            service,
            owners,
            guestCheck(config, seams.guests()),
            address,
            config.zone(),
            seams.clock());
    return new LinkFeature(
        service,
        Stream.concat(api.routes().stream(), redirects.routes().stream()).toList(),
        () -> {
          watch.start();
          writer.start(config.clickInterval());
        },
        () -> {
          watch.close();
          writer.close();
        });
  }

  private static GuestCheck guestCheck(Config config, GuestCheck challenge) {
    return (request, solution) ->
        config.guests().asks(request)
            ? challenge.check(request, solution)
            : Future.succeededFuture(Optional.empty());
  }

  private static LinkCache cache(Config config, Dependencies parts, Clicks clicks, Clock clock) {
    return new LinkCache(
        new LinkCache.Dependencies(
            parts.redis(),
            new PostgresLinks(parts.postgres()),
            clicks,
            parts.metrics(),
            clock,
            config.cached(),
            System::nanoTime));
  }

  private static @Nullable MissBudget misses(Config config, Dependencies parts) {
    return config.misses() == 0
        ? null
        : new MissBudget(config.misses(), parts.metrics(), System::nanoTime);
  }

  /// Starts watching changes and writing clicks. Blocks until the first read of the database.
  public void start() {
    starting.run();
  }

  /// Disables all links of an account permanently; every node applies it within a second. Blocks; a
  /// repeat changes nothing.
  public void endAllOf(String account) {
    service.disableAll(LinkOwners.ofAccount(account));
  }

  /// Writes the last clicks.
  @Override
  public void close() {
    closing.run();
  }

  /// The settings of short links.
  ///
  /// @param baseUrl prefix of short addresses, without a slash at the end; empty = the address of
  ///   the server
  /// @param ownUrls the other addresses of this server as browsers know them; empty ones are
  ///   ignored
  /// @param guests whether browsers without an account may create links, one at a time; such links
  ///   belong to the browser and expire within 30 days
  /// @param denyList hosts that links may not lead to, one per line; null = none
  /// @param misses unknown codes that one address may try on one node in any minute; 0 = unlimited
  /// @param mostPerOwner links of an account or a browser, expired ones included
  /// @param cached links in memory
  /// @param zone the time zone of daily click counts
  /// @param clickInterval interval of writing clicks: a crash loses at most these
  public record Config(
      String baseUrl,
      List<String> ownUrls,
      Guests guests,
      @Nullable Path denyList,
      int misses,
      int mostPerOwner,
      int cached,
      ZoneId zone,
      Duration clickInterval) {
    /// The visitors who may create links without an account.
    public enum Guests {
      /// Nobody.
      OFF,
      /// Browsers with a challenge solution for each link.
      CHALLENGE,
      /// Programs of this machine; others with a challenge solution.
      TRIAL,
      /// Everybody.
      OPEN;

      /// Whether the caller needs a challenge solution.
      public boolean asks(Request request) {
        return this == CHALLENGE || (this == TRIAL && !request.isLocal());
      }
    }
  }
}
