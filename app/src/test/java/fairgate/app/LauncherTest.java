package fairgate.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The script `./fairgate`, without a build.
@Timeout(180)
final class LauncherTest {
  private static final String SYSTEM_PATH = "/usr/bin:/bin";

  @TempDir Path temp;
  private Path oldJdk = Path.of("");

  @BeforeEach
  void installJava17() throws IOException {
    oldJdk = jdk("jdk-17", "17.0.15");
  }

  @Test
  void aNewEnoughJavaHomeIsUsed() throws Exception {
    Path wanted = jdk("wanted", "25.0.3");
    assertThat(launch(Map.of("JAVA_HOME", wanted.toString()), "java"))
        .isEqualTo(new Outcome(0, wanted.toString()));
  }

  @Test
  void anOlderJavaInPathAndJavaHomeIsSkipped() throws Exception {
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
    // A JDK under /usr/lib/jvm comes first, if there is one.
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
    assertThat(outcome.output())
        .contains("up", "test", "serve", "config", "doctor", "keys", "try [URL]");
  }

  @Test
  void aMissingProgramIsNamedAndNothingIsBuiltWithoutRoot() throws Exception {
    Machine machine = new Machine("id", "echo 1000").with("sudo", "exit 1");
    Outcome outcome = machine.launch("test");
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.output())
        .contains(
            "sudo apt-get update && sudo apt-get install -y --no-install-recommends chromium-headless-shell");
    assertThat(machine.calls()).doesNotContain("mvn").doesNotContain("apt-get");
  }

  @Test
  void aMissingProgramIsInstalledByRootBeforeTheBuild() throws Exception {
    Machine machine = new Machine("id", "echo 0");
    Outcome outcome = machine.launch("test", "-Dsome=option");
    assertThat(outcome.output()).endsWith("PASSED");
    assertThat(machine.calls())
        .containsSubsequence(
            "apt-get update",
            "apt-get install",
            "chromium-headless-shell",
            "npm pack",
            "altcha@3.2.2",
            "mvn -B verify -T 1C -Dfairgate.pool -Dsome=option");
  }

  @Test
  void sudoWithoutAPasswordInstallsToo() throws Exception {
    Machine machine = new Machine("id", "echo 1000").with("sudo", "shift; exec \"$@\"");
    assertThat(machine.launch("test").output()).endsWith("PASSED");
    assertThat(machine.calls()).containsSubsequence("sudo -n", "apt-get install", "mvn -B verify");
  }

  @Test
  void aFailedInstallationStopsBeforeTheBuild() throws Exception {
    Machine machine = new Machine("id", "echo 0").with("apt-get", "exit 100");
    Outcome outcome = machine.launch("test");
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.output()).contains("\n  apt-get update && apt-get install -y");
    assertThat(machine.calls()).doesNotContain("mvn");
  }

  @Test
  void aCompleteMachineInstallsNothing() throws Exception {
    Machine machine = new Machine("id", "echo 1000").withAllPrograms();
    assertThat(machine.launch("test").output()).endsWith("PASSED");
    assertThat(machine.calls()).doesNotContain("apt-get").contains("mvn -B verify");
  }

  @Test
  void anAltchaWidgetThatIsNotThePinnedOneIsRefused() throws Exception {
    Machine machine =
        new Machine("id", "echo 1000").withAllPrograms().with("openssl", "printf otherwise");
    Outcome outcome = machine.launch("test");
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.output()).contains("is not the file that was pinned");
    assertThat(machine.calls()).doesNotContain("mvn");
  }

  /// `up` may be about to open the jar.
  @Test
  void theJarStaysWhileTheTestsRun() throws Exception {
    Machine machine =
        new Machine("id", "echo 1000").withAllPrograms().with("mvn", "cat app/target/fairgate.jar");
    Path _ = machine.file("app/target/fairgate.jar", "the last jar");
    assertThat(machine.launch("test").output()).contains("the last jar");
  }

  @Test
  void theQuickTestsTakeNoNames() throws Exception {
    Machine machine = new Machine("id", "echo 1000");
    Outcome outcome = machine.launch("test", "--quick", "JoinScriptTest");
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.output()).contains("./fairgate test JoinScriptTest");
    assertThat(machine.launch("test", "--quick", "--help").output()).startsWith("usage:");
    assertThat(machine.calls()).doesNotContain("mvn");
  }

  @Test
  void aNamedTestNeedsOnlyJavaAndMaven() throws Exception {
    Machine machine = new Machine("id", "echo 1000");
    assertThat(machine.launch("test", "FirstTest", "SecondTest#itWorks", "-X").output())
        .endsWith("PASSED");
    assertThat(machine.calls())
        .contains("-Dtest=FirstTest,SecondTest#itWorks", " -X")
        .contains("mvn -B test -q")
        .doesNotContain("failsafe:integration-test")
        .doesNotContain("apt-get");
  }

  @Test
  void aNamedIntegrationTestRunsWithoutTheOthers() throws Exception {
    Machine machine = new Machine("id", "echo 1000").withAllPrograms();
    assertThat(machine.launch("test", "PageIT").output()).endsWith("PASSED");
    assertThat(machine.calls())
        .contains(
            "mvn -B test failsafe:integration-test failsafe:verify", "-Dtest=none -D", "=PageIT");
  }

  @Test
  void aRunWithoutATestFails() throws Exception {
    Machine machine = new Machine("id", "echo 1000").with("mvn", "exit 0");
    Outcome outcome = machine.launch("test", "FirstTest#noSuchMethod");
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.output()).endsWith("no test has run\nFAILED");
  }

  @Test
  void anUnknownTestIsRefusedBeforeTheBuild() throws Exception {
    Machine machine = new Machine("id", "echo 1000");
    Outcome outcome = machine.launch("test", "NoSuchTest");
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.output()).contains("there is no test NoSuchTest");
    assertThat(machine.calls()).isEmpty();
  }

  @Test
  void theOptionsOfMavenKeepTheirValues() throws Exception {
    Machine machine = new Machine("id", "echo 1000").withAllPrograms();
    assertThat(machine.launch("test", "-pl", "app", "-am").output()).endsWith("PASSED");
    assertThat(machine.calls()).contains("mvn -B verify -T 1C -Dfairgate.pool -pl app -am");
  }

  @Test
  void aFreshJarIsStartedWithoutABuild() throws Exception {
    Machine machine = new Machine("id", "echo 1000");
    Path jar = machine.file("app/target/fairgate.jar", "");
    assertThat(machine.launch("up", "--no-demo").code()).isZero();
    assertThat(machine.calls()).contains("java ", "-jar " + jar + " up --no-demo");
    assertThat(machine.calls()).doesNotContain("mvn");
  }

  @Test
  void aChangedSourceIsBuiltBeforeTheStart() throws Exception {
    Machine machine = new Machine("id", "echo 1000");
    machine.jarOfOlderSources();
    assertThat(machine.launch("up").code()).isZero();
    assertThat(machine.calls()).containsSubsequence("mvn ", "package", "java ");
  }

  @Test
  void aBuildSaysWhatItDoesAndListsWhatItDownloads() throws Exception {
    Machine machine =
        new Machine(
            "mvn",
            """
            echo 'Downloaded from central: https://files.example/a/small-1.jar (512 B at 1 kB/s)'
            echo 'Downloaded from central: https://files.example/a/large-2.jar (1.5 MB at 3 MB/s)'
            echo '[INFO] --- maven-compiler-plugin:3.15.0:compile (default) @ fairgate-sale ---'
            echo new >app/target/fairgate.jar""");
    machine.jarOfOlderSources();
    Outcome outcome = machine.launch("up");
    assertThat(outcome.output())
        .containsSubsequence(
            "building", "downloading", "compiling sale", "downloaded 2 files, 2 MB");
    assertThat(machine.file("target/downloads.txt"))
        .hasContent("   1500000 large-2.jar\n       512 small-1.jar");
  }

  @Test
  void aCacheOfThisJarMakesTheStartFastAndAnOlderOneIsReplaced() throws Exception {
    Machine machine = new Machine("id", "echo 1000");
    Path jar = machine.file("app/target/fairgate.jar", "");
    assertThat(machine.launch("up").code()).isZero();
    String option = machine.calls().replaceFirst("(?s).*-Dfairgate.aot-cache=(\\S+).*", "$1");
    assertThat(option).startsWith(jar.resolveSibling("fairgate-").toString()).endsWith(".aot");
    Path cache = Files.writeString(Path.of(option), "");
    assertThat(machine.launch("up").code()).isZero();
    assertThat(machine.calls()).contains("-XX:AOTCache=" + cache);
    FileTime later = FileTime.fromMillis(Files.getLastModifiedTime(cache).toMillis() + 60_000);
    Path _ = Files.setLastModifiedTime(jar, later);
    assertThat(machine.launch("up").code()).isZero();
    assertThat(cache).doesNotExist();
  }

  @Test
  void aHelpTextIsTakenFromAJarOfOlderSources() throws Exception {
    Machine machine = new Machine("id", "echo 1000");
    Path jar = machine.jarOfOlderSources();
    assertThat(machine.launch("up", "--help").code()).isZero();
    assertThat(machine.calls()).contains("-jar " + jar + " up --help").doesNotContain("mvn");
  }

  @Test
  void aFailedBuildLeavesTheLastJarInPlace() throws Exception {
    // The check that fails runs after the jar is written.
    Machine machine = new Machine("mvn", "echo refused >app/target/fairgate.jar; exit 1");
    Path jar = machine.jarOfOlderSources();
    Outcome outcome = machine.launch("up");
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.output()).contains("the build failed");
    assertThat(jar).hasContent("the last jar");
    assertThat(machine.calls()).doesNotContain("java ");
  }

  @Test
  void aBuildThatEndedWhileItWroteTheJarIsRepeatedWithoutRemovedResources() throws Exception {
    Machine machine =
        new Machine(
            "mvn",
            """
            if [ -f again ]; then echo whole >app/target/fairgate.jar; exit; fi
            touch again
            echo thin >app/target/fairgate.jar
            kill -9 "$(cat target/jar.pid)\"""");
    Path jar = machine.jarOfOlderSources();
    Path removed = machine.file("sale/target/classes/removed.sql", "");
    assertThat(machine.launch("up").code()).isEqualTo(137);
    assertThat(jar).hasContent("thin");
    assertThat(machine.launch("up").code()).isZero();
    assertThat(jar).hasContent("whole");
    assertThat(removed).doesNotExist();
  }

  /// A minimal machine: a source tree with the launcher, and a PATH in which each program outside
  /// the base system is a script that records its calls.
  private final class Machine {
    private static final String BASE =
        "awk base64 bash cat cksum cp cut dirname env find grep head ln mkdir mv readlink rm sed sleep"
            + " sort tail tee touch tr true";
    private static final String PINNED =
        "yNITQaRSkRe0u/hMxdzoXFFqxqn9iDt1rJ0reREU3D3uDD3w1oFz6v5C2PMww2XnGThtYUwe8MW+PxsiBglNqw==";

    private final Path root = Files.createDirectory(temp.toRealPath().resolve("tree"));
    private final Path bin = Files.createDirectory(temp.toRealPath().resolve("programs"));
    private final Path log = bin.resolve("calls.log");
    private final Path jdk = LauncherTest.this.jdk("jdk", "25.0.3");

    Machine(String program, String script) throws IOException {
      for (String name : BASE.split(" ", -1)) {
        Path real = Path.of("/usr/bin", name);
        Path found = Files.exists(real) ? real : Path.of("/bin", name);
        executable(bin.resolve(name), "exec " + found + " \"$@\"");
      }
      for (String name : List.of("fairgate", "testkit/setup.sh")) {
        file(name, Files.readString(Path.of("..", name)));
      }
      for (String name : List.of("FirstTest", "SecondTest", "PageIT")) {
        file("app/src/test/java/" + name + ".java", "");
      }
      // The base64 of its output is the pinned hash.
      with("openssl", "printf %s '" + PINNED + "' | base64 -d");
      String report = "app/target/TEST-First.xml";
      file(report, "<testsuite tests=\"3\" failures=\"0\">").toFile().setLastModified(0);
      with("mvn", "touch -t 209901010000 " + root.resolve(report));
      with("npm", "exit 0").with("tar", "exit 0");
      with("fc-list", "echo Noto");
      with("uname", "echo Linux");
      with("helm", "exit 0");
      with(program, script);
      executable(jdk.resolve("bin/java"), "echo \"java $*\" >>" + log);
      with(
          "apt-get",
          "[ \"$1\" != install ] || ln -s mvn " + bin.resolve("chromium-headless-shell"));
    }

    /// Adds a program, or replaces one.
    Machine with(String name, String script) throws IOException {
      executable(bin.resolve(name), "echo \"" + name + " $*\" >>" + log + "\n" + script);
      return this;
    }

    Machine withAllPrograms() throws IOException {
      for (String name :
          List.of(
              "chromium",
              "curl",
              "nginx",
              "haproxy",
              "caddy",
              "php",
              "promtool",
              "systemd-analyze",
              "python3")) {
        with(name, "exit 0");
      }
      return this;
    }

    Path file(String name) {
      return root.resolve(name);
    }

    Path file(String name, String text) throws IOException {
      Path file = root.resolve(name);
      Files.createDirectories(file.getParent());
      return Files.writeString(file, text);
    }

    /// A jar, and a source that was changed after it.
    @CanIgnoreReturnValue
    Path jarOfOlderSources() throws IOException {
      file("sale/src/main/java/Changed.java", "");
      Path jar = file("app/target/fairgate.jar", "the last jar");
      return Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
    }

    Outcome launch(String... arguments) throws IOException, InterruptedException {
      return LauncherTest.launch(
          root.resolve("fairgate"),
          Map.of("PATH", bin.toString(), "JAVA_HOME", jdk.toString()),
          arguments);
    }

    /// One line for each call of a program, without calls that only query.
    String calls() throws IOException {
      return Files.exists(log)
          ? Files.readAllLines(log).stream()
              .filter(line -> !line.matches("(uname|id|fc-list|sudo -n true)\\b.*"))
              .collect(joining("\n"))
          : "";
    }

    private void executable(Path file, String script) throws IOException {
      Files.writeString(file, "#!/bin/bash\n" + script + "\n");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  private record Outcome(int code, String output) {}

  private static Outcome launch(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    return launch(Path.of("../fairgate").toAbsolutePath(), environment, arguments);
  }

  private static Outcome launch(Path script, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder("bash", script.toString()).redirectErrorStream(true);
    builder.command().addAll(List.of(arguments));
    List.of(
            "JAVA_HOME",
            "FAIRGATE_CHROMIUM",
            "FAIRGATE_HELM",
            "ALTCHA_WIDGET",
            "FAIRGATE_JAVA_OPTS")
        .forEach(builder.environment()::remove);
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

  /// The files by which the launcher recognises a JDK.
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
