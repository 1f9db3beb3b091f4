package fairgate.prove.environment;

import fairgate.crowd.Answer;
import java.time.Duration;
import java.util.function.Supplier;

/// Repeats a call of the operator until it succeeds.
public final class OperatorCall {
  private static final int CONFLICT = 409;

  /// All calls of a proof come from one address, whose operators have a limit.
  private static final int TOO_MANY_REQUESTS = 429;

  private OperatorCall() {}

  /// Whether the call succeeded within the time. "Exists already" is success, too: the reply to an
  /// earlier attempt was lost.
  ///
  /// @param pause between two attempts
  /// @throws IllegalStateException if the call is refused
  public static boolean succeeds(Supplier<Answer> call, Duration pause, Duration max) {
    long begun = System.nanoTime();
    do {
      Answer answer = call.get();
      if (answer.status() / 100 == 2 || answer.status() == CONFLICT) {
        return true;
      }
      if (answer.status() / 100 == 4 && answer.status() != TOO_MANY_REQUESTS) {
        throw new IllegalStateException("the operator was refused: " + answer);
      }
      Waiting.rest(pause.toMillis());
    } while (System.nanoTime() - begun < max.toNanos());
    return false;
  }
}
