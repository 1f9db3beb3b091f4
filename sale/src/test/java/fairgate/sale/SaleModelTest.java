package fairgate.sale;

import static fairgate.ModelRun.Op.ADMIT;
import static fairgate.ModelRun.Op.BUY;
import static fairgate.ModelRun.Op.BUY_AGAIN;
import static fairgate.ModelRun.Op.CLOSE;
import static fairgate.ModelRun.Op.CONFIRM;
import static fairgate.ModelRun.Op.COOLDOWN_ENDS;
import static fairgate.ModelRun.Op.EXPIRE;
import static fairgate.ModelRun.Op.ISSUE;
import static fairgate.ModelRun.Op.JOIN;
import static fairgate.ModelRun.Op.LEAVE;
import static fairgate.ModelRun.Op.OPEN;
import static fairgate.ModelRun.Op.PAUSE;
import static fairgate.ModelRun.Op.PAY_WINDOW_PASSES;
import static fairgate.ModelRun.Op.RELEASE;
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

/// All scripts of a sale against a naive model. jqwik prints the seed of every run.
@Tag("slow")
final class SaleModelTest {
  /// What a run has to have seen, else it proves less than it seems.
  private static final List<String> REPLIES =
      List.of(
          "JOIN LIMIT",
          "ISSUE TOKEN",
          "ISSUE NOT_READY",
          "BUY RESERVED",
          "BUY SOLD_OUT",
          "BUY LIMIT",
          "BUY QUANTITY",
          "BUY BAD_TOKEN",
          "BUY NOT_IN_ACTIVE",
          "BUY NOT_READY",
          "BUY NOT_IN_QUEUE",
          "BUY BOUGHT",
          "BUY CONFLICT",
          "BUY UNKNOWN",
          "BUY_AGAIN REPLAYED",
          "BUY_AGAIN BOUGHT",
          "CONFIRM CONFIRMED",
          "CONFIRM LATE",
          "CONFIRM ALREADY",
          "CONFIRM REFUND_DUE",
          "RELEASE RELEASED",
          "RELEASE PAID",
          "RELEASE NOT_DUE",
          "RELEASE ALREADY");

  @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
  void theSaleDoesWhatTheModelDoes(
      @ForAll @IntRange(max = 419) int rules, @ForAll("steps") List<Step> steps) {
    StatisticsCollector replies = Statistics.label("replies");
    new ModelRun(rules, replies::collect).run(steps);
    replies.coverage(seen -> REPLIES.forEach(word -> seen.check(word).count(n -> n > 0)));
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Op> op =
        Arbitraries.frequency(
            Tuple.of(12, JOIN),
            Tuple.of(1, LEAVE),
            Tuple.of(12, ADMIT),
            Tuple.of(2, EXPIRE),
            Tuple.of(1, WINDOW_PASSES),
            Tuple.of(1, COOLDOWN_ENDS),
            Tuple.of(1, PAUSE),
            Tuple.of(3, OPEN),
            Tuple.of(1, CLOSE),
            Tuple.of(6, STOCK),
            Tuple.of(4, ISSUE),
            Tuple.of(14, BUY),
            Tuple.of(5, BUY_AGAIN),
            Tuple.of(5, CONFIRM),
            Tuple.of(5, RELEASE),
            Tuple.of(3, PAY_WINDOW_PASSES));
    Arbitrary<Integer> number = Arbitraries.integers().between(0, 999);
    return Combinators.combine(op, number, number, number)
        .as(Step::new)
        .list()
        .ofMinSize(50)
        .ofMaxSize(100);
  }
}
