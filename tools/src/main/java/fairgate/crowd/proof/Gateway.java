package fairgate.crowd.proof;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/// A simulated payment gateway: takes payments, reports them by signed callbacks until one
/// succeeds, closes payments on request, and refunds. Its record of payments is the truth for
/// comparisons.
public final class Gateway implements AutoCloseable {
  /// After so many failed calls the servers know that it fails.
  private static final int NOTICED = 3;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int UNSURE_EVERY = 7;
  private static final long RETRY_MS = 100;
  private static final int UNAVAILABLE = 503;

  private final HttpServer server;
  private final Callbacks callbacks;
  private final Map<String, Payment> captured = new ConcurrentHashMap<>();
  private final Map<String, Payment> valid = new ConcurrentHashMap<>();
  private final Set<String> closed = ConcurrentHashMap.newKeySet();
  private final Map<String, Map<String, Long>> refunds = new ConcurrentHashMap<>();
  private final Map<String, String> shared = new ConcurrentHashMap<>();
  private final Map<String, Invoice> lastBills = new ConcurrentHashMap<>();
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger failedCalls = new AtomicInteger();
  private final List<Outage> outages = new CopyOnWriteArrayList<>();
  private final AtomicInteger failedInOutage = new AtomicInteger();
  private volatile boolean failing;
  private volatile long noticedAt;
  private final Map<Thread, String> busy = new ConcurrentHashMap<>();

  /// A payment request.
  ///
  /// @param windowMillis the time for paying
  public record Invoice(String order, long amount, String currency, long windowMillis) {}

  /// Money that was taken.
  public record Payment(
      String id, String order, long amount, String currency, PaymentCase paymentCase) {}

  /// A time in which it answered every call with 503 and took no payments, milliseconds since 1970.
  ///
  /// @param from when the servers had heard it three times: without calls they know nothing
  public record Outage(long from, long to) {}

  private Gateway(HttpServer server, Callbacks callbacks) {
    this.server = server;
    this.callbacks = callbacks;
  }

  /// Opens it on a free port of the loopback address.
  ///
  /// @param secret that signs its messages: `whsec_` and base64
  public static Gateway open(Vertx vertx, NodePorts doors, Journal journal, String secret)
      throws TimeoutException {
    HttpServer server = vertx.createHttpServer();
    Gateway gateway = new Gateway(server, new Callbacks(vertx, doors, journal, secret));
    server.requestHandler(gateway::handle);
    HttpServer _ = server.listen(0, "127.0.0.1").await(10, TimeUnit.SECONDS);
    return gateway;
  }

  /// Where it is asked to close (`/close`) and to give back (`/refund`).
  public String url(String path) {
    return "http://127.0.0.1:" + server.actualPort() + path;
  }

  /// Every payment that was taken.
  public Collection<Payment> captured() {
    return List.copyOf(captured.values());
  }

  /// The keys under which a payment was asked back; one for each refund that really moved money.
  public Set<String> refundsOf(String payment) {
    return Set.copyOf(refunds.getOrDefault(payment, Map.of()).keySet());
  }

