package fairgate.link;

import fairgate.account.AccountFeature;
import fairgate.gate.ActionChallenge;
import fairgate.gate.GateFeature;
import fairgate.gate.ban.BanService;
import fairgate.gate.challenge.ChallengeProvider;
import fairgate.kernel.Role;
import fairgate.link.LinkSettings.Guests;
import fairgate.link.cache.ChangeWatch;
import fairgate.link.cache.LinkCache;
import fairgate.link.click.Bots;
import fairgate.link.click.ClickWriter;
import fairgate.link.click.Clicks;
import fairgate.link.click.Visits;
import fairgate.link.code.BlockedHosts;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.feature.Feature;
import fairgate.platform.feature.Feature.Infra;
import fairgate.platform.feature.Feature.Site;
import fairgate.platform.redis.SingleUse;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Short links, put together: their API, `/{code}`, their page, and the admin API of banned links.
public final class LinkFeature {
  private LinkFeature() {}

  /// Connects links to the accounts that own them, and to the challenge of guests. Deleting an
  /// account disables all of its links permanently; every node applies it within a second.
  public static Feature start(
      Infra infra, AccountFeature account, GateFeature gate, BanService bans) {
    LinkSettings settings = infra.settings(LinkSettings.class);
    Site site = infra.site();
    Guests guests = settings.guests(site.isUp());
    PostgresLinkBook book = new PostgresLinkBook(infra.postgres());
    BlockedHosts hosts = new BlockedHosts(settings.denyFile());
    Clicks clicks = new Clicks(infra.metrics());
    LinkCache cache = cache(infra, settings, clicks);
    ChangeWatch watch = new ChangeWatch(cache, hosts, infra.postgres().changes()::snapshot);
    ClickWriter writer = new ClickWriter(infra.postgres(), infra.ids(), clicks);
    LinkService links = new LinkService(book, cache, hosts, settings.maxPerOwner());
    LinkAddress address = new LinkAddress(site.baseUrl(), site.otherUrls());
    RedirectRoutes redirects =
        new RedirectRoutes(
            address,
            cache,
            new RedirectRoutes.Counting(clicks, new Visits(book::take), new Bots()),
            hosts,
            misses(infra, settings),
            infra.clock());
    LinkRoutes api =
        new LinkRoutes(
            links,
            new LinkOwners(account::accountOf, infra.keys(), guests != Guests.OFF, links::adopt),
            guests,
            challenge(infra, gate, bans),
            address,
            settings.timeZone().orElse(site.pages().zone()),
            infra.clock());
    LinkPages pages = new LinkPages(account.service(), guests, site.pages(), infra.clock());
    return new Feature(
        Stream.of(
                api.routes(),
                redirects.routes(),
                pages.routes(),
                new LinkAdmin(links).routes(new AdminGuard(infra.audit())))
            .flatMap(List::stream)
            .toList(),
        List.of(new Feature.AccountLink("/links", "links.own")),
        List.of(new Feature.ConsoleSection("links", "k", Role.SELLER)),
        closed -> links.disableAll(LinkOwners.ofAccount(closed)),
        () -> {
          watch.start();
          writer.start(settings.clickInterval());
        },
        () -> {
          watch.close();
          writer.close();
        });
  }

  private static ActionChallenge challenge(Infra infra, GateFeature gate, BanService bans) {
    return new ActionChallenge(
        gate.challenge(),
        bans,
        new SingleUse(infra.redis()),
        ChallengeProvider.Context.LINK,
        "links:challenge:");
  }

  private static LinkCache cache(Infra infra, LinkSettings settings, Clicks clicks) {
    return new LinkCache(
        new LinkCache.Dependencies(
            infra.redis(),
            new PostgresLinks(infra.postgres()),
            clicks,
            infra.metrics(),
            infra.clock(),
            settings.cached(),
            System::nanoTime));
  }

  private static @Nullable MissBudget misses(Infra infra, LinkSettings settings) {
    return infra.site().hasLimits()
        ? new MissBudget(settings.misses(), infra.metrics(), System::nanoTime)
        : null;
  }
}
