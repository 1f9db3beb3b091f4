package fairgate.kernel;

import java.util.Arrays;
import java.util.Optional;

/// A step that the gate asks a browser for before it joins a sale, from the easiest to the hardest.
public enum JoinStep implements Word {
  /// A proof of work of a higher cost, which stands in for a step that the buyer cannot do.
  WORK,
  SLIDER,
  /// A one-time code by SMS or e-mail.
  CODE,
  PASSKEY;

  public static Optional<JoinStep> named(String word) {
    return Arrays.stream(values()).filter(step -> step.word().equals(word)).findFirst();
  }
}
