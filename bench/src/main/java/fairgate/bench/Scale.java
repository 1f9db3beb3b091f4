package fairgate.bench;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// The cost of a long queue relative to a short one.
final class Scale {
  private final Measures measures;

  Scale(Measures measures) {
    this.measures = measures;
  }

  /// Memory and speed of a queue of this length relative to one of 10,000.
  void run(int waiting) throws IOException, InterruptedException {
    Crowd few = measures.product(1, Measures.QUEUE);
    few.join(0, Measures.SAMPLE);
    Crowd many = measures.product(1, Measures.QUEUE);
    try (RawRedis redis = new RawRedis(measures.server().redisSocket())) {
      long before = redis.info("memory", "used_memory");
      many.join(0, waiting);
      double each = (redis.info("memory", "used_memory") - before) / (double) waiting;
      measures
          .table()
          .row(
              "Redis memory per waiting session, %,d waiting".formatted(waiting),
              "",
              "%.0f bytes".formatted(each),
              "at most 700",
              each <= 700);
    }
    measures.rested();
    double[][] speed = new double[4][measures.rounds()];
    for (int i = -1; i < measures.rounds(); i++) {
      double[] now = {
        status(few.sessions(0, Measures.SAMPLE)),
        status(spread(many, waiting)),
        join(few),
        join(many)
      };
      System.out.println("few, many: " + Arrays.toString(now));
      for (int k = 0; k < now.length && i >= 0; k++) {
        speed[k][i] = now[k];
      }
    }
    String size = ", %,d waiting / 10,000 waiting".formatted(waiting);
    ratioOf("status" + size, speed[1], speed[0]);
    ratioOf("join" + size, speed[3], speed[2]);
  }

  private void ratioOf(String what, double[] many, double[] few) {
    String speeds = Table.perSecond(many) + " / " + Table.perSecond(few);
    measures.table().ratio(what, speeds, Measures.over(many, few), 0.8);
  }

  private double status(List<String> sessions) throws IOException, InterruptedException {
    return measures.wrk().status(sessions, measures.seconds()).allGranted().perSecond();
  }

  private double join(Crowd crowd) throws IOException, InterruptedException {
    return measures
        .wrk()
        .post("/api/queue/join", Measures.JOIN.formatted(Measures.id(crowd)), measures.seconds())
        .allGranted()
        .perSecond();
  }

  private static List<String> spread(Crowd crowd, int waiting) {
    int step = waiting / Measures.SAMPLE;
    return IntStream.range(0, Measures.SAMPLE).mapToObj(i -> crowd.session(i * step)).toList();
  }
}
