package fairgate.line;

import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.line.talk.Chat;
import fairgate.line.talk.Incoming;
import fairgate.line.talk.Talk.PlaceBindings;
import fairgate.platform.http.Request;
import fairgate.platform.observe.OutageLog;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Binds queue sessions to LINE users.
///
/// The bot gives a user a link with a token. The link stores the token in a cookie, and the first
/// session that this browser creates in that sale is bound to the user. Opening the link binds
/// nothing, so link previews do not use it up.
final class Bindings implements PlaceBindings {
  static final String COOKIE = "fairgate_line";

  private static final Logger LOG = LoggerFactory.getLogger(Bindings.class);
  private static final long CALL_TIMEOUT_S = 3;

  private final RedisClient redis;
  private final JoinTokens tokens;
  private final BindSessionScript script;
  private final String shopUrl;
  private final Clock clock;
  private final OutageLog outage = new OutageLog(LOG, "places of LINE users");

  Bindings(RedisClient redis, JoinTokens tokens, String shopUrl, Clock clock) {
    this.redis = redis;
    this.tokens = tokens;
    this.script = new BindSessionScript(redis);
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
          redis.send("HVALS", LineKeys.user(userId)).await(CALL_TIMEOUT_S, TimeUnit.SECONDS);
      return all.texts().stream().filter(SessionId::isValid).map(SessionId::new).toList();
    } catch (TimeoutException e) {
      throw new ServiceUnavailable("Redis did not answer in time", Duration.ofSeconds(1));
    }
  }

  /// Binds a new session when the browser opened a link of the bot; true when it is bound. Never
  /// fails: joining succeeds even when the binding does not.
  ///
  /// @param life lifetime of the session unless it is seen again
  Future<Boolean> joined(Request request, ProductId product, SessionId session, Duration life) {
    String cookie = request.cookie(COOKIE);
    Optional<JoinTokens.Link> link = cookie == null ? Optional.empty() : tokens.read(cookie);
    return link.filter(found -> found.product().equals(product))
        .map(found -> bind(found, session, life))
        .orElseGet(() -> Future.succeededFuture(false));
  }

  private Future<Boolean> bind(JoinTokens.Link link, SessionId session, Duration life) {
    return script
        .run(link, session, life)
        .onSuccess(_ -> outage.worked())
        .onFailure(
            e -> {
              LOG.debug("Could not bind a queue session to a LINE user; sessionId={}", session, e);
              outage.waits(e);
            })
        .otherwise(false);
  }

  /// Extends the lifetime of a session's binding and of its user's list of sessions.
  void renew(SessionId session, Duration life) {
    String millis = Long.toString(life.toMillis());
    var _ =
        redis
            .send("GETEX", LineKeys.session(session), "PX", millis)
            .compose(
                bound ->
                    bound.text().isEmpty()
                        ? Future.succeededFuture()
                        : redis.send("PEXPIRE", LineKeys.user(user(bound.text())), millis, "GT"))
            .onSuccess(_ -> outage.worked())
            .onFailure(outage::waits);
  }

  /// The LINE user in the value of a session's binding.
  private static String user(String bound) {
    return bound.substring(bound.indexOf(' ') + 1);
  }

  /// The turn events for those of these sessions that are bound to a LINE user.
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

  /// The LINE users of those of these sessions that are bound to one.
  Future<Map<SessionId, String>> users(List<SessionId> sessions) {
    return redis
        .send("MGET", sessions.stream().map(LineKeys::session).toArray(String[]::new))
        .map(
            found -> {
              Map<SessionId, String> users = new HashMap<>();
              for (int i = 0; i < sessions.size(); i++) {
                if (!found.textAt(i).isEmpty()) {
                  users.put(sessions.get(i), user(found.textAt(i)));
                }
              }
              return users;
            });
  }

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
        new Chat(user(bound), null, null),
        new Incoming.Turn(new ProductId(bound.substring(0, blank)), session));
  }

  /// Client of `bind_session.lua`: binds a queue session to a LINE user.
  record BindSessionScript(RedisClient redis) {
    private static final LuaScript SCRIPT =
        LuaScript.load(BindSessionScript.class, "bind_session.lua");

    /// Binds the session; false when the link has already bound another session.
    ///
    /// @param life lifetime of the session
    Future<Boolean> run(JoinTokens.Link link, SessionId session, Duration life) {
      return redis
          .run(
              SCRIPT,
              List.of(
                  LineKeys.link(link.nonce()),
                  LineKeys.session(session),
                  LineKeys.user(link.userId())),
              List.of(
                  link.userId(),
                  link.product().value(),
                  session.value(),
                  Long.toString(life.toMillis()),
                  Long.toString(JoinTokens.LIFE.toMillis())))
          .map(reply -> reply.text().equals("BOUND"));
    }
  }
}
