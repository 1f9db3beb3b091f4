package fairgate.account.identity;

import fairgate.account.message.MessageOutbox;
import fairgate.kernel.KeyRing;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.text.TypedCode;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Six digits that live for five minutes and may be tried five times. One code per scope: a new one
/// ends the old one. Calls block.
final class OneTimeCodes {
  static final Duration LIFE = MessageOutbox.LIFE;
  static final int MAX_TRIES = 5;

  private static final String PURPOSE = "phone-code";
  private static final int CODES = 1_000_000;

  private final RedisClient redis;
  private final TakeCodeScript take;
  private final KeyRing keys;
  private final SecureRandom random;

  OneTimeCodes(RedisClient redis, KeyRing keys, SecureRandom random) {
    this.redis = redis;
    this.take = new TakeCodeScript(redis);
    this.keys = keys;
    this.random = random;
  }

  /// A new code, of which a keyed hash is kept that is good for this scope and contact only.
  ///
  /// @param scope what the code is for, such as an account
  String make(String scope, Contact contact) {
    String code = String.format(Locale.ROOT, "%06d", random.nextInt(CODES));
    var _ =
        redis
            .send(
                "SET",
                key(scope),
                "0|" + digest(scope, contact, code),
                "PX",
                Long.toString(LIFE.toMillis()))
            .await();
    return code;
  }

  /// Whether the code is right; it is then used up, and of two concurrent calls one returns true.
  /// Every call counts as an attempt.
  ///
  /// @param typed the code as the person typed or pasted it
  boolean take(String scope, Contact contact, String typed) {
    String code = TypedCode.oneTime(typed);
    String expected = take.run(key(scope), MAX_TRIES).await().orElse("");
    boolean right =
        MessageDigest.isEqual(
            digest(scope, contact, code).getBytes(StandardCharsets.US_ASCII),
            expected.getBytes(StandardCharsets.US_ASCII));
    return right && redis.send("DEL", key(scope)).await().number() == 1;
  }

  /// Where the code of a scope waits.
  static String key(String scope) {
    return "account:code:" + scope;
  }

  private String digest(String scope, Contact contact, String code) {
    return keys.fingerprint(PURPOSE, scope + '|' + contact.key() + '|' + code);
  }

  /// `take_code.lua`: one try at a one-time code.
  record TakeCodeScript(RedisClient redis) {
    private static final LuaScript SCRIPT = LuaScript.load(TakeCodeScript.class, "take_code.lua");

    /// The digest to compare with; empty when there is no code, or no try left.
    Future<Optional<String>> run(String key, int mostTries) {
      return redis
          .run(SCRIPT, List.of(key), List.of(Integer.toString(mostTries)))
          .map(RedisReply::text)
          .map(digest -> digest.isEmpty() ? Optional.empty() : Optional.of(digest));
    }
  }
}
