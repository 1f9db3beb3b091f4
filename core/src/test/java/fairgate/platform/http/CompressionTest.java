package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Replies in gzip, over raw HTTP.
class CompressionTest {
  private static final String LONG = "A line of a list. ".repeat(500);
  private static final String SHORT = "a".repeat(Compression.MIN_BYTES);
  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.of(
            get("/long", Reply.text(200, LONG).compressible()),
            Route.blockingGet("/slow", _ -> Reply.text(200, LONG).compressible()),
            get("/short", Reply.text(200, SHORT).compressible()),
            get("/secret", Reply.html(200, LONG)),
            get("/varied", Reply.text(200, LONG).compressible().header("vary", "cookie")));
  }

  private static Route get(String path, Reply reply) {
    return Route.get(path, _ -> Future.succeededFuture(reply));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gzip",
        "GZIP",
        "br, gzip",
        "gzip;q=0.001",
        "deflate;q=1.0, gzip ; q=0.5",
        "*",
        "*;q=0, gzip",
        "br\r\nAccept-Encoding: gzip"
      })
  void aClientThatAcceptsGzipGetsIt(String accepted) throws IOException {
    for (String path : new String[] {"/long", "/slow", "/long"}) {
      Got got = ask("GET", path, accepted);
      assertThat(got.head).contains("content-encoding: gzip", "vary: accept-encoding");
      assertThat(got.body.length()).isLessThan(LONG.length() / 10);
      assertThat(unzipped(got.body)).isEqualTo(LONG);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "identity",
        "br",
        "gzip;q=0",
        "gzip; Q=0.000",
        "gzip;q=0, *",
        "*, gzip;q=0",
        "*;q=0",
        "gzip;q=x",
        "gzip;q=NaN",
        "gzippy",
        ",;,;;"
      })
  void aClientThatDoesNotAcceptGzipGetsThePlainText(String accepted) {
    Got got = ask("GET", "/long", accepted);
    assertThat(got.head).contains("vary: accept-encoding").doesNotContain("content-encoding");
    assertThat(got.body).isEqualTo(LONG);
  }

  @Test
  void aShortReplyIsSentAsItIs() {
    Got got = ask("GET", "/short", "gzip");
    assertThat(got.head).doesNotContain("content-encoding", "vary");
    assertThat(got.body).isEqualTo(SHORT);
  }

  @Test
  void anUnmarkedReplyIsNeverCompressed() {
    Got got = ask("GET", "/secret", "gzip");
    assertThat(got.head).doesNotContain("content-encoding", "vary");
    assertThat(got.body).isEqualTo(LONG);
  }

  @Test
  void aVaryHeaderOfTheReplyIsKept() {
    assertThat(ask("GET", "/varied", "gzip").head)
        .contains("vary: cookie", "vary: accept-encoding", "content-encoding: gzip");
  }

  @Test
  void aHeadRequestHasTheHeadersOfAGet() {
    int sent = ask("GET", "/long", "gzip").body.length();
    assertThat(ask("HEAD", "/long", "gzip").head)
        .contains("content-encoding: gzip", "content-length: " + sent);
    assertThat(ask("HEAD", "/long", "").head).contains("content-length: " + LONG.length());
  }

  /// A reply as received.
  ///
  /// @param head in lower case
  /// @param body each byte as a character
  private record Got(String head, String body) {}

  private static Got ask(String method, String path, String accepted) {
    String encoding = accepted.isEmpty() ? "" : "Accept-Encoding: " + accepted + "\r\n";
    try (RawClient client = new RawClient(server.port())) {
      String all =
          client
              .write(
                  method
                      + " "
                      + path
                      + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                      + encoding
                      + "\r\n")
              .readAll();
      int end = all.indexOf("\r\n\r\n");
      return new Got(all.substring(0, end).toLowerCase(Locale.ROOT), all.substring(end + 4));
    }
  }

  private static String unzipped(String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.ISO_8859_1);
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }
}
