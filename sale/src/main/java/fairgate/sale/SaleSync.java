package fairgate.sale;

import fairgate.catalog.Catalog;
import fairgate.catalog.Catalog.StockBatch;
import fairgate.catalog.LiveSales;
import fairgate.catalog.Product;
import fairgate.catalog.ProductState;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.run.BlockingWork;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Gatherers;
import org.jspecify.annotations.Nullable;

/// Synchronizes Redis with the catalog: policies, states, and units that are due.
///
/// PostgreSQL is written first and Redis follows, so any node can complete what a crash left
/// undone. Each step is idempotent by version or number. Blocks: for virtual threads only.
public final class SaleSync {
  private static final Duration BUDGET = Duration.ofSeconds(5);

  /// Interval between comparisons of a sale that cannot sell, or that nobody was in. A restart of
  /// Redis shows at any sale.
  private static final Duration QUIET = Duration.ofSeconds(5);

  private static final Duration PARKED = Duration.ofSeconds(60);

  /// Maximum error of the estimated Redis time between two readings.
  private static final long EARLY_MS = 150;

  private final Catalog catalog;
  private final SaleScripts scripts;
  private final SaleRebuild rebuild;
  private final StockReleases releases;
  private final LiveSales live;
  private final Rotation<Product> rotation;
  private final Map<ProductId, Long> synced = new ConcurrentHashMap<>();

  /// Sales that had nobody in them at the last comparison, and were as the ledger.
  private final Set<ProductId> quiet = ConcurrentHashMap.newKeySet();

  /// By Redis node: its time when the ledger was last asked for due batches, ms.
  private final Map<String, Long> lookedAt = new ConcurrentHashMap<>();

  /// By Redis node: the last reading of a sale on it.
  private final Map<String, Reading> readings = new ConcurrentHashMap<>();

  /// The last reading of each sale that is not parked.
  private final Map<ProductId, Reading> latest = new ConcurrentHashMap<>();

  private volatile Consumer<ProductId> onStock = _ -> {};

  SaleSync(Catalog catalog, LiveSales live, SaleScripts scripts, SaleRebuild rebuild) {
    this.catalog = catalog;
    this.live = live;
    this.rotation =
        new Rotation<>(
            Product::id, product -> scripts.node(product.id()), this::period, System::nanoTime);
    this.scripts = scripts;
    this.rebuild = rebuild;
    this.releases = new StockReleases(catalog, scripts);
  }

  /// Sets the listener for sales whose units or state have changed, so that places move at once.
  public void onStock(Consumer<ProductId> listener) {
    onStock = listener;
  }

  /// Synchronizes one product's sale with the catalog: units first, then policy and state, so that
  /// the first buyer finds stock. Throws ServiceUnavailable when an engine does not answer; a
  /// repeat continues from there.
  public void sync(Product product) {
    if (!bring(product)) {
      throw new ServiceUnavailable("stock of " + product.id() + " is behind", BUDGET);
    }
  }

  /// Returns false when the units are not as expected: another node rebuilds the sale, or Redis has
  /// changed meanwhile. The next round handles it; other sales continue.
  private boolean bring(Product product) {
    return bring(List.of(product)).contains(product.id());
  }

  /// Synchronizes sales of one Redis node with the catalog.
  ///
  /// @return those that are
  private Set<ProductId> bring(List<Product> products) {
    Map<ProductId, Product> byId =
        products.stream().collect(Collectors.toMap(Product::id, product -> product));
    SaleCalls calls = new SaleCalls();
    Map<ProductId, ConfigureScript.Reply> words =
        calls.each(byId, (id, product) -> scripts.configure().run(scripts.keys(id), product, 0));
    for (Product product : products) {
      if (words.get(product.id()) == ConfigureScript.Reply.MISSING) {
        rebuild.create(product);
      }
    }
    Set<ProductId> inStep = new HashSet<>();
    releases.run(words.keySet(), inStep::add, calls);
    for (Product product : products) {
      if (inStep.contains(product.id())) {
        synced.put(product.id(), product.version());
        onStock.accept(product.id());
      }
    }
    calls.finish();
    return inStep;
  }

  /// Runs one round over changed products and due units.
  void round() {
    PerNode nodes = new PerNode(scripts::node);
    List<Product> changed =
        catalog.all().stream()
            .filter(product -> !Long.valueOf(product.version()).equals(synced.get(product.id())))
            .toList();
    nodes.together(
        changed,
        SaleCalls.MOST,
        products -> {
          var _ = bring(products);
        });
    List<Product> due =
        catalog.all().stream()
            .filter(product -> mayBeDue(product) && !live.isParked(product))
            .toList();
    nodes.together(due, Integer.MAX_VALUE, products -> releaseDue(products.getFirst()));
    nodes.finish();
  }

