package fairgate.line;

import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.line.talk.Bound;
import fairgate.line.talk.Chat;
import fairgate.line.talk.Incoming;
import fairgate.platform.http.Request;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which places in queues belong to which LINE user.
///
/// The bot gives a user a link with a token; the link leaves the token in a cookie, and the first
/// place its browser takes in that sale is bound to the user. Opening the link alone binds nothing,
/// so neither previews nor people who only look use it up.
final class Bindings implements Bound {
  static final String COOKIE = "fairgate_line";

  private static final Logger LOG = LoggerFactory.getLogger(Bindings.class);
  private static final Duration LIFE = Duration.ofHours(24);
  private static final long PATIENCE_S = 3;

  private final RedisClient redis;
  private final JoinTokens tokens;
  private final BindSessionScript script;
  private final String shopUrl;
  private final Clock clock;

  Bindings(RedisClient redis, JoinTokens tokens, String shopUrl, Clock clock) {
    this.redis = redis;
    this.tokens = tokens;
    this.script = new BindSessionScript(redis, LIFE);
    this.shopUrl = shopUrl;
    this.clock = clock;
  }

  @Override
  public String joinLink(String userId, ProductId product) {
    return shopUrl + "/line/join/" + tokens.issue(userId, product);
  }

  @Override
  public String saleLink(ProductId product) {
    return shopUrl + "/p/" + product.value();
  }

  @Override
  public List<SessionId> sessions(String userId) {
    try {
      RedisReply all =
          redis.send("HVALS", LineKeys.user(userId)).await(PATIENCE_S, TimeUnit.SECONDS);
      return all.texts().stream().filter(SessionId::isValid).map(SessionId::new).toList();
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("redis is slow", Duration.ofSeconds(1));
    }
  }

  /// Somebody has a place: binds it when his browser came by a link of the bot; says whether. Never
  /// fails: a place that could not be bound is a place nevertheless.
  Future<Boolean> joined(Request request, ProductId product, SessionId session) {
    String cookie = request.cookie(COOKIE);
    Optional<JoinTokens.Link> link = cookie == null ? Optional.empty() : tokens.read(cookie);
    return link.filter(found -> found.product().equals(product))
        .map(found -> bind(found, session))
        .orElseGet(() -> Future.succeededFuture(false));
  }

  private Future<Boolean> bind(JoinTokens.Link link, SessionId session) {
    return script
        .run(link, session)
        .onFailure(e -> LOG.warn("a place could not be bound: {}", e.getMessage()))
        .otherwise(false);
  }

  /// What to tell the users among the owners of these places: their turn has come.
  Future<List<LineEvent>> turns(List<SessionId> sessions) {
    String[] keys = sessions.stream().map(LineKeys::session).toArray(String[]::new);
    return redis
        .send("MGET", keys)
        .map(
            found -> {
              List<LineEvent> turns = new ArrayList<>();
              IntStream.range(0, sessions.size())
                  .filter(i -> !found.textAt(i).isEmpty())
                  .forEach(i -> turns.add(turn(sessions.get(i), found.textAt(i))));
              return turns;
            });
  }

  /// Forgets a user's places.
  void forget(String userId) {
    var _ =
        redis
            .send("HVALS", LineKeys.user(userId))
            .onSuccess(
                all ->
                    all.texts().stream()
                        .filter(SessionId::isValid)
                        .forEach(
                            id -> {
                              var _ = redis.send("DEL", LineKeys.session(new SessionId(id)));
                            }))
            .compose(_ -> redis.send("DEL", LineKeys.user(userId)));
  }

  private LineEvent turn(SessionId session, String bound) {
    int blank = bound.indexOf(' ');
    return new LineEvent(
        "fairgate.turn." + session.value(),
        clock.millis(),
        null,
        new Chat(bound.substring(blank + 1), null, null),
        new Incoming.Turn(new ProductId(bound.substring(0, blank)), session));
  }
}
