package fairgate.operator;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.BlockingHandler;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/// The bearer token of the first operator. Without one configured nobody is an operator.
final class OperatorToken {
  private static final String SCHEME = "Bearer ";

  private final byte[] expected;
  private final boolean set;
  private final AdminActs acts;

  OperatorToken(String token, AdminActs acts) {
    this.acts = acts;
    this.set = !token.isEmpty();
    this.expected = hash(token);
  }

  /// The handler, for operators only, whose acts are remembered; everybody else is answered 401
  /// before anything is read.
  BlockingHandler guard(BlockingHandler handler) {
    return request ->
        holds(request.header("authorization"))
            ? acts.remember(handler, request)
            : Reply.refuse(Refusal.of(ErrorCode.UNAUTHORIZED))
                .header("www-authenticate", "Bearer realm=\"fairgate\"");
  }

  private boolean holds(@Nullable String authorization) {
    if (!set || authorization == null || !authorization.regionMatches(true, 0, SCHEME, 0, 7)) {
      return false;
    }
    // Hashes are of equal length, so the time tells nothing of the token, not even its length.
    return MessageDigest.isEqual(expected, hash(authorization.substring(7).strip()));
  }

  private static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing from this Java", e);
    }
  }

  /// Who acted, for the records.
  static String actor(Request request) {
    return "operator@" + request.clientAddress();
  }
}
