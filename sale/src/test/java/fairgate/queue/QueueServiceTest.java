package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.SaleWorld;
import fairgate.TestIds;
import fairgate.kernel.Audit;
import fairgate.kernel.Caller;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.Device;
import fairgate.platform.http.Refusal;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Joining where this node's catalog and Redis do not know the same products.
class QueueServiceTest {
  private final RedisClient redis = SaleWorld.connect();
  private final AtomicBoolean known = new AtomicBoolean();
  private final AtomicInteger recorded = new AtomicInteger();
  private final AtomicBoolean isHarderSolved = new AtomicBoolean();
  private final AtomicBoolean needsStep = new AtomicBoolean();
  private final QueueService service =
      new QueueService(
          redis,
          new KeyRing("k1", Map.of("k1", new byte[32])),
          new TestIds(),
          new RecordingGate(),
          QueueFeature.Config.defaults(),
          Audit.none(),
          _ -> known.get());

  /// Accepts all tokens, and counts recorded decisions.
  private final class RecordingGate implements JoinGate {
    @Override
    public Future<ChallengeResult> check(
        String token, ProductId product, Level level, String clientAddress, Device device) {
      return Future.succeededFuture(
          level == Level.HARDER && !isHarderSolved.get()
              ? new ChallengeResult.Rejected("too easy")
              : new ChallengeResult.Accepted(null));
    }

    @Override
    public Future<Verdict> judge(QueueService.JoinRequest request) {
      Verdict verdict =
          needsStep.get()
              ? Verdict.refused(Refusal.of(ErrorCode.CHALLENGE_REQUIRED), Level.STEP, "decision")
              : Verdict.inOrder(Level.USUAL, "decision");
      return Future.succeededFuture(verdict.recordedBy(recorded::incrementAndGet));
    }
  }

  @AfterEach
  void close() {
    redis.close();
  }

  @Test
  void aSaleOfAnotherNodeMayBeJoinedBeforeTheCatalogHasIt() {
    assertThat(join(SaleWorld.open(1))).isInstanceOf(JoinOutcome.Joined.class);
  }

  @Test
  void aProductThatNobodyHasIsNotFound() {
    assertThat(join(SaleWorld.unknown())).isEqualTo(new JoinOutcome.NoSuchProduct());
  }

  @Test
  void aSaleThatRedisHasLostIsAnOutage() {
    known.set(true);
    SaleWorld lost = SaleWorld.unknown();
    assertThatThrownBy(() -> join(lost)).isInstanceOf(ServiceUnavailable.class);
  }

  @Test
  void acceptedJoinsAreToldExceptThoseOfUnknownBrowsersWithoutANewPlace() {
    List<Boolean> told = new ArrayList<>();
    service.onAccepted((_, _, placed) -> told.add(placed));
    SaleWorld world = SaleWorld.open(1);
    assertThat(join(world, "", false)).isInstanceOf(JoinOutcome.ChallengeRefused.class);
    assertThat(told).isEmpty();
    assertThat(join(world)).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(join(world)).isInstanceOf(JoinOutcome.AlreadyInQueue.class);
    assertThat(told).containsExactly(true);
    assertThat(join(world, "token", false)).isInstanceOf(JoinOutcome.AlreadyInQueue.class);
    assertThat(told).containsExactly(true, false);
  }

  @Test
  void aJoinThatNeedsAStepIsRefusedWhateverChallengeItSolved() {
    SaleWorld world = SaleWorld.open(1);
    needsStep.set(true);
    isHarderSolved.set(true);
    assertThat(join(world)).isInstanceOf(JoinOutcome.HarderChallenge.class);
    needsStep.set(false);
    assertThat(join(world)).isInstanceOf(JoinOutcome.Joined.class);
  }

  @Test
  void ofJoinsWithoutAChallengeTheFirstOfAnAddressInAMinuteIsRecorded() {
    known.set(true);
    SaleWorld world = SaleWorld.open(1);
    for (int i = 0; i < 5; i++) {
      assertThat(join(world, "", false)).isInstanceOf(JoinOutcome.ChallengeRefused.class);
    }
    assertThat(recorded).hasValue(1);
    assertThat(join(SaleWorld.open(1), "", false)).isInstanceOf(JoinOutcome.ChallengeRefused.class);
    assertThat(recorded).as("another sale").hasValue(2);
    assertThat(join(world)).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(recorded).hasValue(3);
  }

  @Test
  void aFullNetworkAsksItsNextBrowsersForAHarderChallenge() {
    known.set(true);
    AtomicInteger told = new AtomicInteger();
    service.onFullNetwork(_ -> told.incrementAndGet());
    SaleWorld world = SaleWorld.open(9);
    world.sent("HSET", world.keys().sale(), "places_net", "1");
    assertThat(joinFrom(world, 1, false)).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(joinFrom(world, 2, false)).isEqualTo(new JoinOutcome.NetworkCrowded());
    assertThat(joinFrom(world, 2, true))
        .as("without a cookie")
        .isEqualTo(new JoinOutcome.NetworkLimitReached());
    isHarderSolved.set(true);
    for (int host = 2; host <= 5; host++) {
      assertThat(joinFrom(world, host, false)).isInstanceOf(JoinOutcome.Joined.class);
    }
    assertThat(told).as("nothing that an operator should know").hasValue(0);
    assertThat(joinFrom(world, 6, false)).isEqualTo(new JoinOutcome.NetworkLimitReached());
    assertThat(told).hasValue(1);
  }

  private JoinOutcome joinFrom(SaleWorld world, int host, boolean fresh) {
    ClientAddress address = Objects.requireNonNull(ClientAddress.parse("192.0.2." + host));
    return service
        .join(
            new QueueService.JoinRequest(
                world.product(),
                "token",
                new Device(new DeviceId("%022d".formatted(host)), fresh),
                null,
                null,
                0,
                new Caller(address, "", null, null, null),
                null))
        .await();
  }

  private JoinOutcome join(SaleWorld world) {
    return join(world, "token", true);
  }

  private JoinOutcome join(SaleWorld world, String token, boolean fresh) {
    return service
        .join(
            new QueueService.JoinRequest(
                world.product(),
                token,
                new Device(new DeviceId("AAAAAAAAAAAAAAAAAAAAAA"), fresh),
                null,
                null,
                0,
                Caller.NONE,
                null))
        .await();
  }
}
