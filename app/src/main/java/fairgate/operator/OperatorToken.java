package fairgate.operator;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.BlockingHandler;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// The bearer token of the first operator. Without a configured token there is no operator.
final class OperatorToken {
  private static final String SCHEME = "Bearer ";

  private final byte[] expected;
  private final boolean set;
  private final ActionRecorder recorder;

  OperatorToken(String token, ActionRecorder recorder) {
    this.recorder = recorder;
    this.set = !token.isEmpty();
    this.expected = hash(token);
  }

  /// Restricts a handler without parameters and fields to operators, as the other overload does.
  BlockingHandler guard(BlockingHandler handler) {
    return guard(AdminInput.NONE, handler);
  }

  /// Restricts a handler to operators. Their actions are recorded, and unknown names in the input
  /// are refused. Everybody else gets 401 before anything is read. Responses to reads may be
  /// compressed: other sites cannot send such requests, because the token is in a header.
  BlockingHandler guard(AdminInput input, BlockingHandler handler) {
    BlockingHandler checked =
        request -> {
          input.check(request);
          return handler.handle(request);
        };
    return request ->
        isHeldBy(request)
            ? answer(checked, request)
            : Reply.refuse(Refusal.of(ErrorCode.UNAUTHORIZED))
                .header("www-authenticate", "Bearer realm=\"fairgate\"");
  }

  private Reply answer(BlockingHandler handler, Request request) throws Exception {
    Reply reply = recorder.record(handler, request);
    return request.method() == Method.GET ? reply.compressible() : reply;
  }

  /// Whether the request has the token.
  boolean isHeldBy(Request request) {
    String authorization = request.header("authorization");
    if (!set || authorization == null || !authorization.regionMatches(true, 0, SCHEME, 0, 7)) {
      return false;
    }
    // The hashes have the same length, so the time reveals nothing about the token, not even its
    // length.
    return MessageDigest.isEqual(expected, hash(authorization.substring(7).strip()));
  }

  private static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("This JVM has no SHA-256", e);
    }
  }

  /// The operator's name in records.
  static String actor(Request request) {
    return "operator@" + request.clientAddress();
  }
}
