package fairgate.bench.challenge;

import fairgate.bench.challenge.Puzzle.Algorithm;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// Compares proofs of work: seconds of an honest telephone against core-seconds of an attacker for
/// one challenge, and what a verification costs the server.
///
/// A telephone has four workers, each six times slower than a core of this machine. Chromium can
/// slow the page's thread down by itself; on a busy machine it does so inexactly, so the telephone
/// is computed from the unslowed speed, and the slowed one is printed for comparison. Speeds are
/// the best of many short runs, because other work on the machine only makes them worse.
public final class ChallengeCost {
  private static final int SLOWER = 6;
  private static final int WORKERS = 4;
  private static final int RUNS = 25;
  private static final int ROUNDS = 5;
  private static final int SLOWED_RUNS = 15;

  /// Attempts of a default challenge of SHA-256: a prefix of four digits.
  private static final int DEFAULT_ATTEMPTS = 65_536;

  private static final List<Puzzle> PUZZLES =
      List.of(
          new Puzzle(Algorithm.SHA_256, 8, 0),
          new Puzzle(Algorithm.SHA_256, 16, 0),
          new Puzzle(Algorithm.ARGON2ID, 1, 1024),
          new Puzzle(Algorithm.ARGON2ID, 1, 4096),
          new Puzzle(Algorithm.ARGON2ID, 1, 16_384),
          new Puzzle(Algorithm.SCRYPT, 1024, 8),
          new Puzzle(Algorithm.SCRYPT, 4096, 8),
          new Puzzle(Algorithm.SCRYPT, 16_384, 8));

  private ChallengeCost() {}

  /// Prints the table.
  ///
  /// @param args the folder of `altcha-worker.js`, and that of the widget's workers
  public static void main(String[] args) throws IOException, InterruptedException {
    System.out.println(
        """
        | challenge | browser | slowed: page | worker | telephone | attacker | core-s of the attacker per s of the telephone | verifications/s |
        |---|---|---|---|---|---|---|---|\
        """);
    try (Telephone telephone = new Telephone(Path.of(args[0]), Path.of(args[1]))) {
      for (Puzzle puzzle : PUZZLES) {
        measure(telephone, puzzle);
      }
    }
  }

  private static void measure(Telephone telephone, Puzzle puzzle)
      throws IOException, InterruptedException {
    double server = verifications(puzzle);
    int counter = Math.max(2, (int) (server / 100));
    double free = 0;
    for (int round = 0; round < ROUNDS; round++) {
      free = Math.max(free, best(counter, telephone.inWorker(puzzle, counter, RUNS, 1)));
    }
    double page = median(counter, telephone.inPage(puzzle, counter, SLOWED_RUNS, SLOWER));
    double worker = median(counter, telephone.inWorker(puzzle, counter, SLOWED_RUNS, SLOWER));
    double honest = WORKERS * free / SLOWER;
    double attacker = NativeSolver.perSecond(puzzle);
    System.out.printf(
        Locale.ROOT,
        "| %s | %,.0f | %,.0f | %,.0f | %,.0f | %,.0f | %.3f | %,.0f |%n",
        puzzle.title(),
        free,
        page,
        worker,
        honest,
        attacker,
        honest / attacker,
        server);
    if (puzzle.algorithm() == Algorithm.SHA_256) {
      double mean = DEFAULT_ATTEMPTS / honest;
      System.out.printf(
          Locale.ROOT,
          "  four digits: telephone mean %.2f s, median %.2f s, 95 %% within %.2f s;"
              + " attacker %.3f core-s%n",
          mean,
          mean * Math.log(2),
          mean * Math.log(20),
          DEFAULT_ATTEMPTS / attacker);
    }
  }

  /// Attempts per second of the fastest run.
  private static double best(int counter, double[] millis) {
    return (counter + 1) * 1000 / Arrays.stream(millis).min().orElseThrow();
  }

  private static double median(int counter, double[] millis) {
    double[] sorted = millis.clone();
    Arrays.sort(sorted);
    return (counter + 1) * 1000 / sorted[sorted.length / 2];
  }

  /// Derivations per second of processor time in this JVM: the best of several runs.
  private static double verifications(Puzzle puzzle) {
    double best = 0;
    int sum = 0;
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    for (int run = 0; run < RUNS; run++) {
      long began = threads.getCurrentThreadCpuTime();
      int count = 0;
      do {
        sum += puzzle.key(count++)[0];
      } while (threads.getCurrentThreadCpuTime() - began < 60_000_000);
      best = Math.max(best, count * 1e9 / (threads.getCurrentThreadCpuTime() - began));
    }
    return sum == Integer.MIN_VALUE ? 0 : best;
  }
}
