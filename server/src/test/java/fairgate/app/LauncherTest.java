package fairgate.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The script `./fairgate`, without a build.
@Timeout(60)
final class LauncherTest {
  private static final String SYSTEM_PATH = "/usr/bin:/bin";

  @TempDir Path temp;
  private Path oldJdk = Path.of("");

  @BeforeEach
  void installJava17() throws IOException {
    oldJdk = jdk("jdk-17", "17.0.15");
  }

  @Test
  void aNewEnoughJavaHomeIsTaken() throws Exception {
    Path wanted = jdk("wanted", "25.0.3");
    assertThat(launch(Map.of("JAVA_HOME", wanted.toString()), "java"))
        .isEqualTo(new Outcome(0, wanted.toString()));
  }

  @Test
  void anOlderJavaInPathAndJavaHomeIsPassedOver() throws Exception {
    Path sdkman = jdk("home/.sdkman/candidates/java/26-open", "26");
    Outcome outcome =
        launch(
            Map.of(
                "JAVA_HOME", oldJdk.toString(),
                "PATH", oldJdk.resolve("bin") + ":" + SYSTEM_PATH,
                "HOME", temp.resolve("home").toString()),
            "java");
    assertThat(outcome.code()).isZero();
    assertThat(outcome.output()).isNotEqualTo(oldJdk.toString());
    // A JDK under /usr/lib/jvm comes first, where there is one.
    assertThat(outcome.output()).matches(found -> found.equals(sdkman.toString()) || isNew(found));
  }

  @Test
  void theJavaOfThePathIsFoundThroughItsLink() throws Exception {
    Path jdk = jdk("linked", "25");
    Path bin = Files.createDirectory(temp.resolve("bin"));
    Files.createSymbolicLink(bin.resolve("java"), jdk.resolve("bin/java"));
    assertThat(launch(Map.of("PATH", bin + ":" + SYSTEM_PATH), "java"))
        .isEqualTo(new Outcome(0, jdk.toString()));
  }

  @Test
  void aJreIsNotEnough() throws Exception {
    Path jre = jdk("jre", "25");
    Files.delete(jre.resolve("bin/javac"));
    assertThat(launch(Map.of("JAVA_HOME", jre.toString()), "java").output())
        .isNotEqualTo(jre.toString());
  }

  @Test
  void helpNeedsNoJava() throws Exception {
    Outcome outcome = launch(Map.of("JAVA_HOME", oldJdk.toString()), "--help");
    assertThat(outcome.code()).isZero();
    assertThat(outcome.output()).contains("up", "test", "serve", "config", "doctor", "keys");
  }

  private record Outcome(int code, String output) {}

  private static Outcome launch(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder("bash", Path.of("../fairgate").toAbsolutePath().toString())
            .redirectErrorStream(true);
    builder.command().addAll(List.of(arguments));
    builder.environment().remove("JAVA_HOME");
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    return new Outcome(process.waitFor(), output);
  }

  private static boolean isNew(String home) {
    try {
      return Files.readString(Path.of(home, "release")).matches("(?s).*JAVA_VERSION=\"2[5-9].*");
    } catch (IOException _) {
      return false;
    }
  }

  /// What a JDK looks like from outside.
  private Path jdk(String name, String version) throws IOException {
    Path home = temp.toRealPath().resolve(name);
    Path bin = Files.createDirectories(home.resolve("bin"));
    for (String program : List.of("java", "javac")) {
      Files.writeString(bin.resolve(program), "#!/bin/sh\nexit 1\n");
      Files.setPosixFilePermissions(
          bin.resolve(program), PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    return home;
  }
}
