package fairgate.app.command;

import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.Journal;
import fairgate.crowd.proof.NodePorts;
import fairgate.crowd.proof.ProofCrowd;
import fairgate.prove.Proof;
import fairgate.prove.ProofPlan;
import fairgate.prove.draw.BeaconRelay;
import fairgate.prove.draw.DrawCrowd;
import fairgate.prove.environment.Engines;
import fairgate.prove.environment.ProofEnvironment;
import fairgate.prove.report.ProofResult;
import fairgate.prove.room.RoomCrowd;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/// Prepares and runs a proof, with secrets of its own.
///
/// @param choice choice of engines
/// @param folder folder for the data of all engines and nodes
/// @param show receives the progress
record ProofRun(ProofPlan plan, Engines.Choice choice, Path folder, Consumer<Proof.Progress> show) {
  private static final SecureRandom RANDOM = new SecureRandom();

  /// As long as a fault may take to happen.
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /// Runs the proof and removes its engines and nodes.
  ///
  /// @param command command that repeats the proof
  ProofResult result(Vertx vertx, String command) throws IOException, TimeoutException {
    String token = hex(24);
    String secret = "whsec_" + Base64.getEncoder().encodeToString(bytes(32));
    Journal journal = new Journal();
    try (Engines engines = Engines.start(folder.resolve("engines"), choice);
        ProofEnvironment stage =
            ProofEnvironment.set(engines, ProofEnvironment.processes(), folder, plan.nodes())) {
      NodePorts doors = Proof.doors(stage);
      try (Gateway gateway = Gateway.open(vertx, doors, journal, secret);
          ProofCrowd crowd = new ProofCrowd(vertx, doors, gateway, journal, token);
          RoomCrowd rooms = new RoomCrowd(doors, token, PATIENCE);
          BeaconRelay beacon = BeaconRelay.start(Clock.systemUTC());
          DrawCrowd draws = new DrawCrowd(doors, token, PATIENCE, Clock.systemUTC())) {
        stage.settings(
            Map.of(
                "FAIRGATE_DRAWS_LOG_NAME",
                DrawCrowd.LOG_NAME,
                "FAIRGATE_DRAWS_BEACON_URLS",
                beacon.url(),
                "FAIRGATE_DRAWS_ROOM_SECONDS",
                "5",
                "FAIRGATE_DRAWS_CHAIN_FILE",
                beacon.describe(folder.resolve("beacon.json")).toString()));
        stage.settings(
            Map.of(
                "FAIRGATE_OPERATOR_TOKEN",
                token,
                "FAIRGATE_MASTER_SECRET",
                "k1:" + hex(32),
                "FAIRGATE_PAYMENT",
                "webhook",
                "FAIRGATE_PAYMENT_SECRET",
                secret,
                "FAIRGATE_PAYMENT_CLOSE_URL",
                gateway.url("/close"),
                "FAIRGATE_PAYMENT_REFUND_URL",
                gateway.url("/refund")));
        stage.allUp();
        var participants =
            new Proof.Participants(gateway, crowd, rooms, draws, journal, Clock.systemUTC());
        return new Proof(plan, stage, participants, show).run(command);
      }
    }
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  private static String hex(int length) {
    return HexFormat.of().formatHex(bytes(length));
  }
}
