package fairgate.prove.draw;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.Answer;
import fairgate.crowd.CrowdClient;
import fairgate.crowd.proof.NodePorts;
import fairgate.prove.environment.OperatorCall;
import fairgate.prove.environment.Waiting;
import fairgate.prove.room.RoomClient;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A draw of a sale of its own, and its entrants: they enter, some withdraw, winners buy or leave.
public final class DrawCrowd implements AutoCloseable {
  /// The setting `draws.log_name` of the servers.
  public static final String LOG_NAME = "prove.example/fairgate";

  private static final String DRAWS = "/api/draws/";
  private static final String PRODUCT = "880";
  private static final int UNITS = 8;
  private static final int PEOPLE = 40;
  private static final int BEFORE_OPEN_S = 4;

  /// An outage that is longer than this after the window aborts the draw.
  private static final int SEAL_MARGIN_S = 30;

  /// An entry whose answer was lost has nobody who would use its offer.
  private static final int CLAIM_MINUTES = 1;

  private static final int ALLOCATE_S = 90;
  private static final int NOON = 12;
  private static final int TRIES = 60;
  private static final int PAUSE_MS = 250;

  private final RoomClient client = new RoomClient();
  private final NodePorts doors;
  private final String token;
  private final Duration patience;
  private final Clock clock;
  private final AtomicInteger inside = new AtomicInteger();
  private final List<DrawTrial> trials = new ArrayList<>();
  private volatile boolean isHome;

  /// Entrants that know these nodes.
  ///
  /// @param token bearer token of the server's operator
  /// @param patience how long the operator repeats a call that is not answered
  public DrawCrowd(NodePorts doors, String token, Duration patience, Clock clock) {
    this.clock = clock;
    this.doors = doors;
    this.token = token;
    this.patience = patience;
  }

  /// The draws that were announced.
  public synchronized List<DrawTrial> trials() {
    return List.copyOf(trials);
  }

  /// Whether a draw has ended or was aborted.
  public boolean isOver(DrawTrial trial) {
    String state = state(trial);
    return state.equals("ended") || state.equals("aborted");
  }

  /// Whether a draw was aborted.
  public boolean isAborted(DrawTrial trial) {
    return state(trial).equals("aborted");
  }

  /// The state that some node tells; empty if none answers.
  private String state(DrawTrial trial) {
    for (int port : doors.ports()) {
      RoomClient.Reply reply = client.call(port, "GET", DRAWS + trial.draw(), Map.of(), null);
      if (reply.status() == 200) {
        return reply.json().path("state").asText();
      }
    }
    return "";
  }

  /// How many entrants have not finished.
  public int inside() {
    return inside.get();
  }

  /// Announces a draw and sends its entrants; false if no server answers the operator. The draw
  /// before must be over.
  ///
  /// @param window time in which they enter
  public boolean open(Duration window, long seed) {
    DrawTrial trial = new DrawTrial("proof-" + (trials().size() + 1), PRODUCT, LOG_NAME);
    ObjectNode product =
        object()
            .put("id", PRODUCT)
            .put("name", "Draw")
            .put("image_url", "")
            .put("price", 100)
            .put("total_stock", UNITS);
    product
        .putObject("policy")
        .put("pre_queue", "draw")
        .putNull("places_per_ip")
        .putNull("places_per_network")
        .putNull("units_per_ip");
    if (!insist("/products", () -> product)
        || !insist("/products/" + PRODUCT + "/open", () -> null)
        || !insist("/draws", () -> rules(trial.draw(), window))) {
      return false;
    }
    synchronized (this) {
      trials.add(trial);
    }
    Random chance = new Random(seed);
    for (int i = 0; i < PEOPLE; i++) {
      Random own = new Random(chance.nextLong());
      long arrival = BEFORE_OPEN_S * 1_000L + own.nextLong(window.toMillis());
      inside.incrementAndGet();
      Thread _ =
          Thread.ofVirtual()
              .name("entrant-" + i)
              .start(
                  () -> {
                    try {
                      Waiting.rest(arrival);
                      takePart(trial, own);
                    } finally {
                      inside.decrementAndGet();
                    }
                  });
    }
    return true;
  }

