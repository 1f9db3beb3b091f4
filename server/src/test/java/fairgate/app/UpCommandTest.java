package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The command as its user sees it: a process, its output, its exit code.
@Timeout(120)
final class UpCommandTest {
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  @TempDir Path temp;

  @BeforeEach
  void letOtherUsersEnter() throws IOException {
    Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void itServesKeepsItsKeysAndStopsEverything() throws Exception {
    String first = lifeOf(up("--port", "0"));
    assertThat(lifeOf(up("--port", "0"))).isEqualTo(first);
    assertThat(Files.readString(data().resolve("secrets/operator-token")).strip()).isEqualTo(first);
    assertThat(Files.getPosixFilePermissions(data().resolve("secrets")))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void aTakenPortIsOneClearLine() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());
      Process up = up("--port", port);
      assertThat(up.waitFor()).isEqualTo(1);
      assertThat(Files.readString(log()).strip()).hasLineCount(1).contains("Port " + port);
      assertThat(up.getInputStream().readAllBytes()).isEmpty();
      assertThat(data()).doesNotExist();
    }
  }

  /// Waits for the ready line, looks, and stops the server. Returns the operator token.
  private String lifeOf(Process up) throws Exception {
    List<String> lines = new ArrayList<>();
    BufferedReader output = up.inputReader();
    for (String line; (line = output.readLine()) != null; ) {
      lines.add(line);
      if (line.startsWith("ready ")) {
        break;
      }
    }
    assertThat(lines).as(Files.readString(log())).isNotEmpty();
    URI base = URI.create(lines.getLast().substring("ready ".length()));
    assertThat(statusOf(base.resolve("/health/live"))).isEqualTo(200);
    up.destroy();
    assertThat(up.waitFor(15, TimeUnit.SECONDS)).isTrue();
    assertThat(up.exitValue()).isEqualTo(143);
    assertThat(enginesOfData()).isEmpty();
    return lines.stream()
        .map(String::strip)
        .filter(line -> line.startsWith("operator token"))
        .map(line -> line.substring("operator token".length()).strip())
        .findFirst()
        .orElseThrow();
  }

  private static int statusOf(URI uri) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(10)).build();
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
    List<String> command = new ArrayList<>();
    command.addAll(List.of(JAVA.toString(), "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("up", "--no-demo", "--data", data().toString()));
    command.addAll(List.of(options));
    return new ProcessBuilder(command).redirectError(log().toFile()).start();
  }
}
