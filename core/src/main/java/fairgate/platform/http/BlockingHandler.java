package fairgate.platform.http;

/// Answers one request on a virtual thread and may block. Exceptions have the same meaning as in a
/// [Handler].
@FunctionalInterface
public interface BlockingHandler {
  Reply handle(Request request) throws Exception;
}
