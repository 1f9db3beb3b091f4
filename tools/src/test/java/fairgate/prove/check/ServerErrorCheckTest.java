package fairgate.prove.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import fairgate.crowd.Answer;
import fairgate.crowd.proof.CallType;
import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.Journal;
import fairgate.crowd.proof.NodePorts;
import fairgate.crowd.proof.RecordedCall;
import fairgate.platform.http.Loops;
import fairgate.prove.environment.RunLog;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ServerErrorCheckTest {
  private static final String SALE = "18";

  private final Vertx vertx = Loops.vertx(1);
  private final Journal journal = new Journal();
  private Gateway gateway;

  @BeforeEach
  void open() throws Exception {
    gateway = Gateway.open(vertx, new NodePorts(List.of(1)), journal, "whsec_AAEC");
  }

  @AfterEach
  void close() throws Exception {
    gateway.close();
    var _ = vertx.close().await(60, TimeUnit.SECONDS);
  }

  /// The verdict on one purchase that was answered with this status.
  private InvariantResults.InvariantResult verdict(int status, String error) {
    Answer answer = new Answer(status, JsonNodeFactory.instance.objectNode().put("error", error));
    journal.add(
        new RecordedCall(CallType.PURCHASE, "ann", SALE, "s", "key-1", "", 1, 0, 1, answer));
    InvariantResults tally = new InvariantResults();
    Evidence evidence = new Evidence(List.of(SALE), journal, gateway, new RunLog());
    new ServerErrorCheck(evidence, tally).check();
    return tally.verdicts().getOrDefault(Invariant.I23, InvariantResults.InvariantResult.NONE);
  }

  @Test
  void anAnswerOfStatus500IsFound() {
    InvariantResults.InvariantResult verdict = verdict(500, "INTERNAL_SERVER_ERROR");
    assertThat(verdict.broken()).isEqualTo(1);
    assertThat(verdict.examples())
        .singleElement()
        .asString()
        .contains("PURCHASE", "key-1", "INTERNAL_SERVER_ERROR");
  }

  @Test
  void anAnswerOfStatus503IsAllowed() {
    InvariantResults.InvariantResult verdict = verdict(503, "SERVICE_UNAVAILABLE");
    assertThat(verdict.broken()).isZero();
    assertThat(verdict.facts()).isEqualTo(1);
  }

  @Test
  void aCallWithoutAnAnswerIsSkipped() {
    assertThat(verdict(0, "").facts()).isZero();
  }
}
