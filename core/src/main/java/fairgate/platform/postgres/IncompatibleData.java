package fairgate.platform.postgres;

import java.io.Serial;

/// Another build has written the data, and this one would misread or damage them. They are
/// unchanged. The message is for operators.
public final class IncompatibleData extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  IncompatibleData(String message) {
    super(message);
  }
}
