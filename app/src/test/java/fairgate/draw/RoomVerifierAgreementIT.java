package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import fairgate.app.Main;
import fairgate.draw.verify.TestChains;
import fairgate.draw.verify.TestRoomDraw;
import fairgate.testkit.DrippingServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The three verifiers, written apart, give the same verdict on the draw of a waiting room.
@Timeout(600)
class RoomVerifierAgreementIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SCRIPTS = "src/test/resources/draws/";
  private static final String PYTHON = "../deploy/draw/verify_draw.py";
  private static final String TICKET = Long.toString(TestRoomDraw.TICKET);
  private static final String CHAINS = String.join(",", TestChains.NAMED);
  private static final List<String> NAMED =
      TestChains.NAMED.stream().flatMap(hash -> Stream.of("--chain", hash)).toList();

  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static String verifier;

  @BeforeAll
  static void write() throws IOException {
    verifier = VerifierPage.in(folder).toString();
  }

  private record Said(String code, String announced, String warnings, String seed, String place) {
    static Said of(String json) throws IOException {
      JsonNode said = JSON.readTree(json);
      boolean isOk = said.path("code").asText().equals("ok");
      return new Said(
          said.path("code").asText(),
          isOk ? said.path("announced").toString() : "",
          isOk ? said.path("warnings").toString() : "",
          isOk ? said.path("seed").asText("") : "",
          isOk ? said.path("place").asText("") : "");
    }
  }

  @Test
  void allSayTheSameOfEveryKind() throws IOException, InterruptedException {
    List<HttpServer> servers = new ArrayList<>();
    try {
      List<String> addresses = new ArrayList<>();
      for (TestRoomDraw.Kind kind : TestRoomDraw.Kind.values()) {
        HttpServer server = serve(TestRoomDraw.files(kind));
        servers.add(server);
        addresses.add(address(server));
      }
      List<String> node = lines(addresses, "node", SCRIPTS + "room.mjs", verifier, CHAINS, TICKET);
      List<String> python =
          lines(addresses, "python3", SCRIPTS + "rooms.py", PYTHON, CHAINS, TICKET);
      SoftAssertions softly = new SoftAssertions();
      for (TestRoomDraw.Kind kind : TestRoomDraw.Kind.values()) {
        Said java = Said.of(java(addresses.get(kind.ordinal())));
        softly.assertThat(java.code()).as("%s", kind).isEqualTo(kind.code().word());
        softly.assertThat(Said.of(node.get(kind.ordinal()))).as("%s", kind).isEqualTo(java);
        softly.assertThat(Said.of(python.get(kind.ordinal()))).as("%s", kind).isEqualTo(java);
      }
      softly.assertAll();
    } finally {
      servers.forEach(server -> server.stop(0));
    }
  }

  /// The lines that a verifier prints for these addresses, one each.
  private static List<String> lines(List<String> addresses, String... command)
      throws IOException, InterruptedException {
    List<String> lines = run(with(addresses, command)).lines().toList();
    assertThat(lines).as(command[0]).hasSameSizeAs(addresses);
    return lines;
  }

  @Test
  void noneWaitsForAServerThatSendsAByteNowAndThen() throws IOException, InterruptedException {
    try (DrippingServer server = new DrippingServer()) {
      String address = server.url() + "/q/tour/draws";
      assertThat(run("node", SCRIPTS + "download.mjs", verifier, address, "1"))
          .isEqualTo("unreachable\n");
      assertThat(run("python3", SCRIPTS + "download.py", PYTHON, address, "1"))
          .isEqualTo("unreachable\n");
    }
  }

  @Test
  void noneCallsARoomWithoutADrawRight() throws IOException, InterruptedException {
    HttpServer server = serve(TestRoomDraw.files(TestRoomDraw.Kind.NEVER_ANNOUNCED));
    try {
      String address = address(server);
      StringWriter out = new StringWriter();
      assertThat(java(out, address, "--lang", "en")).isEqualTo(2);
      assertThat(out.toString())
          .contains("announces no draw of this room, so nothing was checked", "not_announced")
          .doesNotContain("right");
      Process python =
          new ProcessBuilder("python3", PYTHON, address, "--lang", "en")
              .redirectErrorStream(true)
              .start();
      assertThat(new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .contains("announces no draw of this waiting room, so nothing was checked")
          .contains("RESULT: could not be checked", "not_announced")
          .doesNotContain("correct");
      assertThat(python.waitFor()).isEqualTo(2);
    } finally {
      server.stop(0);
    }
  }

  /// Tickets from before the opening are 0 to n - 1; others are not in the draw.
  @ParameterizedTest
  @ValueSource(longs = {-1, TestRoomDraw.TICKETS, 12_345_678_901L, 9_007_199_254_740_993L})
  void allRefuseATicketThatIsNotInTheDraw(long number) throws IOException, InterruptedException {
    HttpServer server = serve(TestRoomDraw.files(TestRoomDraw.Kind.HONEST));
    try {
      String address = address(server);
      String ticket = Long.toString(number);
      String detail = ticket + ", not 0-299";
      StringWriter out = new StringWriter();
      assertThat(java(out, with(NAMED, address, "--ticket", ticket, "--lang", "en"))).isEqualTo(2);
      assertThat(out.toString())
          .contains("Ticket " + ticket + " is not in this draw. Its tickets are 0-299;")
          .contains("ticket_not_in_draw");
      Process python =
          new ProcessBuilder(
                  with(NAMED, "python3", PYTHON, address, "--ticket", ticket, "--lang", "en"))
              .redirectErrorStream(true)
              .start();
      assertThat(new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .contains("Ticket " + ticket + " is not in this draw. Its tickets are 0-299;")
          .contains("ticket_not_in_draw: " + detail);
      assertThat(python.waitFor()).isEqualTo(2);
      JsonNode page =
          JSON.readTree(run("node", SCRIPTS + "room.mjs", verifier, CHAINS, ticket, address));
      assertThat(page.path("code").asText()).isEqualTo("ticket_not_in_draw");
      assertThat(page.path("detail").asText()).isEqualTo(detail);
    } finally {
      server.stop(0);
    }
  }

  private static String[] with(List<String> more, String... words) {
    return Stream.concat(Stream.of(words), more.stream()).toArray(String[]::new);
  }

  private static HttpServer serve(Map<String, byte[]> files) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            byte[] content = files.get(exchange.getRequestURI().getPath().substring(1));
            exchange.sendResponseHeaders(
                content == null ? 404 : 200, content == null ? -1 : content.length);
            if (content != null) {
              exchange.getResponseBody().write(content);
            }
          }
        });
    server.start();
    return server;
  }

  private static String address(HttpServer server) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/q/tour";
  }

  private static String java(String address) {
    StringWriter out = new StringWriter();
    int _ = java(out, with(NAMED, address, "--json", "--ticket", TICKET));
    return out.toString();
  }

  private static int java(StringWriter out, String... arguments) {
    String[] all =
        Stream.concat(Stream.of("verify-draw"), Stream.of(arguments)).toArray(String[]::new);
    return Main.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(new StringWriter()))
        .execute(all);
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return output;
  }
}
