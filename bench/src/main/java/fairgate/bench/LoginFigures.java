package fairgate.bench;

import fairgate.crowd.ShopClient;
import io.vertx.core.Vertx;
import java.io.IOException;

/// Response times of joins, alone and beside logins, per round.
final class LoginFigures {
  private final int seconds;
  private final int rounds;
  private final double[] medianAlone;
  private final double[] medianBeside;
  private final double[] slowAlone;
  private final double[] slowBeside;
  private int judged;
  private int away;
  private int lost;

  LoginFigures(int rounds, int seconds) {
    this.rounds = rounds;
    this.seconds = seconds;
    this.medianAlone = new double[rounds];
    this.medianBeside = new double[rounds];
    this.slowAlone = new double[rounds];
    this.slowBeside = new double[rounds];
  }

  /// Joins by themselves and beside a storm of logins.
  static void measure(Vertx vertx, Measures measures) throws IOException, InterruptedException {
    int port = measures.server().port();
    int seconds = measures.seconds();
    try (ShopClient sale = new ShopClient(vertx, "127.0.0.1", port, 64, 10_000);
        ShopClient crowd = new ShopClient(vertx, "127.0.0.1", port, 256, 10_000)) {
      LoginStorm storm = new LoginStorm(vertx, sale, crowd);
      LoginFigures figures = new LoginFigures(measures.rounds(), seconds);
      for (int i = -1; i < measures.rounds(); i++) {
        LoginStorm.Seconds alone = storm.run(fresh(measures), seconds, false);
        figures.add(i, alone, storm.run(fresh(measures), seconds, true));
      }
      figures.tell(measures.table());
    }
  }

  private static String fresh(Measures measures) throws IOException, InterruptedException {
    return Measures.id(measures.product(1, Measures.QUEUE));
  }

  /// @param round below 0 while everything warms up
  void add(int round, LoginStorm.Seconds alone, LoginStorm.Seconds beside) {
    System.out.println(
        "round %d: joins p50 %.1f ms, p99 %.1f ms; beside logins %.1f and %.1f"
            .formatted(
                round,
                alone.percentile(0.5),
                alone.percentile(0.99),
                beside.percentile(0.5),
                beside.percentile(0.99)));
    if (round >= 0) {
      medianAlone[round] = alone.percentile(0.5);
      medianBeside[round] = beside.percentile(0.5);
      slowAlone[round] = alone.percentile(0.99);
      slowBeside[round] = beside.percentile(0.99);
      judged += beside.judged();
      away += beside.turnedAway();
      lost += beside.lost();
    }
  }

  void tell(Table table) {
    table.ratio(
        "median join, alone / beside 1,000 logins/s",
        milliseconds(medianAlone, medianBeside)
            + "; of the logins %,d/s were judged, %,d/s told to come back, %,d/s lost"
                .formatted(perSecond(judged), perSecond(away), perSecond(lost)),
        Measures.over(medianAlone, medianBeside),
        0.8);
    table.ratio(
        "p99 join, alone / beside 1,000 logins/s",
        milliseconds(slowAlone, slowBeside),
        Measures.over(slowAlone, slowBeside),
        0);
  }

  private int perSecond(int count) {
    return count / rounds / seconds;
  }

  private static String milliseconds(double[] alone, double[] beside) {
    return "%.1f ms / %.1f ms".formatted(Table.median(alone), Table.median(beside));
  }
}
