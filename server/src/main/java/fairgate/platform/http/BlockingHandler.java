package fairgate.platform.http;

/// Answers one request on a virtual thread, where it may wait. Exceptions mean what they mean in a
/// [Handler].
@FunctionalInterface
public interface BlockingHandler {
  Reply handle(Request request) throws Exception;
}
