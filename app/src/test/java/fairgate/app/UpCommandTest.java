package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.operator.access.TestOperator;
import fairgate.operator.access.Totp;
import fairgate.testkit.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The command as a process, with its output and exit code.
@Timeout(600)
final class UpCommandTest {
  private static final String ORDER = "3211058044792473088";
  private static final String UNKNOWN_ORDER = "3211058044792473099";

  @TempDir Path temp;

  @BeforeEach
  void letOtherUsersEnter() throws IOException {
    Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /// One test, because each start finds what the one before has left: the first with new data, the
  /// second in which the owner signs in, and the third with an owner and a buyer.
  @Test
  void threeStartsOnTheSameDataKeepItsKeysAndItsSecrets() throws Exception {
    Process up = up("--port", "0");
    List<String> first = untilReady(up);
    ofFifteenLinksTenAreMade(served(first));
    stopped(up);
    String token = fact(first, "operator token").orElseThrow();
    String oldLink = fact(first, "first owner").orElseThrow();
    assertThat(oldLink).matches("http://127\\.0\\.0\\.1:\\d+/console/welcome/[A-Za-z0-9_-]{43}");
    assertThat(Files.readString(data().resolve("secrets/operator-token")).strip()).isEqualTo(token);
    assertThat(Files.getPosixFilePermissions(data().resolve("secrets")))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));

    up = up("--port", "0");
    List<String> second = untilReady(up);
    URI base = served(second);
    theOwnerComesByTheLatestLink(base, fact(second, "first owner").orElseThrow(), oldLink);
    stopped(up);
    assertThat(fact(second, "operator token")).hasValue(token);
    assertThat(Files.readString(log())).doesNotContain("/console/welcome/");

