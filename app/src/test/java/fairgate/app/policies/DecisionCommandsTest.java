package fairgate.app.policies;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.Main;
import fairgate.gate.policy.DecisionFixture;
import fairgate.gate.policy.PolicyWorld;
import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.Features;
import fairgate.kernel.Decision;
import fairgate.kernel.DecisionCodec;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.KeyRing;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.sale.ledger.LedgerFixture;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// `decision replay` and `train` on the database of `database.url`.
class DecisionCommandsTest {
  private static final int DECISIONS = 1_500;
  private static final CompiledBundle BUNDLE =
      PolicyWorld.compiled(
          PolicyWorld.document(
              "rules",
              PolicyWorld.rule("everybody", "true", 35),
              PolicyWorld.rule("many_joins", "joins_of_address > 10", 20)));
  private static final LedgerFixture BOOKS = LedgerFixture.fresh(TestEngines.shared());

  @TempDir private Path folder;

  private record Run(int code, String output) {}

  @AfterAll
  static void close() {
    BOOKS.close();
  }

  private Run run(String... arguments) throws IOException {
    PostgresAddress address = BOOKS.address();
    Path config =
        Files.writeString(
            folder.resolve("fairgate.yaml"),
            """
            database:
              url: postgresql://%s:%s@%s:%d/%s
            """
                .formatted(
                    address.user(),
                    address.password(),
                    address.host(),
                    address.port(),
                    address.database()));
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--config", config.toString()));
    StringWriter out = new StringWriter();
    CommandLine commands = Main.commandLine();
    commands.setOut(new PrintWriter(out, true));
    commands.setErr(new PrintWriter(out, true));
    int code = commands.execute(all.toArray(String[]::new));
    return new Run(code, out.toString());
  }

  /// Programs have several accounts for a device key.
  private static Features features(int number) {
    Random random = new Random(number);
    Features.Builder features = Features.builder();
    var schema = features.schema();
    features.set(schema.feature("joins_of_address"), (long) random.nextInt(15));
    features.set(
        schema.feature("accounts_of_device_key"),
        (long) (number % 3 == 0 ? 2 : 1) + random.nextInt(2));
    return features.build();
  }

  private static void record(IntFunction<String> outcome) {
    var _ =
        BOOKS
            .database()
            .tx(
                db ->
                    db.update("DELETE FROM risk_outcomes")
                        + db.update("DELETE FROM risk_decisions"));
    DecisionFixture.record(
        BOOKS.database(), BUNDLE, DECISIONS, DecisionCommandsTest::features, outcome);
  }

  @Test
  void decisionsAreReplayedAndOneIsExplained() throws IOException {
    record(_ -> "paid");
    Run all = run("decision", "replay", "--all");
    assertThat(all.output()).contains(DECISIONS + " decisions replayed", " 0 of them different");
    assertThat(all.code()).isZero();
    Run range = run("decision", "replay", "--from", "2026-11-01T00:24:00Z");
    assertThat(range.output()).startsWith("60 decisions replayed");
    Run one = run("decision", "replay", "d0000007");
    assertThat(one.code()).isZero();
    assertThat(one.output())
        .contains("decision d0000007 at 2026-11-01T00:00:07Z: join of sale 7")
        .contains("replayed: identical", "bundle: rules", "accounts_of_device_key = ")
        .contains("+35 everybody", "About everybody.", "when true", "without it: pass");
  }

  /// The id in a refusal describes the refusal, and has the id of a decision on risk.
  @Test
  void theIdOfARefusalLeadsToItsRecordedDecisionIfThereIsOne() throws IOException {
    record(_ -> "");
    Run risk = run("decision", "replay", refusal(ErrorCode.RISK_REFUSED, "d0000007"));
    assertThat(risk.output()).contains("decision d0000007 at ", "replayed: identical");
    assertThat(risk.code()).isZero();
    Run limit = run("decision", "replay", refusal(ErrorCode.RATE_LIMIT_EXCEEDED, ""));
    assertThat(limit.output()).contains("RATE_LIMIT_EXCEEDED; nothing is recorded");
    assertThat(limit.code()).isOne();
  }

  private static String refusal(ErrorCode code, String recorded) {
    DecisionCodec codec = new DecisionCodec(new KeyRing("a", Map.of("a", new byte[32])));
    String id = codec.encode(new Decision(code, 1_000, null, "", "", 0, recorded, "", ""));
    assertThat(id).startsWith("AQ");
    return id;
  }

  @Test
  void aDecisionThatDiffersAndOneThatIsMissingEndWithOne() throws IOException {
    record(_ -> "");
    var _ =
        BOOKS
            .database()
            .tx(db -> db.update("UPDATE risk_decisions SET score = 7 WHERE id = 'd0000003'"));
    Run all = run("decision", "replay", "--all");
    assertThat(all.code()).isOne();
    assertThat(all.output()).contains(" 1 of them different", "DIFFERENT  d0000003");
    assertThat(run("decision", "replay", "d0000003").output()).contains("DIFFERENT: score ");
    Run missing = run("decision", "replay", "nothing");
    assertThat(missing.code()).isOne();
    assertThat(missing.output()).contains("there is no decision nothing");
    assertThat(run("decision", "replay").code()).isEqualTo(2);
    assertThat(run("decision", "replay", "d0000003", "--all").code()).isEqualTo(2);
    assertThat(run("decision", "replay", "--from", "yesterday").code()).isEqualTo(2);
  }

  @Test
  void aModelIsWrittenOnlyIfItStopsMoreBotsThanItHarmsPeople() throws IOException {
    // The active version of an empty table is the built-in one; the model is for these rules.
    var _ =
        BOOKS
            .database()
            .tx(
                db -> {
                  db.update("UPDATE policy_pointer SET active = NULL");
                  db.update(
                      "INSERT INTO policies (bundle, sha256, salt, author, note, guardrails) VALUES"
                          + " ($1, $2, '0123456789abcdef', 'ann', '',"
                          + " '{\"max_challenge_increase\":1,\"max_refusal_increase\":1,"
                          + "\"max_paid_refused\":1,\"max_appeals_won\":1,\"max_p99_micros\":1}')"
                          + " ON CONFLICT DO NOTHING",
                      BUNDLE.bundle().json(),
                      BUNDLE.hash());
                  return db.update(
                      "UPDATE policy_pointer SET active = (SELECT min(version) FROM policies)");
                });
    Path out = folder.resolve("model.json");
    record(i -> i % 3 == 0 ? "appeal_lost" : "paid");
    Run trained = run("train", "--out", out.toString(), "--name", "november");
    assertThat(trained.output())
        .contains("rows: 900 to train", "precision ", "calibration", "bots stopped", "wrote ");
    assertThat(trained.code()).isZero();
    assertThat(Files.readString(out)).startsWith("{\"name\":\"november\"").contains("\"trees\"");
    Files.delete(out);
    // In the newest fifth, the programs pay.
    record(i -> (i < DECISIONS * 4 / 5 ? i % 3 == 0 : i % 7 == 1) ? "appeal_lost" : "paid");
    Run refused = run("train", "--out", out.toString());
    assertThat(refused.code()).isOne();
    assertThat(refused.output()).contains("REFUSED: ");
    assertThat(out).doesNotExist();
    record(i -> i == 3 ? "appeal_lost" : "paid");
    Run tooFew = run("train", "--out", out.toString());
    assertThat(tooFew.code()).isOne();
    assertThat(tooFew.output()).contains("TOO FEW: ");
    assertThat(out).doesNotExist();
  }
}
