package fairgate.app.command;

/// The server cannot start. The message tells the operator why and what to do.
public final class StartFailed extends RuntimeException {
  public StartFailed(String message) {
    super(message);
  }
}
