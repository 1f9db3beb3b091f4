package fairgate.queue;

import static fairgate.ModelRun.Op.ADMIT;
import static fairgate.ModelRun.Op.BUY;
import static fairgate.ModelRun.Op.CLOSE;
import static fairgate.ModelRun.Op.EXPIRE;
import static fairgate.ModelRun.Op.JOIN;
import static fairgate.ModelRun.Op.JOIN_AGAIN;
import static fairgate.ModelRun.Op.LEAVE;
import static fairgate.ModelRun.Op.MOVE_BEHIND;
import static fairgate.ModelRun.Op.OPEN;
import static fairgate.ModelRun.Op.PAUSE;
import static fairgate.ModelRun.Op.PRESENCE_LOST;
import static fairgate.ModelRun.Op.STATUS;
import static fairgate.ModelRun.Op.STOCK;
import static fairgate.ModelRun.Op.WINDOW_PASSES;

import fairgate.ModelRun;
import fairgate.ModelRun.Op;
import fairgate.ModelRun.Step;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsCollector;
import org.junit.jupiter.api.Tag;

/// The queue's scripts against a naive model. jqwik prints the seed of every run.
@Tag("slow")
final class QueueModelTest {
  /// What a run has to have seen, else it proves less than it seems.
  private static final List<String> REPLIES =
      List.of(
          "JOIN JOINED",
          "JOIN ALREADY",
          "JOIN CLOSED",
          "JOIN_AGAIN ALREADY",
          "JOIN_AGAIN JOINED",
          "LEAVE LEFT",
          "LEAVE GONE",
          "LEAVE UNKNOWN",
          "STATUS waiting",
          "STATUS active",
          "STATUS ready_to_purchase",
          "STATUS expired",
          "STATUS UNKNOWN",
          "STOCK APPLIED",
          "STOCK ALREADY",
          "STOCK GAP",
          "MOVE_BEHIND MOVED",
          "MOVE_BEHIND KEPT",
          "BUY TIMEOUT",
          "BUY NOT_OPEN");

  @Property(tries = 80, edgeCases = EdgeCasesMode.NONE)
  void theQueueDoesWhatTheModelDoes(
      @ForAll @IntRange(max = 419) int rules, @ForAll("steps") List<Step> steps) {
    StatisticsCollector replies = Statistics.label("replies");
    new ModelRun(rules, replies::collect).run(steps);
    replies.coverage(seen -> REPLIES.forEach(word -> seen.check(word).count(n -> n > 0)));
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Op> op =
        Arbitraries.frequency(
            Tuple.of(14, JOIN),
            Tuple.of(3, JOIN_AGAIN),
            Tuple.of(4, LEAVE),
            Tuple.of(8, ADMIT),
            Tuple.of(4, EXPIRE),
            Tuple.of(5, STATUS),
            Tuple.of(4, WINDOW_PASSES),
            Tuple.of(4, PRESENCE_LOST),
            Tuple.of(4, MOVE_BEHIND),
            Tuple.of(2, PAUSE),
            Tuple.of(4, OPEN),
            Tuple.of(1, CLOSE),
            Tuple.of(4, STOCK),
            Tuple.of(3, BUY));
    Arbitrary<Integer> number = Arbitraries.integers().between(0, 999);
    return Combinators.combine(op, number, number, number)
        .as(Step::new)
        .list()
        .ofMinSize(40)
        .ofMaxSize(80);
  }
}