  /// The sum of money that went back of a payment.
  public long returned(String payment) {
    return refunds.getOrDefault(payment, Map.of()).values().stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  /// All orders that a payment was reported for: the paid one comes first.
  public List<String> ordersOf(Payment payment) {
    String other = shared.get(payment.id());
    return other == null ? List.of(payment.order()) : List.of(payment.order(), other);
  }

  /// Begins or ends an outage.
  public void fail(boolean on) {
    long now = System.currentTimeMillis();
    if (on) {
      failedInOutage.set(0);
      noticedAt = Long.MAX_VALUE;
    } else {
      outages.add(new Outage(Math.min(noticedAt, now), now));
    }
    failing = on;
  }

  /// All outages that have ended.
  public List<Outage> outages() {
    return List.copyOf(outages);
  }

  /// How many calls failed in outages.
  public int failedCalls() {
    return failedCalls.get();
  }

  /// Payments and messages under way.
  public int busy() {
    return busy.size();
  }

  /// Those of one sale.
  public boolean busy(String product) {
    String orders = "order_" + product + "_";
    return busy.values().stream().anyMatch(order -> order.startsWith(orders));
  }

  /// Stops retrying callbacks.
  public void giveUp() {
    callbacks.giveUp();
  }

  /// Pays, in this way; returns at once.
  void pay(Invoice bill, PaymentCase paymentCase, int chance) {
    pay(bill, paymentCase, before(bill, chance), chance);
  }

  /// Pays a deposit, in one of the ways in which it can be paid; returns at once.
  void payDeposit(Invoice bill, int way, int chance) {
    PaymentCase paymentCase = PaymentCase.ofDeposit(way);
    pay(bill, paymentCase, Optional.empty(), chance);
  }

  private void pay(Invoice bill, PaymentCase paymentCase, Optional<Invoice> other, int chance) {
    Thread payer =
        Thread.ofVirtual()
            .unstarted(
                () -> {
                  try {
                    go(bill, paymentCase, other, chance);
                  } finally {
                    busy.remove(Thread.currentThread());
                  }
                });
    busy.put(payer, bill.order());
    payer.start();
  }

  /// The bill before this one: of the same sale or, as often, of any.
  private Optional<Invoice> before(Invoice bill, int chance) {
    String sale = bill.order().substring(0, bill.order().lastIndexOf('_'));
    Invoice ofSale = lastBills.put(sale, bill);
    Invoice ofAny = lastBills.put("", bill);
    return Optional.ofNullable(chance % 2 == 0 ? ofSale : ofAny);
  }

  private void go(Invoice bill, PaymentCase paymentCase, Optional<Invoice> other, int chance) {
    while (failing) {
      Callbacks.rest(RETRY_MS);
    }
    switch (paymentCase) {
      case PROMPT -> take(bill, paymentCase, 0).ifPresent(callbacks::deliver);
      case TWICE ->
          take(bill, paymentCase, 0).ifPresent(one -> callbacks.deliver(List.of(one, one, one)));
      case TOLD_LATE -> {
        var payment = take(bill, paymentCase, 0);
        Callbacks.rest(bill.windowMillis() + 200 + chance % 2_000);
        payment.ifPresent(callbacks::deliver);
      }
      case PAID_LATE -> {
        Callbacks.rest(bill.windowMillis() + 700 + chance % 3_000);
        callbacks.deliver(capture(bill, paymentCase, 0));
      }
      case SECOND -> {
        take(bill, paymentCase, 0).ifPresent(callbacks::deliver);
        callbacks.deliver(capture(bill, paymentCase, 0));
      }
      case EARLY -> {
        callbacks.early(bill);
        take(bill, paymentCase, 0).ifPresent(callbacks::deliver);
      }
      case SHARED -> take(bill, paymentCase, 0).ifPresent(one -> share(one, other, chance));
      case WRONG -> callbacks.deliver(capture(bill, paymentCase, 1));
      case FORGED -> {
        callbacks.forge(bill);
        take(bill, paymentCase, 0).ifPresent(callbacks::deliver);
      }
    }
  }

  /// Tells of a payment for its order and for another one, one after the other or at once.
  private void share(Payment payment, Optional<Invoice> other, int chance) {
    if (other.isEmpty()) {
      callbacks.deliver(payment);
      return;
    }
    String order = other.get().order();
    shared.put(payment.id(), order);
    Payment again =
        new Payment(
            payment.id(), order, payment.amount(), payment.currency(), payment.paymentCase());
    if (chance % 4 < 2) {
      callbacks.deliver(payment);
      callbacks.deliver(again);
    } else {
      callbacks.deliver(List.of(payment, again));
    }
  }

  /// Takes the money unless the order was closed.
  private Optional<Payment> take(Invoice bill, PaymentCase paymentCase, long more) {
    synchronized (this) {
      if (closed.contains(bill.order())) {
        return Optional.empty();
      }
      return Optional.of(capture(bill, paymentCase, more));
    }
  }

  private synchronized Payment capture(Invoice bill, PaymentCase paymentCase, long more) {
    String id = "pay_" + (captured.size() + 1) + "_" + bill.order();
    Payment payment =
        new Payment(id, bill.order(), bill.amount() + more, bill.currency(), paymentCase);
    captured.put(id, payment);
    if (more == 0) {
      valid.putIfAbsent(bill.order(), payment);
    }
    return payment;
  }

  private void handle(HttpServerRequest request) {
    request.body().onSuccess(body -> answer(request, body));
  }

  private void answer(HttpServerRequest request, Buffer body) {
    if (failing) {
      int _ = failedCalls.incrementAndGet();
      if (failedInOutage.incrementAndGet() == NOTICED) {
        noticedAt = System.currentTimeMillis();
      }
      var _ = request.response().setStatusCode(UNAVAILABLE).end();
      return;
    }
    JsonNode asks;
    try {
      asks = JSON.readTree(body.getBytes());
    } catch (IOException _) {
      var _ = request.response().setStatusCode(400).end();
      return;
    }
    ObjectNode reply =
        asked.incrementAndGet() % UNSURE_EVERY == 0
            ? object().put("status", "unknown")
            : "/close".equals(request.path()) ? close(asks) : refund(asks);
    var _ = request.response().end(reply.toString());
  }

  private synchronized ObjectNode close(JsonNode asks) {
    String order = asks.path("order_id").asText();
    Payment payment = valid.get(order);
    if (payment == null) {
      closed.add(order);
      return object().put("status", "closed");
    }
    return object()
        .put("status", "paid")
        .put("payment_id", payment.id())
        .put("amount", payment.amount())
        .put("currency", payment.currency());
  }

  private ObjectNode refund(JsonNode asks) {
    String payment = asks.path("payment_id").asText();
    if (!captured.containsKey(payment)) {
      return object().put("status", "refused");
    }
    Long _ =
        refunds
            .computeIfAbsent(payment, _ -> new ConcurrentHashMap<>())
            .putIfAbsent(asks.path("key").asText(), asks.path("amount").asLong());
    return object().put("status", "refunded");
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  @Override
  public void close() {
    giveUp();
    var _ = server.close();
  }
}