  /// Compares Redis with the ledger, totals included. Rebuilds a sale that is missing or older, or
  /// that an event of an earlier epoch has overtaken. Each sale has its `period`. As soon as one
  /// sale was lost or a comparison failed, all are compared.
  void verify() {
    List<Product> turn = rotation.due(catalog.all());
    try {
      var heads = arrived(turn);
      PerNode nodes = new PerNode(scripts::node);
      nodes.together(turn, SaleCalls.MOST, products -> verify(products, heads));
      nodes.finish();
    } catch (RuntimeException e) {
      rotation.reset();
      throw e;
    }
  }

  /// The heads of all sales, with what was on its way in Kafka. If that does not arrive, it may
  /// depend on events that Kafka has lost, so these are looked for.
  private Map<ProductId, LedgerView.Head> arrived(List<Product> turn) {
    try {
      return rebuild.heads();
    } catch (ServiceUnavailable late) {
      for (Product product : turn) {
        fillGaps(product, await(read(product.id())), rebuild.head(product.id()), false);
      }
      throw late;
    }
  }

  private void fillGaps(
      Product product, LiveCounters counters, LedgerView.Head head, boolean arrived) {
    OutboxStream outbox = new OutboxStream(product.id(), scripts.keys(product.id()).outbox());
    rebuild.gaps().look(outbox, counters, head, arrived);
  }

  /// Compares sales of one Redis node, whose counters are read together. A sale that is not as the
  /// ledger is read again, because a step for another one may have taken seconds.
  private void verify(List<Product> products, Map<ProductId, LedgerView.Head> heads) {
    long ticket = live.ticket();
    List<Future<LiveCounters>> read = read(products.stream().map(Product::id).toList());
    for (int i = 0; i < products.size(); i++) {
      Product product = products.get(i);
      LiveCounters counters = await(read.get(i));
      boolean agree = rebuild.agree(product, heads, counters);
      verify(product, heads, ticket, agree ? counters : await(read(product.id())));
    }
  }

  private Future<LiveCounters> read(ProductId id) {
    return read(List.of(id)).getFirst();
  }

  private List<Future<LiveCounters>> read(List<ProductId> ids) {
    List<Future<LiveCounters>> read = scripts.live().run(ids.stream().map(scripts::keys).toList());
    for (int i = 0; i < ids.size(); i++) {
      ProductId id = ids.get(i);
      String node = scripts.node(id);
      var _ =
          read.get(i)
              .onSuccess(
                  counters -> {
                    Reading reading = new Reading(counters, System.nanoTime());
                    readings.put(node, reading);
                    latest.put(id, reading);
                  });
    }
    return read;
  }

  /// The counters of sales, in their order: those of the last comparison, or read now if they are
  /// as old as this.
  List<Future<LiveCounters>> recent(List<ProductId> ids, Duration tooOld) {
    Map<ProductId, Future<LiveCounters>> known = new HashMap<>();
    for (ProductId id : ids) {
      Reading last = latest.get(id);
      if (last != null && last.ageMs() < tooOld.toMillis()) {
        known.put(id, Future.succeededFuture(last.counters()));
      }
    }
    List<ProductId> others = ids.stream().filter(id -> !known.containsKey(id)).toList();
    List<Future<LiveCounters>> read = read(others);
    for (int i = 0; i < others.size(); i++) {
      known.put(others.get(i), read.get(i));
    }
    return ids.stream().map(known::get).toList();
  }

  /// The number of events that Redis has counted and the ledger lacks, though all were
  /// acknowledged.
  public long missingEvents() {
    return rebuild.gaps().missing();
  }

  /// Whether the units in Redis add up and the ledger does not contradict them. While entries are
  /// on their way, totals cannot be compared. Throws ServiceUnavailable while PostgreSQL is away.
  public boolean balanced(ProductId product, LiveCounters live) {
    return rebuild.balanced(product, live);
  }

