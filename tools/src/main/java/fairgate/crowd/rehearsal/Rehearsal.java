package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.crowd.CrowdClient;
import fairgate.crowd.ShopClient;
import io.vertx.core.Vertx;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/// Sends visitors to a server and records their results.
///
/// Honest visitors arrive one by one, most of them around the opening; the bots' farm solves one
/// challenge after the other and joins with each at once. When the units are sold and paid, or the
/// time is over, all leave.
public final class Rehearsal {
  private static final int CONNECTIONS = 512;
  private static final long LOOK_NANOS = 500_000_000;

  /// The sale is over after this many checks without a new order: twelve seconds, or the arrival
  /// time if that is shorter.
  private static final int QUIET_LOOKS = 24;

  private final Vertx vertx;
  private final Target target;
  private final ZooServer server;
  private final RehearsalPlan plan;
  private final Tally tally = new Tally();
  private final AtomicInteger left = new AtomicInteger();

  private Rehearsal(Vertx vertx, Target target, RehearsalPlan plan) {
    this.vertx = vertx;
    this.target = target;
    this.server = new ZooServer(target, Optional.empty());
    this.plan = plan;
  }

  /// The progress of a rehearsal.
  ///
  /// @param left visitors who are done
  public record Progress(long millis, int visitors, int left, long waiting, long sold) {}

  /// Runs to the end; blocks. Throws IllegalStateException, with a text for the operator, when the
  /// server cannot be used for it.
  public static RehearsalResult run(
      Vertx vertx, Target target, RehearsalPlan plan, Consumer<Progress> progress) {
    return new Rehearsal(vertx, target, plan).run(progress);
  }

  private RehearsalResult run(Consumer<Progress> progress) {
    String product = Long.toString(System.currentTimeMillis());
    try (CrowdClient http = new CrowdClient(vertx, CONNECTIONS);
        ExecutorService solvers = Executors.newFixedThreadPool(2);
        ShopClient operator = server.operator(vertx)) {
      create(operator, product);
      String provider = server.provider(operator);
      RehearsalContext context =
          new RehearsalContext(
              vertx,
              tally,
              new ChallengeClient(vertx, solvers, provider, product),
              product,
              System.nanoTime());
      send(context, http);
      watch(context, operator, product, progress);
      return new RehearsalResult(plan, target.toString(), provider, tally);
    }
  }

  private void create(ShopClient operator, String product) {
    ObjectNode body =
        JsonNodeFactory.instance
            .objectNode()
            .put("id", product)
            .put("name", "Rehearsal")
            .put("image_url", "")
            .put("price", 100)
            .put("total_stock", plan.units());
    body.set("policy", JsonNodeFactory.instance.objectNode().put("preset", plan.preset()));
    Answer _ = server.create(operator, body);
  }

  /// Everybody gets a time to come. The farm's proofs are ready one after the other.
  private void send(RehearsalContext context, CrowdClient http) {
    SplittableRandom chance = new SplittableRandom(plan.seed());
    long arrival = plan.arrival().toMillis();
    // A challenge that is really solved needs no simulated time.
    long phoneWork = context.challenge().solves() ? 0 : plan.phoneWork().toMillis();
    for (int i = 0; i < plan.buyers(); i++) {
      SplittableRandom own = chance.split();
      // Three in a house share an address.
      Browser browser = browser(http, household(i / 3), true);
      RehearsalBuyer honest =
          RehearsalBuyer.honest(context, browser, own, phoneWork, left::incrementAndGet);
      context.later((long) (arrival * rush(own)), honest::come);
    }
    farm(context, http);
  }

  /// Every other bot is one more session of a device it shares with others of its address.
  private void farm(RehearsalContext context, CrowdClient http) {
    Browser[] devices = new Browser[plan.botAddresses()];
    Arrays.setAll(devices, i -> browser(http, "172.16." + pair(i), true));
    for (int i = 0; i < plan.bots(); i++) {
      int address = i / 2 % plan.botAddresses();
      Browser browser =
          i % 2 == 0 ? browser(http, "172.16." + pair(address), false) : devices[address];
      RehearsalBuyer bot = RehearsalBuyer.bot(context, browser, i, left::incrementAndGet);
      context.later((long) ((i + 1) * plan.farmWorkMillis()), bot::come);
    }
  }

  /// When one comes, 0 to 1: half at any time, half close around the opening in the middle.
  private static double rush(SplittableRandom chance) {
    double any = chance.nextDouble();
    return chance.nextBoolean() ? any : Math.clamp(0.45 + any * any * 0.2, 0, 1);
  }

  private Browser browser(CrowdClient http, String address, boolean keepsCookies) {
    return new Browser(http, target, tally, plan.forwarded() ? address : "", keepsCookies);
  }

  /// Households are neighbours in no network, up to 65,536 of them.
  private static String household(int number) {
    return "10." + number % 256 + "." + (number >> 8) % 256 + "." + (1 + (number >> 16) % 254);
  }

  private static String pair(int number) {
    return (number >> 8) % 256 + "." + number % 256;
  }

  /// Opens the sale in time, looks at its counters, and ends when nothing moves any more.
  private void watch(
      RehearsalContext context, ShopClient operator, String product, Consumer<Progress> progress) {
    boolean opened = false;
    int people = plan.buyers() + plan.bots();
    long opens = plan.arrival().toMillis() / 2;
    int calm = Math.clamp(2 * plan.arrival().toSeconds(), 8, QUIET_LOOKS);
    int quiet = 0;
    int before = -1;
    while (left.get() < people) {
      LockSupport.parkNanos(LOOK_NANOS);
      long now = context.now();
      if (now >= opens && !opened) {
        opened = server.admin(operator, "POST", "/products/" + product + "/open").ok();
      }
      Answer live = server.admin(operator, "GET", "/products/" + product + "/live");
      JsonNode counters = live.body();
      long sold = counters.path("held").asLong() + counters.path("confirmed").asLong();
      if (live.ok()) {
        tally.seen(moment(now, counters, sold));
      }
      progress.accept(
          new Progress(now, people, left.get(), counters.path("waiting").asLong(), sold));
      int moved = tally.gains();
      boolean soldOut = sold >= plan.units() && now > plan.arrival().toMillis();
      quiet = soldOut && moved == before ? quiet + 1 : 0;
      before = moved;
      if (quiet >= calm || now >= plan.longest().toMillis()) {
        context.close();
        break;
      }
    }
    Answer _ = server.admin(operator, "POST", "/products/" + product + "/close");
    if (!opened) {
      throw new IllegalStateException(target + " did not open the sale, so nothing was rehearsed.");
    }
  }

  private static Tally.Moment moment(long now, JsonNode counters, long sold) {
    return new Tally.Moment(
        now,
        counters.path("waiting").asLong(),
        counters.path("active").asLong(),
        counters.path("ready").asLong(),
        counters.path("admitted").asLong(),
        sold);
  }
}
