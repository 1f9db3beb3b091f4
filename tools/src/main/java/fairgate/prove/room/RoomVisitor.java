package fairgate.prove.room;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.crowd.CrowdClient;
import fairgate.prove.environment.Waiting;
import fairgate.prove.room.RoomVisit.Call;
import fairgate.prove.room.RoomVisit.Shown;
import fairgate.prove.room.RoomVisit.Step;
import java.net.URI;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/// One browser in a waiting room: joins, computes its place, sometimes reloads, says that it is
/// present, or leaves; enters, uses its turn twice, and releases its slot after a while. Any call
/// goes to any node and is repeated until its outcome is known.
final class RoomVisitor {
  private static final int BLOCK = 16_384;

  private static final String SALE_PATH = "/api/queue/join";

  /// Refusals after which a visitor waits no longer.
  private static final Set<String> OVER = Set.of("PLACE_GONE", "INVALID_PLACE_TOKEN");

  /// One visitor in this many leaves while it waits.
  private static final int LEAVERS = 4;

  private final RoomClient client;
  private final List<Integer> ports;
  private final String base;
  private final RoomTrial trial;
  private final RoomVisit visit;
  private final RandomGenerator chance;
  private final BooleanSupplier isHome;
  private final int lookMillis;
  private final byte[] secret = new byte[32];
  private String device = "";
  private String place = "";
  private long ticket = -1;
  private boolean hasUsedTurn;

  /// Redis has lost the ticket, with the turn that was used.
  private boolean isLost;

  /// @param isHome whether the visitor is to stop at its next step
  RoomVisitor(
      RoomClient client,
      List<Integer> ports,
      RoomTrial trial,
      RandomGenerator chance,
      BooleanSupplier isHome) {
    this.client = client;
    this.ports = ports;
    this.trial = trial;
    this.base = "/q/" + trial.room();
    this.lookMillis = trial.patient() ? 2_000 : 400;
    this.visit = trial.visit();
    this.chance = chance;
    this.isHome = isHome;
    chance.nextBytes(secret);
  }

  void run() {
    try {
      visit();
    } finally {
      visit.end();
    }
  }

  private void visit() {
    while (place.isEmpty()) {
      if (isHome.getAsBoolean()) {
        return;
      }
      join();
      pause(place.isEmpty() ? 300 : 100);
    }
    int looksBeforeLeaving = chance.nextInt(LEAVERS) == 0 ? chance.nextInt(3) : Integer.MAX_VALUE;
    for (int looks = 0; !isHome.getAsBoolean(); looks++) {
      boolean isTurn = look();
      if (isLost) {
        return;
      }
      if (looks >= looksBeforeLeaving && !isTurn) {
        leave();
        return;
      }
      if ((isTurn || chance.nextInt(3) == 0) && enterAndLeaveAgain()) {
        return;
      }
      switch (chance.nextInt(8)) {
        case 0 -> {
          // A page that has used its turn joins no more: it would get another ticket.
          if (!hasUsedTurn) {
            join();
          }
        }
        case 1 -> here();
        case 2 -> steal();
        default -> {
          // Most looks are looks only.
        }
      }
      pause(lookMillis);
    }
  }

  private void pause(int millis) {
    Waiting.rest(millis / 2 + chance.nextInt(millis));
  }

  private RoomClient.Reply call(String method, String path, ObjectNode body) {
    Map<String, String> headers = device.isEmpty() ? Map.of() : Map.of("Cookie", device);
    int port = ports.get(chance.nextInt(ports.size()));
    return client.call(port, method, path, headers, method.equals("GET") ? null : body);
  }

  private RoomClient.Reply recorded(Step step, String turn, String method, String path) {
    return recorded(step, turn, method, path, JsonNodeFactory.instance.objectNode());
  }

  private RoomClient.Reply recorded(
      Step step, String turn, String method, String path, ObjectNode body) {
    long sent = System.nanoTime();
    return recorded(step, turn, sent, call(method, path, body));
  }

  private RoomClient.Reply recorded(Step step, String turn, long sent, RoomClient.Reply reply) {
    JsonNode json = reply.json();
    visit.add(
        new Call(
            step,
            json.path("ticket").asLong(-1),
            turn.isEmpty() ? turnOf(json) : turn,
            sent,
            System.nanoTime(),
            reply.status(),
            json.path("error").asText("")));
    return reply;
  }

  private RoomClient.Reply join(Step step) {
    byte[] prefix = "fairgate-hold/1\n".getBytes(UTF_8);
    MessageDigest sha = sha256();
    sha.update(prefix);
    return recorded(
        step,
        "",
        "POST",
        base + "/join",
        JsonNodeFactory.instance.objectNode().put("hold", text(sha.digest(secret))));
  }

  private void join() {
    RoomClient.Reply reply = join(Step.JOIN);
    String set = reply.cookie("fairgate_device");
    if (!set.isEmpty()) {
      device = "fairgate_device=" + set;
    }
    if (reply.status() == 200) {
      place = reply.json().path("place").asText();
      ticket = reply.json().path("ticket").asLong();
    }
  }

