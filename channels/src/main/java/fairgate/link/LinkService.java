package fairgate.link;

import fairgate.link.cache.LinkCache;
import fairgate.link.cache.LinkEntry;
import fairgate.link.code.BlockedHosts;
import fairgate.link.code.LinkCode;
import fairgate.link.code.TargetUrl;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Creates and manages links. Everything blocks, so it belongs on virtual threads, and throws
/// ServiceUnavailable while the database is unavailable. A completed change applies on this node at
/// once and on all others within a second.
public final class LinkService {
  private static final Logger LOG = LoggerFactory.getLogger(LinkService.class);
  private static final int TRIES = 5;
  private static final long PUBLISH_MS = 300;

  private final PostgresLinkBook links;
  private final LinkCache cache;
  private final BlockedHosts hosts;
  private final int mostPerOwner;
  private final SecureRandom chance = new SecureRandom();

  /// @param mostPerOwner links an account or a browser may have
  LinkService(PostgresLinkBook links, LinkCache cache, BlockedHosts hosts, int mostPerOwner) {
    this.links = links;
    this.cache = cache;
    this.hosts = hosts;
    this.mostPerOwner = mostPerOwner;
  }

  /// Clicks over time.
  ///
  /// @param at the beginning of the hour or day
  public record Bar(Instant at, long clicks, long bots, long visitors) {
    private Bar and(Bar more) {
      return new Bar(at, clicks + more.clicks, bots + more.bots, visitors + more.visitors);
    }
  }

  /// A host that an operator has banned as a target.
  public record BannedHost(String host, String reason, String actor, Instant at) {}

  /// Makes one link. A repeat makes another, unless it names a code.
  public LinkOutcome create(String owner, NewLink link) {
    return createAll(owner, List.of(link)).getFirst();
  }

  /// Creates many links; returns one outcome per link, in their order. A refused link does not
  /// affect the others; if two have the same code, the first one gets it.
  public List<LinkOutcome> createAll(String owner, List<NewLink> requested) {
    Map<Integer, LinkOutcome> outcomes = new TreeMap<>();
    Set<String> asked = new HashSet<>();
    for (int i = 0; i < requested.size(); i++) {
      NewLink link = requested.get(i);
      String code = link.code();
      if (hosts.contains(link.target().host())) {
        outcomes.put(i, new LinkOutcome.HostBlocked(link.target().host()));
      } else if (code != null && (ReservedCodes.contains(code) || !asked.add(code))) {
        outcomes.put(i, new LinkOutcome.CodeTaken(code));
      }
    }
    for (int round = 0; round < TRIES && outcomes.size() < requested.size(); round++) {
      insert(owner, requested, outcomes);
    }
    if (outcomes.size() < requested.size()) {
      throw new IllegalStateException("no free code found");
    }
    publish(
        outcomes.values().stream()
            .filter(LinkOutcome.Done.class::isInstance)
            .map(outcome -> ((LinkOutcome.Done) outcome).link().entry())
            .toList());
    return List.copyOf(outcomes.values());
  }

  /// One attempt for all links without an outcome: taken random codes are generated again.
  private void insert(String owner, List<NewLink> requested, Map<Integer, LinkOutcome> outcomes) {
    List<Integer> open =
        IntStream.range(0, requested.size()).filter(i -> !outcomes.containsKey(i)).boxed().toList();
    List<String> codes = open.stream().map(i -> code(requested.get(i))).toList();
    PostgresLinkBook.Added added =
        links.insert(owner, open.stream().map(requested::get).toList(), codes, mostPerOwner);
    Map<String, StoredLink> made = new HashMap<>();
    added.links().forEach(link -> made.put(link.entry().code(), link));
    for (int k = added.tried(); k < open.size(); k++) {
      outcomes.put(open.get(k), new LinkOutcome.TooMany(mostPerOwner));
    }
    for (int k = 0; k < added.tried(); k++) {
      StoredLink link = made.remove(codes.get(k));
      String custom = requested.get(open.get(k)).code();
      if (link != null) {
        outcomes.put(open.get(k), new LinkOutcome.Done(link));
      } else if (custom != null) {
        outcomes.put(open.get(k), new LinkOutcome.CodeTaken(custom));
      }
    }
  }

  private String code(NewLink link) {
    String custom = link.code();
    return custom == null ? LinkCode.random(chance).value() : custom;
  }

  public LinkOutcome find(String owner, String code) {
    return links
        .one(code)
        .filter(link -> link.owner().equals(owner))
        .<LinkOutcome>map(LinkOutcome.Done::new)
        .orElseGet(LinkOutcome.NotFound::new);
  }

