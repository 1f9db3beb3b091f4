package fairgate.app.client;

import java.io.Serial;

/// A command failed; the message says what to do.
public final class ClientFailed extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  ClientFailed(String message) {
    super(message);
  }
}
