package fairgate.app;

/// The server cannot start; the message tells the operator why and what to do.
final class StartFailed extends RuntimeException {
  StartFailed(String message) {
    super(message);
  }
}
