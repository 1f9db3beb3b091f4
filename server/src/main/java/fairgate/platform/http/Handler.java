package fairgate.platform.http;

import io.vertx.core.Future;

/// Answers one request on its connection's event loop. It must never block.
///
/// What it throws, or fails its future with, is answered as [InvalidRequest] (400),
/// `ServiceUnavailable` (503), or anything else (500, logged, nothing shown). The future may
/// complete on any thread.
@FunctionalInterface
public interface Handler {
  Future<Reply> handle(Request request);
}
