package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.prove.fault.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Each fault is injected until it has happened, within a limit.
class FaultInjectorTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  private final List<String> reasons = new ArrayList<>();
  private final Map<Fault, Integer> tries = new EnumMap<>(Fault.class);

  private int tried(Fault fault) {
    return tries.merge(fault, 1, Integer::sum);
  }

  private FaultInjector injector(
      Duration limit, FaultInjector.FaultAction strike, Fault... faults) {
    return new FaultInjector(List.of(faults), strike, new Random(1), limit, reasons::add);
  }

  @Test
  void aFaultThatMissesIsInjectedUntilItHappensAlthoughTheTimeIsUp() {
    FaultInjector injector =
        injector(LONG, fault -> tried(fault) == 3, Fault.KAFKA_DOWN, Fault.REDIS_KILL);
    assertThat(injector.driven()).isFalse();
    injector.run(() -> false);
    assertThat(injector.driven()).isTrue();
    assertThat(injector.hits()).containsOnlyKeys(Fault.KAFKA_DOWN, Fault.REDIS_KILL);
    assertThat(injector.hits().values()).containsOnly(1);
    assertThat(reasons).isEmpty();
  }

  @Test
  void aFaultThatDoesNotHappenWithinTheLimitIsAReason() {
    FaultInjector injector = injector(Duration.ZERO, _ -> false, Fault.KAFKA_DOWN);
    injector.run(() -> false);
    assertThat(injector.driven()).isTrue();
    assertThat(injector.hits()).containsEntry(Fault.KAFKA_DOWN, 0);
    assertThat(reasons).hasSize(1);
    assertThat(reasons.getFirst())
        .contains("kafka-down", "did not happen", "1 tries in 0 s", "load average");
  }

  @Test
  void aFaultThatCannotBeInjectedIsTriedAgainAndIsAReason() {
    FaultInjector injector =
        injector(
            LONG,
            fault -> {
              if (tried(fault) == 1) {
                throw new IllegalStateException("no answer");
              }
              return true;
            },
            Fault.REDIS_KILL);
    injector.run(() -> false);
    assertThat(injector.hits()).containsEntry(Fault.REDIS_KILL, 1);
    assertThat(reasons).hasSize(1);
    assertThat(reasons.getFirst()).contains("redis-kill could not be injected", "no answer");
  }

  @Test
  void laterRoundsRunWhileThereIsTimeAndMayMiss() {
    FaultInjector injector = injector(LONG, fault -> tried(fault) < 3, Fault.REDIS_KILL);
    injector.run(() -> tries.getOrDefault(Fault.REDIS_KILL, 0) < 5);
    assertThat(injector.hits()).containsEntry(Fault.REDIS_KILL, 2);
    assertThat(reasons).isEmpty();
  }
}
