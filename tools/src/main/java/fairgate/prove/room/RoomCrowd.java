package fairgate.prove.room;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.crowd.proof.NodePorts;
import fairgate.prove.environment.OperatorCall;
import fairgate.prove.environment.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/// Waiting rooms one after the other, with their visitors, and one room in which people wait until
/// the end of the run.
public final class RoomCrowd implements AutoCloseable {
  private static final String HALL = "hall";
  private static final int VISITORS = 36;

  /// All visitors come from one address: more places than they can take, so that they are counted.
  private static final int MAX_PLACES = 500;

  private static final int CAPACITY = 4;

  /// Visitors whose first answer was lost leave places behind that nobody uses for most of a
  /// minute: in a small hall the others would wait for them at the end of a run.
  private static final int HALL_CAPACITY = 12;

  private static final int RATE = 20;
  private static final int ARRIVAL_MS = 1_500;
  private static final int FIRST_SALE = 880_000_000;
  private static final int SALES = 0xFF_FFFF;
  private static final Duration PAUSE = Duration.ofMillis(250);
  static final Duration SOON = Duration.ofSeconds(10);
  private static final int NOT_FOUND = 404;

  private final RoomClient client = new RoomClient();
  private final NodePorts doors;
  private final String token;
  private final Duration patience;
  private final List<RoomTrial> trials = new CopyOnWriteArrayList<>();
  private final AtomicInteger inside = new AtomicInteger();
  private final Set<String> removed = new HashSet<>();
  private volatile boolean isHome;

  /// @param token bearer token of the server's operator
  /// @param patience how long the operator repeats a call that is not answered
  public RoomCrowd(NodePorts doors, String token, Duration patience) {
    this.doors = doors;
    this.token = token;
    this.patience = patience;
  }

  /// The rooms so far.
  public List<RoomTrial> trials() {
    return List.copyOf(trials);
  }

  /// How many visitors have not finished.
  public int inside() {
    return inside.get();
  }

  /// What the visitors who have not finished did last, one line each.
  public String unfinished() {
    StringBuilder text = new StringBuilder();
    for (RoomTrial trial : trials) {
      trial.visits().stream()
          .filter(visit -> !visit.isOver())
          .forEach(visit -> text.append('\n').append(trial.room()).append(' ').append(visit));
    }
    return text.toString();
  }

  /// Opens the room in which nobody is admitted before `admitAll`; false if no server answers.
  public boolean openHall(long seed) {
    return open(HALL, true, seed);
  }

  /// Opens the next room and sends visitors; false if no server answers the operator.
  public boolean open(String room, long seed) {
    return open(room, false, seed);
  }

  /// Opens a room without visitors; false if no server answers the operator.
  public boolean openEmpty(String room) {
    return insist("PUT", "/rooms/" + room, settings("").put("paused", false));
  }

  /// Opens a room whose order is drawn after its opening, and that admits nobody; false if no
  /// server answers the operator.
  boolean openDrawn(String room, Instant opensAt, int capacity) {
    ObjectNode settings =
        settings("")
            .put("capacity", capacity)
            .put("pre_queue", "draw")
            .put("opens_at", opensAt.toString());
    return insist("PUT", "/rooms/" + room, settings);
  }

  /// Admits those who wait in a room that was paused.
  boolean admit(String room) {
    return insist(
        "PATCH", "/rooms/" + room, JsonNodeFactory.instance.objectNode().put("paused", false));
  }

  /// The head that some node has; without members if none answers.
  JsonNode head(String room) {
    for (int port : doors.ports()) {
      RoomClient.Reply reply = client.call(port, "GET", "/q/" + room + "/head", Map.of(), null);
      if (reply.status() == 200) {
        return reply.json();
      }
    }
    return JsonNodeFactory.instance.objectNode();
  }

  /// A browser for a room.
  public RoomGuest guest(String room) {
    return new RoomGuest(client, doors.ports(), room, generator(System.nanoTime()));
  }

  /// Deletes a room; false if no server answers the operator.
  public boolean remove(String room) {
    long begun = System.nanoTime();
    do {
      RoomClient.Reply reply =
          admin("DELETE", "/rooms/" + room, JsonNodeFactory.instance.objectNode());
      if (reply.status() / 100 == 2 || reply.status() == NOT_FOUND) {
        return true;
      }
      Waiting.rest(PAUSE.toMillis());
    } while (System.nanoTime() - begun < patience.toNanos());
    return false;
  }

