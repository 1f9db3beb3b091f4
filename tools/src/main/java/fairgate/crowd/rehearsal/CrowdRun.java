package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.crowd.CrowdClient;
import fairgate.crowd.ShopClient;
import io.vertx.core.Vertx;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Runs one sale with one or more crowds, and returns the record of each person.
final class CrowdRun {
  private static final int CONNECTIONS = 512;
  private static final long LOOK_NANOS = 500_000_000;

  /// The sale is created this long before the first person comes.
  private static final long PREPARATION_MS = 2_000;

  /// A sale without units is over after this many checks without a turn or an order: six seconds.
  private static final int QUIET_LOOKS = 12;

  /// People who are on their way get this long to notice the end.
  private static final int FAREWELL_LOOKS = 60;

  private final Vertx vertx;
  private final ZooServer server;
  private final ObjectNode policy;
  private final CrowdSale sale;
  private final AtomicInteger left = new AtomicInteger();

  /// @param policy as JSON; `opens_at` is added
  CrowdRun(Vertx vertx, ZooServer server, CrowdSale sale, ObjectNode policy) {
    this.vertx = vertx;
    this.server = server;
    this.sale = sale;
    this.policy = policy;
  }

  /// A crowd that takes part.
  ///
  /// @param people how many of the crowd come
  /// @param tokens of its accounts, which people share in turn; empty = they are guests
  /// @param pace share of the time in which an early crowd comes, up to 1
  record Party(NamedCrowd crowd, int people, List<String> tokens, double pace) {
    private VisitorProfile profile(int person) {
      return crowd.profile(person).hurried(pace);
    }
  }

  /// What became of one crowd.
  record PartyResult(List<Attendance> people, Tally tally, Appeals.Filed appeals) {}

  /// A crowd on its way.
  private record Sent(Party party, List<Attendee> people, Tally tally) {
    private Stream<Attendance> attendances() {
      return people.stream().map(Attendee::attendance);
    }

    private PartyResult result(Appeals appeals) {
      return new PartyResult(attendances().toList(), tally, appeals.file(people, party.crowd()));
    }
  }

  /// The result of a run.
  ///
  /// @param parties in the order given
  /// @param sold units held or sold by the server's counters
  /// @param endedAt milliseconds of the run
  /// @param evidence of the server about everybody
  record Result(List<PartyResult> parties, long sold, long endedAt, Evidence evidence) {}

  /// Runs to the end; blocks. Throws IllegalStateException, with a text for the operator, when the
  /// server cannot be used.
  Result run(List<Party> parties) {
    String product = Long.toString(System.currentTimeMillis());
    try (CrowdClient http = new CrowdClient(vertx, CONNECTIONS);
        ExecutorService solvers = Executors.newFixedThreadPool(2);
        ShopClient operator = server.operator(vertx)) {
      String provider = server.provider(operator);
      RehearsalContext context =
          new RehearsalContext(
              vertx,
              new Tally(),
              new ChallengeClient(vertx, solvers, provider, product),
              product,
              System.nanoTime());
      long opensAt = PREPARATION_MS + longestLead(parties);
      create(operator, product, context, opensAt);
      List<Sent> all = new ArrayList<>();
      for (Party party : parties) {
        all.add(send(context, http, party, opensAt));
      }
      watch(context, all, opensAt);
      long endedAt = context.now();
      Appeals appeals = new Appeals(server, operator);
      List<PartyResult> results = all.stream().map(sent -> sent.result(appeals)).toList();
      long sold = close(context, operator);
      return new Result(results, sold, endedAt, Evidence.read(server, operator, product));
    }
  }

  private static long longestLead(List<Party> parties) {
    return parties.stream()
        .mapToLong(party -> -party.profile(0).earliest().toMillis())
        .max()
        .orElse(0);
  }

  private void create(ShopClient operator, String product, RehearsalContext context, long opensAt) {
    ObjectNode whole = policy.deepCopy();
    whole.put("opens_at", Instant.now().plusMillis(opensAt - context.now()).toString());
    ObjectNode body =
        JsonNodeFactory.instance
            .objectNode()
            .put("id", product)
            .put("name", "Attack zoo")
            .put("image_url", "")
            .put("price", 100)
            .put("total_stock", sale.units());
    body.set("policy", whole);
    Answer _ = server.create(operator, body);
  }

  private Sent send(RehearsalContext context, CrowdClient http, Party party, long opensAt) {
    Tally tally = new Tally();
    List<Attendee> people = new ArrayList<>();
    Map<String, DeviceKey> copied = new HashMap<>();
    AtomicInteger places = new AtomicInteger();
    for (int i = 0; i < party.people(); i++) {
      VisitorProfile profile = party.profile(i);
      Device device = party.crowd().device(i);
      Browser browser =
          new Browser(
              http,
              server.target(),
              tally,
              party.crowd().address(i),
              profile.keepsCookies(),
              device.client(),
              key(device, copied));
      if (!party.tokens().isEmpty()) {
        browser.signIn(party.tokens().get(i % party.tokens().size()));
      }
      // The same person of the same crowd does the same in every run.
      long seed = 31L * party.crowd().letter() + i;
      Attendee attendee =
          new Attendee(
              context,
              browser,
              profile,
              party.crowd().honest(),
              new SplittableRandom(seed),
              places::getAndIncrement,
              left::incrementAndGet);
      attendee.behave(party.crowd().behavior(i, new SplittableRandom(seed)));
      party.crowd().program(i).ifPresent(attendee::handOverTo);
      people.add(attendee);
      attendee.come(opensAt);
    }
    return new Sent(party, people, tally);
  }

  /// @param copied keys of the crowd that several devices have
  private static @Nullable DeviceKey key(Device device, Map<String, DeviceKey> copied) {
    return switch (device.key()) {
      case "" -> null;
      case Device.OWN -> new DeviceKey();
      default -> copied.computeIfAbsent(device.key(), _ -> new DeviceKey());
    };
  }

  /// Waits until all have left, nothing moves any more after the last unit, or the time is over.
  private void watch(RehearsalContext context, List<Sent> sent, long opensAt) {
    List<Attendance> all = sent.stream().flatMap(Sent::attendances).toList();
    long end = opensAt + sale.longest().toMillis();
    int quiet = 0;
    long before = -1;
    while (left.get() < all.size() && quiet < QUIET_LOOKS && context.now() < end) {
      LockSupport.parkNanos(LOOK_NANOS);
      long moved = all.stream().mapToLong(one -> (one.gotIn() ? 1 : 0) + one.units()).sum();
      long units = all.stream().mapToLong(Attendance::units).sum();
      quiet = units >= sale.units() && moved == before ? quiet + 1 : 0;
      before = moved;
    }
    context.close();
    for (int i = 0; i < FAREWELL_LOOKS && left.get() < all.size(); i++) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  /// Returns the units that the server has sold.
  private long close(RehearsalContext context, ShopClient operator) {
    JsonNode counters = server.admin(operator, "GET", context.path() + "/live").body();
    Answer _ = server.admin(operator, "POST", context.path() + "/close");
    return counters.path("held").asLong() + counters.path("confirmed").asLong();
  }
}
