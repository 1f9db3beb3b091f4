package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.json.JsonText;
import io.vertx.core.Future;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

/// For any bytes the status is 200 or 4xx.
@Tag("slow")
class RandomBodyTest {
  private static final Holder HOLDER = new Holder();

  /// The server of all tries.
  private static final class Holder {
    @Nullable TestServer server;
  }

  @BeforeContainer
  static void start() {
    HOLDER.server =
        TestServer.of(
            Route.post(
                "/json",
                request -> {
                  JsonBody json = request.json();
                  byte[] reply =
                      JsonText.object()
                          .put("name", json.optionalText("name", 0, 40))
                          .put("n", json.optionalInteger("n", -5, 5, 0))
                          .put("on", json.optionalFlag("on", false))
                          .put("list", json.texts("list").size())
                          .bytes();
                  return Future.succeededFuture(Reply.json(200, reply));
                }),
            Route.get("/things/{id}", r -> Future.succeededFuture(Reply.text(200, r.path()))));
  }

  @AfterContainer
  static void stop() {
    server().close();
  }

  @Property(tries = 1500)
  void randomBytesNeverCauseAServerError(@ForAll @Size(max = 64) byte[] body) {
    assertThat(server().post("/json", body).statusCode()).isIn(200, 400);
  }

  @Property(tries = 1500)
  void damagedJsonNeverCausesAServerError(@ForAll("damagedJson") String body) {
    assertThat(server().post("/json", body).statusCode()).isIn(200, 400);
  }

  @Property(tries = 500)
  void randomTargetsNeverCauseAServerError(@ForAll @Size(max = 24) byte[] bytes) {
    try (RawClient client = new RawClient(server().port())) {
      String reply =
          client
              .write("GET /things/")
              .write(bytes)
              .write(" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n\r\n\r\n")
              .readReply();
      assertThat(reply).matches("(?s)HTTP/1\\.[01] (200|302|4\\d\\d) .*|");
    }
  }

  @Provide
  Arbitrary<String> damagedJson() {
    return Arbitraries.of(
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\"name\"",
            "\"n\"",
            "\"on\"",
            "\"list\"",
            "1",
            "-7",
            "1.0",
            "1e999",
            "true",
            "null",
            "\"x\"",
            "\"\\ud800\"",
            "\"\\u0000\"",
            " ",
            "\"",
            "\\",
            "99999999999999999999",
            "鞋",
            "\u0000")
        .list()
        .ofMaxSize(24)
        .map(parts -> String.join("", parts));
  }

  private static TestServer server() {
    TestServer server = HOLDER.server;
    if (server == null) {
      throw new IllegalStateException("not started");
    }
    return server;
  }
}