    up = up("--port", "0");
    List<String> third = untilReady(up);
    List<String> secrets = secretsOfABuyer(served(third));
    stopped(up);
    assertThat(fact(third, "operator token")).hasValue(token);
    assertThat(fact(third, "first owner")).isEmpty();
    // Somebody who only tries it need not worry, and Debian 12 has no valkey-server.
    assertThat(fact(third, "bundled redis").orElseThrow())
        .startsWith("fine for a trial")
        .contains("redis-server or valkey-server");
    assertThat(Files.readString(log())).doesNotContain("/console/welcome/");
    filesArePrivateAndLogsHaveNoneOf(secrets);
  }

  private static void theOwnerComesByTheLatestLink(URI base, String link, String old)
      throws Exception {
    assertThat(link.substring(link.lastIndexOf('/')))
        .as("another link")
        .isNotEqualTo(old.substring(old.lastIndexOf('/')));
    assertThat(statusOf(base.resolve(URI.create(old).getPath()))).isEqualTo(404);
    HttpResponse<String> page = call("GET", base, URI.create(link).getPath(), "", "");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("otpauth://totp/Fairgate:owner");
    String key = page.body().replaceFirst("(?s).*id=\"key\">([A-Z2-7]+)<.*", "$1");
    String code = Totp.code(TestOperator.decode(key), Instant.now());
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest welcome =
          HttpRequest.newBuilder(URI.create(link))
              .timeout(Duration.ofMinutes(1))
              .header("sec-fetch-site", "same-origin")
              .POST(
                  HttpRequest.BodyPublishers.ofString(
                      "password=a+long+and+quiet+phrase+7&code=" + code))
              .build();
      HttpResponse<String> done =
          Eventually.get(
              "the server is not too busy for a password",
              () -> client.send(welcome, BodyHandlers.ofString()),
              answer -> answer.statusCode() != 503);
      assertThat(done.statusCode()).as(done.body()).isEqualTo(200);
    }
  }

  private static Optional<String> fact(List<String> lines, String name) {
    return lines.stream()
        .map(String::strip)
        .filter(line -> line.startsWith(name))
        .map(line -> line.substring(name.length()).strip())
        .findFirst();
  }

  /// The lines up to the ready line.
  private static List<String> untilReady(Process up) throws IOException {
    List<String> lines = new ArrayList<>();
    BufferedReader output = up.inputReader();
    for (String line; (line = output.readLine()) != null; ) {
      lines.add(line);
      if (line.startsWith("ready ")) {
        break;
      }
    }
    return lines;
  }

  /// Verifies a telephone number and redeems an order. Returns what the logs must not have of it,
  /// the one-time code first.
  private List<String> secretsOfABuyer(URI base) throws IOException {
    String account = "{\"username\":\"private-person\",\"password\":\"a long and quiet phrase 7\"}";
    var _ = post(base, "/api/v1/register", account, "");
    String token =
        post(base, "/api/v1/login", account, "").replaceFirst(".*\"token\":\"([^\"]+)\".*", "$1");
    var _ = post(base, "/api/v1/identity/phone", "{\"phone\":\"+886912345678\"}", token);
    Path file = data().resolve("secrets/one-time-codes");
    Eventually.await(() -> Files.exists(file) && file.toFile().length() > 0);
    List<String> codes = Files.readAllLines(file);
    assertThat(codes).singleElement().asString().matches("\\+886912345678 \\d{6}");
    String oneTimeCode = codes.getFirst().substring("+886912345678 ".length());
    return List.of(oneTimeCode, "912345678", redeemed(base), ORDER, UNKNOWN_ORDER);
  }

  private void filesArePrivateAndLogsHaveNoneOf(List<String> secrets) throws IOException {
    assertThat(Files.getPosixFilePermissions(data()))
        .doesNotContain(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data().resolve("logs"))))
        .isEqualTo("rwx------");
    assertThat(Files.readString(log())).doesNotContain(secrets).contains("Ready: ");
    assertThat(Files.readString(data().resolve("logs/fairgate.log"))).contains("Ready: ");
    assertThat(Files.readAllLines(log()))
        .as("warnings, but for those of a busy machine")
        .noneMatch(line -> line.contains(" WARN ") && !line.contains("BlockedThreadChecker"));
    try (Stream<Path> logs = Files.list(data().resolve("logs"))) {
      for (Path log : logs.toList()) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(log)))
            .as(log.toString())
            .isEqualTo("rw-------");
        assertThat(Files.readString(log))
            .as(log.toString())
            .doesNotContain(": " + secrets.getFirst())
            .doesNotContain(secrets.subList(1, secrets.size()));
      }
    }
  }

  /// Imports an order, claims and activates its code, and claims an unknown order; returns the
  /// code.
  private String redeemed(URI base) throws IOException {
    String operator = Files.readString(data().resolve("secrets/operator-token")).strip();
    String product = "{\"name\":\"Card\"}";
    var put = call("PUT", base, "/api/admin/redeem/products/basic", product, operator);
    assertThat(put.statusCode()).as(put.body()).isLessThan(300);
    String file = "order_id,product_id,platform,status\n" + ORDER + ",basic,taobao,paid\n";
    // The same file is not imported again; the reply has the state of its import.
    String _ =
        Eventually.get(
            "the import is done",
            () -> post(base, "/api/admin/orders/import", file, operator),
            job -> job.contains("\"state\":\"done\""));
    HttpResponse<String> claimed = claim(base, ORDER);
    assertThat(claimed.statusCode()).as(claimed.body()).isEqualTo(200);
    assertThat(claim(base, UNKNOWN_ORDER).statusCode()).isEqualTo(400);
    String code = claimed.body().replaceFirst(".*\"code\":\"([^\"]+)\".*", "$1");
    assertThat(code).matches("[A-Z0-9-]{8,}");
    String activation = "{\"code\":\"%s\",\"device_id\":\"web_abc123xyz456\"}".formatted(code);
    var _ = post(base, "/api/redeem/activate", activation, "");
    return code;
  }

  private static HttpResponse<String> claim(URI base, String order) {
    String body =
        "{\"order_id\":\"%s\",\"product_id\":\"basic\",\"device_id\":\"web_abc123xyz456\"}"
            .formatted(order);
    return call("POST", base, "/api/redeem/claim", body, "");
  }

  private static String post(URI base, String path, String body, String token) {
    var reply = call("POST", base, path, body, token);
    assertThat(reply.statusCode()).as(reply.body()).isLessThan(300);
    return reply.body();
  }

  /// Sends a call, and again while the server is too busy; an empty `token` is omitted.
  private static HttpResponse<String> call(
      String method, URI base, String path, String body, String token) {
    return Eventually.get(
        "the server is not too busy for " + path,
        () -> callOnce(method, base, path, body, token),
        reply -> reply.statusCode() != 503);
  }

  private static HttpResponse<String> callOnce(
      String method, URI base, String path, String body, String token) {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(base.resolve(path))
              .timeout(Duration.ofMinutes(1))
              .method(method, HttpRequest.BodyPublishers.ofString(body));
      if (!token.isEmpty()) {
        request.header("Authorization", "Bearer " + token);
      }
      return client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aPortInUseIsReportedInOneLine() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      Process up = up("--port", port);
      assertThat(up.waitFor()).isEqualTo(1);
      assertThat(Files.readString(log()).strip()).hasLineCount(1).contains("Port " + port);
      assertThat(up.getInputStream().readAllBytes()).isEmpty();
      assertThat(data()).doesNotExist();
    }
  }

  /// The address of a server that is ready.
  ///
  /// @param lines its output
  private URI served(List<String> lines) throws Exception {
    assertThat(lines).as(Files.readString(log())).isNotEmpty();
    assertThat(lines)
        .as("the line that names the Redis, its release and its program")
        .anyMatch(
            line ->
                line.strip()
                    .matches("redis +unix://.+, (Redis|Valkey) \\d+\\.\\d+\\.\\d+ \\(.+\\)"));
    assertThat(lines.getLast()).as(Files.readString(log())).startsWith("ready ");
    URI base = URI.create(lines.getLast().substring("ready ".length()));
    assertThat(statusOf(base.resolve("/health/live"))).isEqualTo(200);
    return base;
  }

  /// Stops the server with its engines.
  private void stopped(Process up) throws InterruptedException {
    up.destroy();
    assertThat(up.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(up.exitValue()).isEqualTo(143);
    assertThat(enginesOfData()).isEmpty();
  }

  /// Somebody tries the limit of short links with curl: no account, no cookie, no challenge.
  private static void ofFifteenLinksTenAreMade(URI base) {
    List<Integer> statuses = new ArrayList<>();
    for (int i = 1; i <= 15; i++) {
      String body = "{\"url\": \"https://example.com/" + i + "\"}";
      statuses.add(call("POST", base, "/api/v1/shortlinks", body, "").statusCode());
    }
    assertThat(statuses.subList(0, 10)).containsOnly(201);
    assertThat(statuses.subList(10, 15)).containsOnly(429);
  }

  private static int statusOf(URI uri) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60)).build();
      return client.send(request, BodyHandlers.discarding()).statusCode();
    }
  }

  private Stream<ProcessHandle> enginesOfData() {
    return ProcessHandle.allProcesses()
        .filter(each -> each.info().commandLine().orElse("").contains(data().toString()));
  }

  private Path data() {
    return temp.resolve("data");
  }

  private Path log() {
    return temp.resolve("up.log");
  }

  private Process up(String... options) throws IOException {
    List<String> command =
        new ArrayList<>(ServerProcess.command("up", "--no-demo", "--data", data().toString()));
    command.addAll(List.of(options));
    ProcessBuilder up = new ProcessBuilder(command).redirectError(log().toFile());
    up.environment().put("FAIRGATE_REDIS_PROGRAM", "bundled");
    return up.start();
  }
}