  /// The rules with times from now on: an attempt that was not answered may have taken long.
  private ObjectNode rules(String draw, Duration window) {
    Instant opens = clock.instant().truncatedTo(ChronoUnit.SECONDS).plusSeconds(BEFORE_OPEN_S);
    Instant closes = opens.plus(window).truncatedTo(ChronoUnit.SECONDS);
    return object()
        .put("id", draw)
        .put("product_id", PRODUCT)
        .put("opens_at", opens.toString())
        .put("closes_at", closes.toString())
        .put("seal_margin_seconds", SEAL_MARGIN_S)
        .put("claim_minutes", CLAIM_MINUTES)
        .put("allocate_until", closes.plusSeconds(SEAL_MARGIN_S + ALLOCATE_S).toString())
        .put("zone", noonZone(opens));
  }

  /// A zone in which it is about noon: offers do not end at night.
  private static String noonZone(Instant now) {
    return ZoneOffset.ofHours(NOON - now.atZone(ZoneOffset.UTC).getHour()).getId();
  }

  private void takePart(DrawTrial trial, Random chance) {
    Optional<DrawTrial.Entry> entered = enter(trial, chance);
    if (entered.isEmpty()) {
      return;
    }
    DrawTrial.Entry entry = entered.get();
    if (chance.nextInt(8) == 0
        && call(chance, "DELETE", DRAWS + trial.draw() + "/entry", entry, null).status() == 204) {
      entry.withdrawn();
    }
    boolean buys = chance.nextInt(4) > 0;
    while (!isHome) {
      JsonNode own = call(chance, "GET", DRAWS + trial.draw() + "/entry", entry, null).json();
      String state = own.path("state").asText();
      JsonNode offer = own.path("offer");
      boolean isOffered = offer.path("status").asText().equals("offered");
      if (state.equals("ended") || state.equals("aborted")) {
        return;
      }
      if (isOffered && !offer.has("bought")) {
        RoomClient.Reply _ =
            buys
                ? call(
                    chance,
                    "POST",
                    "/api/purchase",
                    entry,
                    object().put("product_id", PRODUCT).put("quantity", 1))
                : call(chance, "POST", "/api/queue/leave", entry, null);
      }
      Waiting.rest(PAUSE_MS + chance.nextInt(PAUSE_MS));
    }
  }

  private Optional<DrawTrial.Entry> enter(DrawTrial trial, Random chance) {
    ObjectNode body = object().put("turnstile_token", CrowdClient.TEST_TOKEN);
    for (int i = 0; i < TRIES && !isHome; i++) {
      RoomClient.Reply reply = call(chance, "POST", DRAWS + trial.draw() + "/entries", null, body);
      if (reply.status() == 200) {
        JsonNode json = reply.json();
        DrawTrial.Entry entry =
            new DrawTrial.Entry(
                json.path("session_id").asText(),
                json.path("leaf").asText(),
                json.path("index").asLong());
        trial.add(entry);
        return Optional.of(entry);
      }
      Waiting.rest(PAUSE_MS);
    }
    return Optional.empty();
  }

  private RoomClient.Reply call(
      Random chance,
      String method,
      String path,
      DrawTrial.@Nullable Entry entry,
      @Nullable ObjectNode body) {
    int port = doors.ports().get(chance.nextInt(doors.ports().size()));
    return client.call(
        port,
        method,
        path,
        entry == null ? Map.of() : Map.of("X-Session-Id", entry.session()),
        body);
  }

  private boolean insist(String path, Supplier<@Nullable ObjectNode> body) {
    return OperatorCall.succeeds(
        () -> admin(path, body.get()), Duration.ofMillis(PAUSE_MS), patience);
  }

  private Answer admin(String path, @Nullable ObjectNode body) {
    int port = doors.ports().get(Math.floorMod(System.nanoTime() / 1_000, doors.ports().size()));
    RoomClient.Reply reply =
        client.call(
            port, "POST", "/api/admin" + path, Map.of("Authorization", "Bearer " + token), body);
    return new Answer(reply.status(), reply.json());
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /// All entrants stop at their next step.
  public void goHome() {
    isHome = true;
  }

  @Override
  public void close() {
    goHome();
    client.close();
  }
}
