package fairgate.operator.access;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.Main;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// `fairgate operator` on the database of a running server.
class OperatorCommandTest {
  private static final String MASTER =
      "k1:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

  @TempDir Path folder;

  private final PostgresAddress database = TestEngines.shared().freshDatabase();
  private final TestFairgate server = TestFairgate.start(TestEngines.shared(), database, Map.of());
  private final StringWriter output = new StringWriter();
  private Path config = Path.of("");

  @BeforeEach
  void writeConfig() throws IOException {
    config =
        Files.writeString(
            folder.resolve("fairgate.yaml"),
            """
            database:
              url: postgresql://%s:%s@%s:%d/%s
            master_secret: %s
            sign_in:
              base_url: https://tickets.example.com
            """
                .formatted(
                    database.user(),
                    database.password(),
                    database.host(),
                    database.port(),
                    database.database(),
                    MASTER));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private int run(String... arguments) {
    CommandLine commands = Main.commandLine();
    commands.setOut(new PrintWriter(output, true));
    commands.setErr(new PrintWriter(output, true));
    output.getBuffer().setLength(0);
    String[] all = new String[arguments.length + 3];
    all[0] = "operator";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    all[arguments.length + 1] = "--config";
    all[arguments.length + 2] = config.toString();
    return commands.execute(all);
  }

  private String printedLink() {
    return URI.create(output.toString().lines().findFirst().orElseThrow()).getPath();
  }

  @Test
  void theFirstOwnerIsAddedListedAndFollowsTheLink() {
    assertThat(run("add", "anna", "--role", "owner")).as(output.toString()).isZero();
    assertThat(output.toString())
        .startsWith("https://tickets.example.com/console/welcome/")
        .contains("good once, until ");
    TestOperator anna = TestOperator.follow(server, "anna", printedLink());
    assertThat(anna.call("GET", "/operators", "").statusCode()).isEqualTo(200);
    assertThat(run("list")).isZero();
    assertThat(output.toString()).containsPattern("anna +owner +signed in 20");
    String log =
        Eventually.get(
            "the command is in the log",
            () -> anna.call("GET", "/audit?kind=admin", "").body(),
            body -> body.contains("operator add owner"));
    assertThat(log).contains("\"subject\":\"anna\"", "command line");
    assertThat(run("link", "ANNA")).isZero();
    TestOperator again = TestOperator.follow(server, "anna", printedLink());
    assertThat(anna.call("GET", "/me", "").statusCode()).isEqualTo(401);
    assertThat(again.call("GET", "/me", "").statusCode()).isEqualTo(200);
    assertThat(run("remove", "anna")).isOne();
    assertThat(output.toString()).contains("anna is the only owner who can sign in");
  }

  @Test
  void wrongInputIsExplained() {
    assertThat(run("add", "bert", "--role", "king")).isOne();
    assertThat(output.toString()).contains("checkin, viewer, support, seller, owner");
    assertThat(run("add", "b", "--role", "viewer")).isOne();
    assertThat(output.toString()).contains("3 to 32 letters");
    assertThat(run("add", "bert", "--role", "viewer")).isZero();
    assertThat(run("add", "Bert", "--role", "viewer")).isOne();
    assertThat(output.toString()).contains("`operator link`");
    assertThat(run("remove", "bert")).isZero();
    assertThat(run("remove", "bert")).isOne();
    assertThat(output.toString()).contains("there is no operator bert");
  }
}