  /// Disables a link of this owner permanently. A repeat changes nothing.
  public LinkOutcome disable(String owner, String code) {
    if (!links.disable(code, owner)) {
      return new LinkOutcome.NotFound();
    }
    return changed(code);
  }

  /// Disables all links of an owner permanently. Nodes read the change from the database.
  void disableAll(String owner) {
    links.disableAll(owner);
  }

  /// Has a link of this owner lead elsewhere. Browsers that keep a permanent redirect (301, 308) go
  /// on following the old one.
  public LinkOutcome retarget(String owner, String code, TargetUrl target) {
    if (hosts.contains(target.host())) {
      return new LinkOutcome.HostBlocked(target.host());
    }
    return links.retarget(code, owner, target.text()) ? changed(code) : new LinkOutcome.NotFound();
  }

  /// Gives all links of one owner to another, such as a guest's to the account he signs in to.
  void adopt(String from, String to) {
    links.adopt(from, to);
  }

  /// Bans anybody's link, or lifts the ban.
  ///
  /// @param reason null = the ban is lifted
  public LinkOutcome ban(String code, @Nullable String reason) {
    if (!links.ban(code, reason)) {
      return new LinkOutcome.NotFound();
    }
    return changed(code);
  }

  /// Bans a host and its subdomains, or lifts the ban.
  public void banHost(String host, String reason, String actor, boolean banned) {
    links.banHost(host, reason, actor, banned);
    hosts.set(host, banned);
  }

  public List<BannedHost> bannedHosts() {
    return links.bannedHosts();
  }

  /// Links of an owner, newest first.
  ///
  /// @param before created before this moment, or at it with a smaller code
  public List<StoredLink> page(String owner, Instant before, String code, int max) {
    return links.page(owner, before, code, max);
  }

  /// As [StoredLink#state], and `banned` if the host of the target is blocked.
  String state(StoredLink link, Instant now) {
    return hosts.contains(link.entry().host()) ? "banned" : link.state(now);
  }

  /// Clicks by the hour; hours without any are left out.
  public List<Bar> hours(String code, Instant since) {
    return links.hours(code, since);
  }

  /// Clicks by the day of a time zone; days without any are left out.
  public List<Bar> days(String code, Instant since, ZoneId zone) {
    Map<Instant, Bar> days = new TreeMap<>();
    for (Bar hour : links.hours(code, since)) {
      Instant day = hour.at().atZone(zone).toLocalDate().atStartOfDay(zone).toInstant();
      days.merge(day, new Bar(day, hour.clicks(), hour.bots(), hour.visitors()), Bar::and);
    }
    return List.copyOf(days.values());
  }

  private LinkOutcome changed(String code) {
    Optional<StoredLink> now = links.one(code);
    publish(now.map(StoredLink::entry).stream().toList());
    return now.<LinkOutcome>map(LinkOutcome.Done::new).orElseGet(LinkOutcome.NotFound::new);
  }

  /// Updates this node's cache and Redis. If Redis cannot be updated, it is not read until it is up
  /// to date.
  private void publish(List<LinkEntry> entries) {
    try {
      var _ =
          Future.all(entries.stream().map(cache::publish).toList())
              .await(PUBLISH_MS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | RuntimeException e) {
      LOG.debug("Could not publish changed links to Redis; links={}", entries.size(), e);
    }
  }

  public sealed interface LinkOutcome {
    record Done(StoredLink link) implements LinkOutcome {}

    /// Another link has this code, or it is reserved for the server's own pages.
    record CodeTaken(String code) implements LinkOutcome {}

    record HostBlocked(String host) implements LinkOutcome {}

    /// The owner has as many links as one may have.
    record TooMany(int max) implements LinkOutcome {}

    /// There is no such link, or it belongs to another owner.
    record NotFound() implements LinkOutcome {}
  }

  /// A link as its owner sees it.
  ///
  /// @param visits redirects given, counted exactly where there is a limit
  /// @param clicks of people, all of them
  public record StoredLink(
      LinkEntry entry,
      String owner,
      Instant createdAt,
      int visits,
      long clicks,
      long bots,
      long visitors,
      @Nullable String banReason) {

    /// `active`, `disabled`, `banned`, `expired` or `used_up`.
    public String state(Instant now) {
      return switch (entry.state()) {
        case BANNED -> "banned";
        case DISABLED -> "disabled";
        case ACTIVE ->
            entry.expired(now.toEpochMilli())
                ? "expired"
                : entry.maxVisits() > 0 && visits >= entry.maxVisits() ? "used_up" : "active";
      };
    }
  }
}
