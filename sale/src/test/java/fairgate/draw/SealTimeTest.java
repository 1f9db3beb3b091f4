package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.DrawRules;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import fairgate.draw.verify.Verdict;
import fairgate.draw.witness.Witnesses;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The time between the closing of a draw and its beacon, in which the list must be sealed.
class SealTimeTest {
  private static final Witnesses.Config WITNESSES =
      new Witnesses.Config(
          List.of(
              new Witnesses.Config.Witness(
                  new SignerKey(
                          "witness.example/w",
                          VerifierKey.Type.COSIGNATURE,
                          Hash.ofParts(StrictText.bytes("witness")).bytes())
                      .verifier(),
                  URI.create("https://witness.example"))),
          1);

  private static long sealBeforeRound(DrawWorld world, Witnesses.Config witnesses) {
    DrawRules rules = world.rules(witnesses, world.body(""));
    BeaconChain chain = world.config.chain();
    return chain.timeOf(rules.beacon().round()) - rules.sealBy();
  }

  @Test
  void onlyWitnessesTakeTimeFromTheSeal() {
    try (DrawWorld world = DrawWorld.unannounced(1)) {
      assertThat(sealBeforeRound(world, world.config.witnesses())).isEqualTo(1);
      assertThat(sealBeforeRound(world, WITNESSES)).isEqualTo(60);
    }
  }

  /// PostgreSQL was away over the closing.
  @Test
  void aDrawSurvivesNineMinutesWithoutPostgresAtItsClosing() {
    try (DrawWorld world = DrawWorld.unannounced(1)) {
      DrawRules rules = world.rules(world.config.witnesses(), world.body(""));
      assertThat(world.announce(rules)).isEqualTo(PostgresDraws.Created.NEW);
      world.open();
      var _ = world.entered(1, 1);
      world.clock.set(rules.close() + 9 * 60);
      world.run();
      assertThat(world.draw().state()).isEqualTo(Draw.State.SEALED);
      assertThat(world.verify().stage()).isEqualTo(Verdict.Stage.SEALED);
    }
  }

  @Test
  void aSealThatIsTooLateEndsTheDraw() {
    try (DrawWorld world = DrawWorld.open(1, "")) {
      var _ = world.entered(1, 1);
      world.clock.set(world.draw().rules().sealBy() + 1);
      world.run();
      expectLateSeal(world);
    }
  }

  @Test
  void aSealWhosePublicationTakesTooLongEndsTheDraw() {
    try (DrawWorld world = DrawWorld.open(1, "")) {
      var _ = world.entered(1, 1);
      Instant inTime = Instant.ofEpochSecond(world.draw().rules().sealBy());
      InstantSource slow = () -> isSealPublic(world) ? inTime.plusSeconds(1) : inTime;
      world.run(slow.withZone(ZoneOffset.UTC));
      expectLateSeal(world);
    }
  }

  private static boolean isSealPublic(DrawWorld world) {
    String house = world.keys.houseOrigin();
    return world
        .draw()
        .seal()
        .map(seal -> !world.logs.indexesOf(house, List.of(seal.hash())).isEmpty())
        .orElse(false);
  }

  /// A draw that has no seal, for verifiers as well.
  private static void expectLateSeal(DrawWorld world) {
    assertThat(world.draw().state()).isEqualTo(Draw.State.ABORTED);
    assertThat(world.draw().abortReason()).contains("late_seal");
    assertThat(world.draw().seal()).isEmpty();
    assertThat(world.verify().stage()).isEqualTo(Verdict.Stage.ABORTED);
  }
}
