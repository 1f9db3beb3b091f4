package fairgate.bench.soak;

import fairgate.crowd.Answer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/// One who joins and then buys and pays, buys and never pays, leaves, or lets the turn pass; some
/// with an event stream open meanwhile.
final class Visitor {
  private static final int LOOKS = 60;
  private static final long LOOK_MS = 1_000;

  private final Vertx vertx;
  private final Caller caller;
  private final String product;
  private final String address = Caller.anyAddress();
  private final int fate = ThreadLocalRandom.current().nextInt(100);
  private final boolean listens = ThreadLocalRandom.current().nextInt(100) < 30;
  private @Nullable HttpClientRequest stream;
  private String session = "";
  private boolean thought;
  private int looks;

  Visitor(Vertx vertx, Caller caller, String product) {
    this.vertx = vertx;
    this.caller = caller;
    this.product = product;
  }

  /// Joins, where the `test` challenge stands at the door.
  static Future<Answer> join(Caller caller, String address, String product) {
    String body =
        "{\"product_id\":\"%s\",\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\"}".formatted(product);
    return caller.call(Act.VISIT, "POST", "/api/queue/join", address, Map.of(), body);
  }

  void come() {
    join(caller, address, product)
        .onSuccess(
            said -> {
              session = said.text("session_id");
              if (said.status() == 200) {
                listen();
                look();
              }
            });
  }

  private void listen() {
    if (listens) {
      caller.stream(session, address, () -> {}).onSuccess(open -> stream = open);
    }
  }

  private void look() {
    asked(Act.STATUS, "GET", "/api/queue/status", "")
        .onSuccess(
            said -> {
              boolean ready = said.text("queue_status").equals("ready_to_purchase");
              if (!ready && said.status() == 200 && ++looks < LOOKS) {
                later(LOOK_MS, this::look);
              } else if (!ready) {
                go();
              } else if (!thought) {
                thought = true;
                later(1_000 + chance(4_000), this::look);
              } else {
                act(said.text("purchase_token"));
              }
            });
  }

  private void act(String token) {
    if (fate < 15) {
      asked(Act.LEAVE, "POST", "/api/queue/leave", "").onSuccess(_ -> go());
    } else if (fate < 30) {
      later(5_000, this::go);
    } else {
      String body =
          "{\"product_id\":\"%s\",\"quantity\":1,\"purchase_token\":\"%s\"}"
              .formatted(product, token);
      asked(Act.PURCHASE, "POST", "/api/purchase", body)
          .onSuccess(said -> bought(said.text("order_id")));
    }
  }

  private void bought(String order) {
    if (fate < 50 || order.isEmpty()) {
      go();
    } else {
      later(
          500 + chance(4_000),
          () ->
              asked(Act.PAY, "POST", "/api/orders/" + order + "/pay", "{\"result\":\"paid\"}")
                  .onSuccess(_ -> go()));
    }
  }

  private Future<Answer> asked(Act act, String method, String path, String body) {
    return caller.call(act, method, path, address, Map.of("X-Session-Id", session), body);
  }

  private void go() {
    HttpClientRequest open = stream;
    if (open != null) {
      var _ = open.connection().close();
    }
  }

  private void later(long ms, Runnable step) {
    long _ = vertx.setTimer(ms, _ -> step.run());
  }

  private static int chance(int bound) {
    return ThreadLocalRandom.current().nextInt(bound);
  }
}