  /// @param ticket taken before the counters were read
  /// @param before the counters, which were read after the heads
  private void verify(
      Product product, Map<ProductId, LedgerView.Head> heads, long ticket, LiveCounters before) {
    boolean lost = !before.known() || !before.trusted();
    if (lost) {
      rotation.reset();
      live.wakeAll();
    }
    if (rebuild.check(product, heads, before)) {
      quiet.remove(product.id());
      live.wake(product.id());
      synced.remove(product.id());
      boolean _ = bring(product);
      return;
    }
    // An older copy of Redis may lack releases and changes of the product, of which the ledger has
    // no events yet. The next round sends them again.
    if (lost || before.version() < product.version()) {
      synced.remove(product.id());
    }
    fillGaps(product, before, heads.getOrDefault(product.id(), LedgerView.Head.NOTHING), true);
    boolean whole = !rebuild.gaps().suspects(product.id());
    if (!lost && whole && isEmpty(before)) {
      quiet.add(product.id());
    } else {
      quiet.remove(product.id());
    }
    if (!lost && whole && drained(product, before)) {
      live.park(product, ticket);
      latest.remove(product.id());
    } else if (live.isParked(product)) {
      // Another node has written to the sale.
      live.wake(product.id());
    }
  }

  /// The interval between comparisons of a sale with the ledger.
  private Duration period(Product product) {
    if (live.isParked(product)) {
      return PARKED;
    }
    boolean ahead = product.state() == ProductState.SCHEDULED && isAhead(product);
    return ahead || quiet.contains(product.id()) ? QUIET : Duration.ZERO;
  }

  private boolean isAhead(Product product) {
    Instant opens = product.policy().schedule().opensAt();
    return opens == null || opens.toEpochMilli() > estimate(scripts.node(product.id()));
  }

  private static boolean isEmpty(LiveCounters counters) {
    return counters.waiting() + counters.active() + counters.pending() == 0;
  }

  /// Whether a sale is closed and none of its work is left.
  private boolean drained(Product product, LiveCounters counters) {
    boolean over =
        counters.state().equals(ProductState.CLOSED.word())
            && isEmpty(counters)
            && Long.valueOf(product.version()).equals(synced.get(product.id()));
    if (!over) {
      return false;
    }
    if (counters.outboxEntries() == 0) {
      return true;
    }
    RedisReply groups =
        await(scripts.redis().send("XINFO", "GROUPS", scripts.keys(product.id()).outbox()));
    for (int i = 0; i < groups.size(); i++) {
      RedisReply lag = groups.at(i).get("lag");
      if (lag.isNil() || lag.number() > 0 || groups.at(i).get("pending").number() > 0) {
        return false;
      }
    }
    return groups.size() > 0;
  }

  /// Whether the product's opening or next batch has come since the ledger was last asked. An
  /// operator's step releases units by itself.
  private boolean mayBeDue(Product product) {
    Instant opens = product.policy().schedule().opensAt();
    Instant batch = product.nextBatchAt();
    if (product.state() == ProductState.CLOSED || (opens == null && batch == null)) {
      return false;
    }
    String node = scripts.node(product.id());
    long since = lookedAt.getOrDefault(node, Long.MIN_VALUE);
    long until = estimate(node) + EARLY_MS;
    return isBetween(opens, since, until) || isBetween(batch, since, until);
  }

  private static boolean isBetween(@Nullable Instant at, long since, long until) {
    return at != null && at.toEpochMilli() > since && at.toEpochMilli() <= until;
  }

  /// The estimated time of a Redis node, ms; far in the future while unknown.
  private long estimate(String node) {
    Reading last = readings.get(node);
    return last == null ? Long.MAX_VALUE - EARLY_MS : last.counters().now() + last.ageMs();
  }

  /// The last reading of a sale of the Redis node, at most so old; null if there is none.
  @Nullable LiveCounters lastReading(String node, Duration maxAge) {
    Reading last = readings.get(node);
    return last == null || last.ageMs() > maxAge.toMillis() ? null : last.counters();
  }

  /// @param at by `System.nanoTime()`
  private record Reading(LiveCounters counters, long at) {
    long ageMs() {
      return (System.nanoTime() - at) / 1_000_000;
    }
  }

  /// Releases the units that are due by the clock of one Redis node, of the sales on it.
  private void releaseDue(Product any) {
    String node = scripts.node(any.id());
    long now = await(read(any.id())).now();
    List<ProductId> due =
        catalog.dueBatches(Instant.ofEpochMilli(now)).stream()
            .map(StockBatch::product)
            .distinct()
            .filter(id -> scripts.node(id).equals(node))
            .toList();
    Set<ProductId> released = new HashSet<>();
    for (List<ProductId> some :
        due.stream().gather(Gatherers.windowFixed(SaleCalls.MOST)).toList()) {
      SaleCalls calls = new SaleCalls();
      releases.run(
          some,
          id -> {
            released.add(id);
            onStock.accept(id);
          },
          calls);
      calls.finish();
    }
    if (released.size() == due.size()) {
      lookedAt.put(node, now);
    }
  }

  static <T> T await(Future<T> future) {
    return BlockingWork.within(BUDGET, future, "redis is too slow");
  }
}
