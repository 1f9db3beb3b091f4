package fairgate.prove.room;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.prove.environment.Waiting;
import java.net.URI;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/// A browser in a waiting room that does one thing at a time, as it is told, and repeats a call
/// until its outcome is known. For one thread.
public final class RoomGuest {
  private static final int TRIES = 100;

  private final RoomClient client;
  private final List<Integer> ports;
  private final String base;
  private final byte[] secret = new byte[32];
  private String device = "";
  private JsonNode place = JsonNodeFactory.instance.objectNode();

  RoomGuest(RoomClient client, List<Integer> ports, String room, RandomGenerator chance) {
    this.client = client;
    this.ports = ports;
    this.base = "/q/" + room;
    chance.nextBytes(secret);
  }

  /// The ticket of the last join; -1 without.
  public long ticket() {
    return place.path("ticket").asLong(-1);
  }

  /// The epoch of the last join; -1 without.
  public long epoch() {
    return place.path("epoch").asLong(-1);
  }

  /// Takes a place, or asks for the own one again.
  public void join() {
    RoomClient.Reply reply =
        definite("/join", JsonNodeFactory.instance.objectNode().put("hold", hold()));
    String set = reply.cookie("fairgate_device");
    if (!set.isEmpty()) {
      device = "fairgate_device=" + set;
    }
    if (reply.status() == 200) {
      place = reply.json();
    }
  }

  /// Says that it is present.
  public void here() {
    var _ = definite("/here", token());
  }

  /// Asks to enter; the code of the refusal, or `ENTER`.
  public String enter() {
    RoomClient.Reply reply = entry();
    return reply.status() == 200 ? "ENTER" : reply.json().path("error").asText("");
  }

  /// Enters, and ends the visit; false if it may not enter.
  public boolean visit() {
    URI target = URI.create(entry().json().path("location").asText(""));
    if (target.getRawQuery() == null) {
      return false;
    }
    String path = target.getRawPath() + '?' + target.getRawQuery();
    String pass = client.call(port(), "GET", path, Map.of(), null).cookie("fairgate_pass_");
    return !pass.isEmpty()
        && definite("/release", JsonNodeFactory.instance.objectNode().put("pass", pass)).status()
            == 204;
  }

  private RoomClient.Reply entry() {
    return definite("/enter", token().put("secret", text(secret)));
  }

  private ObjectNode token() {
    return JsonNodeFactory.instance.objectNode().put("place", place.path("place").asText());
  }

  private RoomClient.Reply definite(String path, ObjectNode body) {
    Map<String, String> headers = device.isEmpty() ? Map.of() : Map.of("Cookie", device);
    RoomClient.Reply reply = client.call(port(), "POST", base + path, headers, body);
    for (int i = 0; i < TRIES && isUnknown(reply); i++) {
      Waiting.rest(100);
      reply = client.call(port(), "POST", base + path, headers, body);
    }
    return reply;
  }

  /// A node learns of a new room a moment later.
  private static boolean isUnknown(RoomClient.Reply reply) {
    return reply.status() == 0 || reply.status() >= 500 || reply.status() == 404;
  }

  private int port() {
    return ports.getFirst();
  }

  private String hold() {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update("fairgate-hold/1\n".getBytes(UTF_8));
      return text(sha.digest(secret));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String text(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