  /// @param sale behind the room; empty for a room that is paused
  private static ObjectNode settings(String sale) {
    ObjectNode settings =
        JsonNodeFactory.instance
            .objectNode()
            .put("mode", "on")
            .put("capacity", CAPACITY)
            .put("rate", RATE)
            .put("session_minutes", 1)
            .put("paused", sale.isEmpty())
            .put("challenge", false)
            .put("places_per_ip", MAX_PLACES)
            .put("places_per_network", MAX_PLACES)
            .put("return_url", "http://127.0.0.1/p/" + sale);
    settings.putArray("hosts").add("127.0.0.1");
    return settings;
  }

  private boolean open(String room, boolean patient, long seed) {
    String sale = patient ? "" : saleOf(room);
    int capacity = patient ? HALL_CAPACITY : CAPACITY;
    ObjectNode settings = settings(sale).put("capacity", capacity);
    if (!patient) {
      settings.put("sale", sale);
    }
    if ((!patient && !openSale(sale)) || !insist("PUT", "/rooms/" + room, settings)) {
      return false;
    }
    RoomTrial trial = new RoomTrial(room, capacity, sale);
    trials.add(trial);
    send(trial, seed);
    return true;
  }

  /// The number of a sale of the room's own.
  private static String saleOf(String room) {
    return String.valueOf(FIRST_SALE + (room.hashCode() & SALES));
  }

  /// Opens a sale whose places nobody uses.
  private boolean openSale(String sale) {
    ObjectNode product =
        JsonNodeFactory.instance
            .objectNode()
            .put("id", sale)
            .put("name", "Behind a room")
            .put("image_url", "")
            .put("price", 100)
            .put("total_stock", VISITORS);
    product.putObject("policy").putNull("places_per_ip").putNull("places_per_network");
    return insist("POST", "/products", product)
        && insist("POST", "/products/" + sale + "/open", JsonNodeFactory.instance.objectNode());
  }

  private void send(RoomTrial trial, long seed) {
    RandomGenerator chance = generator(seed);
    AtomicInteger left = new AtomicInteger(VISITORS);
    for (int i = 0; i < VISITORS; i++) {
      RandomGenerator own = generator(chance.nextLong());
      inside.incrementAndGet();
      Thread _ =
          Thread.ofVirtual()
              .name("visitor-" + trial.room() + "-" + i)
              .start(
                  () -> {
                    try {
                      Waiting.rest(own.nextInt(ARRIVAL_MS));
                      new RoomVisitor(client, doors.ports(), trial, own, () -> isHome).run();
                    } finally {
                      inside.decrementAndGet();
                      if (left.decrementAndGet() == 0) {
                        trial.end();
                      }
                    }
                  });
    }
  }

  private static RandomGenerator generator(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  /// Admits those who wait in the hall.
  public boolean admitAll() {
    return trials.stream().noneMatch(RoomTrial::patient) || admit(HALL);
  }

  /// Removes the rooms that are over: a server has at most a hundred.
  public void removeFinished() {
    for (RoomTrial trial : trials) {
      if (trial.ended() < Long.MAX_VALUE && !removed.contains(trial.room())) {
        RoomClient.Reply reply =
            admin("DELETE", "/rooms/" + trial.room(), JsonNodeFactory.instance.objectNode());
        if (reply.status() / 100 == 2 || reply.status() == NOT_FOUND) {
          removed.add(trial.room());
        }
      }
    }
  }

  /// All visitors stop at their next step.
  public void goHome() {
    isHome = true;
  }

  private boolean insist(String method, String path, ObjectNode body) {
    return OperatorCall.succeeds(
        () -> {
          RoomClient.Reply reply = admin(method, path, body);
          return new Answer(reply.status(), reply.json());
        },
        PAUSE,
        patience);
  }

  private RoomClient.Reply admin(String method, String path, ObjectNode body) {
    int port = doors.ports().get(Math.floorMod(System.nanoTime() / 1_000, doors.ports().size()));
    return client.call(
        port,
        method,
        "/api/admin" + path,
        Map.of("Authorization", "Bearer " + token),
        body.isEmpty() ? null : body);
  }

  @Override
  public void close() {
    goHome();
    client.close();
  }
}
