package fairgate.kernel;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// A step that the gate asks a browser for before it joins a sale, from the easiest to the hardest.
public enum JoinStep {
  /// A proof of work of a higher cost, which stands in for a step that the buyer cannot do.
  WORK,
  SLIDER,
  /// A one-time code by SMS or e-mail.
  CODE,
  PASSKEY;

  /// The name in replies, cookies and texts.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<JoinStep> named(String word) {
    return Arrays.stream(values()).filter(step -> step.word().equals(word)).findFirst();
  }
}