  /// Computes the place; whether the turn has come.
  private boolean look() {
    JsonNode head = call("GET", base + "/head", JsonNodeFactory.instance.objectNode()).json();
    if (!head.has("cursor")) {
      return false;
    }
    long cursor = head.path("cursor").asLong();
    if (ticket < cursor || ticket >= head.path("last").asLong()) {
      isLost = hasUsedTurn && ticket >= cursor;
      return ticket < cursor;
    }
    long[] gone = new long[head.path("gone").size()];
    long all = 0;
    for (int k = 0; k < gone.length; k++) {
      gone[k] = head.path("gone").path(k).asLong();
      all += gone[k];
    }
    int block = (int) (ticket / BLOCK);
    byte[] tile =
        call(
                "GET",
                base + "/gone/" + head.path("epoch").asLong() + '/' + block,
                JsonNodeFactory.instance.objectNode())
            .body();
    visit.add(
        new Shown(
            head.path("seq").asLong(),
            cursor,
            head.path("last").asLong(),
            ticket,
            tile.length == BLOCK / 8 ? ahead(cursor, gone, tile) : -1,
            all));
    return false;
  }

  /// The people ahead; -1 when the tile is not the one of the head.
  private long ahead(long cursor, long[] gone, byte[] tile) {
    int block = (int) (ticket / BLOCK);
    int from = (int) Math.max(0, cursor - (long) block * BLOCK);
    int own = count(tile, from, (int) (ticket % BLOCK));
    if (own + count(tile, (int) (ticket % BLOCK), BLOCK) != gone[block]) {
      return -1;
    }
    long before = 0;
    for (int k = (int) (cursor / BLOCK); k < block; k++) {
      before += gone[k];
    }
    return ticket - cursor - before - own;
  }

  private static int count(byte[] tile, int from, int to) {
    int count = 0;
    for (int i = from; i < to; i++) {
      count += tile[i / 8] >> i % 8 & 1;
    }
    return count;
  }

  private void here() {
    var _ = recorded(Step.HERE, "", "POST", base + "/here", placeBody());
  }

  private void leave() {
    RoomClient.Reply reply = RoomClient.Reply.NONE;
    while (isUnknown(reply) && !isHome.getAsBoolean()) {
      reply = recorded(Step.LEAVE, "", "POST", base + "/leave", possession(secret));
      pause(200);
    }
  }

  private static boolean isUnknown(RoomClient.Reply reply) {
    return reply.status() == 0 || reply.status() >= 500 || reply.status() == 429;
  }

  private void steal() {
    byte[] other = secret.clone();
    other[0] ^= 1;
    var _ = recorded(Step.THEFT, "", "POST", base + "/enter", possession(other));
  }

  /// Whether the visit is over.
  private boolean enterAndLeaveAgain() {
    JsonNode entered = recorded(Step.ENTER, "", "POST", base + "/enter", possession(secret)).json();
    String turn = turnOf(entered);
    if (turn.isEmpty()) {
      // After a loss of data, or when the answer with the pass was lost and the visit has ended
      // meanwhile. Whether that may be is for the checker.
      return OVER.contains(entered.path("error").asText(""));
    }
    URI target = URI.create(entered.path("location").asText());
    String path = target.getRawPath() + '?' + target.getRawQuery();
    hasUsedTurn = true;
    RoomClient.Reply passed = recorded(Step.EXCHANGE, turn, "GET", path);
    var _ = recorded(Step.EXCHANGE, turn, "GET", path);
    String pass = passed.cookie("fairgate_pass_");
    if (pass.isEmpty()) {
      return false;
    }
    var _ = join(Step.REJOIN);
    boolean isBuyer = chance.nextBoolean();
    if (isBuyer) {
      joinSale(Step.SALE, pass);
      joinSale(Step.SHARED_SALE, pass);
    }
    pause(600);
    RoomClient.Reply reply = RoomClient.Reply.NONE;
    while (isUnknown(reply) && !isHome.getAsBoolean()) {
      ObjectNode body = JsonNodeFactory.instance.objectNode().put("pass", pass);
      reply = recorded(Step.RELEASE, turn, "POST", base + "/release", body);
      if (!isBuyer && reply.status() / 100 == 2) {
        joinSale(Step.SHARED_SALE, pass);
      }
      pause(200);
    }
    return true;
  }

  /// Joins the sale behind the room with a pass, as this browser or as one without cookies.
  private void joinSale(Step step, String pass) {
    if (trial.sale().isEmpty()) {
      return;
    }
    String cookie = "fairgate_pass_" + trial.room() + '=' + pass;
    ObjectNode body =
        JsonNodeFactory.instance
            .objectNode()
            .put("product_id", trial.sale())
            .put("turnstile_token", CrowdClient.TEST_TOKEN);
    int port = ports.get(chance.nextInt(ports.size()));
    // A node that does not know the room yet lets everybody join.
    RoomClient.Reply without = client.call(port, "POST", SALE_PATH, Map.of(), body);
    if (!without.json().path("error").asText("").equals("ROOM_FIRST")) {
      return;
    }
    long sent = System.nanoTime();
    String cookies = step == Step.SALE ? device + "; " + cookie : cookie;
    var _ =
        recorded(
            step,
            pass,
            sent,
            client.call(port, "POST", SALE_PATH, Map.of("Cookie", cookies), body));
  }

  private ObjectNode placeBody() {
    return JsonNodeFactory.instance.objectNode().put("place", place);
  }

  private ObjectNode possession(byte[] shown) {
    return placeBody().put("secret", text(shown));
  }

  /// The turn in the address of an entry; empty without.
  private static String turnOf(JsonNode entered) {
    String location = entered.path("location").asText("");
    int from = location.indexOf("turn=");
    int to = location.indexOf('&', Math.max(0, from));
    return from < 0 || to < 0 ? "" : location.substring(from + "turn=".length(), to);
  }

  private static String text(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
