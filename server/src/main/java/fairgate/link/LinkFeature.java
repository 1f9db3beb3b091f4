package fairgate.link;

import fairgate.kernel.Ids;
import fairgate.link.cache.ChangeWatch;
import fairgate.link.cache.LinkCache;
import fairgate.link.click.Bots;
import fairgate.link.click.ClickWriter;
import fairgate.link.click.Clicks;
import fairgate.link.click.Visits;
import fairgate.link.code.BlockedHosts;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.List;
import java.util.stream.Stream;

/// Short links, put together.
///
/// @param routes of the API, and `/{code}`
public record LinkFeature(
    LinkService service, List<Route> routes, Runnable starting, Runnable closing)
    implements AutoCloseable {

  /// What links stand on.
  public record Parts(Vertx vertx, RedisClient redis, PostgresDatabase postgres, Metrics metrics) {}

  /// The outside world.
  public record Seams(Clock clock, Ids ids, LinkOwners owners) {}

  public static LinkFeature wire(LinkConfig config, Parts parts, Seams seams) {
    PostgresLinks links = new PostgresLinks(parts.postgres());
    BlockedHosts hosts = new BlockedHosts(config.denyList());
    LinkCache cache =
        new LinkCache(
            new LinkCache.Parts(
                parts.redis(),
                links,
                RedirectRoutes::redirect,
                parts.metrics(),
                seams.clock(),
                config.cached(),
                System::nanoTime));
    ChangeWatch watch = new ChangeWatch(parts.vertx(), cache, hosts);
    Clicks clicks = new Clicks(parts.metrics());
    ClickWriter writer = new ClickWriter(parts.vertx(), parts.postgres(), seams.ids(), clicks);
    LinkService service = new LinkService(links, cache, hosts);
    LinkAddress address = new LinkAddress(config.baseUrl());
    RedirectRoutes redirects =
        new RedirectRoutes(
            address,
            cache,
            new RedirectRoutes.Counting(clicks, new Visits(links::take), new Bots()),
            hosts,
            config.misses() == 0
                ? null
                : new MissBudget(config.misses(), parts.metrics(), System::nanoTime),
            seams.clock());
    LinkRoutes api = new LinkRoutes(service, seams.owners(), address, seams.clock());
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

  /// Begins to hear of changes and to write clicks. Blocks until the first look at the database.
  public void start() {
    starting.run();
  }

  /// Writes the last clicks.
  @Override
  public void close() {
    closing.run();
  }
}
