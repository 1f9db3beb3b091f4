package fairgate.bench;

import fairgate.crowd.Answer;
import fairgate.crowd.ShopClient;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/// The first buyers in the line of a flash sale: each polls its status every few milliseconds and
/// buys as soon as it may; when one is done, the next in line takes its place. Buyers further back
/// do not poll, which saves load on this machine.
final class Flash {
  private static final int LINE = 160;
  private static final int POLL_MS = 30;

  private final Vertx vertx;
  private final ShopClient shop;
  private final String product;
  private final List<String> sessions;
  private final int units;
  private final AtomicInteger next = new AtomicInteger();
  private final Queue<Long> sold = new ConcurrentLinkedQueue<>();
  private final AtomicInteger answered = new AtomicInteger();
  private final Promise<Void> done = Promise.promise();

  Flash(Vertx vertx, ShopClient shop, String product, List<String> sessions, int units) {
    this.vertx = vertx;
    this.shop = shop;
    this.product = product;
    this.sessions = sessions;
    this.units = units;
  }

  void start() {
    for (int i = 0; i < LINE; i++) {
      advance();
    }
  }

  /// When each unit was sold, by `System.nanoTime()` of the answer the buyer got, in order.
  long[] sold() {
    done.future().await();
    return sold.stream().mapToLong(Long::longValue).sorted().toArray();
  }

  private void advance() {
    int i = next.getAndIncrement();
    if (i < sessions.size()) {
      look(sessions.get(i));
    }
  }

  private void look(String session) {
    if (done.future().isComplete()) {
      return;
    }
    var _ =
        shop.status(session)
            .onSuccess(
                answer -> {
                  if ("ready_to_purchase".equals(answer.text("queue_status"))) {
                    buy(session, answer.text("purchase_token"));
                  } else {
                    vertx.setTimer(POLL_MS, _ -> look(session));
                  }
                });
  }

  private void buy(String session, String token) {
    var _ = shop.purchase(session, product, 1, token, "").onSuccess(this::bought);
  }

  private void bought(Answer answer) {
    if ("INSUFFICIENT_STOCK".equals(answer.error())) {
      return; // More people are admitted than there are units, and this one came too late.
    }
    if (!answer.ok()) {
      done.tryFail(new IllegalStateException("a purchase was refused: " + answer.body()));
      return;
    }
    sold.add(System.nanoTime());
    if (answered.incrementAndGet() == units) {
      done.tryComplete();
    } else {
      advance();
    }
  }
}
