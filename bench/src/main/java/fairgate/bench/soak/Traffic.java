package fairgate.bench.soak;

import fairgate.bench.LineLoad;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// The mix of actions of a crowd, sent at a fixed rate, whether earlier calls were answered or not.
final class Traffic implements AutoCloseable {
  /// The product of visitors who wait for ever.
  static final String CLOSED = "72";

  /// The product of buyers.
  static final String OPEN = "71";

  private static final long TICK_NS = 4_000_000;
  private static final int TOO_MANY_FLYING = 4_000;
  private static final List<String> PAGES = List.of("/", "/p/" + OPEN, "/claim", "/account");
  private static final List<String> ASSETS =
      List.of("/assets/icon.svg", "/assets/shop.js", "/assets/style.css");

  private final Vertx vertx;
  private final Context context;
  private final Caller caller;
  private final Supply supply;
  private final Tally tally;
  private final List<String> webhooks;
  private final AtomicLong next = new AtomicLong();
  private final Thread clock;
  private volatile double perSecond;
  private volatile boolean over;

  /// What the crowd finds there.
  ///
  /// @param sessions that wait in a sale that does not open
  /// @param links paths of short links
  /// @param firstOrder of paid orders with numbers one after the other
  record Supply(List<String> sessions, List<String> links, long firstOrder) {}

  Traffic(Vertx vertx, Caller caller, Supply supply, Tally tally) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.caller = caller;
    this.supply = supply;
    this.tally = tally;
    LineLoad line = new LineLoad();
    this.webhooks = List.of(line.standby(), line.again().get(0), line.again().get(1));
    this.clock = Thread.ofPlatform().daemon().start(this::tick);
  }

  /// From now on so many acts a second.
  void pace(double rate) {
    perSecond = rate;
  }

  private void tick() {
    long last = System.nanoTime();
    double due = 0;
    while (!over) {
      LockSupport.parkNanos(TICK_NS);
      long now = System.nanoTime();
      due = Math.min(due + perSecond * (now - last) / 1e9, perSecond);
      last = now;
      int acts = (int) due;
      due -= acts;
      if (acts > 0) {
        context.runOnContext(_ -> act(acts));
      }
    }
  }

  private void act(int times) {
    for (int i = 0; i < times; i++) {
      if (caller.flying() > TOO_MANY_FLYING) {
        tally.wrong("not sent, for too many calls had no answer");
      } else {
        act(Act.of(chance(100)));
      }
    }
  }

  private void act(Act act) {
    switch (act) {
      case VISIT -> new Visitor(vertx, caller, OPEN).come();
      case STATUS -> get(act, "/api/queue/status?session_id=" + any(supply.sessions()));
      case HEALTH -> get(act, "/health/live");
      case PAGE -> get(act, any(PAGES));
      case ASSET -> get(act, any(ASSETS));
      case REDIRECT -> {
        var _ = caller.call(act, "GET", any(supply.links()), follower(), Map.of(), "");
      }
      case CHALLENGE -> get(act, "/api/challenge?product_id=" + OPEN);
      case CLAIM -> post(act, "/api/redeem/claim", Map.of(), claim());
      case WEBHOOK -> {
        String signed = any(webhooks);
        post(
            act,
            "/line/webhook",
            Map.of("X-Line-Signature", signed.substring(0, 44)),
            signed.substring(45));
      }
      case BAD -> bad(chance(6));
      default -> throw new IllegalArgumentException(act.name());
    }
  }

  /// One of a few hundred: who follows which link is remembered for a day, up to a bound, and that
  /// is to be reached before anything is judged.
  private static String follower() {
    return "10.%d.%d.7".formatted(chance(2), chance(250));
  }

  private String claim() {
    long number = next.getAndIncrement();
    return "{\"order_id\":\"TB%d\",\"product_id\":\"soak\",\"device_id\":\"web_%012d\"}"
        .formatted(supply.firstOrder() + number, number);
  }

  private void bad(int kind) {
    Map<String, String> none = Map.of();
    switch (kind) {
      case 0 -> post(Act.BAD, "/api/queue/join", none, "{\"product_id\":");
      case 1 -> get(Act.BAD, "/no/such/place/at/all");
      case 2 -> post(Act.BAD, "/api/products", none, "{}");
      case 3 -> get(Act.BAD, "/api/queue/status?session_id=nobody");
      case 4 -> post(Act.BAD, "/line/webhook", Map.of("X-Line-Signature", "forged"), "{}");
      default -> get(Act.BAD, "/api/products?a=%zz");
    }
  }

  private void get(Act act, String path) {
    var _ = caller.call(act, "GET", path, Caller.anyAddress(), Map.of(), "");
  }

  private void post(Act act, String path, Map<String, String> headers, String body) {
    var _ = caller.call(act, "POST", path, Caller.anyAddress(), headers, body);
  }

  private static String any(List<String> all) {
    return all.get(chance(all.size()));
  }

  private static int chance(int bound) {
    return ThreadLocalRandom.current().nextInt(bound);
  }

  @Override
  public void close() {
    over = true;
    try {
      clock.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
