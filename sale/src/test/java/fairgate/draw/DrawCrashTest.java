package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.draw.PostgresEntries.Entry;
import fairgate.draw.leaf.HouseLeaf.AllocationReport;
import fairgate.draw.verify.Verdict;
import fairgate.draw.verify.VerdictCode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A draw whose steps fail at any write to PostgreSQL, and go on in a process that remembers
/// nothing.
@Tag("slow")
class DrawCrashTest {
  private static final int MAX_ATTEMPTS = 2_000;

  private static void failSometimes(DrawWorld world, int percent) {
    var _ =
        world.books.query(
            """
        CREATE FUNCTION fail_sometimes() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF random() < %d / 100.0 THEN
            RAISE EXCEPTION 'a crash' USING ERRCODE = 'restrict_violation';
          END IF;
          RETURN NULL;
        END $$
        """
                .formatted(percent));
    for (String table :
        List.of(
            "draws",
            "draw_entries",
            "draw_absences",
            "draw_result_parts",
            "draw_rank_parts",
            "draw_offers",
            "draw_logs",
            "draw_leaves",
            "draw_nodes")) {
      // After the statement: what it wrote is rolled back, and what came before stays in Redis.
      var _ =
          world.books.query(
              "CREATE TRIGGER fail_sometimes AFTER INSERT OR UPDATE ON "
                  + table
                  + " FOR EACH STATEMENT EXECUTE FUNCTION fail_sometimes()");
    }
  }

  /// Repeats a step until it has come so far, whatever fails.
  private static void until(BooleanSupplier isDone, Runnable step) {
    for (int i = 0; i < MAX_ATTEMPTS && !isDone.getAsBoolean(); i++) {
      try {
        step.run();
      } catch (RuntimeException crash) {
        // The next attempt goes on.
      }
    }
    assertThat(isDone.getAsBoolean()).isTrue();
  }

  private static <T> T answered(Supplier<T> call) {
    List<T> answer = new ArrayList<>();
    until(() -> !answer.isEmpty(), () -> answer.add(call.get()));
    return answer.getFirst();
  }

  private static void until(DrawWorld world, Draw.State state) {
    until(
        () -> world.draw().state().compareTo(state) >= 0,
        () -> {
          try {
            world.run();
          } finally {
            assertNeverAccused(world);
          }
        });
  }

  /// Verifiers find nothing wrong in what is public between two steps.
  private static void assertNeverAccused(DrawWorld world) {
    if (world.draw().sealProof().isEmpty()) {
      return;
    }
    Verdict verdict = answered(world::verify);
    assertThat(verdict.code()).as(verdict.detail()).isEqualTo(VerdictCode.OK);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 10, 25})
  void theOutcomeIsThatOfOneHonestRun(int percent) {
    try (DrawWorld world = DrawWorld.open(6, "")) {
      failSometimes(world, percent);
      List<Entry> entries = new ArrayList<>();
      for (int i = 0; i < 15; i++) {
        int person = i;
        entries.add(answered(() -> world.entered(person, 1)));
      }
      assertThat(answered(() -> world.withdraw(entries.get(3)))).isEqualTo("done");
      List<byte[]> receipts =
          entries.stream().map(entry -> answered(() -> world.receipt(entry))).toList();
      Set<Long> indexes = new HashSet<>();
      entries.forEach(entry -> indexes.add(entry.index()));
      assertThat(indexes).hasSize(15);
      world.clock.set(world.draw().rules().close());
      until(world, Draw.State.SEALED);
      byte[] seal = world.draw().leaves().seal().orElseThrow();
      world.clock.set(world.draw().chain().timeOf(world.draw().round()));
      until(world, Draw.State.DRAWN);
      byte[] result = world.draw().leaves().result().orElseThrow();
      until(
          () -> world.draw().state() == Draw.State.ENDED,
          () -> {
            buyOrLeave(world, entries);
            world.run();
          });
      assertThat(world.draw().leaves().seal()).contains(seal);
      assertThat(world.draw().leaves().result()).contains(result);
      Verdict verdict = answered(() -> world.verify(receipts.toArray(byte[][]::new)));
      assertThat(verdict.code()).as(verdict.detail()).isEqualTo(VerdictCode.OK);
      assertThat(verdict.stage()).isEqualTo(Verdict.Stage.ENDED);
      AllocationReport report = world.draw().report().orElseThrow().report();
      long sold = report.issued() + report.passed();
      assertThat(sold).isEqualTo(Long.parseLong(world.sale.sale("confirmed")));
      world.sale.assertBalanced();
    }
  }

  /// Every third winner leaves, the others buy.
  private static void buyOrLeave(DrawWorld world, List<Entry> entries) {
    for (Entry entry : entries) {
      if (entry.index() % 3 == 0) {
        var _ = world.sale.scripts().leave(DrawWorld.buyer(entry)).await();
      } else {
        var _ = world.buy(entry, 1);
      }
    }
  }
}
