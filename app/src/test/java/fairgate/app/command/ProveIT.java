package fairgate.app.command;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.prove.ProveCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The `prove` command in a short run, on two nodes and real engines that are killed.
class ProveIT {
  private static final String FAULTS =
      "node-kill,node-kill-after,cut-replies,redis-kill,script-flush,relay-kill,postgres-kill,"
          + "pause,add-stock,log-cut,out-of-memory,old-copy,refused-calls";

  @SuppressWarnings("NullAway.Init")
  private ProveCall call;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @BeforeEach
  void prepare() {
    call = new ProveCall(folder.resolve("proof.html"));
  }

  @Tag("proof")
  @Test
  void allChecksHoldWhenProcessesDie() throws IOException {
    int code = call.prove("--minutes", "0.6", "--nodes", "2", "--seed", "7", "--only", FAULTS);
    // There is no Kafka, Redis has no replica, a draw whose window falls into the outages has no
    // entries, and in a sale that lost data payment deadlines and the waiting list are not
    // compared.
    call.allHeld(code, "I21", "I32", "I33", "I34", "I35", "I37", "I38", "I42", "I44", "I45", "I46");
    assertThat(call.out()).contains("Seed 7, 2 nodes on one Redis");
    assertThat(call.err()).contains("--seed 7 --minutes 0.6 --nodes 2 --only " + FAULTS);
    assertThat(Files.readString(call.page()))
        .contains("Everything held.", "server killed (-9) under load", "<svg", "I22")
        .as("one page that needs nothing else")
        .doesNotContain("<script", "<link", "src=", "http://", "https://");
  }

  /// The people inside a sale go on as if there had been no time in which nobody was heard.
  @Tag("proof")
  @Test
  void allChecksHoldWhenNobodyGetsThrough() {
    String faults = "front-cut,blackout,pause-ahead";
    int code = call.prove("--minutes", "0.4", "--nodes", "2", "--seed", "3", "--only", faults);
    String elsewhere = "I13 I14 I21 I22 I32 I33 I34 I35 I37 I38 I42 I45 I46";
    call.allHeld(code, elsewhere.split(" ", -1));
    assertThat(call.times("no request gets to any server, while all of them run")).isPositive();
    assertThat(call.times("all nodes dead for a while, schedulers with them")).isPositive();
    assertThat(call.times("operator pauses and resumes a sale that is not due")).isPositive();
  }

  @Test
  void unusableArgumentsAreExplained() {
    assertThat(call.prove("--nodes", "4")).isEqualTo(2);
    assertThat(call.err()).contains("--nodes: 1 to 3");
    assertThat(call.prove("--only", "earthquake")).isEqualTo(2);
    assertThat(call.err()).contains("--only: no fault earthquake", "redis-kill");
    assertThat(call.prove("--only", "twin-relays", "--nodes", "1")).isEqualTo(2);
    assertThat(call.err()).contains("--only: twin-relays takes --nodes 2");
    assertThat(call.prove("--only", "kafka-down")).isEqualTo(2);
    assertThat(call.err()).contains("--only: kafka-down takes --kafka-home");
    assertThat(call.prove("--only", "slot-move")).isEqualTo(2);
    assertThat(call.err()).contains("--only: slot-move takes --redis-cluster");
    assertThat(call.prove("--only", "failover")).isEqualTo(2);
    assertThat(call.err()).contains("--only: failover takes --redis-replicas");
    assertThat(call.prove("--only", "redis-kill", "--redis-replicas")).isEqualTo(2);
    assertThat(call.err()).contains("--only: redis-kill takes no --redis-replicas");
    assertThat(call.prove("--redis-cluster", "--redis-replicas")).isEqualTo(2);
    assertThat(call.prove("--kafka-home", folder.toString())).isEqualTo(2);
    assertThat(call.err()).contains("--kafka-home: " + folder + " has no libs");
    assertThat(call.prove("--minutes", "0")).isEqualTo(2);
    assertThat(call.prove("--help")).isZero();
    assertThat(call.out())
        .contains("--minutes", "--seed", "--only", "--report", "--redis-cluster", "--kafka-home");
  }
}
