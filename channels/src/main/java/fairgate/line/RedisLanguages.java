package fairgate.line;

import fairgate.line.api.LineClient;
import fairgate.line.talk.Chat;
import fairgate.line.talk.Talk.LanguageStore;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.text.Language;
import fairgate.platform.text.Languages;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Stores each user's language in Redis for thirty days. The first value comes from LINE; a profile
/// without a language is asked for again after an hour.
record RedisLanguages(RedisClient redis, LineClient client, Language fallback)
    implements LanguageStore {
  private static final String LIFE_S = Long.toString(TimeUnit.DAYS.toSeconds(30));
  private static final String UNKNOWN_S = Long.toString(TimeUnit.HOURS.toSeconds(1));
  private static final long CALL_TIMEOUT_MS = 500;

  @Override
  public Language of(Chat chat) {
    String user = chat.userId();
    // Groups use the default language.
    if (user == null || !chat.isPrivate()) {
      return fallback;
    }
    try {
      String kept =
          redis
              .send("GET", LineKeys.language(user))
              .await(CALL_TIMEOUT_MS, TimeUnit.MILLISECONDS)
              .text();
      return kept.isEmpty() ? ask(user) : orDefault(Languages.of(kept));
    } catch (TimeoutException | RuntimeException e) {
      return fallback;
    }
  }

  @Override
  public void choose(String userId, Language language) {
    var _ = redis.send("SET", LineKeys.language(userId), language.tag(), "EX", LIFE_S).await();
  }

  void forget(String userId) {
    var _ = redis.send("DEL", LineKeys.language(userId));
  }

  private Language ask(String user) {
    Optional<String> response = client.language(user);
    Language language = orDefault(response.map(Languages::of).orElse(null));
    // A user without a profile may have one later.
    String life = response.isPresent() ? LIFE_S : UNKNOWN_S;
    var _ = redis.send("SET", LineKeys.language(user), language.tag(), "EX", life, "NX");
    return language;
  }

  private Language orDefault(@Nullable Language language) {
    return language == null ? fallback : language;
  }
}
