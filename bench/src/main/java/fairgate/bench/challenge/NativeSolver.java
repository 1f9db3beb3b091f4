package fairgate.bench.challenge;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/// The attacker's solver: native code on one core, through Python. SHA-256 and scrypt are
/// OpenSSL's; Argon2id is the reference library of `argon2-cffi` (`pip install argon2-cffi`).
final class NativeSolver {
  private static final String SCRIPT =
      """
      import hashlib, sys, time
      kind, cost, memory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
      salt, block, units = b's' * 16, b'x' * 65536, 1
      if kind == 'SHA_256':
          # Blocks of a long message: the work of a solver without overhead between hashes.
          units = len(block) / 64 / cost
          attempt = lambda: hashlib.sha256(block).digest()
      elif kind == 'SCRYPT':
          attempt = lambda: hashlib.scrypt(
              b'p' * 20, salt=salt, n=cost, r=memory, p=1, dklen=32, maxmem=1 << 28)
      else:
          from argon2.low_level import hash_secret_raw, Type
          attempt = lambda: hash_secret_raw(b'p' * 20, salt, cost, memory, 1, 32, Type.ID)
      best = 0.0
      for _ in range(9):
          count, began = 0, time.process_time()
          while time.process_time() - began < 0.25:
              attempt()
              count += 1
          best = max(best, count * units / (time.process_time() - began))
      print(best)
      """;

  private NativeSolver() {}

  /// Attempts per second of processor time: the best of nine runs.
  static double perSecond(Puzzle puzzle) throws IOException, InterruptedException {
    Process python =
        new ProcessBuilder(
                "python3",
                "-c",
                SCRIPT,
                puzzle.algorithm().name(),
                Integer.toString(puzzle.cost()),
                Integer.toString(puzzle.memory()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String printed =
        new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (!python.waitFor(1, TimeUnit.MINUTES) || python.exitValue() != 0) {
      throw new IOException(
          String.format(Locale.ROOT, "no native solver for %s", puzzle.algorithm()));
    }
    return Double.parseDouble(printed);
  }
}
