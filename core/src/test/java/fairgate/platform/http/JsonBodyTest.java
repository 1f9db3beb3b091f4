package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import io.vertx.core.Future;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// JSON bodies that do not meet the route's requirements.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class JsonBodyTest {
  private TestServer server;

  @BeforeAll
  void start() {
    server =
        TestServer.of(
            Route.post("/json", r -> reply(r.json().text("name"))),
            Route.post("/count", r -> reply(Integer.toString(r.json().integer("n", 1, 5)))),
            Route.post("/one", r -> reply(Integer.toString(r.json().integer("n", 1, 1)))),
            Route.post("/nested", r -> reply(r.json().object("a").text("b"))));
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private static Future<Reply> reply(String value) {
    return Future.succeededFuture(Reply.json(200, JsonText.object().put("value", value).bytes()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "{\"name\":|malformed_json",
        "{\"name\":\"x\"} x|malformed_json",
        "{\"name\":\"x\"}{}|malformed_json",
        "{'name':'x'}|malformed_json",
        "{\"name\":\"x\",}|malformed_json",
        "{\"name\":01}|malformed_json",
        "{\"name\":NaN}|malformed_json",
        "not json|malformed_json",
        "[1]|body_not_object",
        "\"text\"|body_not_object",
        "null|body_not_object",
        "7|body_not_object",
        "{\"name\":\"x\",\"name\":\"y\"}|duplicate_field",
        "{\"a\":{\"b\":1,\"b\":2},\"name\":\"x\"}|duplicate_field",
        "{\"name\":\"\\u0000\"}|bad_text",
        "{\"name\":\"\\ud800\"}|bad_text",
        "{\"name\":\"\\udc00\\ud800\"}|bad_text",
        "{\"name\":11111111111111111111111111111111111111111|number_too_long",
        "{\"name\":7}|not_text",
        "{\"name\":null}|missing",
        "{\"other\":7}|missing",
        "{\"name\":{}}|not_text",
      })
  void malformedJsonIsRefused(String body, String problem) {
    HttpResponse<String> reply = server.post("/json", body, "accept-language", "en");
    assertThat(reply.statusCode()).isEqualTo(400);
    assertThat(reply.body()).contains("\"error\":\"INVALID_REQUEST\"");
    assertThat(reply.body()).contains(english(problem));
  }

  private static String english(String problem) {
    String text = Messages.text(Language.EN, "invalid." + problem);
    return text.replace("{0}", "name");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.0",
        "1e0",
        "\"1\"",
        "true",
        "0",
        "6",
        "-1",
        "9223372036854775808",
        "null",
        "-99999999999999999999",
        "[]"
      })
  void otherNumbersAreRefusedAsIntegers(String value) {
    HttpResponse<String> reply = server.post("/count", "{\"n\":" + value + "}");
    assertThat(reply.statusCode()).isEqualTo(400);
    assertThat(reply.body()).contains("\"field\":\"n\"");
  }

  @Test
  void aRangeOfOneNumberIsThisNumber() {
    assertThat(server.post("/one", "{\"n\":2}", "accept-language", "en").body())
        .contains("\"message\":\"n must be 1.\"");
  }

  @Test
  void nestedFieldsAreNamedInFull() {
    assertThat(server.post("/nested", "{\"a\":{\"b\":1}}").body()).contains("\"field\":\"a.b\"");
  }

  @Test
  void unknownFieldsAreIgnored() {
    HttpResponse<String> reply =
        server.post("/json", "{\"x\":[1.5,{\"y\":null}],\"name\":\"鞋\",\"z\":true}");
    assertThat(reply.body()).isEqualTo("{\"value\":\"鞋\"}");
  }

  @Test
  void deepNestingIsRefused() {
    String body = "{\"name\":" + "[".repeat(40) + "]".repeat(40) + "}";
    HttpResponse<String> reply = server.post("/json", body, "accept-language", "en");
    assertThat(reply.statusCode()).isEqualTo(400);
    assertThat(reply.body()).contains("nested too deeply");
  }

  @Test
  void bytesThatAreNotUtf8AreRefused() {
    for (byte[] bad :
        new byte[][] {
          {'{', '"', 'n', 'a', 'm', 'e', '"', ':', '"', (byte) 0xc0, (byte) 0x80, '"', '}'},
          {
            '{',
            '"',
            'n',
            'a',
            'm',
            'e',
            '"',
            ':',
            '"',
            (byte) 0xed,
            (byte) 0xa0,
            (byte) 0x80,
            '"',
            '}'
          },
          {'{', '"', (byte) 0xff, '"', ':', '1', '}'},
          "{\"name\":\"x\"}".getBytes(StandardCharsets.UTF_16),
          "{\"name\":\"x\"}".getBytes(StandardCharsets.UTF_16LE),
          "\ufeff{\"name\":\"x\"}".getBytes(StandardCharsets.UTF_8),
        }) {
      assertThat(server.post("/json", bad).statusCode()).isEqualTo(400);
    }
    assertThat(server.post("/json", new byte[0]).statusCode()).isEqualTo(400);
  }
}
