package fairgate.platform.http;

import io.vertx.core.Future;

/// Answers one request on its connection's event loop. It must never block.
///
/// An exception, thrown or from the future, is answered by its type: [InvalidRequest] with 400,
/// `ServiceUnavailable` with 503, all others with 500; those are logged and their message is not
/// shown. The future may complete on any thread.
@FunctionalInterface
public interface Handler {
  Future<Reply> handle(Request request);

  /// Answers one request on a virtual thread and may block. Exceptions have the same meaning as in
  /// a [Handler].
  @FunctionalInterface
  interface Blocking {
    Reply handle(Request request) throws Exception;
  }
}
