package fairgate.app.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.app.TestFairgate;
import fairgate.testkit.Eventually;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/// A visitor with a place in a waiting room.
///
/// @param secret base64url; only this visitor has it
record RoomVisitor(TestFairgate node, String room, String place, String secret) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] HOLD = "fairgate-hold/1\n".getBytes(StandardCharsets.US_ASCII);
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  /// Joins the queue of the room.
  static RoomVisitor join(TestFairgate node, String room) {
    byte[] secret = new byte[32];
    ThreadLocalRandom.current().nextBytes(secret);
    byte[] message = Arrays.copyOf(HOLD, HOLD.length + secret.length);
    System.arraycopy(secret, 0, message, HOLD.length, secret.length);
    String body = "{\"hold\":\"" + BASE64.encodeToString(sha256(message)) + "\"}";
    HttpResponse<String> joined = node.callUntilAccepted("POST", "/q/" + room + "/join", body);
    assertThat(joined.statusCode()).as(joined.body()).isEqualTo(200);
    return new RoomVisitor(
        node, room, member(joined.body(), "place"), BASE64.encodeToString(secret));
  }

  /// Asks to enter, with any secret.
  ///
  /// @param back a signed return URL; empty for the room's own
  HttpResponse<String> enter(String shown, String back) {
    String body =
        "{\"place\":\"%s\",\"secret\":\"%s\",\"return\":\"%s\"}".formatted(place, shown, back);
    return node.callUntilAccepted(
        "POST", "/q/" + room + "/enter", body, "Accept", "application/json");
  }

  /// The address where the turn becomes a pass, once the turn has come.
  URI turn(String back) {
    HttpResponse<String> entered =
        Eventually.get(
            "the turn comes", () -> enter(secret, back), answer -> answer.statusCode() == 200);
    return URI.create(member(entered.body(), "location"));
  }

  /// Enters, and returns the `Cookie` line with the pass.
  String pass() {
    URI turn = turn("");
    HttpResponse<String> exchanged =
        node.callUntilAccepted("GET", turn.getRawPath() + "?" + turn.getRawQuery(), "");
    assertThat(exchanged.statusCode()).as(exchanged.body()).isEqualTo(303);
    return passCookie(exchanged.headers().allValues("set-cookie"));
  }

  /// The `Cookie` line with the pass among these `Set-Cookie` values.
  static String passCookie(List<String> cookies) {
    return cookies.stream()
        .filter(cookie -> cookie.startsWith("fairgate_pass_"))
        .map(cookie -> "Cookie: " + cookie.split(";", 2)[0])
        .findFirst()
        .orElseThrow();
  }

  private static String member(String json, String name) {
    try {
      return JSON.readTree(json).get(name).asText();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(json, e);
    }
  }

  private static byte[] sha256(byte[] message) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(message);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
