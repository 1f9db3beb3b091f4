package fairgate.crowd;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/// An honest buyer: joins, waits for its turn, buys, and repeats a purchase without a reply with
/// the same idempotency key.
public final class Buyer {
  private final Vertx vertx;
  private final ShopClient shop;
  private final Plan plan;
  private final Consumer<Answer> watcher;
  private final Promise<Result> done = Promise.promise();
  private final String idempotencyKey =
      "buyer-"
          + Long.toHexString(ThreadLocalRandom.current().nextLong())
          + System.identityHashCode(this);
  private String session = "";
  private long joinedAt;
  private long readyAt;

  /// The wishes and the patience of a buyer.
  ///
  /// @param pollMs polling interval; 0 = as the server advises
  /// @param patienceMs time after which it gives up
  public record Plan(String product, int quantity, long pollMs, long patienceMs) {}

  /// The result of one buyer.
  ///
  /// @param session empty if joining failed
  /// @param order empty if it got none
  /// @param answer the last reply; its error code is the reason for a missing order
  /// @param joinedAt, readyAt, boughtAt `System.nanoTime()` of the replies; 0 if it did not come so
  ///   far
  public record Result(
      String session, String order, Answer answer, long joinedAt, long readyAt, long boughtAt) {}

  private Buyer(Vertx vertx, ShopClient shop, Plan plan, Consumer<Answer> watcher) {
    this.vertx = vertx;
    this.shop = shop;
    this.plan = plan;
    this.watcher = watcher;
  }

  /// Sends one buyer off. The future never fails.
  public static Future<Result> go(Vertx vertx, ShopClient shop, Plan plan) {
    return go(vertx, shop, plan, _ -> {});
  }

  /// Sends one buyer off.
  ///
  /// @param watcher sees each answer the buyer gets to where it stands, one after the other
  public static Future<Result> go(
      Vertx vertx, ShopClient shop, Plan plan, Consumer<Answer> watcher) {
    Buyer buyer = new Buyer(vertx, shop, plan, watcher);
    buyer.join(System.nanoTime() + plan.patienceMs() * 1_000_000);
    return buyer.done.future();
  }

  private void join(long deadline) {
    shop.join(plan.product())
        .onSuccess(
            answer -> {
              boolean mine = answer.ok() || "ALREADY_IN_QUEUE".equals(answer.error());
              if (mine) {
                session = answer.text("session_id");
                joinedAt = System.nanoTime();
                look(deadline);
              } else if (retry(answer, deadline)) {
                later(200, () -> join(deadline));
              } else {
                finish("", answer);
              }
            });
  }

  private void look(long deadline) {
    shop.status(session)
        .onSuccess(
            answer -> {
              watcher.accept(answer);
              String state = answer.text("queue_status");
              if ("ready_to_purchase".equals(state)) {
                readyAt = readyAt == 0 ? System.nanoTime() : readyAt;
                buy(answer.text("purchase_token"), deadline);
              } else if ("purchased".equals(state)) {
                finish(answer.text("order_id"), answer);
              } else if ("expired".equals(state) || System.nanoTime() > deadline) {
                finish("", answer);
              } else if (answer.ok() || retry(answer, deadline)) {
                long advised = Math.max(50, answer.number("poll_after_ms"));
                later(plan.pollMs() > 0 ? plan.pollMs() : advised, () -> look(deadline));
              } else {
                finish("", answer);
              }
            });
  }

  private void buy(String token, long deadline) {
    shop.purchase(session, plan.product(), plan.quantity(), token, idempotencyKey)
        .onSuccess(
            answer -> {
              if (answer.ok()) {
                finish(answer.text("order_id"), answer);
              } else if ("INVALID_PURCHASE_TOKEN".equals(answer.error())
                  || retry(answer, deadline)) {
                later(200, () -> look(deadline));
              } else {
                finish("", answer);
              }
            });
  }

  private static boolean retry(Answer answer, long deadline) {
    return System.nanoTime() < deadline && (answer.unknown() || answer.status() == 503);
  }

  private void later(long ms, Runnable step) {
    long spread = Math.max(1, ms / 10);
    vertx.setTimer(ms + ThreadLocalRandom.current().nextLong(spread), _ -> step.run());
  }

  private void finish(String order, Answer answer) {
    done.tryComplete(
        new Result(
            session, order, answer, joinedAt, readyAt, order.isEmpty() ? 0 : System.nanoTime()));
  }
}
