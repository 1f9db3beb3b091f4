package fairgate.platform.postgres;

import java.io.Serial;

/// A newer build has changed the data in a way that this build would misread or damage. The message
/// is for operators.
public final class DataTooNew extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  DataTooNew(String message) {
    super(message);
  }
}
