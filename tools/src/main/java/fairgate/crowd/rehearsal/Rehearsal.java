package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.crowd.ShopClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
  private static final long CALL_MS = 20_000;
  private static final long LOOK_NANOS = 500_000_000;

  /// The sale is over after this many checks without a new order: twelve seconds, or the arrival
  /// time if that is shorter.
  private static final int QUIET_LOOKS = 24;

  private final Vertx vertx;
  private final Target target;
  private final RehearsalPlan plan;
  private final Tally tally = new Tally();
  private final AtomicInteger left = new AtomicInteger();

  private Rehearsal(Vertx vertx, Target target, RehearsalPlan plan) {
    this.vertx = vertx;
    this.target = target;
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
    HttpClient http =
        vertx.createHttpClient(
            new HttpClientOptions().setKeepAliveTimeout(60),
            new PoolOptions().setHttp1MaxSize(CONNECTIONS).setMaxWaitQueueSize(-1));
    try (ExecutorService solvers = Executors.newFixedThreadPool(2);
        ShopClient operator =
            new ShopClient(vertx, target.host(), target.port(), 4, CALL_MS, target.tls())) {
      create(operator, product);
      String provider = provider(operator);
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
    } finally {
      http.close();
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
    Answer made =
        await(operator.admin("POST", "/api/admin/products", target.operatorToken(), body));
    if (made.status() != 201) {
      throw new IllegalStateException(
          target
              + " did not create a sale: "
              + (made.unknown() ? "no answer" : made.status() + " " + made.error())
              + ". The operator token has to be that of the server.");
    }
  }

  private String provider(ShopClient operator) {
    String provider = await(operator.get("/api/challenge/config")).text("provider");
    if (!"test".equals(provider) && !"altcha".equals(provider)) {
      throw new IllegalStateException(
          "The challenge of "
              + target
              + " is "
              + provider
              + "; a rehearsal needs `test` or `altcha`.");
    }
    return provider;
  }

  /// Everybody gets a time to come. The farm's proofs are ready one after the other.
  private void send(RehearsalContext context, HttpClient http) {
    SplittableRandom chance = new SplittableRandom(plan.seed());
    long arrival = plan.arrival().toMillis();
    // A challenge that is really solved needs no simulated time.
    long phoneWork = context.challenge().solves() ? 0 : plan.phoneWork().toMillis();
    for (int i = 0; i < plan.buyers(); i++) {
      SplittableRandom own = chance.split();
      // Three in a house share an address.
      Browser browser = browser(http, household(i / 3), true);
      Honest honest = new Honest(context, browser, own, phoneWork, left::incrementAndGet);
      context.later((long) (arrival * rush(own)), honest::come);
    }
    farm(context, http);
  }

  /// Every other bot is one more session of a device it shares with others of its address.
  private void farm(RehearsalContext context, HttpClient http) {
    Browser[] devices = new Browser[plan.botAddresses()];
    Arrays.setAll(devices, i -> browser(http, "172.16." + pair(i), true));
    for (int i = 0; i < plan.bots(); i++) {
      int address = i / 2 % plan.botAddresses();
      Browser browser =
          i % 2 == 0 ? browser(http, "172.16." + pair(address), false) : devices[address];
      Bot bot = new Bot(context, browser, i, left::incrementAndGet);
      context.later((long) ((i + 1) * plan.farmWorkMillis()), bot::come);
    }
  }

  /// When one comes, 0 to 1: half at any time, half close around the opening in the middle.
  private static double rush(SplittableRandom chance) {
    double any = chance.nextDouble();
    return chance.nextBoolean() ? any : Math.clamp(0.45 + any * any * 0.2, 0, 1);
  }

  private Browser browser(HttpClient http, String address, boolean keepsCookies) {
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
        opened = await(admin(operator, "POST", "/products/" + product + "/open")).ok();
      }
      Answer live = await(admin(operator, "GET", "/products/" + product + "/live"));
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
    Answer _ = await(admin(operator, "POST", "/products/" + product + "/close"));
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

  private Future<Answer> admin(ShopClient operator, String method, String path) {
    return operator.admin(method, "/api/admin" + path, target.operatorToken(), null);
  }

  private static Answer await(Future<Answer> answer) {
    try {
      return answer.await(2 * CALL_MS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the server does not answer", e);
    }
  }
}
